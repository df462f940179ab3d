"""The cases of the chapters on the network."""

from types import SimpleNamespace

from helpers.sentence_cases.made import ns, off, value

HERE = dict(tcp_here=ns(9), ping_here=ns(3), here=6e-6, longer_ping="Longer.")
AWAY = dict(tcp_away=ns(9), ping_away=ns(3), away=6e-6, longer_ping="Longer.")
TWO_CPUS = dict(more=1, times=3, one_cpu=ns(3), two_cpus=ns(9), between="Between")
LINK = dict(link=SimpleNamespace(origin="machine"), whole=ns(3), ideal=1e-3)
LINK |= dict(on_wire="", awake_cpus="")
MISSED = dict(row=SimpleNamespace(ratio=3), row_name="A", why={"A": "The cause."})
CLOSES = dict(whole=ns(5), reset=ns(5), local=ns(5))
TRIP = dict(opened=ns(9), on_wire=", on the wire 8 ns", times=1.1, trips="So it is one.")
COUNTED = dict(full=[0, 2], resent="", waiting="")
COPIES = dict(in_cache=1e-10, slow=4e-10, model=3e-10, long=value(2e-5), short=value(1e-5))
SENDS = dict(best_size=2**16, largest_size=2**16, peak=2)
SENDS |= dict(sends=SimpleNamespace(points=[1, 2], axis=[64, 2**16], growth=3, medians=[1, 2]))
WAKES = dict(wakes=2, extra=1e-5, wake=SimpleNamespace(value=5e-6, origin="measured"))
MEASURED = SimpleNamespace(value=1e8 / 8, origin="measured")
GUESSED = SimpleNamespace(value=1e8 / 8, origin="guess")
RATE = dict(rate=MEASURED, far=ns(3), link="L", share=0.9, carried=0.96)
RATE |= dict(headers=value(52), mtu=value(1500))
PARTS = dict(parts=["a", "b"], copied=MEASURED, origin="measured", mechanism_here="M.")
RATES = {"tcp": ns(3), "tcp_across": ns(3)}
TWO_RATES = dict(n=RATES, times=2)
STREAMS = SimpleNamespace(points=[1, 2, 4], axis=[1, 2, 4], growth=1.2)
TWO_ENDS = dict(one_cpu=ns(3), two_cpus=ns(3), times=2, though="though")
EXCHANGE = dict(one_way=ns(3), exchange=ns(3), both_ways="W")
IPERF3 = dict(
    by_iperf3=SimpleNamespace(median=9, summary=SimpleNamespace(processes=5)), rates=[1e9, 2e9]
)

CASES = {
    "network/rtt": [
        (
            "longer messages",
            dict(curve=SimpleNamespace(points=[1, 2], axis=[1, 2**16], growth=3)),
            ": 64.0 KiB take 3.0 times as long as 1 byte",
        ),
        ("simulated host", dict(known=1), "relay of the link share this machine's CPUs"),
        ("real host", dict(known=False), "is longer than its link is said to be"),
        (
            "longer messages to the other host",
            dict(curve_far=SimpleNamespace(points=[1, 2], axis=[1, 2**16], growth=3)),
            ": 64.0 KiB take 3.0 times as long as 1 byte",
        ),
        ("bytes as predicted", dict(fastest=1), "So the bytes are as predicted"),
        ("bytes unexplained", dict(fastest=3), "So even the fastest trials do not fit"),
        (
            "sizes missed",
            dict(misses=[3], what="here", minima=[1, 2], fastest=3, held="Held."),
            "*Longer messages here* at 1 of 2 sizes. The fastest trial at a size takes 3.0",
        ),
        ("ping is longer", HERE | dict(tcp_here=ns(1)), "Longer."),
        ("ping is alike", HERE | dict(tcp_here=ns(3)), "are indistinguishable."),
        ("ping is shorter", HERE, "6.00 µs more, for two switches"),
        ("far ping is alike", AWAY | dict(tcp_away=ns(3)), "are indistinguishable."),
        ("far ping is longer", AWAY | dict(tcp_away=ns(1)), "Longer."),
        ("far ping is shorter", AWAY, "6.00 µs more, 6"),
        ("CPUs alike", TWO_CPUS | dict(more=0), "Between; the two are indistinguishable."),
        ("waking is most", TWO_CPUS, "Between: each message has to wake a CPU"),
        ("waking is some", TWO_CPUS | dict(times=1.5), "Between: waking the other CPU costs less"),
        ("two CPUs faster", TWO_CPUS | dict(times=0.5, more=-1), "the two ends work at the same"),
        (
            "link unknown",
            LINK | dict(link=SimpleNamespace(origin="guess")),
            "The link's length is not",
        ),
        ("link known", LINK, "would take 1.00 ms; a program waits 3.0"),
        ("wire is longer", dict(wire=ns(9), whole=ns(3)), "The wire cannot take longer"),
        (
            "passes take the rest",
            dict(needed=9000, stacks={"tcp": value(5000)}),
            "of 9,000 cycles each, instead of the guessed 5,000,",
        ),
    ],
    "network/connect": [
        ("wake-up", dict(share=0.6, wake=value(2e-5)), "is 0.60 times such a wake-up (20.0 µs)"),
        ("no wake-up", dict(share=9.0, wake=value(2e-5)), "until both CPUs are traced."),
        (
            "carrier",
            dict(with_carrier=1.5, path={"carrier": value(2e-5)}),
            "carrier's 20.0 µs, measured / predicted would be 1.5.",
        ),
        (
            "no carrier",
            dict(with_carrier=5.0, path={"carrier": value(2e-5)}),
            "unexplained until it is traced.",
        ),
        ("server's close", dict(served=1.5, n={"close": ns(9)}), "predicted would be 1.5."),
        ("no server's close", dict(served=5.0, n={"close": ns(9)}), "a trace would tell."),
        ("known cause", MISSED, "The cause."),
        ("unknown cause", MISSED | dict(row_name="B"), "which step takes longer."),
        ("unknown cause", MISSED | dict(row=SimpleNamespace(ratio=0.3)), "which step takes"),
        ("reset less", CLOSES | dict(reset=ns(3)), "and keeps nothing."),
        ("reset no less", CLOSES, "the call destroys the sockets at once"),
        ("local more", CLOSES | dict(local=ns(9)), "the kernel carries the packet"),
        ("one round trip", dict(times=1.1), "So it is one round trip"),
        ("undecided", dict(times=1.5), "does not decide"),
        ("delayed", dict(times=2.0), "something else delayed it."),
        (
            "no round trip",
            TRIP | dict(trip=SimpleNamespace(origin="guess", value=1e-3)),
            "no round trip was measured to compare it with.",
        ),
        (
            "round trip",
            TRIP | dict(trip=SimpleNamespace(origin="measured", value=1e-3)),
            "1.10 times that, on the wire 8 ns. So it is one.",
        ),
        ("resent", dict(again=[1, 2]), "3 segments were sent again"),
        ("waiting", dict(waits=7), "at most 7 connections"),
        ("counted", COUNTED, "in 2 processes, 2 connections found the queue full."),
        ("not counted", COUNTED | dict(full=[]), "Nothing was counted."),
        (
            "set-up first",
            dict(made={"set_up": SimpleNamespace(origin="guess")}),
            "set up two sockets",
        ),
        ("ping first", dict(made={"set_up": SimpleNamespace(origin="measured")}), "the ping"),
        ("to the other host", dict(to_peer=True), "to the other host"),
        ("no peer", dict(to_peer=False), "within the machine"),
        ("close less", dict(far_cheaper=4.0), "takes 25 % of that time."),
    ],
    "network/throughput": [
        (
            "iperf3 by few",
            IPERF3 | dict(ends=SimpleNamespace(is_known=False, low=0, high=0)),
            "are too few for an interval: their medians go from 8.00 Gbit/s to 16.0 Gbit/s.",
        ),
        (
            "iperf3 outside",
            IPERF3 | dict(ends=SimpleNamespace(is_known=True, low=1, high=2)),
            "Reckon's 2 processes have medians from 8.00 Gbit/s to 16.0 Gbit/s; `iperf3` ran 5",
        ),
        (
            "most in between",
            SENDS | dict(best_size=64, peak=3e9 / 8),
            ": most, 3.00 Gbit/s, with sends of 64 byte",
        ),
        ("larger sends", SENDS, ": 64.0 KiB carry 3.0 times as much as 64"),
        (
            "start within a window",
            dict(took=2e-4, each=1, doublings=1.1),
            "after 1.1 doublings, 200 µs. That is less than one window of 1.00 ms",
        ),
        (
            "fast in a cache",
            COPIES,
            "10.0 µs longer than one byte (page on round trips), 0.100 ns for each",
        ),
        (
            "faster than the model",
            COPIES | dict(in_cache=9e-10, slow=2e-10),
            "faster than from array",
        ),
        ("slower than the model", COPIES | dict(in_cache=9e-10), "take longer than guessed"),
        ("wake-ups", WAKES, "takes 5.00 µs (measured), so 2.0 wake-ups for each segment"),
        ("not wake-ups", WAKES | dict(wakes=9), "wake-ups alone do not account for it"),
        ("simulated link", dict(known=1), "link is set to"),
        ("real link", dict(known=False), "adapter is rated at"),
        ("rate unknown", RATE | dict(rate=GUESSED), "The link's rate is not known"),
        ("rate known", RATE, "The L 100 Mbit/s; programs get 3.0"),
        ("as much as one", TWO_RATES, ": two CPUs carry about as much as one"),
        ("another rate", TWO_RATES | dict(n=RATES | {"tcp": ns(9)}), ": two CPUs carry 2.0 times"),
        (
            "several streams",
            dict(near_streams=STREAMS, to_other_host=", 1.00 times to the other host"),
            ": 4 carry 1.20 times as much as one within the machine, 1.00 times",
        ),
        (
            "streams to the other host",
            dict(far_streams=STREAMS),
            ", 1.20 times to the other host",
        ),
        ("full at once", dict(full_after=0), ": the link is full from the first window on"),
        ("full later", dict(full_after=2e-3), ": the link is full 2.00 ms after the first byte"),
        (
            "shorter sends are faster",
            dict(gain_at_peak=1.9, best_size=2**15, last_gain=1),
            "sends of 32.0 KiB carry 1.9 times as much",
        ),
        ("longest sends are fast again", dict(last_gain=1.4), "longest sends are faster again"),
        (
            "same miss",
            dict(gain_at_peak=1.9, best_size=2**20, last_gain=1),
            "the same miss as with two CPUs",
        ),
        (
            "same miss",
            dict(gain_at_peak=1.1, best_size=2**15, last_gain=1),
            "the same miss as with two CPUs",
        ),
        ("link is slower", dict(ping=value(1e-9), carried_rate=1), ", more than the link carries,"),
        ("copy measured", dict(copied=MEASURED), "measured"),
        ("copy guessed", dict(copied=GUESSED), "guessed"),
        ("share of a copy", PARTS, "which is 100 Mbit/s. A connection carries a, and b."),
        ("said above", dict(n={"tcp": off(3)}, mechanism="M."), "is said in the first answer."),
        ("not said above", dict(n={"tcp": off(1.1)}, mechanism="M."), "M."),
        ("no copy", PARTS | dict(parts=[]), "Nothing was measured."),
        ("two CPUs gain", TWO_ENDS | dict(gain=1), "Two CPUs carry 2.0 times as much as one"),
        ("two CPUs lose", TWO_ENDS | dict(gain=-1), "less than one, though more than that gains."),
        ("CPUs alike", TWO_ENDS | dict(gain=0), "indistinguishable, though what that gains."),
        ("ping guessed", dict(ping=GUESSED), " (guessed)"),
        ("exchange is slower", EXCHANGE | dict(gain=-1), "W: all that goes has to come back, and"),
        (
            "exchange is alike",
            EXCHANGE | dict(gain=0),
            "the same CPU carries twice as many bytes in the same time",
        ),
        ("exchange is faster", EXCHANGE | dict(gain=1), "No more than a chunk is under way then"),
        ("slower than Reckon's", dict(one_way=ns(1), n={"tcp": ns(3)}), "One way is slower"),
        ("sent again", dict(again=7), " (7 segments were sent again)"),
        ("caches left", COPIES | dict(n={"tcp": ns(3)}), "model has 0.300 ns. Data that run ahead"),
        (
            "difference unknown",
            COPIES | dict(n={"tcp": ns(3)}, in_cache=9e-10),
            "model has 0.300 ns. The questions below say what is known",
        ),
    ],
}

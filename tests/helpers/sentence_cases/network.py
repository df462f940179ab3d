"""The cases of the chapters on the network."""

from types import SimpleNamespace

from helpers.sentence_cases.made import ns, value

HERE = dict(tcp_here=ns(9), ping_here=ns(3), here=6e-6, longer_ping="Longer.")
AWAY = dict(tcp_away=ns(9), ping_away=ns(3), away=6e-6, longer_ping="Longer.")
TWO_CPUS = dict(more=1, times=3, one_cpu=ns(3), two_cpus=ns(9), between="Between")
LINK = dict(link=SimpleNamespace(origin="machine"), whole=ns(3), ideal=1e-3)
LINK |= dict(on_wire="", awake_cpus="")
MISSED = dict(row=SimpleNamespace(ratio=3), row_name="A", why={"A": "The cause."})
CLOSES = dict(whole=ns(5), reset=ns(5), local=ns(5))
TRIP = dict(opened=ns(9), on_wire=", on the wire 8 ns", times=1.1, trips="So it is one.")
COUNTED = dict(full=[0, 2], resent="", waiting="")

CASES = {
    "network/rtt": [
        (
            "longer messages",
            dict(curve=SimpleNamespace(points=[1, 2], axis=[1, 2**16], growth=3)),
            ": 64.0 KiB take 3.0 times as long as 1 byte",
        ),
        ("simulated host", dict(known=1), "both hosts and the link share this machine's."),
        ("real host", dict(known=False), "longer than its link is said to be, or queues."),
        ("bytes as predicted", dict(fastest=1), "So the bytes are as predicted"),
        ("bytes unexplained", dict(fastest=3), "So even the fastest trials do not fit"),
        (
            "sizes missed",
            dict(misses=[3], what="here", minima=[1, 2], fastest=3, held="Held."),
            "*Longer messages here* at 1 of 2 sizes. The fastest trial at a size takes 3.0",
        ),
        ("ping is longer", HERE | dict(tcp_here=ns(1)), "Longer."),
        ("ping is alike", HERE | dict(tcp_here=ns(3)), "cannot be told apart."),
        ("ping is shorter", HERE, "6.00 µs more, for two switches"),
        ("far ping is alike", AWAY | dict(tcp_away=ns(3)), "cannot be told apart."),
        ("far ping is longer", AWAY | dict(tcp_away=ns(1)), "Longer."),
        ("far ping is shorter", AWAY, "6.00 µs more, 6"),
        ("CPUs alike", TWO_CPUS | dict(more=0), "Between; the two cannot be told apart."),
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
            "carrier's 20.0 µs measured / predicted would be 1.5.",
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
        ("reset less", CLOSES | dict(reset=ns(3)), "and nothing kept."),
        ("reset no less", CLOSES, "the call itself takes the socket down"),
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
        ("to the peer", dict(to_peer=True), "to the other host"),
        ("no peer", dict(to_peer=False), "within the machine"),
        ("close less", dict(far_cheaper=4.0), "takes 25 % of that."),
    ],
}

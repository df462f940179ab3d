"""Made-up machines whose network differs.

The recorded link is set to 0.2 ms there and back and to 1 Gbit/s, of which TCP can carry 965 Mbit/s.
"""

from machines.machine import US, Machine, machine

RTT, THROUGHPUT, CONNECT = "network/rtt", "network/throughput", "network/connect"
MBIT = 1e6 / 8  # bytes a second


@machine("The link is full from the first window on, with one stream or four: 965 Mbit/s.")
def full_link(m: Machine):
    for name in ("start_peer", "streams_peer", "size_peer"):
        m.curve(f"{THROUGHPUT}/{name}", lambda *_: 964.8 * MBIT)
    m.value(f"{THROUGHPUT}/tcp_peer", "964.8 Mbit/s")
    m.must(THROUGHPUT, "full at once", "rate known", "the link is full")
    m.must_not(THROUGHPUT, "full later", "one stream does not fill the link")


@machine("One stream gets 480 Mbit/s, two twice that: its window limits it and not the link.")
def link_that_is_not_full(m: Machine):
    m.curve(f"{THROUGHPUT}/streams_peer", lambda streams, _: min(480 * streams, 964.8) * MBIT)
    m.curve(f"{THROUGHPUT}/start_peer", lambda *_: 480 * MBIT)
    m.curve(f"{THROUGHPUT}/size_peer", lambda *_: 480 * MBIT)
    m.value(f"{THROUGHPUT}/tcp_peer", "480 Mbit/s")
    m.must(THROUGHPUT, "one stream does not fill the link")
    m.must_not(THROUGHPUT, "full at once", "full later", "the link is full")


@machine("Slow start takes 2 ms until the link is full.")
def slow_start(m: Machine):
    m.curve(
        f"{THROUGHPUT}/start_peer",
        lambda after_s, _: min(964.8, 245 * 2 ** (after_s / 0.001)) * MBIT,
    )
    m.value(f"{THROUGHPUT}/tcp_peer", "964.8 Mbit/s")
    m.must(THROUGHPUT, "full later")
    m.must_not(THROUGHPUT, "full at once")


@machine("Two CPUs carry 40 Gbit/s and one 22: the ends work at the same time.")
def two_cpus_carry_more(m: Machine):
    m.values(THROUGHPUT, tcp="22 Gbit/s", tcp_across="40 Gbit/s")
    m.must(THROUGHPUT, "two CPUs gain", "another rate")
    m.must_not(THROUGHPUT, "two CPUs lose", "CPUs alike", "as much as one")


@machine("A hand-over to another CPU costs more than it gains: 22 Gbit/s on one CPU, 11 on two.")
def two_cpus_carry_less(m: Machine):
    m.values(THROUGHPUT, tcp="22 Gbit/s", tcp_across="11 Gbit/s")
    m.must(THROUGHPUT, "two CPUs lose", "another rate")
    m.must_not(THROUGHPUT, "two CPUs gain", "CPUs alike", "as much as one")


@machine(
    "Sends of 64 bytes carry 675 Mbit/s to the other host and 450 within the machine: the receiver runs beside the sender."
)
def small_sends_faster_to_the_other_host(m: Machine):
    m.curve(f"{THROUGHPUT}/size", lambda size, rate: 450 * MBIT if size == 64 else rate)
    m.curve(
        f"{THROUGHPUT}/size_peer", lambda size, rate: 675 * MBIT if size == 64 else 964.8 * MBIT
    )
    m.must(THROUGHPUT, "larger sends", "small sends slower here")


@machine("Waking another CPU takes 30 us each way; on one CPU a round trip takes 4.4 us.")
def waking_takes_most(m: Machine):
    m.values(RTT, tcp="4.4 us", tcp_across="64 us", icmp="1.6 us")
    m.value("cpu/switch/eventfd_process_across", "30 us")
    m.must(RTT, "wake-ups and switches", "ping is shorter")
    m.must_not(RTT, "CPUs alike", "two CPUs faster", "ping is alike")


@machine("The idle loop polls: between two CPUs a round trip takes 3.2 us, on one CPU 4.4.")
def polling_idle_loop(m: Machine):
    m.values(RTT, tcp="4.4 us", tcp_across="3.2 us")
    m.must(RTT, "two CPUs faster")
    m.must_not(RTT, "wake-ups and switches", "CPUs alike")


@machine("A router on the way answers pings last: 400 us, while TCP's round trip is 245.")
def ping_that_is_answered_last(m: Machine):
    m.values(RTT, icmp_peer="400 us", tcp_peer="245 us", tcp_wire_peer="236 us")
    m.must(RTT, "far ping is longer", "link known")
    m.must_not(RTT, "far ping is shorter", "far ping is alike", "wire is longer")


@machine("A message that fills more than two packets waits 100 us for an acknowledgement.")
def step_between_packets(m: Machine):
    m.curve(
        f"{RTT}/tcp_size_peer", lambda size, _: (245 + size / 59 + (130 if size > 2800 else 0)) * US
    )
    m.must(RTT, "longer messages", "step beyond the model")


@machine("A connection takes one round trip of 240 us.")
def connect_in_one_round_trip(m: Machine):
    m.values(RTT, icmp_peer="240 us", tcp_peer="256 us")
    m.values(
        CONNECT,
        connect_peer="246 us",
        socket_connect_peer="248 us",
        setup_wire_peer="238 us",
        close_peer="2.4 us",
    )
    m.must(CONNECT, "one round trip", "close less")
    m.must_not(CONNECT, "undecided", "delayed")


@machine(
    "The other host answers a SYN after 280 us of its own: connect takes 520 us, a round trip 240."
)
def delayed_connect(m: Machine):
    m.values(RTT, icmp_peer="240 us", tcp_peer="256 us")
    m.values(CONNECT, connect_peer="520 us", socket_connect_peer="522 us", setup_wire_peer="515 us")
    m.must(CONNECT, "delayed")
    m.must_not(CONNECT, "one round trip", "undecided", "no round trip")


@machine("A reset costs as much as an orderly close, and both a tenth of connect.")
def reset_like_close(m: Machine):
    m.values(
        CONNECT,
        connect="5 us",
        close="2.4 us",
        close_reset="2.4 us",
        close_peer="2.4 us",
        close_reset_peer="2.4 us",
    )
    m.must(CONNECT, "reset alike")
    m.must_not(CONNECT, "reset less")

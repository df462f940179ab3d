"""Made-up machines whose memory differs."""

from machines.machine import MIB, NS, Machine, machine

LATENCY = "memory/latency"


@machine(
    "Of the 480 MiB of L3 that are reported, 4 MiB are usable: beyond them memory answers each load."
)
def small_share_of_the_l3(m: Machine):
    for pages in ("random", "random_huge"):
        m.curve(
            f"{LATENCY}/{pages}",
            lambda size, ns: ns if size <= 2 * MIB else 18 * NS if size <= 4 * MIB else 95 * NS,
        )
    m.values(LATENCY, l3="95 ns", memory="95 ns", memory_small="120 ns")
    m.must(LATENCY, "reported L3 hidden", "one pace")
    m.must_not(LATENCY, "L3 answers", "two paces", "L3 at half")

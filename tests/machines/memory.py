"""Made-up machines whose memory differs.

The recorded machine reports an L2 of 2 MiB and an L3 of 480 MiB; its curves go to 1 GiB. The model lets the
L3 answer in 12.2 ns and memory in 92 ns.
"""

import math

from machines.machine import MIB, NS, Machine, machine

LATENCY, BANDWIDTH, FAULT = "memory/latency", "memory/bandwidth", "memory/fault"


def staircase(m: Machine, name: str, memory_ns: float, *, l3_mib: float = 480, l3_ns: float = 12.2):
    """The curve of that name: L1 and L2 as recorded, then an L3 of which so much is usable."""

    def latency(size, recorded):
        if size <= 1.5 * MIB:
            return recorded
        return (l3_ns if size <= l3_mib * MIB else memory_ns) * NS

    m.curve(f"{LATENCY}/{name}", latency)


@machine(
    "Of the 480 MiB of L3 that are reported, 4 MiB are usable: beyond them memory answers each load."
)
def small_share_of_the_l3(m: Machine):
    staircase(m, "random", 120, l3_mib=4)
    staircase(m, "random_huge", 95, l3_mib=4)
    staircase(m, "random_friendly", 94, l3_mib=4)
    m.values(LATENCY, l3="95 ns", memory="95 ns", memory_small="120 ns")
    m.must(LATENCY, "reported L3 hidden", "one pace", "usable L3 ends before the reported")
    m.must(LATENCY, "translation", "memory at half", "cache read from the curve")
    m.must_not(LATENCY, "L3 answers", "two paces", "L3 at half")


@machine(
    "All of the L3 is usable, and memory takes 250 ns in pages of any size: it is far, on another socket."
)
def far_memory(m: Machine):
    for name, memory_ns in (("random", 250), ("random_huge", 250), ("random_friendly", 250)):
        staircase(m, name, memory_ns)
    m.values(LATENCY, l3="12.2 ns", memory="250 ns", memory_small="250 ns")
    m.must(
        LATENCY,
        "L3 answers",
        "farther away or busier",
        "pages alike",
        "near is alike",
        "L3 at half",
    )
    m.must_not(
        LATENCY,
        "translation",
        "reported L3 hidden",
        "distance or translation",
        "memory is faster",
        "cache read from the curve",
    )


@machine(
    "Memory takes 85 ns, and a page walk as much again; the host backs huge pages with small ones."
)
def near_memory_with_costly_translation(m: Machine):
    for name, memory_ns in (("random", 170), ("random_huge", 170), ("random_friendly", 85)):
        staircase(m, name, memory_ns, l3_mib=4)
    m.values(LATENCY, l3="170 ns", memory="170 ns", memory_small="170 ns")
    m.must(
        LATENCY,
        "distance or translation",
        "pages alike",
        "near is faster",
        "reported L3 hidden",
    )
    m.must_not(LATENCY, "farther away or busier", "near is alike", "L3 answers")


@machine(
    "Memory is as predicted; past 8 MiB each small page costs a walk of 100 ns, a huge page none."
)
def small_pages_that_cost(m: Machine):
    staircase(m, "random_huge", 92)
    m.curve(
        f"{LATENCY}/random",
        lambda size, ns: (
            ns
            if size <= 1.5 * MIB
            else (12.2 + 100 * (size > 8 * MIB) + 80 * (size > 480 * MIB)) * NS
        ),
    )
    staircase(m, "random_friendly", 92)
    m.values(LATENCY, l3="12.2 ns", memory="92 ns", memory_small="192 ns")
    m.must(LATENCY, "translation", "reach within", "L3 answers", "near is alike")
    m.must_not(LATENCY, "slope", "reach not sharp")
    m.must_not(LATENCY, "pages alike", "huge pages slower", "reach beyond", "reach below")


@machine(
    "Past 4 MiB of L3 memory takes 150 ns, and the larger the region the more: 250 ns at 1 GiB, far from a plateau."
)
def memory_that_rises(m: Machine):
    def latency(size, recorded):
        if size <= 4 * MIB:
            return recorded if size <= 1.5 * MIB else 12.2 * NS
        return (150 + 100 * (math.log2(size / MIB) - 2) / 8) * NS

    for name in ("random", "random_huge", "random_friendly"):
        m.curve(f"{LATENCY}/{name}", latency)
    m.values(LATENCY, l3="187 ns", memory="250 ns", memory_small="250 ns")
    m.must(LATENCY, "slope", "memory at half", "reported L3 hidden")
    m.must_not(LATENCY, "some from memory", "L3 answers", "L3 at half", "both at half")


@machine("The kernel has no huge pages: nothing is known of translation but in small pages.")
def no_huge_pages(m: Machine):
    reason = "this kernel has no huge pages"
    m.lacks(reason, *(f"{LATENCY}/{name}" for name in ("l3", "memory", "random_huge")))
    m.lacks(reason, f"{FAULT}/huge", "cpu/task/fork_resident_huge")
    m.must(LATENCY, "one kind of pages")
    m.must_not(LATENCY, "translation", "pages alike", "L3 answers", "reported L3 hidden")
    m.must(FAULT, "no solution")
    m.must_not(FAULT, "solved", "near at times", "never near")


@machine(
    "Others push this program out of the L3 now and then: half of the processes find it, half do not."
)
def l3_that_comes_and_goes(m: Machine):
    m.values(LATENCY, l3="12.2 ns", memory="98 ns", memory_small="120 ns")
    m.two_modes(f"{LATENCY}/l3", slow=8, share=0.5)
    m.must(LATENCY, "two paces")
    m.must_not(LATENCY, "one pace", "some from memory", "no mixture")


@machine(
    "Nothing fetches ahead: a stride of 256 bytes waits for each line as long as random order does."
)
def no_prefetcher(m: Machine):
    for name in ("random_friendly", "stride_256"):
        staircase(m, name, 90, l3_mib=4)
    m.must(LATENCY, "hides little")
    m.must_not(LATENCY, "hides much", "hides some")


@machine(
    "Prefetchers hide nearly all of the wait for a stride of 256 bytes: 6 ns, and 90 in random order."
)
def good_prefetcher(m: Machine):
    staircase(m, "random_friendly", 90, l3_mib=4)
    m.curve(f"{LATENCY}/stride_256", lambda size, ns: min(ns, 6 * NS))
    m.must(LATENCY, "hides much")
    m.must_not(LATENCY, "hides little", "hides some")


@machine(
    "64 MiB of L3 are usable. A stride of 4 KiB visits 16 MiB of lines in 1 GiB: the L3 answers, no prefetcher."
)
def wide_stride_within_a_cache(m: Machine):
    for name in ("random", "random_huge", "random_friendly"):
        staircase(m, name, 95, l3_mib=64)
    m.curve(
        f"{LATENCY}/stride_4096", lambda size, ns: min(ns, (1.22 if size <= 2 * MIB else 12.2) * NS)
    )
    m.values(LATENCY, l3="12.2 ns", memory="95 ns", memory_small="95 ns")
    m.must(LATENCY, "lines fit into a cache", "L3 answers", "usable L3 ends before the reported")
    m.must_not(LATENCY, "new page with each load", "reported L3 hidden", "L3 at half")
    m.must_not(LATENCY, "cache read from the curve")


@machine(
    "One CPU's streaming stores fill the path to memory: 27.4 GB/s, two get 27.9. Reading scales to twice."
)
def saturated_path(m: Machine):
    m.curve(f"{BANDWIDTH}/write_nt_cores", lambda cpus, _: 27.4e9 if cpus == 1 else 27.9e9)
    m.curve(f"{BANDWIDTH}/read_cores", lambda cpus, _: cpus * 13.9e9)
    m.values(
        BANDWIDTH,
        write_nt="27.4 GB/s",
        read="13.9 GB/s",
        i7_10750h_read="20 GB/s",
        i7_10750h_two_read="27 GB/s",
    )
    m.must(BANDWIDTH, "several CPUs", "no gain by more CPUs")
    m.must_not(BANDWIDTH, "two cores")


@machine(
    "Two CPUs are threads of one core: together they read what one does by a method that the core limits."
)
def cpus_of_one_core(m: Machine):
    m.curve(f"{BANDWIDTH}/read_cores", lambda cpus, _: 14.8e9)
    m.values(BANDWIDTH, read="14.8 GB/s", i7_10750h_read="2.6 GB/s", i7_10750h_two_read="2.7 GB/s")
    m.must(BANDWIDTH, "less than two cores", "several CPUs")


@machine("Memory queues: beside other readers a load takes three times as long as alone.")
def memory_that_queues(m: Machine):
    m.curve(f"{BANDWIDTH}/loaded_latency", lambda busy, _: 100 * NS * (1 + 2 * busy**2))
    m.values(LATENCY, memory_small="100 ns", memory="95 ns")
    m.must(BANDWIDTH, "longer queue")
    m.must_not(BANDWIDTH, "no queue", "queue holds", "shorter queue")


@machine("However much the others read, a load takes the same 100 ns.")
def memory_without_a_queue(m: Machine):
    m.curve(f"{BANDWIDTH}/loaded_latency", lambda *_: 100 * NS)
    m.values(LATENCY, memory_small="100 ns", memory="95 ns")
    m.must(BANDWIDTH, "no queue")
    m.must_not(BANDWIDTH, "longer queue", "queue holds", "shorter queue")


@machine(
    "A line that is written back costs the core nothing: read-modify-write goes at the pace of reading."
)
def write_back_in_passing(m: Machine):
    m.values(BANDWIDTH, read="15 GB/s", modify="14.9 GB/s", write="14.9 GB/s")
    m.must(BANDWIDTH, "writes in passing")
    m.must_not(BANDWIDTH, "writes like reads", "writes unexplained", "stores slower")


@machine(
    "Loads and stores pass at 14 GB/s, but a store that misses costs more than one beside its load."
)
def stores_slower_than_read_modify_write(m: Machine):
    m.values(BANDWIDTH, read="14.3 GB/s", modify="13.5 GB/s", write="9.7 GB/s")
    m.must(BANDWIDTH, "stores slower")
    m.must_not(BANDWIDTH, "writes in passing", "writes like reads")


@machine(
    "Each line that is written back costs as much as one that is read: read-modify-write at half the pace."
)
def write_back_that_costs(m: Machine):
    m.values(BANDWIDTH, read="15 GB/s", modify="7.4 GB/s", write="7.3 GB/s")
    m.must(BANDWIDTH, "writes like reads")
    m.must_not(BANDWIDTH, "writes in passing", "writes unexplained")


@machine(
    "The host takes memory back that was not used: after a rest a fault takes six times as long."
)
def host_that_takes_memory_back(m: Machine):
    m.values(FAULT, anonymous="1.1 us", cold="6.6 us")
    m.must(FAULT, "slower after a rest")
    m.must_not(FAULT, "no guest", "alike after a rest", "faster after a rest")


@machine("No guest: after a rest memory is as it was.")
def memory_of_no_guest(m: Machine):
    m.values(FAULT, anonymous="0.5 us", cold="0.5 us")
    m.fact("system.guest", 0.0)
    m.fact("system.hypervisor", None)
    m.must(FAULT, "no guest")
    m.must_not(FAULT, "slower after a rest", "taken back")

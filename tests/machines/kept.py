"""Six made-up machines that are kept apart: whoever writes sentences does not read this file. They are run
last (`python -m machines --kept`), to show whether sentences are true of machines that they were not written
for.
"""

from machines.machine import MIB, NS, Machine, machine


@machine(
    "32 MiB of L3 are usable, memory is far (180 ns), and a walk for a small page adds 120 ns to it."
)
def far_memory_and_costly_pages(m: Machine):
    def latency(memory_ns):
        return lambda size, ns: (
            ns if size <= 1.5 * MIB else (12.2 if size <= 32 * MIB else memory_ns) * NS
        )

    for name, memory_ns in (("random", 300), ("random_huge", 180), ("random_friendly", 178)):
        m.curve(f"memory/latency/{name}", latency(memory_ns))
    m.values("memory/latency", l3="12.2 ns", memory="180 ns", memory_small="300 ns")
    m.must(
        "memory/latency",
        "translation",
        "farther away or busier",
        "L3 answers",
        "near is alike",
        "memory at half",
    )
    m.must("memory/latency", "usable L3 ends before the reported")
    m.must_not(
        "memory/latency",
        "pages alike",
        "reported L3 hidden",
        "L3 at half",
        "distance or translation",
    )


@machine(
    "A sibling is busy for half of the run: 140 and 193 ns for each call that enters the kernel, all alike."
)
def sibling_busy_half_the_run(m: Machine):
    calls = ("getpid", "getpid_libc", "getppid")
    m.values("cpu/syscall", **dict.fromkeys(calls, "140 ns"))
    m.two_modes(*(f"cpu/syscall/{name}" for name in calls), slow=1.38, share=0.5)
    m.values("cpu/loop", o2="0.2445 ns", o2_across_lines="0.2445 ns", counter_in_memory="0.2445 ns")
    m.two_modes("cpu/loop/o2", "cpu/loop/o2_across_lines", slow=1.8, share=0.5)
    m.must("cpu/syscall", "like getpid", "each time", "two groups")
    m.must_not("cpu/syscall", "from memory")
    m.must("cpu/loop", "two groups", "does not mind")
    m.must_not("cpu/loop", "additions folded", "more cycles", "minds its place")


@machine(
    "The other host runs a proxy that accepts at once: connect takes a round trip, data another host's two."
)
def proxy_before_the_other_host(m: Machine):
    m.values("network/rtt", icmp_peer="240 us", tcp_peer="530 us", tcp_wire_peer="520 us")
    m.values(
        "network/connect",
        connect_peer="248 us",
        socket_connect_peer="250 us",
        setup_wire_peer="241 us",
    )
    m.must("network/rtt", "far ping is shorter", "link known")
    m.must_not("network/rtt", "far ping is alike", "far ping is longer", "wire is longer")
    m.must("network/connect", "one round trip")
    m.must_not("network/connect", "undecided", "delayed")


@machine("The disk serves two at once. A CPU works 4 us a read, so the CPUs have time.")
def disk_of_two_channels(m: Machine):
    def rate(readers):
        return min(readers, 2) / 60e-6

    m.curve("files/contention/together", lambda readers, _: rate(readers))
    m.curve("files/contention/each", lambda readers, _: readers / rate(readers))
    m.curve("files/contention/slowest", lambda readers, _: 1.03 * readers / rate(readers))
    m.must("files/contention", "full from", "CPUs not full", "second reader for nothing")
    m.must_not(
        "files/contention",
        "wait unexplained",
        "CPUs full",
        "never full",
        "second reader unclear",
    )


@machine(
    "The server reads ahead: a cold block in order is there when it is requested, one at random is not."
)
def nfs_server_that_reads_ahead(m: Machine):
    m.values(
        "files/remote",
        random="300 us",
        cold_random="356 us",
        sequential="300 us",
        cold_sequential="300 us",
    )
    m.values("files/remote", local_random="0.26 us", local_cold_random="56 us")
    m.must("files/remote", "cold apart", "in order ahead", "disk unclear")
    m.must_not(
        "files/remote",
        "cold unclear",
        "in order more",
        "in order less",
        "more than disk",
        "less than disk",
    )


@machine(
    "One CPU reads 13 GB/s and two 13.5: a host limits the guest. The core itself could do more."
)
def limited_memory_rate(m: Machine):
    m.curve("memory/bandwidth/read_cores", lambda cpus, _: 13e9 if cpus == 1 else 13.5e9)
    m.curve("memory/bandwidth/loaded_latency", lambda busy, _: 110e-9 * (1 + 3 * busy**2))
    m.values("memory/latency", memory="105 ns", memory_small="110 ns")
    m.values("memory/bandwidth", read="13 GB/s", modify="12.6 GB/s")
    m.must("memory/bandwidth", "several CPUs", "no gain by more CPUs", "longer queue")
    m.must_not("memory/bandwidth", "no queue", "queue holds", "shorter queue", "writes like reads")

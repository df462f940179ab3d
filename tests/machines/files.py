"""Made-up machines whose disk, file cache or file server differs.

A read of the recorded disk takes 55 us. A CPU works 4 us for it.
"""

from machines.machine import MIB, US, Machine, machine

CACHE, READ = "files/cache", "files/read"
REMOTE, CONTENTION = "files/remote", "files/contention"


def disk_of(m: Machine, channels: int, us: float = 55, limit: float = 1e9):
    """Readers of a disk that serves a number of requests at once, or of CPUs with a limited rate."""

    def rate(readers):
        return min(min(readers, channels) / (us * US), limit)

    m.curve(f"{CONTENTION}/together", lambda readers, _: rate(readers))
    m.curve(f"{CONTENTION}/each", lambda readers, _: readers / rate(readers))
    m.curve(f"{CONTENTION}/slowest", lambda readers, _: 1.05 * readers / rate(readers))


@machine(
    "The disk reads ahead into a cache of its own: the next block takes 20 us, a random one 90."
)
def disk_with_a_cache(m: Machine):
    m.values(READ, direct_random="90 us", direct_sequential="20 us", buffered_random="92 us")
    m.must(READ, "order matters")
    m.must_not(READ, "order does not matter", "place alike")


@machine("A disk without moving parts and without a cache: 55 us for a block, wherever it is.")
def disk_without_a_cache(m: Machine):
    m.values(READ, direct_random="55 us", direct_sequential="55 us", buffered_random="57 us")
    m.must(READ, "order does not matter", "place alike")
    m.must_not(READ, "order matters")


@machine(
    "A block in order takes 2.8 us in one measurement and 7.0 in another, minutes later: the disk changed."
)
def two_values_of_one_read(m: Machine):
    m.values(READ, buffered_sequential="2.8 us")
    m.curve(f"{READ}/block_buffered", lambda size, time: 7.0 * US if size == 4096 else time)
    m.must(READ, "measured twice, and apart")


@machine("With the advice 'sequential' a block in order takes half as long.")
def advice_that_pays(m: Machine):
    m.value(f"{READ}/readahead_normal", "6 us")
    m.value(f"{READ}/readahead_sequential", "3 us")
    m.must(READ, "advice pays")
    m.must_not(READ, "advice does not pay", "advice unclear")


@machine(
    "The disk serves one request after the other: the second reader doubles the time of a block."
)
def disk_that_queues(m: Machine):
    disk_of(m, channels=1)
    m.must(CONTENTION, "full from", "wait for disk", "CPUs not full")
    m.must_not(
        CONTENTION,
        "second reader for nothing",
        "wait unexplained",
        "never full",
        "CPUs full",
        "wait for CPUs",
    )


@machine("The disk serves four at once: up to four readers nobody waits, then the rate stays.")
def disk_of_four_channels(m: Machine):
    disk_of(m, channels=4)
    m.must(CONTENTION, "full from", "second reader for nothing", "CPUs not full")
    m.must_not(CONTENTION, "wait unexplained", "never full", "CPUs full", "second reader unclear")


@machine(
    "The disk serves as many as there are, and a CPU works 1 us a read: neither is full with 20 readers."
)
def disk_that_is_never_full(m: Machine):
    disk_of(m, channels=64)
    m.values(CONTENTION, work="2 us", work_of_20="1 us")
    m.must(CONTENTION, "never full", "CPUs not full", "second reader for nothing", "work falls")
    m.must_not(CONTENTION, "full from", "CPUs full", "both possible", "wait unexplained")


@machine(
    "Two CPUs work 20 us for each read, so 100,000 a second fill them; the disk could do more."
)
def full_cpus(m: Machine):
    disk_of(m, channels=64, limit=1e5)
    m.values(CONTENTION, work="20 us", work_of_20="20 us")
    m.must(CONTENTION, "full from", "CPUs full", "work stays", "second reader for nothing")
    m.must_not(CONTENTION, "CPUs not full", "never full", "work falls")


@machine(
    "With a second reader a block takes 1.5 times as long in every process: the disk serves two in part."
)
def second_reader_waits_by_half(m: Machine):
    m.curve(f"{CONTENTION}/each", lambda readers, _: 55 * US * (1 + 0.5 * (readers - 1)))
    m.curve(f"{CONTENTION}/slowest", lambda readers, _: 58 * US * (1 + 0.5 * (readers - 1)))
    m.curve(
        f"{CONTENTION}/together", lambda readers, _: readers / (55 * US * (1 + 0.5 * (readers - 1)))
    )
    m.drift(0.04, *(f"{CONTENTION}/{name}" for name in ("each", "slowest", "together")))
    m.must(CONTENTION, "wait unexplained")
    m.must_not(
        CONTENTION, "second reader unclear", "second reader for nothing", "slowest below mean"
    )


@machine(
    "A cold block costs the server its disk: 83 us more than a warm one, at random and in order."
)
def nfs_cold_and_warm(m: Machine):
    m.values(
        REMOTE, random="334 us", cold_random="417 us", sequential="334 us", cold_sequential="417 us"
    )
    m.values(REMOTE, local_random="0.26 us", local_cold_random="83 us")
    blocks = ("random", "cold_random", "sequential", "cold_sequential")
    m.drift(0.03, *(f"{REMOTE}/{name}" for name in blocks))
    m.must(REMOTE, "cold apart", "in order more", "disk unclear")
    m.must_not(
        REMOTE,
        "cold unclear",
        "in order unclear",
        "in order ahead",
        "in order less",
        "less than disk",
    )


@machine(
    "The server's own memory holds the file, so a cold client finds it: cold and warm take 300 us."
)
def nfs_server_that_is_never_cold(m: Machine):
    m.values(
        REMOTE, random="300 us", cold_random="300 us", sequential="300 us", cold_sequential="300 us"
    )
    m.must(REMOTE, "cold unclear")
    m.must_not(REMOTE, "cold apart", "in order more", "in order less", "more than disk")


@machine("A cold block over NFS takes 300 us more than a warm one; the same disk takes 56 us here.")
def nfs_server_with_other_work(m: Machine):
    m.values(
        REMOTE,
        random="300 us",
        cold_random="600 us",
        local_random="0.26 us",
        local_cold_random="56 us",
    )
    m.must(REMOTE, "cold apart", "more than disk")
    m.must_not(REMOTE, "cold unclear", "less than disk", "disk unclear")


@machine("Version 4 asks once more for each block: 300 us, and 260 by version 3.")
def nfs_version_4_that_asks_more(m: Machine):
    m.values(REMOTE, random="300 us", random_v3="260 us", seek="6 ns")
    m.must(REMOTE, "version 4 more", "seek too fast")
    m.must_not(REMOTE, "versions alike", "seek too slow")


@machine(
    "A file in memory is read in 0.8 us a block, whatever its size: no copy from main memory shows."
)
def cached_reads_all_alike(m: Machine):
    m.curve(f"{CACHE}/whole_small", lambda *_: 0.8 * US)
    m.must(CACHE, "larger file alike", "small files")
    m.must_not(CACHE, "larger file slower", "large files")


@machine(
    "A block of a file beyond 16 MiB comes from main memory: 1.6 us instead of 0.8. No read waits for a disk."
)
def large_files_from_memory(m: Machine):
    m.curve(f"{CACHE}/whole_small", lambda size, _: (0.8 if size <= 16 * MIB else 1.6) * US)
    m.values(READ, cached="1.6 us")
    m.must(CACHE, "larger file slower", "small files")
    m.must_not(CACHE, "larger file alike")

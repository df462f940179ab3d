"""What the chapter on the file cache concludes."""

import math

import numpy as np

import reckon as rk


def from_memory(reads):
    """The time of a read from the smallest file, which lies in memory; nan if unmeasured."""
    return reads.medians[0] if reads.has_samples else math.nan


@rk.finding(missing="The size of the file cache")
def size_table(inferred, true):
    share = rk.percent(inferred.median / true.median, 3)
    return rk.shown("share of the count", f"The size of the file cache: by times alone it is {share} of the kernel's count")


@rk.finding(missing="Reads through the file cache, by the size of the file")
def reads_table(reads):
    return rk.shown("growth with the file", "Reads through the file cache, by the size of the file: from the largest a read takes "
                    f"{rk.number(reads.growth, 2)} times as long as from the smallest")


@rk.finding(missing="Single reads of the largest file")
def largest_file(reads):
    if reads.growth > 1.5:
        return rk.shown("some wait", "Single reads of the largest file: some wait for the disk, so their mean is "
                        f"{rk.number(reads.growth, 2)} times that of the smallest file")
    return rk.shown("none waits", "Single reads of the largest file: their mean hardly differs from that of the smallest file")


@rk.finding(needs=())
def all_memory(whole):
    if whole.has_samples:
        return rk.shown("large files", "With all memory for the cache")
    return rk.shown("small files", "With all memory for the cache a small file shows no onset: every block stays in memory")


@rk.finding(needs=())
def size_of_whole(whole):
    if whole.has_samples:
        return rk.shown("all memory inferred", f"With all memory it is {whole:interval}.")
    return rk.unexplained("all memory not inferred", f"With all memory it was not inferred: {rk.why(whole)}. Files larger than memory are "
                          "read in the profile `full` (`make book PROFILE=full`).")


@rk.finding(needs=["free"])
def kernels_own_figure(free, memory, whole):
    available = f"`MemAvailable` is {free} of {rk.amount(memory.value, 'byte')} of memory."
    if not whole.has_samples:
        return rk.unexplained("not confirmed", f"{available} A file of that size was not read, so no time confirms it.")
    times = rk.number(whole.median / free.median)
    return rk.shown("confirmed", f"{available} Inferred were {whole}, {times} times that.")


@rk.finding(needs=["reads"])
def cached_read(reads):
    """Of the model's inputs as sealed, `work` is the guess of what looking a page up takes."""
    hit, _ = rk.show.hit_and_miss(reads)
    predicted, work = reads.seal.predicted[0], reads.sealed_input("work")
    off, needed = hit / predicted, (hit - predicted) * reads.sealed_input("clock") + work
    if 0.8 <= off <= 1.25:
        return rk.shown("guess holds", "Here it does not: the guess holds.")
    return rk.consistent("guess off", f"It is {rk.number(off)} times the prediction. Put down to the guess alone, looking a page up would have to take "
                         f"{rk.number(needed, 2)} cycles, where {rk.number(work)} were guessed.")


@rk.finding(needs=["small"], missing="")
def size_of_a_small_file(small):
    (few, many), (few_mib, many_mib) = small.medians[[0, -1]], small.axis_in_unit[[0, -1]]
    takes = (f"From a file of {few_mib:g} MiB such a read takes {rk.amount(few, 'µs')}, from one of {many_mib:g} MiB {rk.amount(many, 'µs')}, and no "
             "disk takes part in either")
    first, last = small.summaries[0], small.summaries[-1]
    if not last.apart(first):
        return rk.shown("larger file alike", f"{takes}: the two are not shown to differ ({last.why_not_apart(first)}).")
    return rk.unexplained("larger file slower", f"{takes}. Whether the pages of the larger one come from main memory is not shown; counting cache "
                          "misses during the reads would tell.")


@rk.finding(needs=())
def cache_here(whole, limit):
    if whole.has_samples:
        how, name = "all memory", "by memory"
    else:
        how, name = f"a limit of {limit:g} MiB", "by limit"
    return rk.shown(name, f"The file cache here ({how}) and on the reports' machines, each with its own memory")


@rk.finding(missing="Time of a block under a limit of 16 MiB, read backwards and forwards")
def by_direction(backwards, forwards):
    return rk.shown("backwards and forwards", "Under a limit of 16 MiB a block of the largest file takes "
                    f"{rk.number(backwards.growth, 2)} times as long as one of the smallest, read backwards; forwards "
                    f"{rk.number(forwards.growth, 2)} times")


@rk.finding(missing="Time of a block under a limit of 16 MiB by the MacBook Pro's method")
def by_doubling(curve):
    return rk.shown("by doubling", "By the MacBook Pro's method, under a limit of 16 MiB, a block of the largest file takes "
                    f"{rk.number(curve.growth, 2)} times as long as one of the smallest")


@rk.finding(missing="")
def answer(true):
    return rk.shown("kernel's count", f"The kernel counts {rk.amount(true.median, 'byte', 4)}.")


@rk.finding(missing="Reading random blocks of files of several sizes")
def onset(inferred):
    return rk.shown("onset", f"Reads begin to wait for the disk when the file is larger than {inferred}")


def with_and_without(reads, disk):
    """The mean time of a read whose block is cached, and of one whose block is not: as the single reads show them, else by the input
    of what the disk adds."""
    hit, miss = rk.show.hit_and_miss(reads)
    if math.isnan(miss):
        return from_memory(reads), from_memory(reads) + disk.value
    return hit, miss


def twice_the_cache(reads, disk):
    hit, miss = with_and_without(reads, disk)
    solution = "Half of them wait, since 1 − cache/file is 1/2."
    if reads.has_samples:
        solution += (f" A read from memory takes {rk.amount(hit, 'µs')} and one that waits {rk.amount(miss, 'µs')}, so the mean is "
                     f"{rk.amount((hit + miss) / 2, 'µs')}.")
    return "**1.** A file is twice as large as the cache. What share of random reads waits for the disk, and what is their mean time?", solution


def passes_at(reads, time):
    """The size of the file, in bytes, at which the mean read passes this time; nan if it does not."""
    if not (reads.has_samples and reads.medians[0] < time < reads.medians[-1]):
        return math.nan
    return float(np.interp(time, np.maximum.accumulate(reads.medians), reads.axis))


def largest_file_for_10_us(reads, disk, inferred):
    return ("**2.** How much larger than the cache may a file be if the mean read has to stay below 10 µs? Compare with the figure.",
            _largest_file(reads, disk, inferred))


@rk.finding(needs=["reads", "inferred"])
def _largest_file(reads, disk, inferred):
    hit, miss = with_and_without(reads, disk)
    share = (10e-6 - hit) / (miss - hit)
    if not 0 < share < 1:
        return rk.shown("any size", "Any size: no share of slow reads decides it here.")
    passed = passes_at(reads, 10e-6)
    in_figure = "" if math.isnan(passed) else f" In the figure the mean passes 10 µs at {rk.amount(passed, 'byte')}."
    return rk.shown("largest size", f"The share of slow reads may be (10 µs − {rk.amount(hit, 'µs')}) / ({rk.amount(miss, 'µs')} − "
                    f"{rk.amount(hit, 'µs')}) = {rk.percent(share)}. So the file may have {rk.amount(inferred.median, 'byte')} / (1 − {rk.number(share, 2)}) = "
                    f"{rk.amount(inferred.median / (1 - share), 'byte')}.{in_figure}")


def what_the_reader_takes(true, limit, own, records):
    """limit, own, records: the inputs of the model; records is a share of the limit."""
    return ("**3.** By the kernel's count, how much of the limit do the reader and the kernel's records take together? What does that say "
            "about the two guesses of the model?", _what_the_reader_takes(true, limit.value, own.value, records.value * limit.value))


@rk.finding
def _what_the_reader_takes(true, limit, own, records):
    taken = limit - true.median
    high = own + records > taken
    return rk.shown("too much" if high else "too little", f"The limit less what is left: {rk.amount(limit, 'MiB')} − "
                    f"{rk.amount(true.median, 'byte', 4)} = {rk.amount(taken, 'byte')}. The reader was guessed at {rk.amount(own, 'MiB')} and "
                    f"the records at {rk.amount(records, 'MiB')}. Together the guesses were too {'high' if high else 'low'}. The count does "
                    "not say how the two share it.")

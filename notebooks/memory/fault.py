"""What the chapter on page faults concludes."""

import math

import numpy as np

import reckon as rk
from reckon.show.tables.process_conditions import processes_of
from reckon.show.text import NONE

SMALL, HUGE = 4096, 2**21  # bytes of a page
WHOLE = 0.9  # faults counted for each page, below which a time is no time of a fault


def fault_counts(results, caption, name):
    """Pages touched, and faults counted in the trials and in the whole processes."""
    header = ["Measurement", "Pages touched", "Faults in the trials", "Minor faults of the processes", "Major faults"]
    return rk.blocks.grid(header, [counts_of(result) for result in results], caption, name)


def faults_per_touch(result):
    """Faults for each page touched, counted in the trials or, by probes that count none there, in the processes; nan if the pages are
    unknown."""
    touches, faults = touches_of(result), faults_in_trials(result)
    if faults is None:
        faults = sum(process.minor_faults + process.major_faults for process in processes_of(result))
    return faults / touches if touches else math.nan


def time_per_major_fault(result):
    """Seconds of all trials for each major fault of the processes; nan without one."""
    faults = sum(process.major_faults for process in processes_of(result))
    if not (faults and result.measurement):
        return math.nan
    return sum(sum(process.ticks) for process in processes_of(result)) / result.measurement.tick_hz / faults


def touches_of(result):
    """Pages touched in all trials; None if the probe sets their number itself."""
    touches = result.measurement.params.get("touches") if result.measurement else None
    return sum(len(process.ticks) for process in processes_of(result)) * int(touches) if touches else None


def faults_in_trials(result):
    """Faults in all trials; None if the probe counts no faults."""
    if result.measurement is None or result.measurement.op != "fault":
        return None
    counts = [np.broadcast_to(process.ops, len(process.ticks)) for process in processes_of(result)]
    return sum(int(np.sum(count)) for count in counts)


def counts_of(result):
    minor = sum(process.minor_faults for process in processes_of(result))
    major = sum(process.major_faults for process in processes_of(result))
    counts = (touches_of(result), faults_in_trials(result), minor, major)
    return [rk.title_of(result.quantity), *(NONE if count is None else str(count) for count in counts)]


def clearing_rate(anonymous, huge):
    """Bytes a second, if it and the kernel's work were the same for both kinds of pages."""
    return (HUGE - SMALL) / (huge.median - anonymous.median)


def kernel_cycles(fault, clearing):
    """Cycles of the kernel's work, by the fault's own clock, that would explain the median, with memory cleared at that rate."""
    return (fault.median - SMALL / clearing - fault.sealed_input("entry")) * fault.median_cycles / fault.median


def cycles_needed(fault, clearing):
    return rk.number(kernel_cycles(fault, clearing))


@rk.finding(needs=())
def disk_and_cache(major, minor, title):
    if not (major.has_samples and minor.has_samples):
        return rk.shown("faults", title)
    return rk.shown("disk and page cache", f"{title}: the disk costs {rk.number(major.median / minor.median, 2)} times the page cache")


@rk.finding(needs=())
def longest_tail(faults):
    """faults: of which a trial is one."""
    title = "Distribution of fault times"
    trials = {rk.title_of(row.quantity): np.concatenate(row.trials(row.points[0])) for row in faults if row.has_samples}
    tails = {fault: np.percentile(times, 99) / np.median(times) for fault, times in trials.items()}
    if not tails:
        return rk.shown("distribution", title)
    longest = max(tails, key=lambda fault: tails[fault])
    return rk.shown("longest tail", f"{title}: in “{longest}” one in a hundred takes {rk.number(tails[longest], 2)} times the median")


@rk.finding
def off_by_huge_pages(huge, written):
    would_be = (f"clearing 2 MiB would have to run at {rk.amount(HUGE / huge.median, 'GB/s')}, not at the "
                f"{rk.amount(written.value, 'GB/s')} at which a loop writes memory.")
    best = huge.summary.minimum
    if huge.ratio < 1:
        return rk.unexplained("clears faster", f"{would_be} Why the kernel clears faster than a loop writes is not explained here.")
    if best < 1.5 * huge.seal.predicted:
        return rk.consistent("near at times", f"{would_be} The fastest trial took {rk.amount(best, 'µs')}, near the prediction, so the rest "
                             "waited for something: memory that others use, or a host that has to find 2 MiB.")
    return rk.consistent("never near", f"{would_be} Not even the fastest trial came near the prediction, so the clearing itself is that slow "
                         "here.")


@rk.finding
def off_by_the_kernel(fault, take, cleared):
    return rk.unexplained("kernel's work", f"with clearing as guessed, the kernel's work would be {cycles_needed(fault, cleared.value)} cycles, "
                          f"not {rk.plain(take.value)}. Which part of the kernel takes them is unexplained; a profile would tell.")


@rk.finding
def off_each_alone(each, take, cleared):
    return rk.unexplained("clearing as guessed", "two clock reads are in it. If clearing is as fast as guessed, the kernel works "
                          f"{cycles_needed(each, cleared.value)} cycles, not {rk.plain(take.value)}. Which part of the kernel takes them is "
                          "unexplained; a profile would tell.")


@rk.finding
def off_after_a_rest(cold, anonymous, share):
    """anonymous: the fault at once."""
    model = f"the model assumes that the host has taken back {rk.percent(share.value)} of the pages; touched right away, a page takes {anonymous}."
    if cold.apart(anonymous) <= 0:
        return rk.consistent("none taken back", f"{model} The data do not show that it takes longer after the rest.")
    if cold.ratio < 1:
        return rk.consistent("little taken back", f"{model} The time fits memory of which the host had taken back less.")
    return rk.consistent("taken back", f"{model} The time fits memory that the host had taken back.")


@rk.finding
def off_by_the_disk(access, direct_read):
    guess = f"the access time is a guess for a disk of some kind ({rk.amount(access.value, 'µs')})."
    if direct_read.origin == "measured":
        return rk.consistent("direct read measured", f"{guess} A direct read of a block takes {rk.amount(direct_read.value, 'µs')} here.")
    return rk.unexplained("direct read guessed", f"{guess} The chapter on reading files measures this disk.")


def misses(f, inputs):
    """The list of the predictions that were missed, and why."""
    take, cleared = inputs["take"], inputs["cleared"]
    reasons = {
        "anonymous": off_by_the_kernel(f["anonymous"], take, cleared),
        "anonymous_each": off_each_alone(f["anonymous_each"], take, cleared),
        "huge": off_by_huge_pages(f["huge"], inputs["written"]),
        "minor": "entering up to 16 pages takes other work than guessed; a file of one page would tell, where there are no neighbours.",
        "major": off_by_the_disk(inputs["access"], inputs["direct_read"]),
        "cold": off_after_a_rest(f["cold"], f["anonymous"], inputs["share"])}
    items = [rk.missed(f[name], reason) for name, reason in reasons.items()]
    return rk.missed_list(items, "None of the measured faults.")


@rk.finding(missing="Not all of them could be counted.")
def every_touch(in_new, in_cached):
    """Faults for each touch."""
    return rk.shown("faults counted", f"In new memory {rk.number(in_new)} faults were counted for each small page touched; in the cached file, "
                    f"touched every 64 KiB, {rk.number(in_cached)} for each touch.")


@rk.finding(needs=())
def fewer_faults_than_pages(faults_per_page):
    """By quantity; nan where pages or faults were not counted."""
    few = [f"“{rk.title_of(quantity)}” ({rk.number(faults)})" for quantity, faults in faults_per_page.items() if faults < WHOLE]
    if not few:
        return []
    return rk.shown("fewer faults than pages", f"Not checked, because the kernel counted fewer faults than pages (in brackets, the faults for each page): {', '.join(few)}.")


@rk.finding
def cost_of_a_byte(major, reading, latency):
    known = "measured" if reading.origin == latency.origin == "measured" else "guessed"
    time = major.median
    return rk.shown(
        "a byte and a load", f"A page from the disk takes {major}, which is {rk.amount(time / SMALL, 'ns')} a byte. Read sequentially, a byte "
        f"of main memory takes {rk.amount(1 / reading.value, 'ns')} ({known}): the fault costs {rk.number(time / SMALL * reading.value, 2)} times "
        f"as much. One load from memory takes {rk.amount(latency.value, 'ns')}; the fault takes {rk.number(time / latency.value, 2)} times that.")


@rk.finding
def small_or_huge(huge, anonymous):
    small = 512 * anonymous.median
    return rk.shown("small or huge", f"One fault in a huge page takes {huge}. The 512 faults in small pages that it replaces take "
                    f"{rk.amount(small, 'µs')}, {rk.number(small / huge.median)} times as long.")


@rk.finding(missing="")
def clearing_rates(anonymous, huge, cleared, written):
    """That one rate of clearing for both kinds of pages, inside the guess's interval, is a candidate; cleared: of small pages, written: of huge ones."""
    (low, high), (huge_low, huge_high) = (fault.summary.bounds for fault in (anonymous, huge))
    model = (f"The model clears a small page at {rk.amount(cleared.value, 'GB/s')} ({cleared.origin}) and a huge one at {rk.amount(written.value, 'GB/s')} "
             f"({written.origin}).")
    if not huge_low > high:
        return rk.shown("rates of clearing", model)
    slowest, fastest = (HUGE - SMALL) / (huge_high - low), (HUGE - SMALL) / (huge_low - high)
    if cleared.low <= slowest and fastest < cleared.value and kernel_cycles(anonymous, slowest) > 0:
        return rk.consistent("slower clearing possible", f"{model} If both were cleared at one rate and cost the kernel the same work, that rate would be below "
                             f"{rk.amount(cleared.value, 'GB/s')} and inside the interval of the guess. So slower clearing is a candidate for a part of the time that "
                             "the model leaves to the kernel. These two medians do not separate them; exercise 3 works out the rate.")
    return rk.shown("rates of clearing", model)


@rk.finding
def after_a_rest(rest, warm, guest):
    takes = (f"Touched right away, a new page takes {warm}; after a rest it takes {rest}. A trial is the mean over its pages, "
             f"{rk.plain(warm.ops_in_a_trial)} right away and {rk.plain(rest.ops_in_a_trial)} after the rest; these are medians of trials.")
    if not guest:
        return rk.shown("no guest", f"{takes} This is no guest: nobody takes it back.")
    if rest.apart(warm) > 0:
        return rk.consistent("slower after a rest", f"{takes} That fits a host which had taken some of it back, and longer trials, whose means hold more "
                             "of the rare long faults.")
    if rest.apart(warm) == 0:
        return rk.consistent("alike after a rest", f"{takes} The two are {rest.alike(warm)}: no sign that the host "
                             "had taken any of it back.")
    return rk.shown("faster after a rest", f"{takes} The median is lower after the rest: no sign that the host had taken any of it back.")


@rk.finding
def without_the_advice(by_reckon, theirs, read_ahead):
    """Times of a major fault with the advice against reading ahead, and by title without it; read_ahead: in bytes or None."""
    listed = [f"{rk.amount(time, 'µs')} by {title}" for title, time in theirs.items() if time / by_reckon > 0]
    if not listed:
        return rk.unexplained("no major faults", "No major faults of both kinds were met, to be compared.")
    compared = (f"Over all trials the time for each major fault is {rk.amount(by_reckon, 'µs')} with the advice. Without it, it is "
                f"{' and '.join(listed)}. Each of those reads ahead up to")
    if read_ahead is None:
        return rk.shown("read-ahead unknown", f"{compared} what the disk's queue is set to (not recorded).")
    return rk.shown("read-ahead known", f"{compared} {rk.amount(read_ahead, 'byte')}.")


@rk.finding(missing="Faults over time, after a rest and at once")
def over_time(rest, warm):
    return rk.shown("medians of both", f"Faults over time: {rest} after a rest, {warm} at once")


@rk.finding(missing="")
def answer(anonymous, take, cleared):
    if anonymous.median <= SMALL / cleared.value + anonymous.sealed_input("entry"):
        return []
    return rk.unexplained("kernel's work", "If clearing is as fast as guessed, the kernel works "
                          f"{cycles_needed(anonymous, cleared.value)} cycles on it, where {rk.plain(take.value)} were guessed.")


@rk.finding(needs=["anonymous"])
def faults_in_a_gib(anonymous, huge):
    small = 2**30 // SMALL
    takes = f"{rk.plain(small)} faults of {anonymous} are {rk.amount(small * anonymous.median, 'ms')}"
    of_huge = 2**30 // HUGE
    in_huge = f"; {of_huge} faults of {huge} are {rk.amount(of_huge * huge.median, 'ms')}" if huge.has_samples else ""
    return rk.shown("1 GiB", f"{takes}{in_huge}.")


def a_database(anonymous, huge):
    return ("A database allocates 1 GiB and writes to all of it. How long does it spend in page faults, with small pages and "
            "with huge ones?", faults_in_a_gib(anonymous, huge))


@rk.finding
def by_faults_or_in_a_row(major, disk):
    touched = 100 * 2**20 // SMALL
    in_a_row, one_by_one = touched * SMALL / disk.value, touched * major.median
    return rk.shown("in a row", f"{rk.plain(touched)} major faults of {major} take {rk.amount(one_by_one, 's')}; reading the file sequentially takes "
                    f"{rk.amount(in_a_row, 's')}, {rk.number(one_by_one / in_a_row, 2)} times less. Without the advice one fault brings in several pages, so there are fewer.")


def a_mapped_file(major, disk):
    return ("A program maps a file of 100 MiB that is not in memory, and calls `madvise(MADV_RANDOM)`, so no fault reads ahead. Then it reads one "
            "byte of each page in random order. Would reading "
            f"the whole file sequentially be faster, at {rk.amount(disk.value, 'MB/s')}?", by_faults_or_in_a_row(major, disk))


@rk.finding(needs=())
def solved(anonymous, huge):
    if not (huge.median > anonymous.median and kernel_cycles(anonymous, clearing_rate(anonymous, huge)) > 0):
        return rk.unexplained("no solution", "That takes both kinds of pages, and a huge page that takes longer than a small one.")
    clearing, entry = clearing_rate(anonymous, huge), anonymous.sealed_input("entry")
    kernel = anonymous.median - SMALL / clearing - entry
    return rk.shown(
        "solved", "That the kernel works equally long for both, and clears both at one rate. Then clearing would run at "
        f"{rk.amount(clearing, 'GB/s')}, and besides the entry ({rk.amount(entry, 'ns')}) the kernel would work {rk.amount(kernel, 'ns')}, "
        f"{cycles_needed(anonymous, clearing)} cycles. The model assumes neither: small pages are cleared in the cache, huge ones at the rate "
        "at which memory is written. So how fast a small page is cleared does not follow from these two.")


def two_equations(anonymous, huge):
    return ("Begin with `rk.frame(f[\"anonymous\"], f[\"huge\"])`, or with the two medians in the table. A fault in a small page and one in a huge page are two equations: time = kernel + bytes / clearing rate. What has "
            "to be assumed to solve them, and what would follow?", solved(anonymous, huge))


def slow_faults(each):
    values = rk.samples(each)["value"].dropna()
    slow = values[values > 2 * values.median()]
    share = len(slow) / max(len(values), 1)
    return ("Begin with `rk.samples(f[\"anonymous_each\"])`, where each trial is one fault. What share of the faults takes more than twice the median, and "
            "what share of the total time do these faults take? Which statistic shows them?",
            f"{rk.percent(share)} of {rk.plain(len(values))} faults take {rk.percent(slow.sum() / values.sum())} of the time. The median "
            f"does not show them; the mean is {rk.number(values.mean() / values.median(), 3)} times the median. Among 64 faults, "
            f"a trial of the other measurement, {rk.number(64 * share)} slow ones are to be expected, so its median holds them.")


def new_pages():
    return rk.show.project("new_pages", "Write a probe of the first touch of new pages, which gives them back to the kernel outside of what is timed.")


def clearing_refuted(anonymous):
    sealed = anonymous.seal
    return ("The model explains a part of a fault by clearing 4 KiB. Refute it: change the write of your probe into a read. A read maps the one page of zeros "
            "that the kernel has already, and clears nothing. What should it take, if the model is right?",
            f"The sealed model has {rk.amount(sealed.hardware, 'ns')} of {rk.amount(sealed.predicted, 'ns')} for clearing. So a read should take about that much less "
            f"than {anonymous}. If it takes as long, clearing is not where the time goes. If it takes much less, that is no proof: a read also spares the kernel to "
            "find a free page and to charge it to a control group.")

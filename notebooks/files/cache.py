"""What the chapter on the file cache concludes."""

import math
from typing import NamedTuple

import numpy as np

import reckon as rk
from reckon import units
from reckon.measurement.capacity import in_reads, in_times
from reckon.show.figures import drawings, places, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.measured_curve import MeasuredCurve
from reckon.show.tables.tables import measured_cell, title
from reckon.show.text import NONE, amount_or_dash, ratio_text
from reckon.statistics.onset import rise, slow_from

FEW = 0.005  # a smaller share of cached reads that are slow is not named


class HitsAndMisses(NamedTuple):
    """The mean times of a cached read and of another one, in base units; nan without one.

    A read is slow above the limit; of the files that fit, that share is.
    """

    hit: float
    miss: float = math.nan
    limit: float = math.nan
    slow_while_fitting: float = math.nan


def hits_and_misses(curve):
    """By the reads of files that fit, which are all cached; without any, by a gap between reads."""
    if not curve.has_samples:
        return HitsAndMisses(math.nan)
    by_size = [np.concatenate(curve.single_trials(point)) for point in curve.points]
    times = np.concatenate(by_size)
    limit = slow_from(times)
    if limit is None:
        return HitsAndMisses(float(times.mean()))
    fit = in_reads(curve)[0]
    if not fit.capacity or not 0 <= fit.fits < len(by_size) - 1:
        return HitsAndMisses(float(times[times < limit].mean()), float(times[times >= limit].mean()))
    cached, mixed = np.concatenate(by_size[: fit.fits + 1]), np.concatenate(by_size[fit.fits + 1 :])
    slow = float((cached >= limit).mean())
    missing = ((mixed >= limit).mean() - slow) / (1 - slow)
    hit = float(cached.mean())
    miss = float(mixed.mean() - (1 - missing) * hit) / missing if missing > 0 else math.nan
    return HitsAndMisses(hit, float(miss), limit, slow)


def hit_and_miss_times(curve):
    """How long a read takes whose block is cached, and one whose block is not.

    The curve mixes the two. Predicted are its minimum, and its input `disk` more.
    """
    if not curve.has_samples:
        return rk.say(f"The time of a read whose block is cached could not be measured: {rk.literal(curve.reason)}.")
    means, minimum = hits_and_misses(curve), float(np.nanmin(curve.sealed("predicted")))
    hit_text = mean_time(means.hit, minimum, curve.unit)
    if math.isnan(means.miss):
        return rk.say(f"A read of a cached block {hit_text}; no other read was seen.")
    both = (f"A read of a cached block {hit_text}. A read of a block that is not cached "
            f"{mean_time(means.miss, minimum + curve.sealed_input('disk'), curve.unit)}.")
    if not means.slow_while_fitting >= FEW:
        return rk.say(both)
    return rk.say(both, f"While the file fits, {rk.percent(means.slow_while_fitting)} of the reads take more than "
                  f"{rk.amount(means.limit, curve.unit)}, without the disk. We assume that in a larger file the same share of the cached reads takes that long.")


def mean_time(mean, predicted, unit):
    return f"takes {rk.amount(mean, unit)} on average; {rk.amount(predicted, unit)} were predicted ({ratio_text(mean / predicted)})"


def size_text(size_bytes):
    return rk.amount(float(size_bytes), "byte", 4)


def interval_of(capacity, curve):
    """The interval of a capacity that was inferred from `curve`, in base units.

    Of its rounds of fresh processes, if there are enough; else by the likelihood of single reads, or the two sizes between which the
    curve's step lies.
    """
    if not capacity.summary or not curve.has_samples:
        return None
    in_single_reads = curve.seal.kind == "mean"
    of_rounds = capacity.summary.interval
    if in_single_reads and of_rounds.is_known:
        return of_rounds.ends
    fit = in_reads(curve)[0] if in_single_reads else in_times(curve)
    return (fit.low, fit.high) if fit.capacity else None


def inferred_capacities(pairs, caption, name, titles=None):
    """Each inferred capacity and the true one, by the kernel's count: (inferred, true, curve)."""
    rows = []
    for capacity, true, curve in pairs:
        ends = interval_of(capacity, curve)
        rows.append([title(capacity, titles), amount_or_dash(capacity.seal.predicted, capacity.unit), measured_cell(capacity),
                     " to ".join(map(size_text, ends)) if ends else NONE, measured_cell(true), ratio_text(capacity.median / true.median)])
    columns = {"Cache": 22, "Predicted": 13, "Inferred, median (95 %)": 22, "Interval": 17, "True": 16, "Inferred / true": 10}
    return rk.blocks.table(columns, rows, caption, name)


def inferred_capacity(capacity, true, curve, where, *sentences):
    """The inferred capacity with its interval, and whether the true one is inside.

    The sentence begins with `where`; `sentences` follow it.
    """
    if not capacity.summary or not true.summary:
        return rk.say(f"{where} it could not be inferred: {rk.literal(capacity.reason or true.reason)}.", *sentences)
    ends = interval_of(capacity, curve)
    true_size = f"{true}" if true.is_of_two_groups else size_text(true.median)
    if ends is None or capacity.is_of_two_groups or true.is_of_two_groups:
        return rk.say(f"{where} the inferred capacity is {capacity}; the kernel counts {true_size}.", *sentences)
    inferred = rk.amount_with_interval(capacity.median, *ends, capacity.unit)
    side = "inside" if ends[0] <= true.median <= ends[1] else "outside"
    return rk.say(f"{where} the inferred capacity is {inferred}; the kernel's {true_size} is {side} the interval.", *sentences)


@rk.finding(needs=())
def above_the_limit(inferred):
    """inferred: capacities, each with its interval, or None, and with the limit in bytes, which no cache can pass."""
    found = []
    for each, ends, limit in inferred:
        if not each.summary or each.median <= limit:
            continue
        above = f"{size_text(each.median)} are inferred under a limit of {rk.amount(float(limit), 'byte')}, which no cache can pass"
        if ends and ends[0] <= limit:
            found.append(rk.shown("limit within the interval", f"{above}; the limit lies within the interval."))
        else:
            found.append(rk.unexplained("above the limit", f"{above}. So the inference from times is off by that much or more; why is not known."))
    return found


@style.of_results
def draw_filling(result, name, caption, true):
    """Above, the mean time of a read with its prediction; below, the share of slow reads with the fitted rise. Vertical lines: the
    inferred capacity, and the true one if it is known."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    curve = MeasuredCurve(result)
    fit, _, shares = in_reads(result)
    with drawings.new(4.3, (3, 2)) as drawing:  # its page's first screen holds it
        above, below = drawing.panels
        draw_times(above, curve)
        below.plot(curve.x, 100 * shares, "o", ms=4, color=style.BLUE)
        fitted = draw_rise(below, result, fit) if fit.capacity else []
        for panel in drawing.panels:
            draw_capacities(panel, result.axis_unit, fit.capacity, true)
        below.set_ylabel("slow reads [%]")
        below.set_xlabel(f"size of the file [{result.axis_unit}]")
        drawing.legend([*above.get_legend_handles_labels()[0], *fitted])
        alt = (f"{curve.alt('the size of the file')}; slow reads from {100 * shares[0]:.2g} % to {100 * shares[-1]:.2g} %; "
               f"inferred capacity: {size_text(fit.capacity) if fit.capacity else fit.reason}")
        header = [f"size [{result.axis_unit}]", *style.spread_header(curve.unit), "share of slow reads"]
        rows = [[*row, f"{share:.6g}"] for row, share in zip(curve.rows(), shares, strict=True)]
        return drawing.save(name, caption, alt, Data(header, rows), places.of_curves(above, [result], curve.unit))


def draw_times(axes, curve):
    curve.draw_measured(axes, style.BLUE, "measured: mean of a process, 95 % interval")
    curve.draw_predicted(axes)
    heights = curve.heights[np.isfinite(curve.heights)]
    axes.set_yscale("log")
    axes.set_ylim(heights.min() / 2, heights.max() * 2)
    style.plain_log(axes.yaxis)
    axes.set_ylabel(units.symbol(curve.unit))


def draw_rise(axes, result, fit):
    sizes = np.linspace(result.axis[0], result.axis[-1], 400)
    x = units.from_base(sizes, result.axis_unit)
    return axes.plot(x, 100 * rise(sizes, fit.capacity, fit.background), "-", color=style.BLACK, lw=0.8, label="fitted rise")


def draw_capacities(axes, unit, inferred, true):
    if inferred:
        axes.axvline(units.from_base(inferred, unit), color=style.BLACK, lw=1, label="inferred")
    if true is not None and true.summary:
        axes.axvline(units.from_base(true.median, unit), color=style.PURPLE, lw=1, ls="--", label="true")


def from_memory(reads):
    """The time of a read from the smallest file, which lies in memory; nan if unmeasured."""
    return reads.medians[0] if reads.has_samples else math.nan


@rk.finding(missing="The size of the file cache")
def size_table(inferred, true):
    share = rk.percent(inferred.median / true.median, 3)
    return rk.shown("share of the count", f"The size of the file cache: by times alone it is {share} of the kernel's count")


@rk.finding(missing="Reads through the file cache, by the size of the file")
def reads_table(reads):
    return rk.shown("growth with the file", "Reads through the file cache, by the size of the file: a read of the largest file takes "
                    f"{rk.number(reads.growth, 2)} times as long as one of the smallest")


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
        return rk.shown("all memory inferred", f"With all memory the inferred size is {whole:interval}.")
    return rk.unexplained("all memory not inferred", f"With all memory the size was not inferred: {rk.why(whole)}. Files larger than memory are "
                          "read only in the profile `full` (`make book PROFILE=full`).")


@rk.finding(needs=["free"])
def kernels_own_figure(free, memory, whole):
    available = f"`MemAvailable` is {free} of {rk.amount(memory.value, 'byte')} of memory."
    if not whole.has_samples:
        return rk.unexplained("not confirmed", f"{available} A file of that size was not read, so no time confirms it.")
    times = rk.number(whole.median / free.median)
    return rk.shown("confirmed", f"{available} The size inferred with all memory is {whole}, {times} times that.")


@rk.finding(needs=["reads"])
def cached_read(reads):
    """Of the model's inputs as sealed, `work` is the guess of what looking a page up takes."""
    hit = hits_and_misses(reads).hit
    predicted, work = reads.seal.predicted[0], reads.sealed_input("work")
    off, needed = hit / predicted, (hit - predicted) * reads.sealed_input("clock") + work
    if 0.8 <= off <= 1.25:
        return rk.shown("guess holds", "Here the time is close to the prediction: the guess holds.")
    return rk.consistent("guess off", f"Such a read takes {rk.number(off)} times the prediction. If only this guess is wrong, looking a page up would have to take "
                         f"{rk.number(needed, 2)} cycles instead of the guessed {rk.number(work)}.")


@rk.finding(needs=["small"], missing="")
def size_of_a_small_file(small):
    (few, many), (few_mib, many_mib) = small.medians[[0, -1]], small.axis_in_unit[[0, -1]]
    takes = (f"Such a read takes {rk.amount(few, 'µs')} from a file of {few_mib:g} MiB, and {rk.amount(many, 'µs')} from one of {many_mib:g} MiB. "
             "Neither waits for the disk")
    first, last = small.summaries[0], small.summaries[-1]
    if not last.apart(first):
        return rk.shown("larger file alike", f"{takes}. The data show no difference between the two ({last.why_not_apart(first)}).")
    return rk.unexplained("larger file slower", f"{takes}. The data do not show whether the pages of the larger file come from main memory; "
                          "counting cache misses during the reads would tell.")


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
    hit, miss = hits_and_misses(reads)[:2]
    if math.isnan(miss):
        return from_memory(reads), from_memory(reads) + disk.value
    return hit, miss


def twice_the_cache(reads, disk):
    hit, miss = with_and_without(reads, disk)
    solution = "Half of them wait, since 1 − cache/file is 1/2."
    if reads.has_samples:
        solution += (f" A read from memory takes {rk.amount(hit, 'µs')} and one that waits {rk.amount(miss, 'µs')}, so the mean is "
                     f"{rk.amount((hit + miss) / 2, 'µs')}.")
    return "A file is twice as large as the cache. What share of random reads waits for the disk, and what is their mean time?", solution


def passes_at(reads, time):
    """The size of the file, in bytes, at which the mean read passes this time; nan if it does not."""
    if not (reads.has_samples and reads.medians[0] < time < reads.medians[-1]):
        return math.nan
    return float(np.interp(time, np.maximum.accumulate(reads.medians), reads.axis))


def largest_file_for_10_us(reads, disk, inferred):
    return ("How much larger than the cache may a file be if the mean read has to stay below 10 µs? Compare with the figure.",
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
    return ("Begin with `rk.frame(true, inferred)`, the sizes of the cache by the kernel's count and as inferred from times. By the kernel's count, how much of the limit do the reader and the kernel's records take together? What does that say "
            "about the two guesses of the model?", _what_the_reader_takes(true, limit.value, own.value, records.value * limit.value))


@rk.finding
def _what_the_reader_takes(true, limit, own, records):
    taken = limit - true.median
    high = own + records > taken
    return rk.shown("too much" if high else "too little", f"The limit minus what is left: {rk.amount(limit, 'MiB')} − "
                    f"{rk.amount(true.median, 'byte', 4)} = {rk.amount(taken, 'byte')}. The reader was guessed at {rk.amount(own, 'MiB')} and "
                    f"the records at {rk.amount(records, 'MiB')}. Together the guesses were too {'high' if high else 'low'}. The count does "
                    "not say how the two share it.")


def first_slow_size(reads, inferred):
    slow = np.flatnonzero(reads.medians > 2 * reads.medians[0]) if reads.has_samples else np.array([])
    size = rk.amount(reads.axis[slow[0]], "byte") if len(slow) else "–"
    return ("Begin with `rk.frame(reads)`, the time of a read by the size of the file. Which is the first measured size whose mean read takes over twice as long as that of the smallest? Why is that size larger than the cache?",
            f"{size}; this chapter infers {inferred} for the cache. A file that is slightly larger than the cache has few reads that wait, and how many it takes to double the mean depends "
            "on how slow the disk is. So this chapter fits the share of slow reads instead of looking for a threshold.")


def in_order_again(inferred):
    return ("Change the probe of random reads in a control group (`csrc/files/cache.c`) so that it reads the file in order, again and again, instead of at random. Predict for a file that is a tenth larger than the cache: "
            "which share of the reads waits for the disk?",
            f"If the kernel gives up the page that was unused for longest, each page has just gone when its turn comes: all reads wait, though nine tenths of the file would fit into "
            f"{inferred}. At random it would be about a tenth. A share between the two says that the kernel does not follow that order exactly, or that readahead brings pages in "
            "before they are read.")


def limit_refuted(inferred, true):
    return ("This chapter infers the size of the cache from times. Try to refute that the control group's limit sets it: run the probe with half of the limit, and once without one, for the same "
            "files. What has to come out?",
            f"Here {inferred} were inferred, and the kernel counted {true} left for files. With half of the limit, the jump has to come at a little less than half of that: what the reader itself takes "
            "stays the same. Without a limit the jump has to go beyond all of these files. A jump that stays where it is has another reason.")

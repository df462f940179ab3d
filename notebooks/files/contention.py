"""What the chapter on contention concludes."""

import math

import numpy as np

import reckon as rk

FULL = 0.9  # this share of the highest rate counts as full


def saturating_readers(rates):
    """The first number of readers whose rate is full; None if that is the last one, or unknown."""
    if not rates.has_samples:
        return None
    first = int((rates.medians >= FULL * rates.medians.max()).argmax())
    return rates.axis_in_unit[first] if first < len(rates.medians) - 1 else None


def highest_rate(together):
    """The most reads in a second that all readers got together; nan if unmeasured."""
    return max(together.medians, default=math.nan)


def blocks_in_a_second(rate, block):
    return f"{rk.number(rate)} blocks in a second ({rk.amount(rate * block.value, 'MB/s')})"


def model_time(queue, each, readers, rate):
    """The model's time of a block, if the disk had this rate and all else were as sealed."""
    return sum(queue(**(each.seal.values | {"readers": readers, "rate": rate})))


def rate_for(queue, each, readers):
    """The disk's rate with which the model has the measured time; nan if there is none."""
    at = each.point_index(readers)
    time, work = math.nan if at is None else each.medians[at], each.seal.values["work"]
    rate = readers / (time - work) if time > work else math.nan
    return rate if np.isclose(model_time(queue, each, readers, rate), time) else math.nan


def has_lone_reader(curve):
    """Whether the first point is that of one reader."""
    return curve.point_index(1) == 0


def grown(name, caption, each, slowest):
    """How many times as long as alone the most readers take, each and the slowest, after the caption."""
    if not (has_lone_reader(each) and has_lone_reader(slowest) and each.axis[-1] == slowest.axis[-1]):
        return rk.unexplained("no lone reader", caption)
    return rk.shown(name, f"{caption}. With {each.axis[-1]:g} readers, a reader's own time (“each”) is {rk.number(each.growth, 2)} times its value for one reader, "
                    f"and “slowest” {rk.number(slowest.growth, 2)} times its value")


@rk.finding(missing="A block of 4 KiB, by the number of readers")
def growth_in_table(each, slowest):
    return grown("growth in the table", "A block of 4 KiB, by the number of readers", each, slowest)


@rk.finding(missing="Time of a block by the number of readers")
def growth(each, slowest):
    return grown("growth", "Time of a block by the number of readers", each, slowest)


@rk.finding(needs=())
def slowest_below_mean(slowest, each):
    slow, mean = (dict(zip(curve.axis, curve.medians, strict=True)) for curve in (slowest, each))
    odd = {x: 1 - slow[x] / mean[x] for x in mean if x in slow and slow[x] < mean[x]}
    if not odd:
        return []
    most, counts = max(odd, key=lambda x: odd[x]), rk.join_words([f"{x:g}" for x in odd])
    return rk.shown("slowest below mean", f"With {counts} readers “slowest” is below “each”; with {most:g} readers by {rk.percent(odd[most])}. "
                    "Within one trial this is impossible. The two were measured in different trials, between which the disk's speed "
                    "differs by that much.")


@rk.finding(missing="Reads of all readers in a second, by their number")
def gain(together):
    times = rk.number(highest_rate(together) / together.medians[0], 2)
    return rk.shown("gain", f"All readers together get up to {times} times the rate of one reader alone")


@rk.finding(needs=())
def lone_rate(together):
    if together.point_index(1) != 0:
        return rk.unexplained("lone reader not timed", "A single reader was not timed.")
    alone = together.summaries[0]
    rate = f"A single reader's rate is {together:interval}, from {alone.processes} fresh processes"
    if alone.interval.is_known:
        return rk.shown("lone rate", f"{rate}.")
    least, most = rk.amount(alone.minimum, "IO/s"), rk.amount(alone.maximum, "IO/s")
    return rk.consistent("lone rate by few", f"{rate}. These are too few for an interval; their trials lie between {least} and {most}.")


@rk.finding(needs=())
def one_more_reader(slowest):
    if not slowest.line:
        return rk.unexplained("no line", "The slowest reader, the line fitted to it, and what the line leaves over")
    return rk.shown("one more reader", f"By the fitted line one more reader costs each of them {rk.amount(slowest.line.slope, 'µs')}")


def _slowdown(slowest):
    """From which number of readers on the slowest takes longer than a reader alone in the same trials, by the intervals."""
    alone, *others = slowest.summaries
    longer = [index for index, summary in enumerate(others, 1) if summary.apart(alone) > 0]
    numbers, times = slowest.axis_in_unit, slowest.medians / alone.median
    last = f"with {numbers[-1]:g} it takes {rk.number(times[-1], 2)} times as long."
    if not longer:
        return rk.shown("no slowdown", f"For no number of readers do the data show that the slowest takes longer than a reader alone; {last}")
    if longer[0] == 1:
        return rk.shown("second slower", f"Already with {numbers[1]:g} readers the slowest takes {rk.number(times[1], 2)} times as long as a reader "
                        f"alone; {last}")
    return rk.shown("slower later", f"With up to {numbers[longer[0] - 1]:g} readers the data do not show that the slowest takes longer than a reader "
                    f"alone; {last}")


@rk.finding(needs=())
def fitted(slowest):
    """The line through the slowest reader's times, and up to where a block takes as long as alone."""
    line = slowest.line
    if not line:
        return rk.unexplained("too few for a line", "There are too few points for a line.")
    off = abs(line.residuals).max()
    found = [rk.shown("fitted line", f"The fitted line is {rk.amount(line.intercept, 'µs')} + N × {rk.amount(line.slope, 'µs')}. The point "
                      f"farthest from it is {rk.amount(off, 'µs')} away, {rk.percent(off / slowest.medians.mean())} of the mean time."),
             _is_a_line(slowest)]
    return [*found, _slowdown(slowest)] if has_lone_reader(slowest) else found


def _is_a_line(curve):
    """Whether the line goes through the points' intervals, of which one in twenty may miss by chance."""
    by_line = curve.medians - curve.line.residuals
    through = [low <= at <= high for (low, high), at in zip((summary.bounds for summary in curve.summaries), by_line, strict=True)]
    goes = f"The line goes through the intervals of {sum(through)} of the {len(through)} points:"
    if not all(summary.interval.is_known for summary in curve.summaries):
        return rk.unexplained("line unclear", f"{goes} there are too few processes to say whether it is a line.")
    if sum(through) >= 0.9 * len(through):
        return rk.consistent("may be a line", f"{goes} they may lie on a line.")
    return rk.shown("no straight line", f"{goes} they do not lie on a line.")


def gain_by_times(curve):
    """How many times what a reader alone reads the most readers read, by the time of a block."""
    return curve.axis[-1] * curve.medians[0] / curve.medians[-1]


@rk.finding(needs=())
def at_once(together, each, slowest, block):
    """How many requests are served at once, by Little's law: by the rate, and by the times of readers in other trials."""
    if not has_lone_reader(together):
        return rk.unexplained("requests not measured", "It could not be measured.")
    highest, alone, readers = highest_rate(together), together.medians[0], together.axis_in_unit[together.medians.argmax()]
    found = [rk.shown("highest rate", f"A reader alone gets {rk.amount(alone, 'IO/s')}. Counted until the first reader was done, {readers:g} "
                      f"readers together got the most: {blocks_in_a_second(highest, block)}, {rk.number(highest / alone, 2)} times as much."),
             *_by_readers_times(highest / alone, 1 / alone, [curve for curve in (each, slowest) if has_lone_reader(curve)])]
    full_from = saturating_readers(together)
    if full_from:
        return [*found, rk.consistent("full from", f"From {rk.plain(full_from)} readers on, the median rate grows by at most a tenth.")]
    return [*found, rk.consistent("never full", f"The median rate still grew by more than a tenth with the last step, to "
                                  f"{together.axis_in_unit[-1]:g} readers.")]


def _by_readers_times(gain, alone, curves):
    """What is served at once, as a range if the trials of the readers' times differ. gain, alone: by the rate."""
    by_times, lone = [gain_by_times(curve) for curve in curves], [alone, *(curve.medians[0] for curve in curves)]
    low, high = min([gain, *by_times]), max([gain, *by_times])
    if high < 1.1 * low:
        return [rk.consistent("served at once", "The disk and the CPUs together serve that many requests at once.")]
    others = " or ".join(dict.fromkeys(rk.number(times, 2) for times in by_times))
    found = [rk.consistent("served at once", f"In other trials, the readers' own times give a factor of {others}. So the disk and the "
                           f"CPUs together serve {rk.number(low, 2)} to {rk.number(high, 2)} requests at once.")]
    if max(lone) < 1.1 * min(lone):
        return found
    shortest, longest = (rk.amount(end(lone), "µs") for end in (min, max))
    return [*found, rk.shown("lone readers differ", f"A single reader is also the slowest one. Yet its values go from {shortest} to "
                             f"{longest}, so the trials differ by that much.")]


@rk.finding
def disk_or_cpus(together, work, work_of_20, cpus):
    highest = highest_rate(together)
    used = highest * work_of_20.median / cpus.value
    takes = (f"A CPU works {work:interval} for each read with one reader, and {work_of_20:interval} with twenty. At "
             f"{work_of_20} a read, {rk.number(highest)} reads a second keep the {cpus.value:g} CPUs {rk.percent(used)} busy, without interrupts.")
    if used > 0.75:
        return rk.consistent("CPUs full", f"{takes} So the CPUs are full, or nearly full.")
    if used < 0.5:
        return rk.consistent("CPUs not full", f"{takes} So the CPUs are not full.")
    return rk.unexplained("both possible", f"{takes} Either the CPUs or the disk may be full; the disk's own count of its busy time (`iostat`) would "
                          "show it.")


@rk.finding(needs=())
def second_reader(each, together, work, cpus):
    """Why a block takes longer with a second reader, if it does."""
    both = work.summary and all(curve.point_index(1) == 0 and curve.point_index(2) == 1 for curve in (together, each))
    if not both:
        return rk.unexplained("second reader not measured", "It could not be measured.")
    (alone, two), (one_rate, two_rate) = each.summaries[:2], together.summaries[:2]
    times = rk.number(two.median / alone.median, 2)
    if two.apart(alone) > 0:
        return _second_reader_waits(together, work, cpus, f"a block takes {times} times as long as with one reader")
    if two_rate.interval.high < 2 * one_rate.interval.low:
        by_rates = f"computed from the rates, a block takes {rk.number(2 * one_rate.median / two_rate.median, 2)} times as long as with one"
        return [rk.shown("second reader waits by rates", "The intervals of the times with one and with two readers overlap; but two readers together read less than twice as much as one, so each "
                         "is slowed."), _second_reader_waits(together, work, cpus, by_rates)]
    if two.interval.high < 1.25 * alone.interval.low:
        return rk.shown("second reader for nothing", f"It hardly does: a block takes {times} times as long as with one reader, and by the "
                        f"intervals at most {rk.number(two.interval.high / alone.interval.low, 2)} times.")
    return rk.unexplained("second reader unclear", f"Whether it does is open: a block takes {times} times as long as with one reader, and the trials "
                          "scatter as far.")


def _second_reader_waits(together, work, cpus, times):
    """Whether two readers, by their rate, fill the CPUs or the disk: what their waiting can be put down to. times: how long, in words."""
    rate = together.medians[1]
    of_cpus, of_disk = rate * work.median / cpus.value, rate / highest_rate(together)
    takes = (f"With 2 readers, {times}. Together they did {rk.number(rate)} reads a second. This is {rk.percent(of_cpus)} of the reads that "
             f"the CPUs could do (at a single reader's work for each read), and {rk.percent(of_disk)} of the highest rate.")
    if of_cpus > 0.75:
        return rk.consistent("wait for CPUs", f"{takes} So the readers wait for the CPUs.")
    if of_disk > 0.8 and saturating_readers(together):
        return rk.consistent("wait for disk", f"{takes} So they are near the limit of the disk.")
    return rk.unexplained("wait unexplained", f"{takes} Neither the CPUs nor the disk are full, so the longer time is unexplained. A virtual disk's host "
                          "may handle requests one after another in part, or a CPU may wake more slowly when another one is busy. The time from "
                          "request to answer in the block layer (`blktrace`) would show it.")


def exceeds(together, rate):
    """Whether all readers together got more than that rate, by more than a tenth."""
    return highest_rate(together) > 1.1 * rate


def most_together(together):
    """The most that all readers got in a second, with its interval and the number of readers, in words."""
    at = together.medians.argmax()
    most = together.summaries[at]
    low, high = (rk.amount(end, "IO/s") for end in most.bounds)
    return f"{together.axis_in_unit[at]:g} readers together got {rk.amount(most.median, 'IO/s')} ({low} to {high})"


def rate_fits(rate, needed):
    """Whether the model's rate is near the one that the most readers show."""
    return 0.8 <= rate / needed <= 1.25


@rk.finding(needs=["each"])
def input_off(queue, each, together):
    readers, time, rate = each.axis[-1], each.medians[-1], each.seal.values["rate"]
    needed = rate_for(queue, each, readers)
    if math.isnan(needed):
        return rk.shown("no rate", f"Not the disk's rate alone: no rate makes the model give the {rk.amount(time, 'µs')} of {readers:g} readers.")
    if rate_fits(rate, needed):
        return rk.shown("rate fits", f"With {readers:g} readers no input was off: the model's {rk.amount(rate, 'IO/s')} fits there.")
    if exceeds(together, needed):
        return rk.unexplained("rate too low", f"The data do not show it. A disk with {rk.amount(needed, 'IO/s')} would explain the time of {readers:g} "
                              f"readers, but {most_together(together)}.")
    return rk.consistent("rate is off", f"The disk's rate. Instead of the model's {rk.amount(rate, 'IO/s')} it would have to be "
                         f"{rk.amount(needed, 'IO/s')}, as {readers:g} readers show. The curve as a whole came out {rk.number(each.ratio, 2)} "
                         "times as high as predicted.")


@rk.finding(needs=())
def at_the_knee(queue, each):
    """Whether the rate that fits the most readers fits 4 readers as well: the model's, or the one that they show."""
    needed = rate_for(queue, each, each.axis[-1]) if each.has_samples else math.nan
    if each.point_index(4) != 2 or math.isnan(needed):
        return []
    rate = each.seal.values["rate"]
    few, bound = each.medians[2], model_time(queue, each, 4, rate if rate_fits(rate, needed) else needed)
    measured, model = rk.amount(few, "µs"), rk.amount(bound, "µs")
    if few > 1.25 * bound:
        return rk.unexplained("knee unexplained", f"This does not explain the value at 4 readers: {measured} measured, but the model gives "
                              f"{model} even with that rate. Both bounds leave out the waiting around the knee, where requests meet by "
                              "chance. `blktrace` measures the time from request to answer in the block layer. It would show how much of "
                              "the waiting is in the disk.")
    if few < 0.8 * bound:
        return rk.unexplained("knee below", f"It does not fit the value at 4 readers: {measured} measured, less than the {model} that the model gives with that rate.")
    return rk.consistent("knee fits", f"With that rate, the value at 4 readers fits as well: {measured} measured, and the model gives {model}.")


@rk.finding(needs=["work"], missing="")
def cpu_work(work, work_of_20):
    sealed = work.seal.values
    cycles = rk.number((work.median - sealed["null"]) * sealed["clock"], 2)
    if rk.is_miss(work.ratio):
        found = [rk.shown("work off", f"A CPU's work for a single reader is {rk.number(work.ratio, 2)} times the prediction: with the prediction's null call "
                          f"and clock, {cycles} cycles instead of {rk.number(sealed['cycles'])}.")]
    else:
        found = [rk.shown("work as guessed", f"A CPU's work was guessed within a factor of two: {rk.number(sealed['cycles'])} cycles were guessed, {cycles} measured.")]
    if not work_of_20.has_samples:
        return found
    if work.apart(work_of_20) > 0:
        return [*found, rk.consistent("work falls", f"With twenty readers the work falls to {work_of_20}: a CPU that always has a reader to run does "
                                      "not go idle and wake for each answer, and one interrupt may bring several answers. So going idle and "
                                      "waking up are probably the difference.")]
    return [*found, rk.shown("work stays", f"With twenty readers the work is {work_of_20}.")]


@rk.finding(needs=())
def by_method(curves):
    last = [curve.medians[-1] for curve in curves if curve.has_samples]
    if not last:
        return rk.unexplained("no method measured", "A block by the number of readers, by every method")
    low, high = rk.amount(min(last), "µs"), rk.amount(max(last), "µs")
    return rk.shown("by method", f"With the most readers a block takes {low} to {high}, depending on the method")


@rk.finding
def never_written(unwritten, with_data):
    times = [with_data.medians[at] / unwritten.medians[index] for index, x in enumerate(unwritten.axis) if (at := with_data.point_index(x)) is not None]
    least, most = (rk.number(end(times), 2) for end in (min, max))
    return rk.shown("never written", f"On files that hold data the same method takes {least} to {most} times as long as on files that were never written. "
                    "The file system knows that those hold nothing, and no disk is asked.")


@rk.finding(missing="")
def answer(needed, rate, together):
    """needed: the disk's rate with which the model has the measured time; rate: the input."""
    if exceeds(together, needed):
        return rk.unexplained("rate does not explain", f"A disk with {rk.amount(needed, 'IO/s')} would explain this time. But {most_together(together)}, so "
                              "the rate may have been right.")
    return rk.consistent("rate for 8", f"With a disk's rate of {rk.amount(needed, 'IO/s')} the model would give this time; its input is "
                         f"{rk.amount(rate.value, 'IO/s')}.")


def forty_readers(together):
    return ("Predict the time of a block with 40 readers, from the highest rate that all readers got together. Is it a lower or an upper bound?",
            _forty_readers(highest_rate(together)))


@rk.finding
def _forty_readers(highest):
    return rk.shown("40 readers", f"40 / ({rk.number(highest)} a second) = {rk.amount(40 / highest, 'µs')}. If the disk is full by then, that is a "
                    "lower bound: the rate cannot grow, but it may fall when readers disturb each other.")


def bounds_cross(together, each):
    alone = float(together.medians[0]) if has_lone_reader(together) else math.nan
    return ("Use the rate of a single reader and the highest rate of all readers (same trials). At how many readers do the model's two bounds cross?",
            _bounds_cross(alone, highest_rate(together), each))


@rk.finding
def _bounds_cross(alone, highest, each):
    crossing = (f"N divided by the highest rate equals a single reader's time at N = {rk.number(highest)} / {rk.number(alone)} = "
                f"{rk.number(highest / alone, 2)} readers. By the model, from there on every further reader costs the others time.")
    if each.point_index(2) == 1 and each.summaries[1].apart(each.summaries[0]) > 0 and highest > 2 * alone:
        return rk.shown("second costs already", f"{crossing} Measured, the second reader costs time already: {rk.amount(each.medians[0], 'µs')} become "
                        f"{rk.amount(each.medians[1], 'µs')}.")
    return rk.shown("bounds cross", crossing)


def cpus_limit(work_of_20, cpus):
    return ("Begin with `rk.frame(work_of_20)`, a CPU's work for one of twenty readers. How fast could a disk be before the CPUs of this machine limit it?",
            _cpus_limit(work_of_20, cpus.value))


@rk.finding
def _cpus_limit(work_of_20, cpus):
    return rk.shown("CPUs' limit", f"{cpus:g} CPUs / {work_of_20} = {rk.number(cpus / work_of_20.median)} reads in a second, if all CPUs did nothing "
                    "else. An NVMe drive may be rated at more than that; then several requests have to share one system call (`io_uring`).")


def together_by_each(together, each):
    both = together.has_samples and each.has_samples and len(together.axis) == len(each.axis)
    ratios = together.medians * each.medians / each.axis if both else np.array([math.nan])
    return ("Begin with `rk.frame(together, each)`, the rate of all readers and the time of each. If all readers read all the time, N of them that take t for a block get N / t blocks in a second. Does that agree with the rate of all "
            "together at each N?",
            f"The measured rate is {rk.number(ratios.min(), 3)} to {rk.number(ratios.max(), 3)} times N / t. Below 1, readers do not read all the time: some begin late or end early, "
            "and the rate of all counts until the last has ended. Above 1, the median reader is slower than the mean one.")


def threads_instead(each):
    last = each.medians[-1] if each.has_samples else math.nan
    readers = each.axis_in_unit[-1] if each.has_samples else math.nan
    return ("Change the probe of each reader's time (`csrc/files/contention.c`) so that its readers are threads of one process, each with its own file. Predict a block with the largest number of readers.",
            f"Past the page cache, readers share the disk and its queue, which do not know processes: about what {readers:g} processes have, {rk.amount(last, 'µs')} a block. "
            "Threads that are clearly slower refute that the disk alone is contended; they share the table of open files and the address space.")


def disk_refuted(work_of_20, together):
    highest = highest_rate(together)
    return ("The chapter asks whether the disk or the CPUs limit the rate. Test whether the disk is the limit: use `taskset` to give the readers only half of the CPUs, and measure the highest rate again. What would "
            "each explanation expect?",
            f"{rk.number(highest)} blocks in a second at {work_of_20} of a CPU's work each keep {rk.number(highest * work_of_20.median, 2)} CPUs busy. As long as at least that many are left, "
            "the rate has to stay if the disk limits it. If it falls although CPUs are idle, readers wait for their turn on a CPU, and the disk is not all of it.")

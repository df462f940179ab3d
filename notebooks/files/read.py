"""What the chapter on reading a file concludes.

need: what each input would have to be, as needed() has it.
"""

import math
from typing import NamedTuple

import numpy as np

import reckon as rk
from reckon import statistics
from reckon.computer.scratch_disk import IN_MEMORY
from reckon.show.text import code
from reckon.statistics.onset import slow_from


def disk_of(machine):
    """What the files of this run lie on; machine: the run's description."""
    folder, file_system = machine.value("scratch.folder"), machine.value("scratch.filesystem")
    if not folder:
        return rk.say("The run does not record on which disk it was measured.")
    in_memory = file_system in IN_MEMORY
    lines = [f"The files lie in {code(folder)} (`SCRATCH=` chooses another folder): {rk.literal(file_system)}, "
             f"{rk.literal(machine.value('scratch.lies_on'))}."]
    if file_system == "overlay":
        lines.append("**Layers**: reads go through to the file system below, which is not named here.")
    if in_memory:
        lines.append("**No disk is below it**, so what needs one is not available.")
    elif machine.value("system.guest"):
        lines.append("**This machine is a guest**, so its disk is a device as the guest sees it: the host's caches, its limits and other "
                     "guests are part of every result.")
    return rk.say(*lines, f"Disks of this machine: {rk.literal(machine.value('disk.devices') or 'none is reported')}.")


class SingleReads(NamedTuple):
    """Reads of several quantities, each timed alone, in base units, by quantity and process.

    Those above the limit waited for a disk.
    """

    processes: dict[str, list[np.ndarray]]
    medians: dict[str, float]  # of the visits' medians
    limit: float
    has_gap: bool  # between short and long reads: the limit lies in it

    @property
    def times(self):
        """Every read of each quantity."""
        return {name: np.concatenate(values) for name, values in self.processes.items()}

    def waited(self, quantity):
        """The share of reads that waited."""
        return float((self.times[quantity] > self.limit).mean())

    def time_waited(self, quantity):
        """The share of all reads' time that those that waited took."""
        times = self.times[quantity]
        return float(times[times > self.limit].sum() / times.sum())


def single_reads(results, limit_without_gap):
    """The reads of all that have samples; without a gap between short and long ones the limit is `limit_without_gap`."""
    measured = [result for result in results if result.has_samples]
    processes = {result.quantity: result.single_trials(result.points[0]) for result in measured}
    medians = {result.quantity: statistics.median_of_visits(processes[result.quantity], [process.visit for process in result.points[0].processes])
               for result in measured}
    times = [times for values in processes.values() for times in values]
    gap = slow_from(np.concatenate(times)) if times else None
    return SingleReads(processes, medians, gap or limit_without_gap, gap is not None)


def rate_of(curve):
    """The rate of one request at a time, in bytes a second, by the slope of a read's time over its size; nan if there is none."""
    return 1 / curve.line.slope if curve.line and curve.line.slope > 0 else math.nan


def software_of(random, work):
    """A CPU's time for a read: as the chapter on contention measures it, if it does; else as predicted."""
    return work.median if work and work.has_samples else random.seal.software


def needed(random, in_order, cached, curve, inputs, work=None):
    """What each input would have to be, in base units; nan where no positive value follows.

    random, in_order, cached: a block past and in the page cache; curve: a random read by its size; inputs: those of a block in the
    page cache, by name; work: a CPU's work for a read, in the chapter on contention.
    """
    rate, block = rate_of(curve), inputs["block"].value
    find, request = (result.median - block / rate - software_of(random, work) for result in (random, in_order))
    look_up = cached.median - block / inputs["copy"].value - inputs["null"].value
    found = dict(rate=rate, find=find, request=request, look_up=look_up)
    return {name: value if value > 0 else math.nan for name, value in found.items()}


def needed_rows(need, disk, access, command, cached):
    """What each input was, and would have to be, as rows of a table."""
    sealed = cached.seal.values
    rows = [("The disk's rate, one request at a time", disk.value, need["rate"], "MB/s", "the slope of the time of a random read over its size"),
            ("To find a random block", access.value, need["find"], "µs", "a random block past the page cache"),
            ("A request for the next block", command.value, need["request"], "µs", "the next block past the page cache"),
            ("To look a page up", sealed["work"] / sealed["clock"], need["look_up"], "ns", "a block in the page cache")]
    return [[what, rk.amount(used, unit), rk.amount(value, unit), f"{rk.number(value / used, 2)}×", source]
            for what, used, value, unit, source in rows if value > 0]


@rk.finding
def blocks_ahead(ahead, block):
    count = rk.number(max(1, ahead.value / block.value), 4)
    if ahead.origin == "machine":
        name, source = "readahead as set", "as its queue is set"
    else:
        name, source = "readahead guessed", "a guess: the machine does not report it"
    return rk.shown(name, f"The kernel reads up to {rk.amount(ahead.value, 'byte')} ahead on this disk, {source}. That is {count} blocks of 4 KiB.")


@rk.finding(missing="Reading a block of 4 KiB in each way, and an lseek")
def ways_table(random, cached):
    return rk.shown("disk and memory", "Reading a block of 4 KiB in each way, and an lseek. From the disk a random block "
                    f"takes {rk.times_as_long(random, cached)} as from memory")


@rk.finding(missing="A block of 4 KiB, by how it is read")
def disk_and_cache(random, cached):
    return rk.shown("disk and page cache", f"A random block takes {rk.times_as_long(random, cached)} from the disk as from the page cache")


@rk.finding(needs=())
def elsewhere(cached, remote):
    """remote: the same read in the chapter on remote files, or None."""
    if not all(result and result.has_samples for result in (cached, remote)):
        return []
    size, at = (rk.amount(bytes_, "MiB") for bytes_ in (file_bytes(cached), file_bytes(remote)))
    return rk.shown("same read elsewhere", f"The read from memory takes {cached} here, from a file of {size}. In the chapter on "
                    f"[remote files](/notebooks/files/remote.ipynb) the same read from a file of {at} in memory takes {remote}.")


@rk.finding(needs=())
def same_read_in_two_chapters(cached, small):
    """cached: a block in the page cache; small: such blocks by the size of their file, as the chapter on the file cache reads them."""
    if not all(result and result.has_samples for result in (cached, small)):
        return []
    at = int(np.argmin(abs(small.axis - file_bytes(cached))))
    here, there = np.median([np.mean(times) for times in cached.trials(cached.points[0])]), small.medians[at]
    if not rk.is_miss(there / here) and 0.8 <= there / here <= 1.25:
        return []
    return rk.unexplained("same read in two chapters", f"In [Reading a file](/notebooks/files/read.ipynb) a block in memory takes {cached} (median) or "
                          f"{rk.amount(here, 'µs')} (mean). In [The file cache](/notebooks/files/cache.ipynb) it takes {rk.amount(there, 'µs')} "
                          f"(mean), from a file of {rk.amount(small.axis[at], 'MiB')}. Why the means differ is not known; on the file cache's page the reading process has just been forked.")


def file_bytes(result):
    return result.measurement.params["file_bytes"]


@rk.finding(missing="How long a block takes, by how it is read")
def tail(random):
    times = np.concatenate(random.trials(random.points[0]))
    share = rk.percent(np.mean(times > 2 * np.median(times)))
    return rk.shown("tail", f"Random reads from the disk: {share} of them take more than twice the median")


@rk.finding(missing="A block by the size of its file")
def by_file_size(buffered, random):
    return rk.shown("by file size", "In the largest file a block takes "
                    f"{rk.number(buffered.growth, 2)} times as long as in the smallest (in order, page cache). At random past the page "
                    f"cache it takes {rk.number(random.growth)} times as long")


@rk.finding(missing="One read by its size")
def by_block_size(random):
    larger = random.axis[-1] / random.axis[0]
    return rk.shown("fixed cost", f"A read {larger:g} times as large takes {rk.number(random.growth, 2)} times as long at random: each request has a "
                    "fixed cost")


@rk.finding(needs=())
def lines_table(random):
    caption, rate = "The straight line through the times of a read over its size", rate_of(random)
    if math.isnan(rate):
        return rk.unexplained("no slope", caption)
    return rk.shown("slope and start", f"{caption}. For random reads, one at a time, it gives {rk.amount(rate, 'MB/s')}, plus "
                    f"{rk.amount(random.line.intercept, 'µs')} for each request")


@rk.finding(needs=())
def beginnings(curves):
    return [_beginning(curve) for curve in curves if curve.line]


def _beginning(curve):
    line, first = curve.line, curve.medians[0]
    begins = (f"{rk.title_of(curve.quantity)}: the line begins at {rk.amount(line.intercept, 'µs')} ({rk.amount(line.intercept_low, 'µs')} to "
              f"{rk.amount(line.intercept_high, 'µs')}), and a read of {curve.axis_in_unit[0]:g} KiB takes {rk.amount(first, 'µs')} in all")
    # Beyond the fit's own uncertainty.
    if line.intercept_low > first or line.intercept_high < 0:
        return rk.shown("bent line", f"{begins}, so the times lie on no straight line at the small end.")
    return rk.shown("line's beginning", f"{begins}.")


@rk.finding
def order(in_order, at_random):
    most = at_random.summary.interval.high / in_order.summary.interval.low
    takes = (f"**Past the page cache** nothing is read ahead: the next block takes {in_order}, a random one {at_random}, a ratio of "
             f"{rk.number(at_random.median / in_order.median, 2)}")
    if most < 1.5:
        return rk.shown("order does not matter", f"{takes}. By the intervals it is at most {rk.number(most, 2)}: the order hardly matters to this device.")
    if at_random.apart(in_order) > 0:
        return rk.shown("order matters", f"{takes}: this device gains by the order, by itself.")
    return rk.unexplained("order unclear", f"{takes}. They scatter too much to show whether the order matters.")


@rk.finding(needs=["seek", "to_next"])
def lseek(seek, to_next, null, read):
    """null: the input of a null call; read: a random block."""
    guessed = "" if null.origin == "measured" else ", guessed"
    as_long = f" Reading a random block from the disk takes {rk.times_as_long(read, seek)}." if read.has_samples else ""
    return rk.shown("lseek", f"An lseek to a random place takes {seek}, to the next block {to_next}. It is a system call "
                    f"({rk.amount(null.value, 'ns')} for a null call{guessed}) that notes a number; the disk takes no part.{as_long}")


@rk.finding
def never_written(whole_files, read):
    share = whole_files.medians[-1] / whole_files.axis[-1] * 4096 / read.median
    takes = ("The file of the ThinkPad T470's report was allocated and never written. Such a block takes "
             f"{rk.percent(share)} of the time of a real one.")
    if share < 0.2:
        return rk.consistent("zeros", f"{takes} The file system knows that there is nothing to read, and returns zeros. The report's low times for "
                             "random blocks, the same for every size, fit that.")
    return rk.shown("as real", f"{takes} Here that makes little difference.")


def block_row(result):
    """A report's method for each block as cells of a table; of a curve, its largest file."""
    block_bytes = 65536 if "i7_10750h" in result.quantity else 4096
    size, time = result.axis[-1] if result.is_curve else 128 * 2**20, result.medians[-1]
    if result.measurement.op == "file":
        time *= block_bytes / size
    return [rk.title_of(result.quantity), f"{block_bytes // 1024} KiB", rk.amount(time, "µs"), rk.amount(block_bytes / time, "MB/s")]


@rk.finding
def emptied_in_order(cold, emptied):
    return rk.shown("all dropped, in order", f"A block in order takes {cold} after the advice to forget the file, and {emptied} after all caches were "
                    "dropped.")


@rk.finding(missing="")
def emptied_at_random(cold, emptied):
    return rk.shown("all dropped, at random", f"A random block takes {cold} and {emptied}. The two were not measured in turn.")


@rk.finding(needs=())
def level_moved(read, emptied, by_block):
    """by_block: random reads by their size, measured later than `read`."""
    if not (read.has_samples and emptied.has_samples and by_block.point_index(4, "KiB") == 0):
        return []
    if not by_block.summaries[0].apart(read.summary):
        return []
    return rk.shown("level moved", "A random block past the page cache, where nothing is dropped, took "
                    f"{read} with the first of them and {by_block} later on: the disk's own level "
                    "moved by that much.")


@rk.finding(missing="")
def fio_outside(fio, reckon):
    other, own = fio.summary, reckon.summary
    if not own.interval.is_known or own.interval.low <= other.median <= own.interval.high:
        return []
    low, high = rk.amount(min(own.medians), "µs"), rk.amount(max(own.medians), "µs")
    too_few = "" if other.interval.is_known else ", too few for an interval"
    return rk.shown("fio outside", f"The time by `fio` lies outside Reckon's interval. Reckon's {len(own.medians)} processes have medians from {low} to "
                    f"{high}; `fio` had {other.processes}{too_few}.")


@rk.finding(missing="")
def after_a_pause(later, fio, read):
    by_pause, by_fio = (abs(math.log(other.median / read.median)) for other in (later, fio))
    takes = f"Reckon's reads take {read} at once and {later} after the pause"
    if not later.summary.interval.is_known:
        return rk.unexplained("pause by few", f"{takes}, by {rk.plain(later.summary.processes)} fresh processes: too few after the pause to tell.")
    if later.apart(read) == 0:
        return rk.unexplained("pause undecided", f"{takes}; the two are {later.alike(read)}. So whether a pause changes a read is open.")
    if by_pause >= by_fio:
        return rk.shown("pause matters", f"{takes}. So a pause alone changes a read by at least as much as the two programs differ.")
    return rk.shown("pause does not matter", f"{takes}, so a pause alone does not account for the difference.")


def by_fallocate():
    """Why a report's files were read faster than any drive can."""
    by_size = {figure.at: figure for figure in rk.reports.measured_values("files/read/t470_sequential") if figure.measured and figure.predicted}
    largest = by_size[max(by_size)]
    measured, predicted = (rk.amount(largest.at * 2**20 / largest.base(time, "s"), "GB/s") for time in (largest.measured, largest.predicted))
    return ("These files are made by `fallocate` and never written: the file system returns zeros for such extents without asking the disk. This is "
            f"probably the reason. The report's largest file is read at {measured}; its drive's rating predicted {predicted}.")


@rk.finding(missing="")
def what_is_left(random, find, rate, software):
    """rate, software: as needed() takes them off; find: what it leaves."""
    return rk.shown("sum", f"Of the {random} of a random block, {rk.amount(4096 / rate, 'µs')} are the transfer and {rk.amount(software, 'µs')} a CPU's work: "
                    f"{rk.amount(find, 'µs')} are left.")


@rk.finding(needs=["find"], missing="")
def answer(find, request, access, random, in_order):
    """find, request: what is left of a random block and of the next, as needed() has it; access: the guess of the first."""
    left = (f"Minus the CPU's work and the transfer, {rk.amount(find, 'µs')} remain; "
            f"{rk.amount(access.value, 'µs')} were guessed for finding the block.")
    if random.apart(in_order) != 0:
        return rk.shown("place", f"{left} The data do not show what the remaining time is made of.")
    alike = f"{left} The next block in order takes {in_order}; the intervals of the two times overlap"
    if request >= find:
        return rk.unexplained("place alike", f"{alike}. For the next block the same subtraction leaves {rk.amount(request, 'µs')}, no less than for a "
                              "random one. So these remainders do not show the time to find a block.")
    most = random.summary.interval.high - in_order.summary.interval.low
    seeking = f", so at most {rk.amount(most, 'µs')} of it is seeking" if most < find else ""
    return rk.consistent("place alike", f"{alike}{seeking}.")


def read_of_256_kib(need, software, curve):
    at = curve.point_index(256)
    return ("Predict a random read of 256 KiB past the page cache. Take the rate and the time to find a block from the column “Needed” of the table above, "
            f"and {rk.amount(software, 'µs')} of software. Then look the measured time up in the figure.",
            _read_of_256_kib(need["find"], need["rate"], software, math.nan if at is None else curve.medians[at]))


@rk.finding
def _read_of_256_kib(find, rate, software, measured):
    by_line = rk.amount(find + 256 * 1024 / rate + software, "µs")
    return rk.shown("256 KiB", f"The sum of {rk.amount(find, 'µs')} to find it, 256 KiB divided by {rk.amount(rate, 'MB/s')}, and {rk.amount(software, 'µs')} of software is "
                    f"{by_line}. Measured: {rk.amount(measured, 'µs')}.")


def moving_bytes(curve):
    fixed = curve.line.intercept if curve.line and curve.line.intercept > 0 else math.nan
    return ("From which size on does a random read spend more time on moving bytes than on everything else?",
            _moving_bytes(fixed, rate_of(curve)))


@rk.finding
def _moving_bytes(fixed, rate):
    return rk.shown("moving bytes", f"The size at which size / rate equals the fixed cost: {rk.amount(fixed, 'µs')} × {rk.amount(rate, 'MB/s')} = "
                    f"{rk.amount(fixed * rate, 'KiB')}. A program that reads smaller pieces at random mostly waits for requests.")


def share_of_hits(cached, buffered):
    hit, miss = (result.summary.mean if result.summary else math.nan for result in (cached, buffered))
    return ("Begin with `rk.frame(cached, r[\"buffered_random\"])`. A program reads random blocks of a file, and some are in the page cache. What share of its reads must be answered by the page cache so that the mean "
            "is 10 µs?", _share_of_hits(hit, miss))


@rk.finding
def _share_of_hits(hit, miss):
    share = (miss - 10e-6) / (miss - hit)
    if not 0 < share < 1:
        return rk.shown("no share", "No share gives that mean here.")
    return rk.shown("share of hits", f"With the share h and the means of the table, h × {rk.amount(hit, 'µs')} + (1 − h) × {rk.amount(miss, 'µs')} = 10 µs "
                    f"gives h = {rk.percent(share)}. A few reads from the disk decide the mean.")


def slowest_reads(read):
    values = rk.samples(read)["value"].dropna().sort_values()
    slowest = values[len(values) * 95 // 100 :]
    return ("Begin with `rk.samples(r[\"direct_random\"])`. What share of the time of all reads do the slowest 5 % take? By how much would the mean fall without "
            "them, and by how much the median?",
            f"{rk.percent(slowest.sum() / values.sum())} of the time of {rk.plain(len(values))} reads. Without them the mean would be "
            f"{rk.percent(values.drop(slowest.index).mean() / values.mean())} of what it is, the median {rk.percent(values.drop(slowest.index).median() / values.median())}. "
            "A program that waits for each read pays the mean, and its users notice the slowest.")


def two_reads_under_way(read):
    return ("Change the probe of random reads past the page cache (`csrc/files/read.c`): two threads read at random, each in its half of the file. Predict the blocks in a second. Which result refutes "
            "that the disk works on one request at a time?",
            f"One reader takes {read} for a block. A disk that works on one request at a time delivers no more blocks to two readers than to one; one that works on several "
            f"delivers up to twice as many, one in {rk.amount(read.median / 2, 'µs')}. Anything clearly above the rate of one reader refutes it. The "
            "chapter on contention measures it with processes.")


def place_refuted(random, in_order):
    question, solution = rk.show.project("backwards", "The model says that a disk takes longer to find a random block than the next one. Refute it for this disk: read the blocks "
                                         "backwards, each from the disk. What would each explanation expect?")
    return question, (f"{solution}\n\nRandom blocks take {random} here, those in order {in_order}. If places matter, backwards is near to in order, because each block lies beside the "
                      "last. If the disk reads ahead, backwards is near to random, because nothing was read ahead. If all three are alike, neither shows, and the time goes into the "
                      "request itself. The page cache adds a copy to each block, which the other two do not have.")

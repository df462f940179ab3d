"""What the chapter on remote files concludes.

link: the inputs of a block over the link, by name. set_by_us: whether the link is under Reckon's control.
"""

import math

import numpy as np

import reckon as rk
from reckon.show.sentences.peers import NOT_MEASURED, is_built_in


def server(nfs, results):
    """What the NFS server is; nfs: what rk.nfs_server() gives; results: those read from it."""
    measurements = [result.measurement for result in results if result.has_samples and result.measurement]
    peers = [measurement.peer for measurement in measurements if measurement.peer]
    built_in = is_built_in(nfs, "nfs")
    if not peers:
        reason = next((result.reason for result in results if result.reason), "none was there").rstrip(".")
        return rk.say(f"There is no NFS server here: {rk.literal(reason)}.", NOT_MEASURED if built_in else "")
    if not built_in:
        address = rk.literal(nfs.value("nfs.address") or "not known")
        return rk.say(f"The NFS server is {address}; its link is not under Reckon's control.")
    far_s = nfs.number("nfs.far_rtt")
    far = "not known" if far_s is None else rk.amount(far_s, "ms")
    return rk.say(f"The server: {rk.literal(peers[0]).rstrip('.')}. A second and a third one, for comparison, are behind a link without delay "
                  f"and one of {far}. `NFS=host:/export` uses a real server.")


def microseconds(time):
    return "–" if math.isnan(time) else rk.amount(time, "µs")


def transfer(link):
    """How long the bytes of a block take on the link."""
    return (link["block"].value + link["headers"].value) / link["rate"].value


def of_the_link(link):
    """The link's part of a block: a round trip and the transfer."""
    return link["rtt"].value + transfer(link)


def passing(link, message):
    """How much longer the bytes of a block take than those of a call that does nothing."""
    return (link["block"].value + link["headers"].value - message.value) / link["rate"].value


def penalty_row(kind, over_nfs, at_home):
    """The penalty of one kind of block as cells of a table."""
    less = over_nfs.median - at_home.median
    share = "–" if math.isnan(less) else rk.percent(less / over_nfs.median, 3)
    return [kind, *map(microseconds, (over_nfs.median, at_home.median, less)), share]


def within_visits(one, other):
    """Both intervals in words, if they do not overlap once the differences between visits are left out; else ""."""
    (low, high), (other_low, other_high) = one.process_interval.ends, other.process_interval.ends
    if not (low > other_high or other_low > high):
        return ""
    return (f"{rk.amount(low, one.unit)} to {rk.amount(high, one.unit)} and {rk.amount(other_low, other.unit)} to "
            f"{rk.amount(other_high, other.unit)}")


def not_apart(one, other):
    """Why two results are not apart, though they may be within these visits: the end of a sentence."""
    ends = within_visits(one, other)
    if not ends:
        return f"the two are {one.alike(other)}."
    return f"within these visits they differ ({ends}), but not by more than a later visit may."


@rk.finding(missing="A block of 4 KiB over NFS with the server's cache warm, and a call that does nothing")
def warm_table(block, nothing):
    return rk.shown("more than nothing", "A block of 4 KiB over NFS with the server's cache warm, and a call that does nothing: on the link "
                    f"the block takes {block.difference_from(nothing)}")


@rk.finding(missing="Distribution of the times of a block over links of different length")
def by_length(far, block):
    return rk.shown("shift by length", f"The longer link shifts the whole curve: a block takes {far.difference_from(block)}")


@rk.finding(missing="A block of 4 KiB by the size of the file, here and over NFS")
def by_file(curve):
    return rk.shown("largest file", "A block of 4 KiB by the size of the file, here and over NFS: over NFS a random block takes, in the largest file, "
                    f"{rk.number(curve.growth, 2)} times as long as in the smallest")


@rk.finding(missing="Time of a read over NFS by its size")
def by_size(curve):
    larger = curve.axis[-1] / curve.axis[0]
    return rk.shown("larger reads", f"A read {larger:g} times as large takes only {rk.number(curve.growth, 2)} times as long")


@rk.finding(needs=["whole"])
def link_and_ends(whole, near, link, set_by_us):
    if not set_by_us:
        return rk.unexplained("link not set", f"A block at random takes {whole}. The link is not under Reckon's control.")
    moved, share = rk.amount(transfer(link), "µs"), rk.percent(of_the_link(link) / whole.median, 3)
    alone = f"; without delay it was {microseconds(near.median - transfer(link))}" if near.has_samples else ""
    return rk.shown("link set", f"Of {whole} for a block at random, the link's round trip is {rk.amount(link['rtt'].value, 'µs')} and the "
                    f"transfer of the bytes {moved}: together {share} of the whole. The rest, "
                    f"{rk.amount(whole.median - of_the_link(link), 'µs')}, is work of the two ends and of the relay, which are on the same "
                    f"CPUs{alone}.")


@rk.finding(missing="")
def more_bytes(whole, nothing, link, message):
    return rk.shown("more bytes", f"A block takes {microseconds(passing(link, message))} longer to transfer than an empty call.")


@rk.finding(needs=["read", "idle"], missing="")
def above_nothing(where, read, idle, passing, set_by_us):
    """What a block takes more than a call that does nothing, and whether the file's own work shows in it.

    passing: what the transfer of the further bytes takes, in seconds.
    """
    does_nothing = f"{where} a call that does nothing takes {idle}"
    if read.is_of_two_groups or idle.is_of_two_groups:
        return rk.unexplained("own work unclear", f"{does_nothing}, a block {read}. So what a block takes more has no one value.")
    more = read.median - idle.median
    takes = f"{does_nothing}, a block {read.difference_from(idle)}"
    if not set_by_us:
        return rk.shown("rate unknown", f"{takes}.")
    if read.apart(idle, passing) > 0:
        return rk.consistent("own work", f"{takes}; without the transfer, {rk.amount(more - passing, 'µs', 2)} remain. They are spent on the file, or "
                             "on a longer message.")
    if idle.apart(read, -passing) > 0:
        return rk.shown("less than transfer", f"{takes}; that is less than the transfer alone, so the link was not the same for both.")
    if more < passing:
        return rk.unexplained("own work unclear", f"{takes}. That is less than the transfer alone, so what is left for the file's own work is unknown.")
    return rk.unexplained("own work unclear", f"{takes}. The data do not show whether any time remains for the file's own work.")


@rk.finding(needs=["read", "idle"], missing="")
def without_a_file(read, idle, passing, messages=None):
    """Whether what the transfer leaves of a block may be a message's. messages: by size to the other host, on another page, if measured."""
    few, many = (messages.point_index(size, "byte") if messages else None for size in (1400, 4096))
    if few is None or many is None or read.apart(idle, passing) <= 0:
        return []
    beyond = messages.medians - messages.sealed("predicted")
    excess = (beyond[many] - beyond[few]) / 2
    if not excess > (read.median - idle.median - passing) / 2:
        return []
    return rk.unexplained("message without a file", "But even without a file, a message of 4 KiB exceeds its prediction by more than "
                          f"one of 1,400 bytes does: by {rk.amount(excess, 'µs', 2)} more in each direction (chapter on [the round "
                          "trip](/notebooks/network/rtt.ipynb)). So the data do not show how much is the file's work.")


@rk.finding(missing="")
def negative_work(near, null_near, passing):
    """Whether the file's own work, as the predictions over the link take it from the times without delay, is negative."""
    left = near.median - null_near.median - passing
    if left >= 0:
        return []
    return rk.unexplained("negative own work", "The predictions over the link take the file's own work from the times without delay. That gives "
                          f"{microseconds(left)}, which is impossible. Either the value of the empty call without delay, {null_near:interval}, is "
                          "too high, or that of the block is too low.")


@rk.finding(needs=["far"])
def longer_link(far, near, longer):
    """longer: the input with the longer link's round trip."""
    found = [rk.shown("longer link", f"At {rk.amount(longer.value, 'ms')} the prediction is {rk.amount(float(far.seal.predicted), 'ms')}: round "
                      f"trip, transfer, and the work of the ends and the relay. Measured: {far}, {rk.percent_more_or_less(far.ratio)}.")]
    if not near.has_samples:
        return found
    alone = f"Computed only from the link's setting and a block without delay, it would be {rk.amount(longer.value + near.median, 'ms', 4)};"
    beyond = far.apart(near, longer.value)
    if beyond > 0:
        return [*found, rk.unexplained("longer and more", f"{alone} the rest is not explained.")]
    if beyond == 0:
        return [*found, rk.consistent("longer unclear", f"{alone} the data show no difference from the measured value "
                                     f"({far.summary.why_not_apart(near.summary)}).")]
    return [*found, rk.shown("longer, no more", f"{alone} so the longer link costs nothing more.")]


@rk.finding(needs=["cold", "warm"])
def cold_at_random(cold, warm, cold_here, warm_here):
    takes = f"At random a block from a cold cache takes {cold}, from a warm one {warm}:"
    apart = cold.apart(warm)
    if apart == 0:
        name = "cold apart within visits" if within_visits(cold, warm) else "cold unclear"
        return rk.consistent(name, f"{takes} {not_apart(cold, warm)}")
    found = [rk.shown("cold apart", f"{takes} {rk.more_or_less(cold.median - warm.median, 'µs')}.")]
    if apart > 0 and cold_here.median > warm_here.median:
        found.append(_of_the_disk(cold.summary, warm.summary, cold_here.summary, warm_here.summary))
    return found


def _of_the_disk(cold, warm, cold_here, warm_here):
    """How much of what a cold cache costs is the disk's; all four scatter, and with too few processes an end is nan."""
    here = cold_here.median - warm_here.median
    least, most = cold.interval.low - warm.interval.high, cold.interval.high - warm.interval.low
    least_here = cold_here.interval.low - warm_here.interval.high
    most_here = cold_here.interval.high - warm_here.interval.low
    adds = f"On this machine the disk adds {microseconds(here)}"
    if least > most_here:
        return rk.unexplained("more than disk", f"{adds}; the other {microseconds(cold.median - warm.median - here)} are unexplained; a trace on "
                              "the server would explain them.")
    if most < least_here:
        return rk.consistent("less than disk", f"{adds}, more than it does over NFS, so some of those blocks came from a cache.")
    return rk.consistent("disk unclear", f"{adds}. The rest of the {microseconds(cold.median - warm.median)} is smaller than the scatter.")


@rk.finding(needs=["cold", "warm"], missing="")
def cold_in_order(cold, warm, cold_at_random):
    takes = f"In order a block from a cold cache takes {cold} (a mean of many), from a warm one {warm}:"
    apart, difference = cold.apart(warm), microseconds(abs(cold.median - warm.median))
    if apart > 0:
        return rk.consistent("in order more", f"{takes} {difference} more, so not every block was there when it was requested.")
    if apart < 0:
        return rk.unexplained("in order less", f"{takes} {difference} less, which no disk explains.")
    if within_visits(cold, warm):
        return rk.consistent("in order apart within visits", f"{takes} {not_apart(cold, warm)}")
    if cold.median < cold_at_random.median:
        return rk.consistent("in order ahead", f"{takes} {not_apart(cold, warm)} In order, the server's kernel may have read ahead.")
    return rk.consistent("in order unclear", f"{takes} {not_apart(cold, warm)}")


@rk.finding
def versions(by_3, by_4):
    takes = f"By version 3 a block takes {by_3:interval}, and {by_4:interval} by version 4:"
    checks = "Version 4 checks the open state of a file with each read; both take one round trip."
    apart, more = by_4.apart(by_3), microseconds(abs(by_4.median - by_3.median))
    if apart == 0:
        return rk.consistent("versions alike", f"{takes} the versions are {by_3.alike(by_4)}. {checks}")
    dearer = 4 if apart > 0 else 3
    return rk.shown(f"version {dearer} more", f"{takes} version {dearer} takes {more} more. {checks}")


@rk.finding(needs=["inside", "end"])
def seek(inside, end):
    return rk.consistent("seeks", f"A seek to a place takes {inside}: it is arithmetic and sends no packet. A seek to the end takes {end}: it "
                         "requests the file's attributes.")


@rk.finding(missing="")
def seek_by_version(end, end_3):
    if end.apart(end_3) <= 0:
        return []
    return rk.consistent("end by number", f"With version 3 a seek to the end takes {end_3}. With version 4 the attributes contain the owner's name, "
                         "with version 3 a number; this may be the difference.")


@rk.finding
def reported_seek():
    over_network, local = (rk.amount(figure.base(figure.measured, "µs"), "µs") for quantity in ("files/remote/seek", "files/read/i7_10750h_lseek")
                           for figure in rk.reports.measured_values(quantity))
    return rk.shown("reported seek", f"The report of the laptop with i7-10750H has {over_network} for a remote seek and {local} for a local one; "
                    "both are much longer than a seek should take.")


@rk.finding(needs=())
def seek_off(inside):
    took = f"A seek to a place took {rk.number(inside.ratio, 2)} times the prediction"
    if inside.ratio < 0.5:
        return rk.shown("seek too fast", f"{took}. A system call was predicted, as for a file opened through the kernel; but libnfs keeps the position itself, "
                        "without a system call.")
    if inside.ratio > 2:
        return rk.unexplained("seek too slow", f"{took}, which is a system call; this is unexplained. A count of the system calls (`strace -c`) would show the reason.")
    return []


@rk.finding(needs=())
def in_order_off(cold_here, stream, block, as_short=None):
    """Why a block here, in order and cold, is off.

    stream: the input with the time of 1 MiB from the disk; as_short: the same read in trials of 64 blocks on another page, if measured.
    """
    if not rk.is_miss(cold_here.ratio):
        return []
    took = f"A block here, in order and cold, took {rk.number(cold_here.ratio, 2)} times the prediction"
    if as_short and as_short.point_index(4, "KiB") == 0 and cold_here.summary.apart(as_short.summary) > 0:
        return rk.unexplained("in order unexplained", f"{took}; this is unexplained. Its trials are short, 64 blocks each. But in the chapter on [reading a "
                              "file](/notebooks/files/read.ipynb) a block takes "
                              f"{as_short} in trials of the same length.")
    trial = 64 * cold_here.median
    delivered = trial / stream.value * 2**20
    beyond = delivered / (64 * block.value)
    if cold_here.ratio > 2 and beyond > 1.5:
        return rk.consistent("readahead beyond", f"{took}, which comes from longer trials. A trial of 64 blocks takes {rk.amount(trial, 'ms')}, in "
                             f"which the disk can deliver {rk.amount(delivered, 'KiB')}, {rk.number(beyond, 2)} times what was read. That fits "
                             "readahead beyond the end of the trial, and a first window that begins small; a longer trial shares both among "
                             "more blocks.")
    return rk.unexplained("in order unexplained", f"{took}; this is unexplained. The device's requests during a trial (`iostat`) would show more.")


@rk.finding(needs=())
def others_off(results, whole, work, titles):
    """work: the guess of the two ends' work without delay; titles: of the results by their quantity."""
    off = [result.quantity for result in results if rk.is_miss(result.ratio)]
    if not off:
        return rk.shown("others right", "All other single times by Reckon's method are within a factor of two.") if whole.has_samples else []
    here = [quantity for quantity in off if "/local_" in quantity]
    found = [rk.unexplained("others off", f"Also off by more than that: {', '.join(titles.get(quantity, 'the penalty') for quantity in off)}.")]
    if len(here) < len(off):
        found.append(rk.unexplained("ends' work to doubt", f"Over NFS the first input to doubt is the guess of the ends' work, {rk.amount(work.value, 'µs')}; "
                                    "without delay this work is the whole prediction."))
    if here:
        found.append(rk.unexplained("here as elsewhere", "A read on this machine uses no link: its prediction is the time in the chapter on "
                                    "[reading a file](/notebooks/files/read.ipynb), which was measured with a larger file at another time."))
    return found


@rk.finding(missing="A whole file over NFS by the ThinkPad T470's method")
def whole_files(in_order, at_random):
    return rk.shown("whole files", "By the ThinkPad T470's method the largest file over NFS takes "
                    f"{rk.number(in_order.growth, 2)} times as long as the smallest in order, and {rk.number(at_random.growth, 2)} times as long at random")


@rk.finding(needs=["whole", "share"], missing="")
def answer(whole, share):
    """share: the link's part of the whole; nan if the link is not under Reckon's control."""
    return rk.shown("link's share", f"The link's round trip and transfer are {rk.percent(share)} of what was measured; the rest is the work of the "
                    "two ends and of the relay, which are on the same CPUs.")


@rk.finding(missing="A block of 4 KiB, here and over NFS")
def memory_and_disk(whole, cold_here):
    return rk.shown("memory and disk", f"From the server's memory a block takes {rk.times_as_long(whole, cold_here)} as from this machine's own "
                    "disk")


def over_10_ms(whole, link):
    return "Predict a block of 4 KiB at random over a link of 10 ms, of the same rate.", _over_10_ms(whole, link)


@rk.finding
def _over_10_ms(whole, link):
    moved, ends = transfer(link), whole.median - of_the_link(link)
    time = 10e-3 + moved + ends
    return rk.shown("10 ms", f"10 ms, plus {rk.amount(moved, 'µs')} for the bytes, plus all the rest, {rk.amount(ends, 'µs')}, is {rk.amount(time, 'ms')}. The "
                    f"link is then {rk.percent((10e-3 + moved) / time, 3)} of the whole, so a faster server would hardly help.")


def busy_link(whole, link):
    return "How many blocks would a client have to request at once to keep the link busy?", _busy_link(whole, link)


@rk.finding
def _busy_link(whole, link):
    moved = transfer(link)
    return rk.shown("busy link", f"By Little's law, divide the time of a block by the time of its bytes: {whole} / {rk.amount(moved, 'µs')} = "
                    f"{rk.number(whole.median / moved, 2)} blocks. That is what the kernel's readahead is for.")


def half_the_cost(whole, link):
    return "Begin with `rk.frame(blockwise)`. From which size of a read on does a byte cost half of what it costs in reads of 4 KiB?", _half_the_cost(whole, link)


@rk.finding
def _half_the_cost(whole, link):
    fixed, rate = whole.median - transfer(link), link["rate"].value
    half = fixed / (whole.median / (2 * link["block"].value) - 1 / rate)
    if half <= 0:
        return rk.shown("no size", "From none: the transfer alone costs more than half.")
    return rk.shown("half the cost", f"A read of S bytes takes {rk.amount(fixed, 'µs')} + S / {rk.amount(rate, 'Mbit/s')}, and a byte must cost half of "
                    f"{whole} / 4 KiB. That gives S = {rk.amount(half, 'KiB')}.")


def line_over_blocks(blocks, link):
    slope, fixed = np.polyfit(blocks.axis, blocks.medians, 1) if blocks.has_samples else (math.nan, math.nan)
    return ("Begin with `rk.frame(blockwise)`. Fit a line to the times by the size of a block. Does its slope agree with the link's rate, and with what can the constant be compared?",
            f"The slope gives {rk.amount(1 / slope, 'Mbit/s')}, the link has {rk.amount(link['rate'].value, 'Mbit/s')}; a lower one says that the ends work on each byte as well. The "
            f"constant is {rk.amount(fixed, 'µs')}: a round trip of {rk.amount(link['rtt'].value, 'µs')}, and the work for a call that moves nothing.")


def several_at_once(whole, link):
    moved = transfer(link)
    return ("Change the probe of random blocks (`csrc/files/remote.c`) so that two, four and eight threads read at once, each its own blocks. Predict the blocks in a second for each number.",
            f"One thread waits for each block, {whole}, so N threads get up to N times as many, until the link is full: its bytes alone take {rk.amount(moved, 'µs')} a block. A number of "
            "threads that gets no more before that refutes that waiting is all; then the server, the client's lock or the number of requests that it allows is full.")


def link_refuted(whole, link):
    return ("The chapter splits the time of a block into a part of the link and a part of the two ends. Test this split: measure on the built-in host with `LINK_RTT=\"10 ms\"` and with a link of a tenth of the rate. What must the result "
            "be?",
            f"With the delay a block has to take {rk.amount(whole.median - link['rtt'].value + 10e-3, 'ms')}: today's time with another round trip. With a tenth of the rate it takes "
            f"{rk.amount(9 * transfer(link), 'µs')} more, nine times its bytes. Anything clearly beyond these says that a block costs more than one round trip, or that the ends wait "
            "for something that depends on the link.")

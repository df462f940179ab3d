"""What the chapter on reading files concludes of readahead: which reads wait for the disk, and what advice changes."""

import math

import numpy as np

import reckon as rk


def share_waited(result, by_read):
    """The share of single reads that waited for the disk; nan if unmeasured."""
    return by_read.waited(result.quantity) if result.quantity in by_read.processes else math.nan


def readahead_row(result, by_read):
    """A quantity's single reads as cells of a table."""
    name = result.quantity
    times = (by_read.medians[name], result.median, result.seal.predicted, np.percentile(by_read.times[name], 99))
    return [rk.title_of(name), f"{100 * by_read.waited(name):.1f} %", *(rk.amount(time, "µs") for time in times), f"{100 * by_read.time_waited(name):.0f} %"]


@rk.finding(needs=["normal", "random"], missing="Reads in order, by the advice about the order")
def few_wait(normal, random, by_read):
    """random: with the advice that turns readahead off."""
    if not by_read.has_gap:
        return rk.unexplained("waits not told apart", "Reads in order, by the advice about the order")
    return rk.shown("few wait", f"With readahead {100 * share_waited(normal, by_read):.1f} % of the reads in order wait for the disk; without it, "
                    f"{100 * share_waited(random, by_read):.1f} %")


@rk.finding(needs=())
def waiting_table(by_read):
    why = "" if by_read.has_gap else ", because there is no gap between long and short ones"
    return rk.shown("gap" if by_read.has_gap else "no gap", "Reads in order, one by one: those that waited took more than "
                    f"{rk.amount(by_read.limit, 'µs')}{why}")


@rk.finding(needs=())
def means_off(results):
    off = [f"“{rk.title_of(result.quantity)}” ({rk.number(result.ratio)} times the prediction)" for result in results if rk.is_miss(result.ratio)]
    if not off:
        return []
    return rk.unexplained("means off", f"Means off by more than a factor of two: {', '.join(off)}. Their predictions use the inputs of the table "
                          "above: the disk's rate and, without readahead, one request for each block.")


@rk.finding(needs=["normal", "random"])
def not_sequential(normal, random, by_read, ahead, block):
    window, reads = rk.plain(max(1, ahead.value / block.value)), bytes_each(normal) / block.value
    by_model = f"By the model, one read in {window} would wait"
    if reads * block.value < ahead.value:
        by_model += (f" in a long file. A process reads only {rk.plain(reads)} blocks, less than one window. At least one of these reads must "
                     "wait; the predicted mean does not include this")
    return rk.shown("not sequential", f"**To the program** every read is the next one. **To the disk** it is not: with readahead "
                    f"{100 * share_waited(normal, by_read):.1f} % of the reads wait. {by_model}. The other reads find their block in "
                    f"memory, because it was requested in a larger piece before. A block takes {normal} on average, and without "
                    f"readahead {random}, {rk.times_as_long(random, normal)}.")


@rk.finding(needs=())
def copies(normal, by_read):
    if not share_waited(normal, by_read) <= 0.5:
        return []
    median = rk.amount(by_read.medians[normal.quantity], "µs")
    return rk.shown("mostly copied", f"So sequential reading is a few large requests and many copies from memory, and its median ({median}) shows the "
                    "copies alone.")


@rk.finding(missing="")
def advice(sequential, normal, ahead):
    """ahead: the input with the bytes that are read ahead."""
    takes = f'With the advice "sequential", which requests larger pieces, a block takes {sequential} on average:'
    pays = sequential.apart(normal)
    if pays == 0:
        return rk.consistent("advice unclear", f"{takes} the values scatter too much to show whether it helps.")
    if pays < 0:
        return rk.shown("advice pays", f"{takes} here it pays.")
    each = bytes_each(sequential)
    if each < ahead.value:
        return rk.unexplained("advice too short", f"{takes} more than without the advice. But a process reads {rk.amount(each, 'MiB')}, less than one window of "
                              f"{rk.amount(ahead.value, 'MiB')}, so the data do not show whether it helps in a longer file.")
    return rk.shown("advice does not pay", f"{takes} here it does not pay.")


def bytes_each(result):
    """How many bytes a process reads, in blocks of 4 KiB."""
    return 4096 * max(len(process.ticks) for process in result.points[0].processes)

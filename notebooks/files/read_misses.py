"""What the chapter on reading files concludes of the predictions that missed."""

import math

import reckon as rk


@rk.finding(needs=["table"], missing="")
def in_order_twice(table, by_block, by_file):
    """Whether a block in order through the page cache takes as long in the table as in the curve by block, and what differs."""
    if by_block.point_index(4, "KiB") != 0 or by_block.summary.apart(table.summary) == 0:
        return []
    in_table, in_curve = (result.measurement.params["blocks"] for result in (table, by_block))
    twice = rk.shown("measured twice, and apart", f"In order through the page cache 4 KiB takes {by_block} in this curve and "
                     f"{table:interval} in the table. A trial has {rk.plain(in_curve)} blocks in the curve and {rk.plain(in_table)} in the table.")
    at = by_file.point_index(4 * in_curve, "KiB")
    if at is None or by_file.medians[at] < by_block.median:
        return [twice, rk.unexplained("in order twice", "What takes the time was not measured.")]
    return [twice, rk.consistent("shorter trials", f"In a file of only {rk.plain(in_curve)} blocks a block takes "
                                 f"{rk.amount(by_file.medians[at], 'µs')}. So the slow start of a trial may explain the whole difference.")]


@rk.finding(needs=["need_rate", "now"], missing="")
def predicted_again(what, before, now, prediction, need_rate):
    """What the model predicts with a lone request's rate. before, now: what was predicted and measured."""
    return rk.shown("with the slope's rate", f"{what} was predicted to take {rk.amount(before, 'µs')} and took {rk.amount(now, 'µs')}. With the rate "
                    f"of one request at a time the prediction would be {rk.amount(float(prediction.predicted), 'µs')}.")


def large_read(curve):
    """A random read of 1 MiB as predicted and as measured; nan if it was not."""
    whole = curve.point_index(1024) is not None
    return (curve.sealed("predicted")[-1], curve.medians[-1]) if whole else (math.nan, math.nan)


@rk.finding(needs=["in_cache"], missing="")
def misses(results, in_cache, again, need_rate):
    """again: the prediction of a block in order through the page cache, with a lone request's rate."""
    off = [f"“{rk.title_of(result.quantity)}”" for result in results if rk.is_miss(result.ratio)]
    if not off:
        return rk.shown("none off", "Of the results above, no single result and no curve as a whole is off by more than a factor of two.")
    found = [rk.shown("some off", f"Off by more than a factor of two are: {', '.join(off)}.")]
    return found if math.isnan(need_rate) else [*found, _by_one_request(in_cache, in_cache.median / float(again.predicted), need_rate)]


def _by_one_request(in_cache, left, rate):
    """Whether a lone request's rate explains a block in order through the page cache; left: its time over the prediction with that rate."""
    if 4096 / in_cache.summary.bounds[1] > rate:
        return rk.shown("faster in order", f"Read in order through the page cache, a block takes {in_cache:interval}, copy included. By the longest of these times the disk's rate is "
                        f"at least {rk.amount(4096 / in_cache.summary.bounds[1], 'MB/s')}, more than the {rk.amount(rate, 'MB/s')} of one request at a time.")
    if rk.is_miss(left):
        return rk.unexplained("rate is not all", "The rate alone does not explain reading in order through the page cache: "
                              f"{rk.number(left, 2)} times the new prediction is left, unexplained. Counting the device's requests during "
                              "the read (`iostat`) would tell.")
    return rk.consistent("rate explains", "With a lone request's rate, reading in order through the page cache takes "
                         f"{rk.number(left, 2)} times the prediction, within a factor of two; what is left is unexplained. The curves by size "
                         "share this input.")


@rk.finding(needs=())
def request_off(need, command, small, random, work=None):
    """command: the guess of a request; small: random blocks by the file's size; work: as software_of() has it."""
    found, request = [], need["request"]
    if work and work.has_samples and rk.is_miss(work.median / random.seal.software):
        found.append(rk.shown("software measured", f"A CPU works {work} for such a read (chapter on [contention](/notebooks/files/contention.ipynb)), where "
                              f"{rk.amount(random.seal.software, 'µs')} were predicted. The table takes what was measured."))
    if request > 1.25 * command.value:
        found.append(rk.unexplained("request", f"A request for the next block costs {rk.amount(request, 'µs')}, where {rk.amount(command.value, 'µs')} "
                                    "were guessed. Which part of the driver, the device or its host takes it was not measured."))
    start = small.medians[0] / small.sealed("predicted")[0] if small.has_samples else math.nan
    if start > 1.5:
        found.append(rk.shown("small files off", "The prediction of random blocks of small files has the same guess: of the smallest file one takes "
                              f"{rk.number(start, 2)} times as long."))
    return found

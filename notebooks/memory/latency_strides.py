"""What the chapter on load latency concludes of strides: a line beyond the next, and the mountain of sizes and strides."""

import math
from typing import NamedTuple

import numpy as np

import reckon as rk


def end_of(curve):
    """The median at the curve's largest size; nan if that was not measured."""
    return curve.at_end.median if curve.at_end else math.nan


def stride_of(result):
    """The stride of a walk or of a line of the mountain, in bytes."""
    return int(result.quantity.rpartition("_")[2])


@rk.finding(needs=())
def strides_at_largest(short, long):
    title, times = "Load latency by stride, and in random order", (end_of(short), end_of(long))
    if np.isnan(times).any():
        return rk.shown("strides", title)
    ends = [f"{at} {rk.amount(time, 'ns')}" for at, time in zip(("a stride of 64 B takes", "one of 4 KiB"), times, strict=True)]
    return rk.shown("strides at the largest size", f"{title}: at the largest size {', '.join(ends)}")


@rk.finding
def mountain_extremes(mountain):
    title = "The memory mountain: read throughput against the size of the region and the stride"
    heights = [median for row in mountain for median in row.medians]
    ends = [rk.amount(end, "GB/s") for end in (max(heights), min(heights))] if heights else []
    return rk.shown("extremes", f"{title}, from {ends[0]} down to {ends[1]}" if ends else title)


@rk.finding(needs=())
def misses_of_the_strides(strided, line, l3, few_pages):
    """At the largest region; l3: its capacity in the model; few_pages: the curve of walks within 32 pages."""
    ends = [(stride_of(walk), walk.axis[-1], walk.at_end.median / walk.sealed("predicted")[-1]) for walk in strided if walk.at_end]
    off = [end for end in ends if rk.is_miss(end[-1])]
    if not off:
        return []
    listed = ", ".join(f"{rk.number(times, 2)} at {stride} B" for stride, _, times in off)
    found = [rk.shown("strides off", f"At the largest region some strides are off by more than a factor of two. Measured divided by predicted is {listed}.")]
    fit = [stride for stride, size, times in off if times > 1 and size * min(1, line.value / stride) <= l3.value]
    if not fit:
        return found
    lets = (f"For strides of {', '.join(map(str, fit))} B the model lets an L3 of {rk.amount(l3.value, 'byte')} answer, because the lines "
            "visited would fit")
    lost_at = {stride_of(walk): end_of_the_caches(walk) for walk in strided if stride_of(walk) in fit and is_slow_at_end(walk, few_pages)}
    if len(lost_at) < len(fit) or max(fit) < 4 * min(fit):
        return [*found, rk.unexplained("strides in the L3", f"{lets}. The data do not show whether it answers.")]
    if max(lost_at.values()) <= 2 * min(lost_at.values()):
        return [*found, rk.shown("region counts", f"{lets}. These strides stop hitting the caches at about the same size of region, "
                                 f"{sizes_in_words(lost_at.values())}, although they visit few lines. So the size of the region "
                                 "decides, not the number of lines, and memory answers.")]
    return [*found, rk.unexplained("regions differ", f"{lets}. These strides stop hitting the caches at regions of {sizes_in_words(lost_at.values())}, so "
                                   "the size of the region alone does not decide.")]


def is_slow_at_end(walk, few_pages):
    """Whether memory answers that walk in its largest region, whatever the number of its lines."""
    return bool(few_pages.at_end) and walk.at_end.median > few_pages.at_end.median / 2


def end_of_the_caches(walk):
    """The smallest region from which on the walk takes more than half of its time in the largest one."""
    return walk.axis[np.flatnonzero(walk.medians <= walk.at_end.median / 2).max(initial=-1) + 1]


def sizes_in_words(sizes):
    """One size, or the least and the most."""
    least, most = (rk.amount(end(sizes), "byte") for end in (min, max))
    return least if least == most else f"{least} to {most}"


def beyond_the_caches(size, stride, few_pages, line):
    """Whether memory has to answer a walk over that region: whether the lines that it visits alone, as a region of walks
    within 32 pages, take more than half of memory's time."""
    visited = np.interp(size * min(1, line.value / stride), few_pages.axis, few_pages.medians)
    return size <= few_pages.axis[-1] * 1.001 and visited > few_pages.at_end.median / 2


@rk.finding(needs=["in_small"], missing="")
def shares_of_the_wait(strided, in_small, few_pages, line, seen, near, clock):
    """in_small: main memory in small pages, in which the strides walk."""
    shares, cached = {}, []
    for walk in (walk for walk in strided if walk.at_end and few_pages.at_end):
        stride = stride_of(walk)
        if is_slow_at_end(walk, few_pages) or beyond_the_caches(walk.axis[-1], stride, few_pages, line):
            lines = min(1, stride / line.value)  # to a load
            shares[stride] = (walk.at_end.median - near.value / clock.value) / (lines * in_small.median)
        else:
            cached.append(f"{stride} B")
    found = []
    if shares:
        listed = ", ".join(f"{rk.percent(share) if share > 0.001 else 'below 0.1 %'} at {stride} B" for stride, share in shares.items())
        found.append(rk.shown("shares of the wait", f"All strides use one guess: the program sees {rk.percent(seen.value)} of the wait for a line. "
                              f"Each share is the wait for a line in the largest region, divided by main memory's latency in small pages. The shares are {listed}."))
    by_stride = [shares[stride] for stride in sorted(shares)]
    if max(shares, default=0) >= 4096 and len(shares) > 1 and by_stride == sorted(by_stride):
        found.append(rk.consistent("new page with each load", "One share for all strides is too simple: prefetchers stop at the end of a page, "
                                   "and a stride of 4 KiB begins a new page with each load."))
    if cached:
        found.append(rk.consistent("lines fit into a cache", f"The lines that a stride of {' or '.join(cached)} visits in the largest "
                                   "region would fit into a cache, so its latency there does not show what a prefetcher hides."))
    return found


class Point(NamedTuple):
    """A point of the mountain: how many times the prediction its rate is; sizes in bytes."""

    stride: int
    size: float
    visited: float
    times: float


def points_of(mountain, line):
    return [Point(stride_of(row), size, size * min(1, line.value / stride_of(row)), rate / predicted)
            for row in mountain
            for size, rate, predicted in zip(row.axis, row.medians, row.sealed("predicted"), strict=True)]


def class_of(point, l1, l2, l3):
    """Why that point of the mountain may be off, as a word; "" where the prediction holds."""
    if not rk.is_miss(point.times):
        return ""
    if point.times < 0.5 and point.size / point.stride < 64:
        return "few loads"
    if point.times < 0.5:
        return "region counts" if point.visited <= l3.value <= point.size else "rest"
    if point.size <= l1.value:
        return "in L1"
    if any(point.visited <= cache.value < point.size for cache in (l1, l2)):
        return "lines left out"
    return "beyond" if point.size > l3.value else "rest"


@rk.finding
def misses_of_the_mountain(mountain, line, caches, word, rounds, lines):
    points = points_of(mountain, line)
    off: dict[str, list[Point]] = {}
    for point in points:
        off.setdefault(class_of(point, caches["l1"], caches["l2"], caches["l3"]), []).append(point)
    holds = len(off.pop("", []))
    peak = max((median for row in mountain for median in row.medians), default=math.nan)
    most = round(max((point.size / point.stride for point in off.get("few loads", ())), default=0))
    count = {reason: len(those) for reason, those in off.items()}
    reasons = [
        ("in L1", rk.unexplained, "In {n} of them the region fits into L1. A word costs "
         f"{rk.number(word.value * caches['clock'].value / peak, 2)} cycles at the peak there; {rounds.value:g} were guessed."),
        ("lines left out", rk.consistent, "In {n} of them the region is larger than L1 or L2, but its visited lines would fit. The model counts "
         "the whole region, which is right only if the lines visited crowd into a part of the cache's sets."),
        ("beyond", rk.consistent, f"In {{n}} of them the region is larger than the L3: prefetchers keep more lines under way than the guessed {lines.value:g}."),
        ("few loads", rk.consistent, f"In {{n}} of them, all too slow, a pass has at most {most} loads, so the start of a pass matters."),
        ("region counts", rk.consistent, "In {n} of them, all too slow, the region fills the L3 or more. Its visited lines would fit, and the model counts only those."),
        ("rest", rk.unexplained, "The other {n} are unexplained.")]
    if not off:
        return []
    return [rk.shown("mountain off", f"{len(points) - holds} of the mountain's {len(points)} points are off by more than a factor of two."),
            *(strength(name, said.format(n=count[name])) for name, strength, said in reasons if name in count)]


def prefetched(stride, walk, line):
    """How many times as long random order takes as this stride, by size, far beyond the caches."""
    return {size: np.interp(size, walk.axis, walk.medians) / time
            for size, time in zip(stride.axis, stride.medians, strict=True)
            if walk.at_end and beyond_the_caches(size, stride_of(stride), walk, line)}


@rk.finding(needs=())
def prefetcher(stride, walk, line):
    ratios = prefetched(stride, walk, line)
    if not ratios:
        return rk.unexplained("not measured", "It was not measured: not both orders came to regions far enough beyond the caches.")
    middle, least, most = np.median([*ratios.values()]), min(ratios, key=ratios.get), max(ratios, key=ratios.get)
    takes = ("Far beyond the caches, random order within 32 pages needs hardly any page walks, and neither does a stride of 256 bytes. "
             f"Random order takes {rk.number(middle, 2)} times as long (median over {len(ratios)} sizes; from {rk.number(ratios[least], 2)} "
             f"times in {rk.amount(least, 'byte')} to {rk.number(ratios[most], 2)} times in {rk.amount(most, 'byte')}).")
    if middle > 2:
        return rk.shown("hides much", f"{takes} The prefetcher hides much of the wait.")
    if middle > 1.25:
        return rk.consistent("hides some", f"{takes} The prefetcher may hide some of the wait, or a stride may find more open rows.")
    return rk.shown("hides little", f"{takes} Mostly the prefetcher hides little.")


@rk.finding(needs=["by_report"], missing="")
def same_walk(by_report, stride):
    """by_report: the MacBook's walk, over a list whose elements lie as far apart as in `stride`."""
    size, end = by_report.measurement.params["size_bytes"], stride.at_end
    if not end or size != stride.axis[-1] or not by_report.summary.apart(end):
        return []
    return rk.unexplained("same walk, other time", f"Over {rk.amount(size, 'byte')} the chase of the MacBook's method takes {by_report}. Reckon's chase at a stride of "
                          f"{stride_of(stride)} B takes {rk.median_text(end, 'ns')}. Both load one line of each small page in rising order. Why "
                          "they differ is unexplained. One candidate is a prefetcher, which may follow the single load instruction of the "
                          "MacBook's loop; Reckon's loop has 64.")

"""What the chapter on load latency concludes."""

import math

import numpy as np

import reckon as rk


def pages_of(base):
    """The kind of pages in which the ring of this curve lies."""
    return "huge" if base.quantity.endswith("huge") else "small"


def has_l3(l3, of_l3, of_memory):
    """Whether an L3 shows: a region that takes most of memory's time lies in no cache."""
    return l3.origin == "machine" and not of_l3.median / of_memory.median > 0.5


def third_level(l3, of_l3, of_memory, size):
    """The title of the third level: the L3, or only the size of the region."""
    return "L3" if has_l3(l3, of_l3, of_memory) else f"A region of {rk.amount(size, 'byte')}"


def moved(m, by_cache):
    """The caches whose value is not their ring's, by name."""
    return {name: value for name, value in by_cache.items() if value is not m[name.lower()]}


def size_in(value):
    """The size at which a value was read from a curve, in words."""
    return value.quantity.rpartition(" at ")[2]


def rows(m, by_cache):
    """The table's results: the rings, and after them the caches whose values were read from the curve."""
    return [*m.values(), *moved(m, by_cache).values()]


def titles(m, by_cache, sizes):
    """What to call the values that were read from the curve, and the rings that lie beyond their caches."""
    rings = {m[name.lower()].quantity: f"A region of {rk.amount(sizes[name.lower()], 'byte')}" for name in moved(m, by_cache)}
    return rings | {value.quantity: f"{name}, at {size_in(value)}" for name, value in moved(m, by_cache).items()}


@rk.finding(needs=())
def read_from_the_curve(m, by_cache, ends, reported, sizes):
    """ends: the levels of the caches in the curves of their walks."""
    found = []
    for name, value in moved(m, by_cache).items():
        first, last, size, of_ring = (rk.amount(x, "byte") for x in (
            ends[name].x_first, ends[name].x_last, reported[name], sizes[name.lower()]))
        found.append(rk.shown("cache read from the curve", f"The ring for {name} was chosen by the {size} that the machine reports. In the curve "
                              f"{name} answers from {first} to {last}, and {of_ring} is outside. So {name}'s own value is read from the curve at "
                              f"{size_in(value)}, the size of its median: {value:interval}, {rk.number(value.ratio)} times the prediction."))
    return found


@rk.finding(missing="")
def by_the_clock(of_cache, name, cycles):
    """What the core's clock has to do with a miss; cycles: the input that predicts them."""
    predicted, measured, clock = of_cache.sealed_input(cycles), of_cache.median_cycles, of_cache.sealed_input("clock")
    ran_at = measured / of_cache.median
    if not abs(ran_at / clock - 1) > 0.02:
        return []
    takes = (f"{name} takes {rk.number(measured)} core cycles, and {predicted:g} were predicted; the core ran at {rk.amount(ran_at, 'GHz')}, not at the "
             f"{rk.amount(clock, 'GHz')} of the prediction")
    if abs(measured / predicted - 1) < 0.02:
        return rk.shown("clock is the difference", f"{takes}. The clock is all of the difference.")
    return rk.shown("clock and cycles differ", f"{takes}.")


def times_with_ends(one, other):
    """ "87 times (75 to 172)": the ratio of the two, with what both intervals leave open."""
    times, ends = rk.number(one.median / other.median, 2), one.ratio_ends(other)
    low, high = (rk.number(end, 2) for end in ends or (0, 0))
    return f"{times} times" + (f" ({low} to {high})" if ends and low != high else "")


@rk.finding(missing="Load latency, level by level")
def memory_and_l1(of_memory, of_l1):
    return rk.shown("memory and L1", f"Load latency, level by level: main memory takes {times_with_ends(of_memory, of_l1)} as long as L1")


@rk.finding(missing="")
def third_answers(l3, of_l3, of_memory, size):
    share = of_l3.median / of_memory.median
    at_region = f"At {rk.amount(size, 'byte')} a load takes {rk.percent(share)} of main memory's time"
    walks = of_l3.process_medians(of_l3.points[0])
    fast = (walks < 2 * of_l3.median).sum()
    if share <= 0.5 and fast < len(walks):
        return rk.shown("L3 answers", f"{at_region}: the L3 answers in {fast} of {len(walks)} fresh processes; the others take more than "
                        "twice as long.")
    if share <= 0.5:
        return rk.shown("L3 answers", f"{at_region}: the L3 answers.")
    if l3.origin == "machine":
        return rk.consistent("reported L3 hidden", f"{at_region}. An L3 alone would answer sooner, so of the "
                             f"reported {rk.amount(l3.value, 'byte')} this program seems to get a part (more under Questions).")
    return rk.shown("no L3 shown", f"{at_region}: no L3 shows there.")


def l3_s_pace(of_l3, level):
    """Seconds of a load that the L3 answers, as the staircase shows its level; without a level, as predicted. Then this in words."""
    pace, origin = (level.y, "measured") if level else (of_l3.seal.predicted, "predicted")
    return pace, f"the L3's {rk.amount(pace, 'ns')} ({origin})"


def kept_in_words(level, size):
    return f"In the curve the L3 keeps its pace up to {rk.amount(level.x_last, 'byte')}; the region has {rk.amount(size, 'byte')}. "


@rk.finding(needs=())
def slopes(base, seen):
    """That levels rise over their sizes: a list of at most one finding. seen: the levels of the curve, by name."""
    rising = []
    for name, level in seen.items():
        times = base.medians[level.first:level.last + 1]
        third = max(1, len(times) // 3)
        if np.median(times[-third:]) > 1.25 * np.median(times[:third]):
            first, last = (f"{rk.amount(time, 'ns')} at {rk.amount(size, 'byte')}"
                           for time, size in ((times[0], level.x_first), (times[-1], level.x_last)))
            rising.append(f"in {name} from {first} to {last}")
    if not rising:
        return []
    return [rk.unexplained("slope", f"The latency rises within a level: {', '.join(rising)}. So the table's median is not a single value that "
                           "holds for the whole level. The rise is unexplained; perhaps the next smaller cache still answers some loads.")]


@rk.finding(needs=["of_l3", "of_memory"])
def off_by_the_l3(of_l3, of_memory, base, size, level, memory):
    """size: of the region of the L3's ring, in bytes; level, memory: of the L3 and of memory in the staircase, or None."""
    (from_cache, in_words), from_memory = l3_s_pace(of_l3, level), of_memory.median
    walks = of_l3.process_medians(of_l3.points[0])
    fast, slow = (walks < 2 * from_cache).sum(), (walks > 0.75 * from_memory).sum()
    model = f"the model lets the L3 answer every load, in {rk.amount(of_l3.seal.predicted, 'ns')}"
    slow_walks = f"{slow} took at least three quarters of main memory's {rk.amount(from_memory, 'ns')}"
    if fast > 0 and slow > 0:
        held = max((at for point, at in zip(base.points, base.axis, strict=True)
                    if base.process_medians(point).min() < 2 * from_cache), default=0)
        return rk.consistent(
            "two paces", f"{model}. Of {len(walks)} fresh processes {fast} took less than twice {in_words}, and {slow_walks}. Size and pages were "
            "the same, so the size does not decide: the region fits at times; at other times, programs that share the L3 have pushed it out. "
            "Badly placed pages would slow some loads of every process instead. In the curve "
            f"{rk.amount(held, 'byte')} is the largest region with a process at the L3's pace. The same ring on an idle host would tell.")
    if slow > len(walks) / 2:
        return rk.consistent(
            "one pace", f"{model}. None of {len(walks)} fresh processes took less than twice {in_words}, and {slow_walks}. So this program never "
            "gets that much of the L3: others fill it, or a host grants only a part. The same ring on an idle host would tell.")
    if memory and size >= memory.x_first:
        return rk.consistent("beyond the L3", f"{model}. In the curve main memory answers from {rk.amount(memory.x_first, 'byte')} on: others may "
                             "fill the L3, a host may grant only a part, or translation may add to each load. The same ring on an idle host would tell.")
    went = (of_l3.median - from_cache) / (from_memory - from_cache)  # the share of loads that memory answered
    if 0 < went < 1:
        return rk.consistent(
            "some from memory", f"{model}. If memory answered some loads in {rk.amount(from_memory, 'ns')} and the rest took {in_words}, memory answered "
            f"{rk.percent(went)} of them. {'' if level is None else kept_in_words(level, size)}The same ring on an idle host would tell.")
    return rk.unexplained("no mixture", "the time is not between that of the L3 and that of memory, so it is unexplained; an idle host would tell.")


@rk.finding(needs=())
def usable_l3(level, l3):
    """That the L3 keeps its pace for less than half of what is reported: a list of at most one finding. level: as in the staircase."""
    if not level or l3.origin != "machine" or level.x_last > 0.5 * l3.value:
        return []
    return [rk.unexplained("usable L3 ends before the reported", "The data do not show why the L3 ends there: others may use the rest of it, or "
                           "a host may grant only a part.")]


def wait_behind(of_memory, of_l3, level):
    """The wait behind the L3 that would explain memory's latency, and beside what, in words."""
    pace, in_words = l3_s_pace(of_l3, level)
    return rk.amount(of_memory.median - pace, "ns"), in_words


@rk.finding(needs=["of_memory"])
def off_by_memory(of_memory, of_l3, dram, level):
    wait, in_words = wait_behind(of_memory, of_l3, level)
    return rk.unexplained("wait behind the L3", f"a load first takes {in_words}, so the wait behind the L3 would have to be {wait}, "
                          f"not {rk.amount(dram.value, 'ns')}. This memory may be farther away or busier, or a host may add page walks of its own.")


def misses(m, by_cache, base, dram, size, level, memory):
    """The list of the levels whose predictions were missed, and why. by_cache: the caches' own values. The last three as off_by_the_l3() has them."""
    reasons = {"l1": "unexplained; the same ring beside the core's clock, on an idle core, would tell.",
               "l2": "some of the region does not stay in L2, or the core was shared. Rings in smaller regions would tell.",
               "l3": off_by_the_l3(m["l3"], m["memory"], base, size, level, memory),
               "memory": off_by_memory(m["memory"], m["l3"], dram, level),
               "memory_small": "it shares the miss of huge pages; a question below is about what small pages add."}
    what = {"l3": f"'s ring, a region of {rk.amount(size, 'byte')}"}
    faster = "unexplained: the wait is shorter than guessed."
    items = [rk.missed(m[level], reason, what.get(level, ""), lower=faster) for level, reason in reasons.items()]
    items += [rk.missed_item(f"{name}, at {size_in(value)}", f"{rk.number(value.ratio)} times the prediction",
                             faster if value.ratio < 1 else "unexplained; the same ring on an idle host would tell.")
              for name, value in moved(m, by_cache).items() if rk.is_miss(value.ratio)]
    return rk.missed_list(items, "None of the measured levels.")


@rk.finding(needs=())
def misses_of_the_staircase(rings):
    off = []
    for ring in rings:
        ratios = ring.medians / ring.sealed("predicted")
        if wrong := [size for size, ratio in zip(ring.axis, ratios, strict=True) if rk.is_miss(ratio)]:
            ends = " to ".join(rk.amount(end(wrong), "byte") for end in (min, max))
            off.append(f"{rk.title_of(ring.quantity)}: {len(wrong)} of {len(ring.axis)}, from {ends}")
    if not off:
        return rk.shown("no point off", "No measured point of the staircase.")
    return rk.shown("points off", f"Points of the staircase are off by more than a factor of two. {'. '.join(off)}.")


@rk.finding(needs=())
def whole_cycles(base, l1):
    inside = [cycles.median for cycles, size in zip(base.cycles, base.axis, strict=False) if size <= l1.value]
    if not inside:
        return rk.unexplained("not measured", "It could not be measured.")
    cycles, low, high = np.percentile(inside, (50, 10, 90))
    takes = (f"At the {len(inside)} sizes of the curve up to {rk.amount(l1.value, 'byte')} a load takes {rk.number(cycles)} cycles (the "
             "median of these sizes). The core clock is measured beside each sample.")
    spread = f"No whole number. From the 10th to the 90th percentile the sizes take {rk.number(low)} to {rk.number(high)}"
    whole = np.round(cycles)
    if abs(cycles - whole) < 0.02 * whole:
        return rk.shown("whole number", f"{takes} So a load takes {whole:g} cycles, within 2 %.")
    if high - low > 0.2:
        return rk.shown("sizes differ", f"{takes} {spread}, so no one number describes them.")
    return rk.consistent("clock moved", f"{takes} {spread}; the clock must have moved between its calibration and the loads, or the loads "
                         "shared the core.")


def dearer_sizes(small_curve, huge_curve):
    """At how many sizes at which memory answers in huge pages small ones take longer, at how many of them by intervals, and of how many."""
    huge = dict(zip(huge_curve.axis, huge_curve.summaries, strict=True))
    slow = [(summary, huge[size]) for size, summary in zip(small_curve.axis, small_curve.summaries, strict=True)
            if size in huge and huge[size].median > 0.75 * huge_curve.at_end.median]
    return sum(small.median > of_huge.median for small, of_huge in slow), sum(small.apart(of_huge) > 0 for small, of_huge in slow), len(slow)


@rk.finding(needs=())
def reach_by_the_model(entries, small, huge, walk):
    """small, huge: the sizes of the pages. All are inputs."""
    reached = [rk.amount(entries.value * page.value, "byte") for page in (small, huge)]
    return rk.shown("reach by the model", f"With {rk.plain(entries.value)} pages in the TLB ({entries.origin}), the TLB reaches {reached[0]} in pages of "
                    f"{rk.plain(small.value / 2**10)} KiB, and {reached[1]} in pages of {rk.plain(huge.value / 2**20)} MiB. A page walk, beyond that, is "
                    f"expected to take {rk.amount(walk.value, 'ns')} ({walk.origin}).")


@rk.finding(missing="")
def which_number(of_memory, in_small):
    return rk.shown("which number to use", f"For estimates take {rk.amount(of_memory.median, 'ns')} for a load from main memory in huge pages and "
                    f"{rk.amount(in_small.median, 'ns')} in small ones. The curves measure these again in other processes. The levels below are medians over all "
                    "their sizes, and a ring within 32 pages hardly needs page walks.")


def page_walk(least, most, in_huge, walk):
    """What the time that small pages add says of the page walk; the ends of that time in seconds."""
    guessed = f"That is what a page walk adds to a load if huge pages need none; {rk.amount(walk.value, 'ns')} were guessed."
    if most < in_huge.summary.bounds[0]:
        return rk.consistent("tables mostly cached", f"{guessed} It is less than one load from main memory, though a walk reads up to four entries one after the "
                             "other. So caches had most of the entries.")
    return rk.unexplained("tables not all cached", f"{guessed} It is not clearly less than one load from main memory, so the data do not show how many of a walk's "
                          "entries came from a cache.")


@rk.finding(needs=["in_small", "in_huge"])
def small_pages(in_small, in_huge, small_curve, huge_curve, walk):
    both = f"In main memory a load in random order takes {in_small} in small pages and {in_huge} in huge ones"
    if in_small.apart(in_huge) > 0:
        (low, high), (huge_low, huge_high) = in_small.summary.bounds, in_huge.summary.bounds
        ends = low - huge_high, high - huge_low
        least, most = (rk.amount(end, "ns") for end in ends)
        difference = least if least == most else f"{least} to {most}"
        return [rk.shown("translation", f"{both}: the difference, {difference}, is translation."), page_walk(*ends, in_huge, walk)]
    if in_small.apart(in_huge) < 0:
        return rk.unexplained("huge pages slower", f"{both}: huge pages take longer, and that is not translation.")
    by_median, by_interval, count = dearer_sizes(small_curve, huge_curve) if huge_curve.at_end else (0, 0, 0)
    if by_interval > 1 and by_median > 0.8 * count:
        return rk.shown("translation in the curve", f"{both}; the intervals overlap. At {by_median} of {count} sizes in main memory, the curve of "
                        f"small pages is higher; at {by_interval} the intervals do not overlap. So translation is a part of the difference.")
    return rk.shown("pages alike", f"{both}. The data show no difference{in_small.indistinct_note(in_huge)}.")


@rk.finding(needs=["in_small", "in_huge"], missing="")
def staying_near(in_small, in_huge, huge_curve, kind_curve, guest):
    huge, kind = huge_curve.at_end, kind_curve.at_end
    if not huge or not kind:
        return []
    takes = f"At the end of the curves, a load that stays within 32 small pages takes {rk.median_text(kind, 'ns')}"
    of_huge = f"the {rk.median_text(huge, 'ns')} of huge pages"
    # A guest's huge pages may be a host's small ones; where small ones cost no more, that is likely.
    proviso = " (if the host backs huge pages with huge ones)" if guest or in_small.apart(in_huge) <= 0 else ""
    if huge.apart(kind) > 0:
        return rk.consistent("near is faster", f"{takes}, less than {of_huge}. So translation is not all of the difference{proviso}: neighbouring lines may lie "
                             "in a row of the memory chip that is open already and answers sooner. Or they are prefetched.")
    if kind.apart(huge) > 0:
        return rk.shown("near is slower", f"{takes}, more than {of_huge}.")
    return rk.shown("near is alike", f"{takes}. The data show no difference from {of_huge} ({kind.why_not_apart(huge)}).")


@rk.finding(needs=())
def tlb_reach(in_small, in_huge, walk):
    small, huge = (dict(zip(curve.axis, curve.medians, strict=True)) for curve in (in_small, in_huge))
    both = sorted(set(small) & set(huge))
    if not both:
        return rk.unexplained("one kind of pages", "The TLB's reach shows only where both kinds of pages were measured.")
    # By differences: beyond the caches the wait for memory hides a walk in a ratio.
    alike = [size for size in both if small[size] - huge[size] < walk.value / 2]
    at_least = f"cost at least half of the guessed page walk, {rk.amount(walk.value / 2, 'ns')}, more than huge ones"
    if not alike:
        return rk.consistent("reach below", f"Small pages {at_least} from the smallest size on: the TLB's reach may lie below it.")
    if alike[-1] in both[-3:]:
        return rk.consistent("reach beyond", f"At some of the largest sizes small pages do not {at_least}, so the TLB's "
                             "reach does not show in this curve. A host that backs huge pages with small ones hides it.")
    last = rk.amount(alike[-1], "byte")
    if both[:len(alike)] == alike:
        return rk.consistent("reach within", f"Small pages {at_least} at each size beyond {last}. The TLB may reach up to this size, or L2 may end "
                             "sooner in small pages.")
    first = rk.amount(next(size for size in both if size not in alike), "byte")
    return rk.unexplained("reach not sharp", f"Small pages {at_least} at some sizes from {first} on, and at every size "
                          f"beyond {last}. So the data do not show where the TLB's reach ends.")


@rk.finding(needs=["of_memory"], missing="")
def answer(of_memory, of_l3, few_pages, dram, level):
    """few_pages: the curve of walks that stay within 32 pages; level: of the L3 in the staircase, or None."""
    wait, in_words = wait_behind(of_memory, of_l3, level)
    needed = f"A load first takes {in_words}; the rest would be a wait of {wait} behind the L3 (guessed: {rk.amount(dram.value, 'ns')})"
    if of_memory.ratio <= 1:
        return rk.consistent("memory is faster", f"{needed}. So this memory is nearer than guessed.")
    near = few_pages.at_end
    if not near:
        return rk.unexplained("cause not measured", f"{needed}. The cause was not measured: it may be distance, other load or translation.")
    within = f"{needed}. In a ring within 32 pages a load takes {rk.median_text(near, 'ns')}"
    left_out = (of_memory.median - near.median) / (of_memory.median - of_memory.seal.predicted)  # of the miss, by staying near
    if of_memory.summary.apart(near) > 0 and left_out > 0.5:
        return rk.unexplained("distance or translation", f"{within}. Random order may be slower because of page walks, or because nearby lines come "
                              "sooner; or the memory itself is slower.")
    if of_memory.summary.apart(near) > 0 and left_out > 0.1:
        return rk.unexplained("distance and translation", f"{within}. Page walks, or nearby lines that come sooner, may be a part of the cause, and distance or other load the rest.")
    return rk.consistent("farther away or busier", f"{within}, too, so translation is not the cause: this memory is farther away or busier than "
                         "guessed.")


def in_small_pages(ring, curve, size):
    """The ring as the curve of small pages has it, at the nearest size; the ring itself without a curve."""
    return rk.at_size(curve, size) if curve.has_samples else ring


@rk.finding(needs=())
def stairs(base):
    title = "Load latency in a random ring against the size of the region"
    ends = [f"{rk.median_text(base.summaries[at], 'ns')} at {rk.amount(base.axis[at], 'byte')}" for at in (0, -1)] if base.has_samples else []
    span = f": in {pages_of(base)} pages from {' to '.join(ends)}" if ends else ""
    return rk.shown("span", f"{title}{span}. The black lines show the median latency of each level, over all its sizes")


@rk.finding(needs=())
def largest_region(curve):
    title = "Loads in random order from the largest region: every trial"
    if not curve.at_end:
        return rk.shown("largest region", title)
    return rk.shown("median of the largest region", f"{title}; the median is {rk.amount(curve.at_end.median, 'ns')}")


@rk.finding
def search_time(in_small):
    search, in_a_page = int(np.log2(2**30)), int(np.log2(4096 / 8))
    tables = rk.amount(2**33 / 4096 * 8, "byte")
    return rk.shown("search", f"Each step takes {in_small}, the load measured in small pages, its page walk included. {search} steps are "
                    f"{rk.amount(search * in_small.median, 'µs')}. Here the walks may take longer: the last tables alone have {tables}, 8 bytes for each page of 4 KiB. "
                    f"The supposition is too high at the end: the last {in_a_page} steps stay in one page, so the TLB has it after the first of them. The last three steps read one line of eight "
                    "numbers, so at least two of them find it in L1. The first steps always read the same few lines. But the addresses of steps 1 to 21 "
                    "are multiples of 4 KiB apart. In an L1 of 64 sets they share one set of 8 or 12 lines, so later steps evict what earlier ones loaded.")


def binary_search(in_small):
    return ("A binary search in a sorted array of 2³⁰ numbers of 8 bytes (8 GiB) loads one number a step, and each address "
            "depends on the last answer. Suppose that every load comes from main memory, in small pages, and that each needs a page walk. How long does one search take? Which steps do not load from main memory?",
            search_time(in_small))


@rk.finding(needs=["base"])
def at_half_of_the_l3(base, l3, level, memory):
    """level, memory: of the L3 and of memory in this staircase, or None."""
    predicted, measured = (float(np.interp(l3.value / 2, base.axis, values)) for values in (base.sealed("predicted"), base.medians))
    shows = (f"By the model the L3 answers, in {rk.amount(predicted, 'ns')}. The measured curve of {pages_of(base)} pages shows "
             f"{rk.amount(measured, 'ns')} at this size")
    if level and l3.value / 2 <= level.x_last:
        return rk.shown("L3 at half", f"{shows}: the L3 does answer.")
    if memory and l3.value / 2 >= memory.x_first:
        return rk.consistent("memory at half", f"{shows}: main memory answers, because the L3 does not keep so much for this program.")
    by_memory = (measured - level.y) / (memory.y - level.y) if level and memory else math.nan
    mixed = (f" If every load comes from the L3 or from memory, {rk.percent(by_memory)} of the loads come from memory."
             if 0 < by_memory < 1 else "")
    return rk.unexplained("both at half", f"{shows}. This size belongs to no level of the curve, so the data do not show which of them answers.{mixed}")


def half_of_the_l3(base, l3, level, memory):
    return (f"Predict the latency of a random ring of {rk.amount(l3.value / 2, 'byte')}, half of the L3. Which level answers?",
            at_half_of_the_l3(base, l3, level, memory))


def guess_to_measure(dram, far, of_memory):
    of_dram, of_far = dram.high - dram.low, (far.high - far.low) / of_memory.sealed_input("clock")
    by_dram, by_far = rk.amount(of_dram, "ns"), rk.amount(of_far, "ns")
    dram_first = (f"`dram`: its interval is {by_dram} wide, that of `far` only {by_far}. It can be measured only in a sum with `far`, as a "
                  "load from main memory; the guess of `far` is then left.")
    return ("Begin with `rk.frame(m[\"memory\"])`. Two guesses make up the prediction for main memory: the L3's cycles (`far`) and the wait behind it (`dram`). "
            "Which one would you measure first to narrow the interval?",
            dram_first if of_dram > of_far else f"`far`: its interval is {by_far} wide, that of `dram` {by_dram}.")


def largest_step(base):
    factors = base.medians[1:] / base.medians[:-1] if base.has_samples else np.array([math.nan])
    at = int(np.argmax(factors))
    sizes = [rk.amount(size, "byte") for size in base.axis[at : at + 2]] if base.has_samples else ["–"] * 2
    return ("Begin with `rk.frame(base)`, the curve over random rings in huge pages if there are any. Between which two neighbouring sizes does the latency grow by the largest factor, and which cache ends there? Why is a "
            "single largest step a poor way to find a cache's size?",
            f"From {sizes[0]} to {sizes[1]}, by a factor of {rk.number(factors[at], 3)}. The chapter on the machine says which cache has about that size. One noisy point makes "
            "two large steps, and a level that begins gradually has none. This chapter divides the whole curve into levels instead, and a level needs several points.")


def two_rings(of_memory):
    question, solution = rk.show.project("two_rings", "Write a probe that follows two rings at once. Predict the time of a load in main memory. Which result "
                                         "would show that a load waits for more than the load before it?")
    return (question, f"{solution}\n\nNeither ring waits for the other, so a pair takes about as long as one load does, {of_memory}: a load "
            f"{rk.amount(of_memory.median / 2, 'ns')}. If a load still takes the whole time, something else than the chain holds it up.")


def page_walks_refuted(small, huge):
    more = small.median - huge.median
    return ("This chapter says that page walks are why loads take longer in small pages. It also measures a ring that visits all lines of 32 small pages "
            "before it goes on. Which times of that ring would refute the sentence, and does the measured one? Why would no time of that ring prove it?",
            f"In main memory, loads take {small} in small pages and {huge} in huge ones: {rk.amount(more, 'ns')} more. With all but a few loads in pages "
            "whose translations are at hand, most of that has to go, though pages are still small. `window_bytes` of the probe does so: "
            "the curve of a ring that stays near. If it is no faster than the random ring, page walks do not explain it. If it is faster than in huge pages, "
            "the order helps in another way, too. So no time of it proves the sentence: the order changes more than the translations.")

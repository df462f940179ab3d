"""What the chapter on the loop concludes."""

import math

import numpy as np

import reckon as rk


def fastest_cycles(loop, clock):
    """The core cycles of the fastest trial; nan if unmeasured."""
    return loop.summary.minimum * clock.value if loop.summary else math.nan


def faster_processes(loop):
    """The core cycles of a round in the processes that nothing slowed, if the processes are of two groups; else None."""
    groups = rk.two_groups(loop.core_cycles.medians)
    return groups[0] if groups else None


def pace(loop):
    """The core cycles of a round, of two groups of processes in the faster one."""
    faster = faster_processes(loop)
    return loop.median_cycles if faster is None else np.median(faster)


def bounds_of_pace(loop):
    """Between which cycles the pace lies: its interval; of one of two groups, or without an interval, the processes' extremes.

    Where the time repeats better than the cycles, the time's interval at the clock of the run: then the clock beside it was disturbed."""
    faster, cycles = faster_processes(loop), loop.core_cycles
    if faster is None and cycles.interval.is_known:
        at_one_clock = [end * loop.core_clock_hz(loop.points[0]) for end in loop.summary.bounds]
        return min(cycles.interval.ends, tuple(at_one_clock), key=np.ptp)
    processes = cycles.medians if faster is None else faster
    return min(processes), max(processes)


def takes_one_cycle(o2):
    """How a round compares with one cycle: "less", "one" or "more"; "" if its bounds do not say."""
    low, high = bounds_of_pace(o2)
    if high < 0.85:
        return "less"
    if low > 1.15:
        return "more"
    return "one" if low > 0.85 and high < 1.15 else ""


def slow_processes_are_of_whole_visits(loop, slow):
    """Whether no visit has both fast and slow processes, of several visits."""
    processes, medians = loop.summarised_processes(loop.points[0]), loop.core_cycles.medians
    visits = [{process.visit for process, median in zip(processes, medians, strict=True) if (median >= slow.min()) == is_slow}
              for is_slow in (False, True)]
    return not visits[0] & visits[1]


def groups_of_processes(loop):
    """That the processes fall into two groups: a list of at most one finding."""
    groups = rk.two_groups(loop.core_cycles.medians)
    if not groups:
        return []
    fast, slow = groups
    fall = (f"The {len(fast) + len(slow)} fresh processes fall into two groups: {len(fast)} near {rk.number(np.median(fast))} cycles and "
            f"{len(slow)} near {rk.number(np.median(slow))} cycles.")
    if slow_processes_are_of_whole_visits(loop, slow):
        return [rk.consistent("a busy sibling in some visits", f"{fall} The slower group is all processes of some visits. A busy sibling "
                              "thread during these visits would explain that.")]
    return [rk.unexplained("two groups", f"{fall} The faster group shows what the core can do. The data do not show what slows the other group; "
                           "a busy sibling thread would do it.")]


def disturbed_clocks(loop):
    """That the clock beside it was disturbed in some visits: a list of at most one finding."""
    times, cycles = (np.array(of.visit_medians) / np.median(of.visit_medians) for of in (loop.summary, loop.core_cycles))
    off = abs(cycles - 1)
    disturbed = (off > 0.02) & (abs(times - 1) < 0.1 * off)
    if not disturbed.any() or disturbed.sum() > len(times) / 2:
        return []
    return [rk.unexplained("clock disturbed", f"In {disturbed.sum()} of {len(times)} visits the core clock measured next to the loop differed by up to "
                          f"{rk.percent(off[disturbed].max())}, but a round took the same time.")]


def slower_across_lines(across, o2):
    return pace(across) / pace(o2)


def samples_disagree(whole):
    return 3 * sum(bool(summary.warnings) for summary in whole.summaries) > len(whole.points)


def overlapping(whole, a_round):
    """Of each point of the whole loop whether it takes clearly less than its rounds in a long loop, by the intervals."""
    longest = np.array([summary.bounds[1] for summary in whole.summaries])
    return longest < 0.8 * whole.axis_in_unit * a_round.summary.bounds[0] if a_round.summary else np.zeros(len(longest), bool)


def numbers_of_rounds(points):
    """ "2, 4 and 8"."""
    return rk.join_words([f"{rounds:g}" for rounds in points])


def two_values(a_round, whole, how):
    """A round by itself and by the slope of the whole loop."""
    if not a_round.summary or whole.line is None:
        return rk.unexplained("not both values", f"{how} could not be measured.")
    by_itself = f"{how} in ten thousand rounds without a pause, a round takes {a_round} ({a_round:cycles})."
    if not whole.is_straight:
        return rk.shown("one value of a round", f"{by_itself} The points of the whole loop do not lie on a straight line, so no slope shows what a "
                        "round takes.")
    by_slope = f"{by_itself} According to the slope of the whole loop, it takes {rk.amount(whole.line.slope, 'ns')}"
    if a_round.is_of_two_groups:
        return rk.unexplained("two groups of a round", f"{by_slope}. The processes fall into two groups, so the two values cannot be compared.")
    times = whole.line.slope / a_round.median
    values = f"{by_slope}, {rk.percent_more_or_less(times)}."
    if times > 1.2 and not samples_disagree(whole):
        return rk.consistent("slope larger", f"{values} This fits a last jump that is mispredicted from some number of rounds on.")
    return rk.shown("two values of a round", values)


def why_two_values(a_round, whole):
    """Why the two values of a round differ: a list of at most one finding."""
    overlap = overlapping(whole, a_round)
    if overlap.any():
        return [rk.consistent("loops overlap", f"Whole loops of {numbers_of_rounds(whole.axis_in_unit[overlap])} rounds take less time than as many rounds of "
                              "a long loop. Repeated loops do not depend on one another, so the processor runs rounds of several loops at once.")]
    return []


@rk.finding(needs=())
def a_round(o2, o2_whole, o0, o0_whole):
    why_fast, why_slow = why_two_values(o2, o2_whole), why_two_values(o0, o0_whole)
    fast, slow = two_values(o2, o2_whole, "Optimised:"), two_values(o0, o0_whole, "Unoptimised:")
    return [fast, *(why_fast if why_fast != why_slow else []), slow, *why_slow]


def pace_of_a_round(o2, clock):
    middle, fastest = rk.number(pace(o2)), fastest_cycles(o2, clock)
    against_one = takes_one_cycle(o2)
    if against_one == "less":
        return rk.shown("additions folded", f"It takes less: {middle} cycles. So this core folds additions of one into one another, "
                        "and takes more than one jump in a cycle.")
    if against_one == "one":
        return rk.shown("one cycle", f"Yes: {middle} cycles.")
    if against_one == "more" and fastest < 1.15:
        return rk.consistent("fastest in one cycle", f"Its fastest trials do ({rk.number(fastest)} cycles); the median trial takes {middle} cycles. The "
                             "addition still takes one cycle, so the two other instructions wait. The likely cause is the core's other "
                             "hardware thread, which takes turns to fetch and to jump. A guest cannot see that thread; a run on an "
                             "otherwise idle host would show it.")
    if against_one == "more":
        return rk.consistent("more cycles", f"No: a round takes {middle} cycles, and no trial takes less than {rk.number(fastest)} cycles. So this "
                             "core does not take a jump in each cycle, or the loop lies at a bad place.")
    low, high = map(rk.number, bounds_of_pace(o2))
    return rk.unexplained("one cycle or not", f"That is not clear here: a round takes between {low} and {high} cycles.")


@rk.finding
def one_cycle(o2, clock):
    return [pace_of_a_round(o2, clock), *disturbed_clocks(o2), *groups_of_processes(o2)]


def forwarding_seen(counter):
    if counter.median_cycles < 2.5:
        return rk.shown("no forwarding", "The value of the counter reaches the next round at once, without the four or five cycles of "
                        "forwarding that textbooks name. So this core renames memory on the stack.")
    return rk.shown("forwarding", f"Forwarding a store to the next load takes {rk.number(counter.median_cycles - 1, 2)} cycles on top "
                    "of the addition.")


def chain_of_round(counter, o0):
    """The least and the most that the measured chain takes of the unoptimised round, by the bounds of both."""
    (chain_low, chain_high), (low, high) = bounds_of_pace(counter), bounds_of_pace(o0)
    return chain_low / high, chain_high / low


def round_explained(counter, o0, width):
    """Whether the measured chain takes as long as the unoptimised round, or else the guess of the width allows for it."""
    least, most = chain_of_round(counter, o0)
    needed = 4 / pace(o0)
    if least > 0.85 and most < 1.15:
        a_round = "the round"
        if faster_processes(o0) is not None:
            a_round = f"the round in the faster of its two groups of processes ({rk.number(pace(o0))} cycles)"
        return rk.consistent("chain explains", f"The chain alone takes {rk.percent(pace(counter) / pace(o0))} of the time of {a_round}. So perhaps "
                             "the round waits for nothing else.")
    if least <= 1 <= most:
        return rk.unexplained("chain or not", f"According to the intervals, the chain takes {rk.percent(least)} to {rk.percent(most)} of the round. So "
                              "it is open whether the round waits for the chain alone.")
    if most < 1 and width.low <= needed <= width.high:
        return rk.consistent("width fits", f"The chain is shorter than the round. A width of {rk.number(needed, 2)} instructions a cycle would "
                             f"explain the round, and the guess allows for it ({width.low:g} to {width.high:g}). The width was not "
                             "measured by itself.")
    return rk.unexplained("round unexplained", "Neither the chain nor the guessed width explains the round.")


@rk.finding
def unoptimised_round(counter, o0, width):
    return [rk.shown("counter and round", f"One addition to a counter in memory takes {counter:cycles}; a whole round of the loop takes {o0:cycles}."),
            forwarding_seen(counter), round_explained(counter, o0, width)]


@rk.finding(needs=())
def off_by_forwarding(counter, one, forwarding):
    left, predicted = counter.median_cycles - one.value, rk.number(forwarding.value)
    if left < 0.1:
        return rk.shown("memory renamed", f"forwarding takes no time here; the prediction was {predicted} cycles. This core renames memory on the "
                        "stack, and the interval of the prediction allowed for that.")
    return rk.consistent("another processor", f"forwarding takes {rk.number(left, 2)} cycles; the prediction was {predicted} cycles. This "
                         "processor is not the one of the tables.")


@rk.finding(needs=())
def off_by_the_width(o0, width):
    return rk.unexplained("width or renaming", f"a width of {rk.number(4 / o0.median_cycles, 2)} instructions a cycle would explain the round; "
                          f"the guess was {rk.number(width.value)}. The data do not show whether the width or the renaming of memory limits the loop; "
                          "`perf stat -e cycles,uops_dispatched` would show it on a machine with performance counters.")


@rk.finding(needs=())
def off_by_the_jump(o2):
    return rk.shown("round off", f"a round takes {rk.number(o2.median_cycles)} cycles instead of the one cycle of its addition; "
                          "see the question on the optimised loop.")


@rk.finding(needs=())
def off_by_fetching(across, lines, fetch):
    return rk.unexplained("fetch off", f"a round takes {rk.number(across.median_cycles)} cycles; the guess for each of {lines.value:g} lines was "
                          f"{rk.number(fetch.value)} cycles. The data do not show whether the lines are fetched in each round.")


@rk.finding(needs=())
def off_by_the_slope(times):
    if times < 1:
        return rk.consistent("slope overlaps", "a round of the long loop waits for the one before; short loops that are repeated run "
                             "at the same time.")
    return rk.unexplained("slope disturbed", "unexplained: the last jump may be mispredicted from some length on; "
                          "`perf stat -e branch-misses` would show it on a machine with performance counters.")


def missed_slope(whole):
    """An item for the slope of a straight whole loop, whose prediction is a round of the long loop."""
    times = whole.line.slope / whole.sealed_line.slope if whole.is_straight else math.nan
    if not rk.is_miss(times):
        return ""
    return rk.missed_item(f"{rk.title_of(whole.quantity)}, its slope", f"{rk.number(times)} times the prediction", off_by_the_slope(times))


@rk.finding(needs=())
def off_at_points(whole, a_round, off):
    """off: of each point whether its prediction was missed."""
    if (off & (whole.axis > 0) & ~overlapping(whole, a_round)).any():
        return rk.unexplained("points off", "unexplained.")
    if not off[whole.axis > 0].any():
        return rk.unexplained("entering off", "the cost of entering and leaving the loop was guessed.")
    return rk.consistent("points overlap", "rounds of several repeated loops run at once, see the first question"
                         f"{'; the cost of entering and leaving the loop was guessed' if off[whole.axis == 0].any() else ''}.")


def missed_points(whole, a_round):
    """An item for the points of a whole loop that were missed."""
    with np.errstate(all="ignore"):
        times = whole.medians / whole.sealed("predicted")
    off = np.array([rk.is_miss(each) for each in times])
    if not off.any():
        return ""
    low, high = rk.number(times[off].min()), rk.number(times[off].max())
    how_far = f"at {numbers_of_rounds(whole.axis_in_unit[off])} rounds, {low if low == high else f'{low} to {high}'} times the prediction"
    return rk.missed_item(rk.title_of(whole.quantity), how_far, off_at_points(whole, a_round, off))


def misses(counter, o0, o2, across, wholes, inputs):
    """The list of the predictions that were missed, and why. wholes: the whole loops with a round of each; inputs: of the predictions, by name."""
    one, forwarding, width, lines, fetch = (inputs[name] for name in ("one", "forwarding", "width", "lines", "fetch"))
    items = [rk.missed(counter, off_by_forwarding(counter, one, forwarding)), rk.missed(o0, off_by_the_width(o0, width)),
             rk.missed(o2, off_by_the_jump(o2)), rk.missed(across, off_by_fetching(across, lines, fetch)),
             *(item for whole, a_round in wholes for item in (missed_slope(whole), missed_points(whole, a_round)))]
    return rk.missed_list(items, "None: no loop of the table, and neither a point nor the slope of a whole loop.")


@rk.finding
def place(across, o2):
    slower = slower_across_lines(across, o2)
    grouped = [name for name, loop in (("across two lines", across), ("at the aligned place", o2)) if groups_of_processes(loop)]
    of_groups = f" The processes {' and '.join(grouped)} fall into two groups; we compare the faster one." if grouped else ""
    takes = (f"Across two cache lines a round takes {rk.number(pace(across))} cycles, {rk.number(slower)} times as long as in the aligned "
             f"loop.{of_groups}")
    if slower <= 1.15:
        return rk.shown("does not mind", f"{takes} So the place makes little difference on this core.")
    if bounds_of_pace(across)[0] <= bounds_of_pace(o2)[1]:
        return rk.unexplained("place unclear", f"{takes} But the intervals overlap, so there may be no difference.")
    found = [rk.shown("minds its place", f"{takes} Every edit above the loop changes its place, so two versions of a program may differ "
                      "by that much.")]
    if slower > 2.1:
        found.append(rk.unexplained("two lines disturbed", "The second line is one more fetch, which explains a factor of two at most. The data do not show "
                                    "what takes the rest; a busy sibling thread would delay two fetches more than one."))
    return found


@rk.finding(needs=())
def unoptimised_elsewhere(o0, o0_whole):
    if o0.has_samples and (overlap := overlapping(o0_whole, o0)).any():
        each = np.divide(o0_whole.medians[overlap], o0_whole.axis_in_unit[overlap])
        return rk.shown("for its program alone", f"When a loop of {rk.plain(o0_whole.axis_in_unit[overlap][each.argmin()])} unoptimised rounds is repeated, "
                        f"each round takes {rk.amount(each.min(), 'ns')} instead of {o0}. So a value from unoptimised code holds only for its program.")
    if not o0.has_samples or not o0_whole.is_straight:
        return rk.unexplained("unoptimised unsure", "The data do not show whether an unoptimised round costs as much elsewhere, because the whole "
                              "loop gives no slope for a comparison.")
    line, (low, high) = o0_whole.line, o0.summary.bounds
    gives = ("According to the slope of the repeated whole loop, an unoptimised round takes "
             f"{rk.amount_with_interval(line.slope, line.slope_low, line.slope_high, 'ns')}")
    if line.slope_low > high or line.slope_high < low:
        return rk.shown("for its program alone", f"{gives} instead of {o0}. So a value from unoptimised code holds only for its program.")
    return rk.unexplained("unoptimised alike", f"{gives}. The data do not show a difference from the {o0} of the long loop.")


@rk.finding(missing="")
def answer(o2, clock):
    middle = f"{rk.number(pace(o2))} cycles"
    if groups_of_processes(o2):
        middle = f"{middle} in the faster of two groups of processes"
    against_one = takes_one_cycle(o2)
    if against_one == "less":
        return rk.shown("round folded", f"A round takes {middle}, so this core folds its additions and jumps more than once in a cycle.")
    if against_one == "more" and fastest_cycles(o2, clock) < 1.15:
        return rk.consistent("round takes turns", f"Its fastest trials take the one cycle of the addition; the median trial takes {middle}. The likely "
                             "cause is a busy sibling thread on the same core.")
    return rk.shown("round's cycles", f"A round takes {middle}.")


@rk.finding(missing="A round of the loop. Each trial is the mean of 10,000 rounds")
def distribution(across, o2):
    return rk.shown("cost of the place", f"The same loop takes {rk.number(slower_across_lines(across, o2), 2)} times as long across two "
                    "cache lines. Each trial is the mean of 10,000 rounds")


def unoptimised_report(o0):
    return ("A report times a million operations in an unoptimised loop and subtracts nothing. Each operation shows as "
            "10 ns. How much of that may be the loop, and why “may”?",
            f"A round alone takes {o0}, so the loop may be that much of each 10 ns at most. Much of the round may overlap with the operation; "
            "then subtracting the round takes off too much.")


def four_more_instructions(counter, o0, o2):
    chain, a_round, optimised = (pace(result) if result.summary else math.nan for result in (counter, o0, o2))
    least = np.maximum(chain, 8 * optimised / 3)
    if a_round > 1.15 * chain:
        by_round = (f"The round is longer than its chain. If its width is the reason, eight instructions take {rk.number(2 * a_round)} "
                    f"cycles, so the prediction is {rk.number(least)} to {rk.number(2 * a_round)} cycles.")
    else:
        by_round = ("The round takes no longer than its chain, so its own rate does not show the width. The prediction is the longer time: "
                    f"{rk.number(least)} cycles.")
    return ("The body of the unoptimised loop gets four more instructions that depend on nothing. Predict the round, once "
            "from the chain and once from the width.",
            f"The chain stays at {rk.number(chain)} cycles. We do not know the width, the number of instructions that the core can run in a "
            f"cycle. The optimised loop runs {rk.number(3 / optimised, 2)} instructions a cycle; at this rate eight instructions take "
            f"{rk.number(8 * optimised / 3)} cycles. {by_round}")


def a_line_above(o2, across):
    aligned, unaligned = (1e9 * result.median for result in (o2, across))
    by_place = abs(unaligned - aligned)
    can_make = f"Moving the code alone can make a difference of {rk.amount(by_place, 's')}."
    if not (across.has_samples and o2.has_samples):
        verdict = "So here we know nothing about the effect of the place"
    elif across.apart(o2) == 0:
        verdict = "These two do not differ clearly, so the data show no effect of the place"
    elif by_place > 0.5:
        verdict = f"{can_make} So the new line may have done nothing but move the loop"
    else:
        verdict = f"{can_make} That is less than the half second, so moving the loop explains a part at most"
    return ("Begin with `rk.frame(o2, across)`. Somebody adds a line far above a loop of 1,000,000,000 rounds, and the program gets slower by "
            "half a second. Was it the line?",
            f"The loop takes {rk.amount(aligned, 's')} when it is aligned and {rk.amount(unaligned, 's')} across two cache lines. "
            f"{verdict}. Measure both versions with the loop aligned {{cite}}`mytkowicz2009`.")


def rounds_of_whole_loops(o0_whole, o0):
    few, many = (o0_whole.axis_in_unit <= 12, o0_whole.axis_in_unit >= 12) if o0_whole.has_samples else ([], [])
    slopes = [np.polyfit(o0_whole.axis_in_unit[part], o0_whole.medians[part], 1)[0] if np.sum(part) > 1 else math.nan for part in (few, many)]
    return ("Begin with `rk.frame(o0_whole)`. Fit a line to the loops of up to 12 rounds, and one to those of 12 and more. Do the slopes agree with each other and with a round of "
            "a long loop?",
            f"The slopes are {rk.amount(slopes[0], 'ns')} and {rk.amount(slopes[1], 'ns')} a round; a long loop takes {o0} a round. A core begins the next loop while "
            "the previous one still ends, so few rounds seem cheap. A loop whose end the core cannot predict adds the same cost once, wherever it ends. A line through all "
            "points hides both effects.")


def two_chains(o0):
    return ("Write a probe of a loop with two counters in memory instead of one, compiled at `-O0`. Predict the round from the chain and from the width.",
            f"The two counters do not wait for each other, so the chain predicts the time of a round with one counter, {o0}. The width predicts more, because there are nearly "
            "twice as many instructions. If the round takes as long as before, the chain limits it. If it takes nearly twice as long, the width limits it. In between, both limits "
            "are near to each other.")


def place_refuted(o2, across):
    return ("The model assumes: if a loop lies on two cache lines, each round waits until the core has fetched both lines. Try to refute this: move the loop by 8 bytes at a "
            "time across the line, with `.p2align` and `nop`, and time each place.",
            f"A round takes {o2} in the aligned loop and {across} across two lines. If fetching is the reason, only the places at which the loop lies on two lines are slow. If "
            "places within a line are slow as well, or some places across the line are fast, the reason is another boundary. It may be that of the store for decoded instructions "
            "(32 or 64 bytes), or that of a jump at its end.")

"""What the chapter on the loop concludes."""

import math

import reckon as rk


def fastest_cycles(loop, clock):
    """The core cycles of the fastest trial; nan if unmeasured."""
    return loop.summary.minimum * clock.value if loop.summary else math.nan


def cycles_by_width(width):
    """What the four instructions of the unoptimised round take by the guessed width, in cycles."""
    return 4 / width.value


def slower_across_lines(across, o2):
    return across.median / o2.median


@rk.finding(needs=())
def slope(loop, how):
    if loop.line is None:
        return rk.unexplained("too few points", f"The {how} loop against its rounds")
    residual = rk.amount(abs(loop.line.residuals).max(), "ns")
    return rk.shown("slope", f"A round adds {rk.amount(loop.line.slope, 'ns')} to the {how} loop; the fitted line leaves "
                    f"{residual} at most")


def disagreeing_points(whole):
    return sum(bool(summary.warnings) for summary in whole.summaries)


def two_values(a_round, whole, how):
    """A round by itself and by the slope of the whole loop."""
    if not a_round.summary or whole.line is None:
        return rk.unexplained("not both values", f"{how} could not be measured.")
    times = whole.line.slope / a_round.median
    values = (f"{how} {a_round} ({a_round:cycles}) in ten thousand rounds without a pause; by the slope of the whole loop "
              f"{rk.amount(whole.line.slope, 'ns')}, {rk.percent_more_or_less(times)}")
    if times > 1.2 and 3 * disagreeing_points(whole) <= len(whole.points):
        return rk.consistent("slope larger", f"{values}, as where the last jump is mispredicted from some length on.")
    return rk.shown("two values of a round", f"{values}.")


def why_two_values(a_round, whole):
    """Why the two values of a round differ: a list of at most one finding."""
    times = whole.line.slope / a_round.median if whole.line else math.nan
    if times < 0.8:
        return [rk.consistent("loops overlap", "The repeated loops do not depend on one another, so the processor runs rounds of several "
                              "at once; those of one long loop wait for each other.")]
    if times > 1.2 and 3 * disagreeing_points(whole) > len(whole.points):
        return [rk.unexplained("samples disagree", f"The samples of {disagreeing_points(whole)} of its {len(whole.points)} points "
                               "disagree, so something disturbed them.")]
    return []


@rk.finding(needs=())
def a_round(o2, o2_whole, o0, o0_whole):
    why_fast, why_slow = why_two_values(o2, o2_whole), why_two_values(o0, o0_whole)
    fast, slow = two_values(o2, o2_whole, "Optimised:"), two_values(o0, o0_whole, "Unoptimised:")
    return [fast, *(why_fast if why_fast != why_slow else []), slow, *why_slow]


@rk.finding
def one_cycle(o2, clock):
    middle, fastest = rk.number(o2.median_cycles), rk.number(fastest_cycles(o2, clock))
    if o2.median_cycles < 0.8:
        return rk.shown("additions folded", f"It takes less: {middle} cycles. So this core folds additions of one into one another, "
                        "and takes more than one jump in a cycle.")
    if o2.median_cycles < 1.2:
        return rk.shown("one cycle", f"Yes: {middle} cycles.")
    if fastest_cycles(o2, clock) < 1.2:
        return rk.consistent("fastest in one cycle", f"Its fastest trials do ({fastest} cycles), the median takes {middle}. The "
                             "addition keeps its cycle, so the two other instructions wait. The likely cause is the core's other "
                             "hardware thread, which takes turns to fetch and to jump. A guest cannot see it; a run on an otherwise "
                             "idle host would show it.")
    return rk.consistent("more cycles", f"No, {middle} cycles, and no trial is faster than {fastest}: this core does not take a jump "
                         "in each cycle, or the loop lies badly.")


def forwarding_seen(counter):
    if counter.median_cycles < 2.5:
        return rk.shown("no forwarding", "The value of the counter reaches the next round at once, so the textbook's four or five "
                        "cycles of forwarding are not there: this core renames memory on the stack.")
    return rk.shown("forwarding", f"Forwarding a store to the next load takes {rk.number(counter.median_cycles - 1, 2)} cycles on top "
                    "of the addition.")


def round_explained(counter, o0, o2, width):
    """Which of the model's two, the chain and the width, explains the unoptimised round."""
    by_width, a_round = cycles_by_width(width), o0.median_cycles
    longer = max(counter.median_cycles, by_width)
    if longer > by_width and 0.6 < longer / a_round < 1.7:
        return rk.consistent("chain explains", "The chain through memory is the longer of the two and explains the round.")
    if 0.6 < longer / a_round < 1.7:
        return rk.consistent("width explains", f"By that guess they take {rk.number(by_width, 2)} cycles, longer than the chain, which "
                             "explains the round roughly.")
    if 0.6 < by_width * o2.median_cycles / a_round < 1.7:
        return rk.consistent("slowed width explains", "The width explains it, if this loop is slowed by as much as the optimised one, "
                             f"{rk.number(o2.median_cycles, 2)} times.")
    return rk.unexplained("round unexplained", "Neither the chain nor the guessed width explains it.")


@rk.finding(needs=("counter", "o0"))
def unoptimised_round(counter, o0, o2, width):
    return [rk.shown("counter and round", f"A counter in memory alone takes {counter:cycles} an addition, the whole round {o0:cycles}."),
            forwarding_seen(counter),
            rk.shown("instructions a cycle", f"The four instructions pass at {rk.number(4 / o0.median_cycles, 2)} a cycle; the guess was "
                     f"{width.value:g}."),
            round_explained(counter, o0, o2, width)]


@rk.finding(needs=())
def off_by_forwarding(counter, one, forwarding):
    cycles = counter.median_cycles
    takes = (f"the way from store to load takes {rk.number(max(0, cycles - one.value), 2)} cycles, not "
             f"{rk.number(forwarding.value)}.")
    if cycles < 2.5:
        return rk.shown("memory renamed", f"{takes} This core renames memory on the stack, which the interval allowed for.")
    return rk.shown("another processor", f"{takes} The processor is another one than in the tables.")


@rk.finding(needs=())
def off_by_the_width(o0, width):
    return rk.unexplained("width or renaming", f"its four instructions would have to pass at {rk.number(4 / o0.median_cycles, 2)} a cycle, "
                          f"not {rk.number(width.value)}. Whether the width or the renaming of memory holds them up is not explained "
                          "here; `perf stat -e cycles,uops_dispatched` would show it.")


@rk.finding(needs=())
def off_by_the_jump(o2):
    return rk.unexplained("round off", f"a round would have to take {rk.number(o2.median_cycles)} cycles, not the one of its addition; "
                          "see the question on the optimised loop.")


@rk.finding(needs=())
def off_by_fetching(across, lines, fetch):
    return rk.unexplained("fetch off", f"a line would take {rk.number(across.median_cycles / lines.value)} cycles to fetch, not "
                          f"{rk.number(fetch.value)}.")


@rk.finding(needs=())
def off_by_the_slope(times):
    if times < 1:
        return rk.consistent("slope overlaps", "a round of the long loop waits for the one before; short loops that are repeated run "
                             "beside one another.")
    return rk.unexplained("slope disturbed", "unexplained: the last jump may be mispredicted from some length on; "
                          "`perf stat -e branch-misses` would tell.")


def missed_slope(whole):
    """An item for the slope of a whole loop, whose prediction is a round of the long loop."""
    times = whole.line.slope / whole.sealed_line.slope if whole.line else math.nan
    if not rk.is_miss(times):
        return ""
    return f"- **{rk.title_of(whole.quantity)}, its slope** ({rk.number(times)} times the prediction): {off_by_the_slope(times)}"


def misses(counter, o0, o2, across, wholes, inputs):
    """The list of the predictions that were missed, and why. inputs: of the predictions, by name."""
    one, forwarding, width, lines, fetch = (inputs[name] for name in ("one", "forwarding", "width", "lines", "fetch"))
    items = [rk.missed(counter, off_by_forwarding(counter, one, forwarding)), rk.missed(o0, off_by_the_width(o0, width)),
             rk.missed(o2, off_by_the_jump(o2)), rk.missed(across, off_by_fetching(across, lines, fetch)),
             *map(missed_slope, wholes)]
    return "\n".join(filter(None, items)) or "None of the loops in the table, and neither slope of a whole loop."


@rk.finding
def place(across, o2):
    slower = slower_across_lines(across, o2)
    takes = f"Across two cache lines a round takes {across}, {rk.number(slower)} times the aligned loop."
    if slower <= 1.15:
        return rk.shown("does not mind", f"{takes} This core does not mind.")
    found = [rk.shown("minds its place", f"{takes} Every edit above the loop changes its place, so two versions of a program may differ "
                      "by that much.")]
    if slower > 2.1:
        found.append(rk.consistent("two lines disturbed", "The second line is one more fetch, a factor of two at most. What is above it is "
                                   "the work of others on this core, such as a busy sibling thread, which delays two fetches more than one."))
    return found


def trials_run(loop):
    return f"from {rk.amount(loop.summary.minimum, 'ns')} to {rk.amount(loop.summary.p99, 'ns')}"


@rk.finding(missing="")
def variation(o0, o2):
    unoptimised, optimised = (loop.summary.p99 / loop.summary.minimum for loop in (o0, o2))
    wider = unoptimised / optimised
    if wider > 1.1:
        return rk.shown("unoptimised varies more", f"The unoptimised loop varies more: its trials run {trials_run(o0)}, those of the "
                        f"optimised one {trials_run(o2)}.")
    if wider < 0.9:
        return rk.shown("optimised varies more", f"The optimised loop varies more: its trials run {trials_run(o2)}, those of the "
                        f"unoptimised one {trials_run(o0)}.")
    return rk.shown("both vary", f"Both loops vary alike: the trials of the unoptimised one run {trials_run(o0)}, of the optimised "
                    f"one {trials_run(o2)}.")


@rk.finding(needs=())
def unoptimised_elsewhere(o0, o0_whole):
    if not o0.has_samples or o0_whole.line is None:
        return rk.unexplained("unoptimised unsure", "How sure the unoptimised figure is could not be measured here.")
    return rk.shown("for its program alone", "The unoptimised instructions in the whole loop, repeated so that rounds overlap, give "
                    f"{rk.amount(o0_whole.line.slope, 'ns')}. So an unoptimised figure holds for its program alone.")


@rk.finding
def single_round(single, o0):
    summary = single.summary
    if summary.sd > o0.median:
        name, shows = "step hides round", "the counter's step hides the round."
    else:
        name, shows = "round shows", "the round shows."
    return rk.shown(name, f"A single round between two timestamps without a fence, the empty pair subtracted, gives {single} by the "
                    f"median and {rk.amount(summary.mean, 'ns')} by the mean. The standard deviation is "
                    f"{rk.amount(summary.sd, 'ns')}: {shows}")


@rk.finding(missing="")
def answer(o2, clock):
    middle = rk.number(o2.median_cycles)
    if o2.median_cycles < 0.8:
        return rk.shown("round folded", f"A round takes {middle} cycles: this core folds its additions and jumps more than once in a cycle.")
    if o2.median_cycles > 1.2 and fastest_cycles(o2, clock) < 1.2:
        return rk.consistent("round takes turns", f"Its fastest trials take the one cycle of the addition, the median {middle}. The likely "
                             "cause is a busy sibling thread on the same core.")
    return rk.shown("round's cycles", f"A round takes {middle} cycles.")


@rk.finding(missing="A round of the loop: every trial, each the mean of 10,000 rounds")
def distribution(across, o2):
    return rk.shown("cost of the place", f"The same loop costs {rk.number(slower_across_lines(across, o2), 2)} times as much across two "
                    "cache lines: every trial, each the mean of 10,000 rounds")


def unoptimised_report(o0):
    return ("**1.** A report times a million operations in an unoptimised loop and subtracts nothing. Each operation shows as "
            "10 ns. How much of that may be the loop, and why “may”?",
            f"A million rounds take {rk.amount(1e6 * o0.median, 'µs')} alone, so up to {rk.amount(o0.median, 'ns')} of each 10 ns, "
            f"{rk.percent(o0.median / 1e-8)}. Much of it may overlap with the operation; then subtracting it takes off too much.")


def four_more_instructions(counter, o0):
    chain, a_round = (result.median_cycles if counter.summary and o0.summary else math.nan for result in (counter, o0))
    return ("**2.** The body of the unoptimised loop gets four more instructions that depend on nothing. Predict the round, once "
            "from the chain and once from the width.",
            f"The chain stays at {rk.number(chain)} cycles. Eight instructions at {rk.number(4 / a_round, 2)} a cycle "
            f"take {rk.number(2 * a_round)}. The longer of the two is the prediction.")


def a_line_above(o2, across):
    aligned, unaligned = (1e9 * result.median for result in (o2, across))
    by_place = abs(unaligned - aligned)
    if by_place > 0.5:
        verdict = "So the new line may have done nothing but move the loop"
    else:
        verdict = "That is less than the half second, so moving the loop explains a part at most"
    return ("**3.** Somebody adds a line far above a loop of 1,000,000,000 rounds, and the program gets slower by "
            "half a second. Was it the line?",
            f"The loop takes {rk.amount(aligned, 's')} where it is aligned and {rk.amount(unaligned, 's')} across two cache lines. "
            f"Moving the code alone can make a difference of {rk.amount(by_place, 's')}. {verdict}. Measure both versions "
            "with the loop aligned {cite}`mytkowicz2009`.")

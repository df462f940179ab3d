"""What the chapter on the procedure call concludes."""

import math

import numpy as np

import reckon as rk


def made_longer(call, change):
    """ "the optimised call 0.3 ns longer", or shorter."""
    return f"{call} {rk.amount(abs(change), 'ns')} {'longer' if change >= 0 else 'shorter'}"


def changes(call, change, clock):
    """ "makes the optimised call 0.3 ns longer", or shorter."""
    if abs(change) * clock.value < 0.02:
        return f"changes {call} by less than 0.02 cycles"
    return f"makes {made_longer(call, change)}"


def is_unclear(line):
    """Whether the interval of the slope includes zero."""
    return line.slope_low <= 0 <= line.slope_high


def steps(call):
    """What each argument adds to the call with one less, in seconds, and the number of the argument with the largest step."""
    each = np.diff(call.medians)
    return each, abs(each).argmax() + 1


@rk.finding(needs=())
def each_argument(call, how, clock):
    line = call.line
    if line is None:
        return rk.unexplained("argument not measured", f"In the {how} call it could not be measured.")
    if not call.is_straight:
        each, largest = steps(call)
        return rk.shown("no one number", f"Together {len(each)} arguments make {made_longer(f'the {how} call', each.sum())}; argument {largest} "
                        f"alone makes {made_longer('it', each[largest - 1])}. The curve is no straight line, so arguments have no single cost.")
    cycles = abs(line.slope) * clock.value
    costs = f"By the fitted line an argument {changes(f'the {how} call', line.slope, clock)}"
    if cycles < 0.02:
        return rk.shown("argument adds nothing", f"{costs}.")
    if is_unclear(line):
        return rk.unexplained("argument unclear", f"{costs} ({rk.number(cycles, 2)} core cycles), but the slope's interval includes zero.")
    if line.slope < 0:
        return rk.unexplained("argument takes off", f"{costs}, {rk.number(cycles, 2)} core cycles. A move cannot take less than no time, so something else "
                              "differs between these calls.")
    return rk.shown("argument clear", f"{costs}, {rk.number(cycles, 2)} core cycles.")


@rk.finding(needs=())
def overlapping(o2, o0):
    cheaper = [how for how, call in (("optimised", o2), ("unoptimised", o0))
               if call.is_straight and 0 <= call.line.slope_high < 0.7 * call.sealed_line.slope]
    if not cheaper:
        return []
    return rk.consistent("arguments overlap", f"The moves may run at the same time as CALL and RET ({' and '.join(cheaper)}); the model adds them up.")


@rk.finding(needs=())
def seventh(call, how, clock):
    if len(call.points) < 8:
        return rk.unexplained("seventh not measured", f"Not all calls with arguments could be measured ({how}).")
    *others, last = np.diff(call.medians)
    middle, largest = np.median(others), np.abs(others).max()
    found = f"The seventh argument {changes(f'the {how} call', last, clock)}. Each of the six before makes {made_longer('the call', middle)} (median)."
    if last <= max(middle, 0) or not call.summaries[-1].apart(call.summaries[-2]):
        return rk.shown("seventh like others", f"{found} So the seventh does not visibly cost more.")
    if last <= 2 * largest:
        return rk.unexplained("seventh unclear", f"{found} The seventh costs more, but one of the six changes the call by {rk.amount(largest, 'ns')}, too.")
    return rk.shown("seventh costs more", f"{found} So the seventh costs more.")


@rk.finding(needs=())
def straight(call, how):
    if call.line is None:
        return []
    off, rise = abs(call.line.residuals), np.ptp(call.medians)
    residual = (f"The point farthest from the line, with {call.axis_in_unit[off.argmax()]:g} of the 7 arguments, is {rk.amount(off.max(), 'ns')} "
                f"away. The fastest and the slowest call differ by {rk.amount(rise, 'ns')}.")
    if call.is_straight:
        return rk.shown("straight", f"{how} yes. {residual}")
    return rk.shown("not straight", f"{how} no. {residual}")


def cycles_without_arguments(call):
    return call.cycles[0].median if call.has_samples else math.nan


def cycles_of_the_jumps(call):
    """What CALL and RET take at most: the cycles of the call that takes least, as each has both; nan if unmeasured."""
    return min(summary.median for summary in call.cycles) if call.has_samples else math.nan


@rk.finding(needs=("o2",))
def two_jumps(o2, jumps, a_round, loop, clock):
    """a_round: of the optimised loop, with which a call is compared; loop: its result, if there is one."""
    cycles, one_jump = cycles_of_the_jumps(o2), a_round.value * clock.value
    arguments = o2.axis_in_unit[np.argmin([summary.median for summary in o2.cycles])]
    found = [rk.shown("two jumps", f"The cheapest optimised call, the one {f'with {arguments:g}' if arguments else 'without'} arguments, takes "
                      f"{rk.number(cycles)} cycles. So CALL and RET together take at most {rk.number(cycles)} cycles, {rk.number(cycles / 2)} cycles "
                      f"each; the guess was {rk.number(jumps.value / 2)} cycles each. A round of the optimised loop, which "
                      f"contains one taken jump, takes {rk.number(one_jump)} cycles (chapter on the loop).")]
    fastest = loop.summary.minimum * clock.value if loop and loop.summary else math.nan
    if one_jump > 1.2 and cycles > 1.2 * jumps.value and fastest < 1.2:
        found.append(rk.consistent("jumps take turns", f"Both take more than one cycle for a jump. The loop's fastest trials take "
                                   f"{rk.number(fastest)} cycles a round, so this core can jump in each cycle. The likely cause is the core's "
                                   "other hardware thread, which takes turns with this one."))
    elif one_jump > 1.2 and cycles > 1.2 * jumps.value:
        found.append(rk.shown("slow jumps", "So a taken jump costs more than a cycle on this core today, in the loop and in the call."))
    return found


@rk.finding(needs=())
def off_slope(times):
    if 0 <= times < 1:
        return rk.consistent("moves overlap", "the moves run at the same time as CALL and RET; the model adds them up.")
    return rk.unexplained("slope off", "the calls with each number of arguments lie at different addresses, and these may change the time more "
                          "than a move does. The same calls, all aligned, would show it.")


def missed_slope(call, how):
    times = call.line.slope / call.sealed_line.slope if call.is_straight else math.nan
    if not rk.is_miss(times):
        return ""
    return rk.missed_item(f"{how}, what an argument adds", f"{rk.number(times, 2)} times the prediction", off_slope(times))


def missed_call(call, how, jumps):
    if not rk.is_miss(call.ratio):
        return ""
    return rk.missed_item(how, f"the median is {rk.number(call.ratio)} times the prediction", "CALL and RET take at most "
                          f"{rk.number(cycles_of_the_jumps(call))} cycles; the guess was {rk.number(jumps.value)} cycles. The arguments take the rest.")


def misses(o2, o0, jumps):
    """The list of the predictions that were missed, and why."""
    items = [item for call, how in ((o2, "Optimised"), (o0, "Unoptimised"))
             for item in (missed_call(call, how, jumps), missed_slope(call, how))]
    and_slopes = " or by the slope of a straight line" if o2.is_straight or o0.is_straight else ""
    return rk.missed_list(items, f"No curve is off that far, by the median over its arguments{and_slopes}.")


@rk.finding(missing="")
def answer(o2, jumps):
    """Of the call without arguments, which the answer is about."""
    return rk.shown("CALL and RET", f"It takes {rk.number(cycles_without_arguments(o2))} cycles; the guess for CALL and RET was "
                    f"{rk.number(jumps.value)} cycles.")


@rk.finding(needs=())
def curves(o2, o0, clock):
    """The caption of the two curves."""
    if o2.line is None or o0.line is None:
        return rk.unexplained("too few points", "A procedure call against its integer arguments")
    if not (o2.is_straight and o0.is_straight):
        bent = [how for how, call in (("optimised", o2), ("unoptimised", o0)) if not call.is_straight]
        bent_ones = "neither curve is" if len(bent) == 2 else f"the {bent[0]} curve is not"
        return rk.unexplained("no straight line", f"A procedure call with 0 to 7 integer arguments: {bent_ones} a straight line")
    optimised, unoptimised = (f"adds nothing measurable to {call}" if is_unclear(line) else changes(call, line.slope, clock)
                              for line, call in ((o2.line, "an optimised call"), (o0.line, "an unoptimised call")))
    return rk.shown("what an argument adds", f"An argument {optimised}, and {unoptimised}")


@rk.finding(needs=())
def line_left(call, how):
    """The caption of the figure of a fitted call."""
    if call.line is None:
        return rk.unexplained("too few points", f"{how} call against its arguments")
    return rk.shown("line left", f"No point of {how} call is more than {rk.amount(abs(call.line.residuals).max(), 'ns')} away from the fitted line")


@rk.finding(needs=())
def by_the_methods(calls):
    if not all(call.has_samples for call in calls):
        return rk.unexplained("methods not measured", "A procedure call by every report's method, on this machine")
    low, high = (rk.amount(end, "ns") for end in (min(call.median for call in calls), max(call.median for call in calls)))
    return rk.shown("range of the methods", f"A call without arguments takes from {low} to {high}, depending on the report's method. Dashed lines "
                    "show what each report predicts")


@rk.finding
def with_the_timer(single, o0):
    return rk.shown("timer left in", f"With the timer left in, one call takes {single}, "
                    f"{rk.number(single.median / o0.median, 2)} times as long as the call itself. So this method measures the timer, too, and the "
                    "step of the counter may hide the arguments.")


@rk.finding(needs=("low", "o0"), missing="")
def loop_subtracted(low, o0, loops):
    """loops: the results of the chapter on the loop, by name; possibly none."""
    ratio = low.medians.mean() / o0.medians.mean()
    takes = ("The method of the T470's report subtracts one round of the loop, as measured with a loop of a single round. Its result is "
             f"{rk.number(ratio, 2)} times Reckon's value.")
    single, long = loops.get("t470"), loops.get("o0")
    if ratio < 0.8 and single and long and single.apart(long) > 0:
        return rk.consistent("too much subtracted", f"{takes} With this method a single round seems to take {single}; a round of a long loop "
                             f"takes {long} (chapter on the loop). So the method seems to subtract more than the loop takes.")
    return rk.shown("loop subtracted", takes)


def a_video_filter(o2):
    calls = 1920 * 1080 * 60
    cost = o2.medians[min(2, len(o2.points) - 1)] if o2.has_samples else math.nan
    return ("A video filter calls a procedure with two arguments for each pixel of 1920 × 1080 at 60 frames a second. What "
            "share of a core do the calls take?",
            f"The filter makes {rk.plain(calls)} calls a second. At {rk.amount(cost, 'ns')} each they take {rk.amount(calls * cost, 'ms')} of "
            f"each second, {rk.percent(calls * cost)} of a core. Inlining saves this time, and it also lets the compiler use vectors.")


def line_with_twenty(call, how):
    """What the fitted line of a call gives for twenty arguments, or why it is not extended."""
    if not call.is_straight or not call.line.slope_low > 0:
        return f"The {how} points do not lie on a rising straight line, so there is no line to extend."
    return f"The {how} line gives {rk.amount(call.line.intercept + 20 * call.line.slope, 'ns')}."


def twenty_arguments(o2, o0):
    return ("Predict a call with twenty arguments, optimised and unoptimised, from the fitted lines. Which line would you extend?",
            f"{line_with_twenty(o2, 'optimised')} {line_with_twenty(o0, 'unoptimised')} From the seventh on, an argument is a store to "
            "the stack instead of a move between registers. In each cycle a core does fewer stores than moves.")


def no_wait_for_the_return(o2, counter):
    """counter: the loop's counter in memory, if it was measured."""
    forwarding = counter.median_cycles - 1 if counter else math.nan
    return ("Begin with `rk.frame(o2)`. CALL stores the return address and RET loads it, and on most cores a load after a store takes five cycles. Does a call have to "
            "wait these five cycles?", _no_wait_for_the_return(cycles_of_the_jumps(o2), forwarding))


@rk.finding(needs=("cycles",))
def _no_wait_for_the_return(cycles, forwarding):
    """forwarding: from a store to the load of its value, in cycles; nan if unmeasured."""
    takes = f"The fastest call takes {rk.number(cycles)} cycles here"
    predicted = "RET's target is predicted, so the next call can begin before the load is done. The load only checks the prediction."
    if cycles < 0.8 * forwarding:
        return rk.consistent("return not awaited", f"{takes}; a load after a store takes {rk.number(forwarding)} cycles. So the call seems not to wait. {predicted}")
    if forwarding < 1:
        takes = "no measurable time" if forwarding < 0.1 else f"{rk.number(forwarding, 2)} cycles"
        return rk.unexplained("return unclear", f"No: {predicted} This core does not show it: in the chapter on the loop, a load after a store takes "
                              f"{takes}.")
    return rk.unexplained("return unclear", f"No: {predicted} {takes}, so this core does not show it.")


def arguments_by_frame(o2, o0):
    both = o2.has_samples and o0.has_samples
    each = [(call.medians[-1] - call.medians[0]) / (len(call.points) - 1) if both else math.nan for call in (o2, o0)]
    steps = np.diff(o0.medians) if both else np.array([math.nan])
    return ("Begin with `rk.frame(o2, o0)`. What does an argument add on average, optimised and unoptimised? Which single argument adds most to the unoptimised call, and is "
            "that more than the intervals' widths?",
            f"On average an argument adds {rk.amount(each[0], 'ns')} to the optimised call and {rk.amount(each[1], 'ns')} to the unoptimised call. In the unoptimised "
            f"call argument {int(np.argmax(steps)) + 1} adds most, {rk.amount(steps.max(), 'ns')}. If an argument adds less than the width of both points' intervals, the "
            "data do not show that it adds anything. A negative mean says that the place of the loop, or the pairing of its instructions, matters more than an argument.")


def through_a_pointer(o2):
    return ("Write two probes that call through a pointer: one always calls the same procedure, the other cycles through four procedures in a fixed order. Predict both from the table.",
            f"The target is predicted in both, so each call should take about as long as a direct call ({rk.amount(o2.medians[0] if o2.has_samples else math.nan, 'ns')} without "
            "arguments). The load of the pointer adds nothing, because nothing waits for it. If the order does not repeat, some predictions are wrong, and each of these "
            "costs 15 to 20 cycles. With retpolines, which some compilers put in for safety, every call costs that.")


def return_predicted_refuted(o2):
    return ("The chapter says that a call does not wait for its return address, because the return is predicted. Try to refute it: recurse deeper than the number of returns "
            "that the core remembers (16 to 64), and measure the time per call at each depth. What result do you expect?",
            f"Up to the depth that the core remembers, a call takes as long as here, {rk.amount(o2.medians[0] if o2.has_samples else math.nan, 'ns')}. Beyond this depth, each "
            "further return is predicted wrongly or by another table. If the time does not change at any depth, this memory of returns is not what makes calls fast.")

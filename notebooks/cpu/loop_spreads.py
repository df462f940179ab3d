"""What the chapter on loops concludes of how its trials and processes differ."""



import reckon as rk


@rk.finding(needs=())
def slope(loop, how):
    if loop.line is None:
        return rk.unexplained("too few points", f"The {how} loop against its rounds")
    residual = rk.amount(abs(loop.line.residuals).max(), "ns")
    if not loop.is_straight:
        return rk.shown("no straight line", f"The time of the {how} loop does not grow in a straight line with its rounds: points are up to {residual} "
                        "away from the fitted line")
    return rk.shown("slope", f"A round adds {rk.amount(loop.line.slope, 'ns')} to the {how} loop; no point is more than {residual} away from "
                    "the fitted line")


def trials_run(loop):
    return f"{rk.amount(loop.summary.minimum, 'ns')} (minimum) to {rk.amount(loop.summary.p99, 'ns')} (99th percentile)"


def spreads(loop):
    """How much the trials vary: 99th percentile over minimum; standard deviation inside a process, as a share of the mean."""
    summary = loop.summary
    return summary.p99 / summary.minimum, summary.sd_within / summary.mean


@rk.finding(missing="")
def variation(o0, o2):
    (unoptimised, unoptimised_sd), (optimised, optimised_sd) = spreads(o0), spreads(o2)
    if unoptimised > 1.1 * optimised and unoptimised_sd > optimised_sd:
        return rk.shown("unoptimised varies more", f"The unoptimised loop varies more: its rounds take {trials_run(o0)}, and those of the "
                        f"optimised loop take {trials_run(o2)}.")
    if optimised > 1.1 * unoptimised and optimised_sd > unoptimised_sd:
        return rk.shown("optimised varies more", f"The optimised loop varies more: its rounds take {trials_run(o2)}, and those of the "
                        f"unoptimised loop take {trials_run(o0)}.")
    return rk.shown("both vary", f"Rounds of the unoptimised loop take {trials_run(o0)}, and those of the optimised loop take {trials_run(o2)}. "
                    f"Inside a process their standard deviations are {rk.percent(unoptimised_sd)} and {rk.percent(optimised_sd)} of the mean.")


@rk.finding
def single_round(single, o0):
    mean, *ends = single.mean_with_interval
    found = ("The T470's method times a single round between two timestamps without a fence, and subtracts an empty pair. The median is "
             f"{single}, and the mean over the processes is {rk.amount_with_interval(mean, *ends, 'ns')}. A round of a long loop takes {o0}.")
    low, high = o0.summary.bounds
    hidden_by_the_step = single.summary.step > max(abs(single.median - low), abs(single.median - high))
    if single.apart(o0) or hidden_by_the_step and (ends[1] < low or ends[0] > high):
        return rk.shown("round not alone", f"{found} The intervals do not overlap, so this method shows something else than a long loop.")
    return rk.shown("round shows", f"{found} The data do not show a difference between the two.")

"""What the chapter on loops concludes of how its trials and processes differ."""



import reckon as rk


@rk.finding(needs=())
def slope(loop, how):
    if loop.line is None:
        return rk.unexplained("too few points", f"The {how} loop against its rounds")
    residual = rk.amount(abs(loop.line.residuals).max(), "ns")
    if not loop.is_straight:
        return rk.shown("no straight line", f"The {how} loop against its rounds lies on no straight line: the fitted one leaves up to {residual}")
    return rk.shown("slope", f"A round adds {rk.amount(loop.line.slope, 'ns')} to the {how} loop; the fitted line leaves "
                    f"{residual} at most")


def trials_run(loop):
    return f"from {rk.amount(loop.summary.minimum, 'ns')} to {rk.amount(loop.summary.p99, 'ns')} (99th percentile)"


def spreads(loop):
    """How much the trials vary: 99th percentile over minimum; standard deviation inside a process, as a share of the mean."""
    summary = loop.summary
    return summary.p99 / summary.minimum, summary.sd_within / summary.mean


@rk.finding(missing="")
def variation(o0, o2):
    (unoptimised, unoptimised_sd), (optimised, optimised_sd) = spreads(o0), spreads(o2)
    if unoptimised > 1.1 * optimised and unoptimised_sd > optimised_sd:
        return rk.shown("unoptimised varies more", f"The unoptimised loop varies more: its trials run {trials_run(o0)}, those of the "
                        f"optimised one {trials_run(o2)}.")
    if optimised > 1.1 * unoptimised and optimised_sd > unoptimised_sd:
        return rk.shown("optimised varies more", f"The optimised loop varies more: its trials run {trials_run(o2)}, those of the "
                        f"unoptimised one {trials_run(o0)}.")
    return rk.shown("both vary", f"The trials of the unoptimised loop run {trials_run(o0)}, those of the optimised one {trials_run(o2)}. Inside a "
                    f"process their standard deviation is {rk.percent(unoptimised_sd)} and {rk.percent(optimised_sd)} of the mean.")


@rk.finding
def single_round(single, o0):
    mean, *ends = single.mean_with_interval
    found = (f"A single round between two timestamps without a fence, the empty pair subtracted, gives {single} by the median and "
             f"{rk.amount_with_interval(mean, *ends, 'ns')} by the processes' means. One of a long loop takes {o0}")
    low, high = o0.summary.bounds
    hidden_by_the_step = single.summary.step > max(abs(single.median - low), abs(single.median - high))
    if single.apart(o0) or hidden_by_the_step and (ends[1] < low or ends[0] > high):
        return rk.shown("round not alone", f"{found}. The intervals do not overlap, so this method shows something else than a long loop.")
    return rk.shown("round shows", f"{found}. The two are not shown to differ.")

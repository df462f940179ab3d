"""What the chapter on the division concludes."""

import math

import numpy as np

import reckon as rk


def cycles_a_bit(curve):
    """What a bit of the quotient adds from the curve's first point to its last, in cycles."""
    if len(curve.points) < 2:
        return math.nan
    return (curve.cycles[-1].median - curve.cycles[0].median) / np.ptp(curve.axis_in_unit)


def clock_beside(division):
    """The core's clock in Hz as calibrated beside the samples; nan if unmeasured."""
    return division.core_clock_hz(division.points[0]) if division.has_samples else math.nan


def ran_at_another_clock(division, clock):
    """Whether the core's clock beside the samples is not the one that the predictions were made with."""
    return not 0.8 < clock_beside(division) / clock.value < 1.25


def cycles_predicted(division, clock):
    """The core cycles that were predicted; of a curve, at its first point."""
    return division.sealed("predicted")[0] * clock.value if division.has_samples else math.nan


def like_zen(a_bit):
    return " AMD's Zen takes half a cycle for a bit, see above." if 0.4 < a_bit < 0.6 else ""


@rk.finding(missing="")
def another_clock(division, a_bit, clock):
    """a_bit: what a bit of the quotient adds, in cycles."""
    if not ran_at_another_clock(division, clock):
        return []
    clocks = (f"While these samples were taken, the core ran at {rk.amount(clock_beside(division), 'GHz')}; in the chapter on the clock it ran at "
              f"{rk.amount(clock.value, 'GHz')}.")
    times = division.median_cycles / cycles_predicted(division, clock)
    if rk.is_miss(times):
        return rk.consistent("another processor", f"{clocks} The clock does not explain the time: in cycles, too, the long quotient takes "
                             f"{rk.number(times)} times the prediction. Another kind of processor would explain both.{like_zen(a_bit)}")
    return rk.unexplained("another clock", f"{clocks} In cycles the long quotient takes {rk.number(times)} times the prediction.")


@rk.finding
def steps(slope):
    if abs(slope) < 0.02:
        return rk.shown("all numbers alike", f"No: a bit of the quotient adds at most {rk.number(abs(slope), 2)} cycles, so 62 bits add at most "
                        f"{rk.number(62 * abs(slope), 2)} cycles.")
    return rk.shown("numbers matter", f"Yes: a bit of the quotient adds {rk.number(abs(slope), 2)} cycles, so the divider finds "
                    f"{rk.number(1 / slope, 2)} bits a cycle and stops when the quotient is complete.")


@rk.finding(missing="")
def long_and_small(long, small):
    return rk.shown("times as long", f"The long quotient takes {rk.number(long.median / small.median, 2)} times as long as the small "
                    "numbers, with the same instruction.")


@rk.finding
def overlapping(long, unchained):
    share = unchained.median / long.median
    if share > 0.9:
        return rk.shown("one at a time", f"No: an independent division takes {unchained:cycles}, and a division of the chain takes {long:cycles}. The "
                        "divider works on one division at a time, so it does not help that the divisions are independent.")
    return rk.shown("divisions overlap", f"Yes: of independent divisions one begins every {unchained:cycles}; a division of the chain takes "
                    f"{long:cycles}. So about {rk.number(1 / share, 2)} divisions are in progress at once.")


@rk.finding(missing="")
def addition(chain, independent):
    """What the addition adds that the chain has and independent divisions lack; chain, independent: by the bits."""
    if len(chain.points) != len(independent.points):
        return []
    more = [a.median - b.median for a, b in zip(chain.cycles, independent.cycles, strict=True)]
    if np.max(np.abs(more)) > 0.5:
        return []
    return rk.unexplained("addition hidden", "We do not see the cost of the chain's addition: at every length, divisions with and without it differ by at "
                          f"most {rk.number(np.max(np.abs(more)), 2)} cycles. The model adds one cycle for the addition.")


@rk.finding
def meanwhile(long):
    cycles = long.median_cycles
    return rk.shown("as long as additions", f"Together with the chain's addition, the division with the long quotient takes {rk.number(cycles, 2)} "
                    f"cycles. In a chain, {rk.number(cycles, 2)} additions of one cycle or {rk.number(cycles / 3, 2)} multiplications of three cycles "
                    "take as long.")


@rk.finding(needs=())
def off_by_the_divider(division, bits, start, per_bit, clock):
    in_cycles = f"{rk.number(cycles_predicted(division, clock))} cycles were predicted and {division:cycles} measured"
    if ran_at_another_clock(division, clock) and rk.is_miss(division.median_cycles / cycles_predicted(division, clock)):
        return rk.consistent("another processor", f"{in_cycles}, and the core ran at another clock. Another kind of processor would explain both.")
    if ran_at_another_clock(division, clock):
        return rk.unexplained("another clock", f"the core did not run at the clock of the prediction; {in_cycles}.")
    takes = (f"it takes {division:cycles}; the prediction for start and bits was {rk.number(start.value + bits.value * per_bit.value)} "
             "cycles.")
    if "guess" in (start.origin, per_bit.origin):
        return rk.unexplained("divider guessed", f"{takes} This book has no source for these cycles on this processor.")
    return rk.unexplained("divider stated", f"{takes} This processor is not the one of the tables.")


@rk.finding(needs=())
def off_by_bits(curve, per_bit, clock):
    first = curve.cycles[0].median if curve.cycles else math.nan
    return rk.unexplained("bits off", f"a division with a quotient of one bit takes {rk.number(first)} cycles; the prediction was "
                          f"{rk.number(cycles_predicted(curve, clock))} cycles. Each further bit adds {rk.number(cycles_a_bit(curve), 2)} cycles; "
                          f"the prediction was {rk.number(per_bit.value, 2)} cycles.")


def misses(bits_of, curves, start, per_bit, clock):
    """The list of the predictions that were missed, and why. bits_of: the bits of the quotient, by result; curves: by the bits."""
    if not any(result.has_samples for result in (*curves, *(division for division, _ in bits_of))):
        return rk.unexplained("none measured", "Nothing was measured to compare with the predictions.")
    items = [rk.missed(division, off_by_the_divider(division, bits, start, per_bit, clock)) for division, bits in bits_of]
    items += [rk.missed(curve, off_by_bits(curve, per_bit, clock), ", by bits of the quotient") for curve in curves if curve.has_samples]
    return rk.missed_list(items, "No prediction is off that far: neither the table's three values nor the two curves.")


@rk.finding(missing="")
def answer(long, small, clock):
    of_another = f" at {rk.amount(clock_beside(long), 'GHz')}" if ran_at_another_clock(long, clock) else ""
    takes = f"Together with the addition that links it to the next division, it takes {long:cycles}{of_another}"
    if long.median / small.median > 1.2:
        return rk.shown("time by numbers", f"{takes}. With small numbers both take {small:cycles}.")
    return rk.shown("time of all numbers", f"{takes}. With small numbers both take about as long.")


@rk.finding(missing="A division, by the bits of its quotient")
def curves(slope):
    if slope >= 0.02:
        return rk.shown("bits cost cycles", f"Each bit of the quotient adds {rk.number(slope, 2)} cycles to a division")
    return rk.shown("bits cost nothing", "A division takes as long for a quotient of one bit as for 62 bits")


@rk.finding(needs=())
def line_left(curve):
    """The caption of the figure of the fitted line."""
    if curve.line is None:
        return rk.unexplained("too few points", "Divisions in a chain, by the bits of the quotient")
    residual = rk.amount(abs(curve.line.residuals).max(), "ns")
    return rk.shown("line left", f"No point of the divisions in a chain is more than {residual} away from the fitted line")


def interpolated(curve, bits):
    """What a division with that quotient takes, between the curve's points, in seconds; nan if unmeasured."""
    return np.interp(bits, curve.axis_in_unit, curve.medians) if curve.has_samples else math.nan


def quotient_of_32_bits(small, long, curve):
    between = small.median + (32 - 4) / (62 - 4) * (long.median - small.median)
    return ("Predict a division with a quotient of 32 bits from the two values of the table that were measured in a chain.",
            f"A straight line through the values at 4 and 62 bits gives {rk.amount(between, 'ns')} at 32 bits; "
            f"we measured {rk.amount(interpolated(curve, 32), 'ns')}. On a core that takes the same time for all numbers the line is flat.")


def twenty_digits(curve, long):
    line, bits = curve.line, np.maximum(64 - np.log2(10) * np.arange(1, 21), 0)
    digits = np.sum(line.intercept + line.slope * bits) if line else math.nan
    return ("A number of 20 decimal digits is printed: each digit is the remainder of a division by ten, and the quotient is "
            "divided next. How long do the divisions take according to the fitted line?",
            "The first quotient has some 61 bits, and each later quotient has 3.3 bits fewer. The line gives "
            f"{rk.amount(digits, 'ns')} for all twenty divisions. That is not 20 × {long}, unless the line is flat. If a compiler knows that the "
            "divisor is ten, it multiplies by 1/10 instead, which takes a few cycles a digit.")


def a_hash_table(curve):
    remainder = interpolated(curve, 54)
    return ("Begin with `rk.frame(independent_curve)`. A hash table of 1,000 buckets takes the remainder of each 64-bit key. How many keys a second can one core place at "
            "most, and how many if the table has 1,024 buckets?",
            f"The quotient has about 54 bits and no key waits for another, so a remainder takes {rk.amount(remainder, 'ns')}. "
            f"The core places at most {rk.number(1e-6 / remainder)} million keys a second. With 1,024 buckets the remainder is the lower ten "
            "bits. An AND gives them in one cycle, and a core does several ANDs in a cycle.")


def overlap_by_bits(chain, independent):
    both = chain.has_samples and independent.has_samples
    gains = chain.medians / independent.medians if both else np.array([math.nan])
    bits = chain.axis_in_unit if both else np.array([math.nan])
    most = int(np.argmax(gains))
    factor = f"The factor lies between {rk.number(gains.min(), 3)} and {rk.number(gains[most], 3)}. It is largest at a quotient of {rk.plain(bits[most])} bits."
    if gains[most] < 1.05 * gains.min():
        factor = f"The factor is {rk.number(gains[most], 3)} or a little less for all quotients."
    return ("Begin with `rk.frame(chain_curve, independent_curve)`. By what factor are independent divisions faster than divisions in a chain? For which quotients is the "
            "factor largest, and what does that say about the divider?",
            f"{factor} If a divider begins a division before the previous one has ended, the factor is far above 1 everywhere. If it works on one division "
            "at a time, it can hide at most the first and last cycles of a division. These matter most if the quotient is short. A factor of 1 says that "
            "the divider hides nothing.")


def half_the_width(small):
    return ("Write a probe that divides 32-bit integers (`divl` of x86, `udiv` with W registers of AArch64) with a quotient of 4 bits. Predict its time from the table.",
            f"If the time depends only on the bits of the quotient, it is that of a 64-bit division with a quotient of 4 bits: {small}. If the width of the operands counts, a "
            "32-bit division takes less. It does on Intel's cores before Ice Lake, because a 64-bit DIV is made of many more steps there.")


def bits_refuted(small, chain):
    wide = interpolated(chain, 4)
    return ("The chapter says that the time of a division depends on the length of its quotient, not on the length of its operands. Try to refute it with two measurements of this "
            "chapter.",
            f"A quotient of 4 bits takes {small} with a dividend of 8 bits, and {rk.amount(wide, 'ns')} in the curve, whose dividend has 64 bits. If the bits of the operands "
            "counted, the second division would take much longer. Continue with `reckon probe` and other values of `quotient_bits`. If two quotients of equal "
            "length differ by more than their samples scatter, the explanation is false.")

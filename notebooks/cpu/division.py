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
    return " Half a cycle for a bit is what AMD's Zen takes, see above." if 0.4 < a_bit < 0.6 else ""


@rk.finding(missing="")
def another_clock(division, a_bit, clock):
    """a_bit: what a bit of the quotient adds, in cycles."""
    if not ran_at_another_clock(division, clock):
        return []
    clocks = (f"Beside these samples the core ran at {rk.amount(clock_beside(division), 'GHz')}, in the chapter on the clock at "
              f"{rk.amount(clock.value, 'GHz')}.")
    times = division.median_cycles / cycles_predicted(division, clock)
    if rk.is_miss(times):
        return rk.consistent("another processor", f"{clocks} Another clock does not explain what was measured: in cycles the long quotient takes "
                             f"{rk.number(times)} times the prediction. Another kind of processor would explain both.{like_zen(a_bit)}")
    return rk.unexplained("another clock", f"{clocks} In cycles the long quotient takes {rk.number(times)} times the prediction.")


@rk.finding
def steps(slope):
    if abs(slope) < 0.02:
        return rk.shown("all numbers alike", f"No: a bit of the quotient adds {rk.number(abs(slope), 2)} cycles at most, 62 of them "
                        f"{rk.number(62 * abs(slope), 2)}.")
    return rk.shown("numbers matter", f"Yes: a bit of the quotient adds {rk.number(abs(slope), 2)} cycles, so the divider finds "
                    f"{rk.number(1 / slope, 2)} bits a cycle and stops when the quotient is complete.")


@rk.finding(missing="")
def long_and_small(long, small):
    return rk.shown("times as long", f"The long quotient takes {rk.number(long.median / small.median, 2)} times as long as the small "
                    "numbers, by the same instruction.")


@rk.finding
def overlapping(long, unchained):
    share = unchained.median / long.median
    if share > 0.9:
        return rk.shown("one at a time", f"No: independent divisions take {unchained:cycles} each, those of the chain {long:cycles}. The "
                        "divider works on one at a time, so it does not help that they do not depend on one another.")
    return rk.shown("divisions overlap", f"Yes: an independent division begins every {unchained:cycles}, one of the chain takes "
                    f"{long:cycles}. About {rk.number(1 / share, 2)} of them are under way at once.")


@rk.finding(missing="")
def addition(chain, independent):
    """What the addition adds that the chain has and independent divisions lack; chain, independent: by the bits."""
    if len(chain.points) != len(independent.points):
        return []
    more = [a.median - b.median for a, b in zip(chain.cycles, independent.cycles, strict=True)]
    if np.max(np.abs(more)) > 0.5:
        return []
    return rk.unexplained("addition hidden", f"The chain's addition does not show: with it a division takes at most {rk.number(np.max(np.abs(more)), 2)} "
                          "cycles more or less than without, at each length. The model adds a cycle for it.")


@rk.finding
def meanwhile(long):
    cycles = long.median_cycles
    return rk.shown("as long as additions", f"With the chain's addition, the division with the long quotient takes {rk.number(cycles, 2)} "
                    f"cycles: as long as {rk.number(cycles, 2)} additions that wait for one another, or {rk.number(cycles / 3, 2)} "
                    "multiplications of three cycles.")


@rk.finding(needs=())
def off_by_the_divider(division, bits, start, per_bit, clock):
    in_cycles = f"{rk.number(cycles_predicted(division, clock))} cycles were predicted and {division:cycles} measured"
    if ran_at_another_clock(division, clock) and rk.is_miss(division.median_cycles / cycles_predicted(division, clock)):
        return rk.consistent("another processor", f"{in_cycles}, on a core at another clock. Another kind of processor would explain both.")
    if ran_at_another_clock(division, clock):
        return rk.unexplained("another clock", f"its core ran at another clock than the one of the prediction; {in_cycles}.")
    takes = (f"it takes {division:cycles}, not the {rk.number(start.value + bits.value * per_bit.value)} that start and bits were "
             "predicted to take;")
    if "guess" in (start.origin, per_bit.origin):
        return rk.unexplained("divider guessed", f"{takes} no source states them for this processor.")
    return rk.unexplained("divider stated", f"{takes} the processor is another one than in the tables.")


@rk.finding(needs=())
def off_by_bits(curve, per_bit, clock):
    first = curve.cycles[0].median if curve.cycles else math.nan
    return rk.unexplained("bits off", f"with one bit of quotient it takes {rk.number(first)} cycles, {rk.number(cycles_predicted(curve, clock))} "
                          f"were predicted. Each further bit adds {rk.number(cycles_a_bit(curve), 2)}, not {rk.number(per_bit.value, 2)}.")


def misses(bits_of, curves, start, per_bit, clock):
    """The list of the predictions that were missed, and why. bits_of: the bits of the quotient, by result; curves: by the bits."""
    if not any(result.has_samples for result in (*curves, *(division for division, _ in bits_of))):
        return rk.unexplained("none measured", "Nothing was measured to compare with the predictions.")
    items = [rk.missed(division, off_by_the_divider(division, bits, start, per_bit, clock)) for division, bits in bits_of]
    items += [rk.missed(curve, off_by_bits(curve, per_bit, clock), ", by bits of the quotient") for curve in curves if curve.has_samples]
    return rk.missed_list(items, "None of the three in the table, and neither curve.")


@rk.finding(missing="")
def answer(long, small, clock):
    of_another = f" at {rk.amount(clock_beside(long), 'GHz')}" if ran_at_another_clock(long, clock) else ""
    takes = f"With the chain's addition it takes {long:cycles}{of_another}"
    if long.median / small.median > 1.2:
        return rk.shown("time by numbers", f"{takes}; small numbers take {small:cycles} in all.")
    return rk.shown("time of all numbers", f"{takes}, and so do small numbers.")


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
    return rk.shown("line left", f"The line fitted to divisions in a chain leaves {residual} at most")


def interpolated(curve, bits):
    """What a division with that quotient takes, between the curve's points, in seconds; nan if unmeasured."""
    return np.interp(bits, curve.axis_in_unit, curve.medians) if curve.has_samples else math.nan


def quotient_of_32_bits(small, long, curve):
    between = small.median + (32 - 4) / (62 - 4) * (long.median - small.median)
    return ("Predict a division with a quotient of 32 bits from the two values of the table that were measured in a chain.",
            f"A straight line through 4 and 62 bits passes through {rk.amount(between, 'ns')} at 32 bits; "
            f"{rk.amount(interpolated(curve, 32), 'ns')} was measured. On a core that takes the same time for all numbers the line is flat.")


def twenty_digits(curve, long):
    line, bits = curve.line, np.maximum(64 - np.log2(10) * np.arange(1, 21), 0)
    digits = np.sum(line.intercept + line.slope * bits) if line else math.nan
    return ("A number of 20 decimal digits is printed: each digit is the remainder of a division by ten, and the quotient is "
            "divided next. How long do the divisions take, by the fitted line?",
            f"The first quotient has some 61 bits, and each later one 3.3 fewer. The line gives {rk.amount(digits, 'ns')} for all "
            f"twenty, not 20 × {long}, unless it is flat. A compiler that knows the ten multiplies by its "
            "reciprocal instead, which takes a few cycles a digit.")


def a_hash_table(curve):
    remainder = interpolated(curve, 54)
    return ("Begin with `rk.frame(independent_curve)`. A hash table of 1,000 buckets takes the remainder of each 64-bit key. How many keys a second can one core place at "
            "most, and how many if the table has 1,024 buckets?",
            f"The quotient has about 54 bits and no key waits for another, so a remainder takes {rk.amount(remainder, 'ns')}: "
            f"{rk.number(1e-6 / remainder)} million keys a second. With 1,024 buckets the remainder is the lower ten bits: an AND of "
            "one cycle, and several of them fit into a cycle.")


def overlap_by_bits(chain, independent):
    both = chain.has_samples and independent.has_samples
    gains = chain.medians / independent.medians if both else np.array([math.nan])
    bits = chain.axis_in_unit if both else np.array([math.nan])
    most = int(np.argmax(gains))
    factor = f"The factor lies between {rk.number(gains.min(), 3)} and {rk.number(gains[most], 3)}, the largest at a quotient of {rk.plain(bits[most])} bits."
    if gains[most] < 1.05 * gains.min():
        factor = f"The factor is {rk.number(gains[most], 3)} or a little less for all quotients."
    return ("Begin with `rk.frame(chain_curve, independent_curve)`. By what factor are divisions faster that do not wait for one another? For which quotients is it the "
            "largest, and what does that say of the divider?",
            f"{factor} A divider that "
            "begins a division before the last one ended has a factor far above 1 everywhere. One that works on a single division at a time hides its "
            "first and last cycles at most, which count for most where the quotient is short. A factor of 1 says that it hides nothing.")


def half_the_width(small):
    return ("Write a probe of divisions of 32-bit integers (`divl` of x86, `udiv` with W registers of AArch64), of a quotient with 4 bits. Predict it from the table.",
            f"If the time depends on the quotient's bits alone, it takes what a 64-bit division with as many takes: {small}. If the width counts, it takes less; on Intel's "
            "cores before Ice Lake it does, because a 64-bit DIV is made of many more steps there.")


def bits_refuted(small, chain):
    wide = interpolated(chain, 4)
    return ("The chapter says that a division takes its time by the bits of its quotient, not by those of its operands. Refute it with two measurements of this chapter.",
            f"A quotient of 4 bits takes {small} with a dividend of 8 bits, and {rk.amount(wide, 'ns')} in the curve, whose dividend has 64. If the bits of the operands counted, "
            "the second would take longer by far. `reckon probe` with other values of `quotient_bits` goes on from there. Where two quotients of equal "
            "length differ by more than their samples scatter, the explanation is false.")

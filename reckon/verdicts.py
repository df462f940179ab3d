"""How the predictions did, and what cannot be: computed sentences."""

from __future__ import annotations

import itertools
import math

import numpy as np

from . import reports, stats, units
from .blocks import Block, say
from .results import Result, process_values, trial_times_s


def verdict(one: Result, what: str) -> Block:
    """How the prediction did, in a sentence or two: computed, by the sealed prediction."""
    if one.summary is None:
        return say(f"**{what}** could not be judged: {one.reason}.")
    times = one.ratio
    if not times > 0 or math.isinf(times):
        return say(f"**{what}**: measured {one}, which no ratio to the prediction describes.")
    off = max(times, 1 / times)
    if off < 1.05:
        how = "as predicted"
    elif off < 2:
        how = f"{100 * abs(times - 1):.0f} % {'higher' if times > 1 else 'lower'} than predicted"
    else:
        how = f"a factor of {units.number(off, 2)} {'higher' if times > 1 else 'lower'} than predicted"
    if one.is_curve:
        text = f"**Verdict.** Over the whole curve, {what} came out {how}, by the median over its points."
        text += _farthest(one)
    else:
        text = (
            f"**Verdict.** Predicted {units.amount(one.seal.predicted, one.unit)}, measured "
            f"{one:±}: {what} came out {how}."
        )
    if one.inside_interval is not None:
        text += f" The measured value lies {'inside' if one.inside_interval else 'outside'} its "
        text += f"interval, {units.amount(one.seal.low, one.unit)} to "
        text += f"{units.amount(one.seal.high, one.unit)}."
    if one.revisions:
        text += f" Revised after measuring ({'; '.join(one.revisions)})"
        if not one.is_curve:
            text += f": now {units.amount(one.current.predicted, one.unit)}"
        text += ". The score keeps to the sealed one."
    if one.state == "failed":
        text += f" The last attempt to measure failed ({one.reason}) The samples are earlier ones."
    text += "".join(f" {sentence}." for sentence in not_measured(one))
    return say(text + "".join(f" Note: {warning}." for warning in warnings(one)))


def _farthest(one: Result) -> str:
    """Where a curve is farthest from its prediction, if that is far: a median hides it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = one.medians / one.sealed("predicted")
        off = np.where(np.isfinite(ratios) & (ratios > 0), np.abs(np.log(ratios)), 0)
    k = int(off.argmax())
    if off[k] < np.log(1.25):
        return ""
    return (f" It is farthest off at {units.place(float(one.axis[k]), one.axis_unit)}, with "
            f"{units.number(float(ratios[k]))} times the prediction.")


# So many points of a curve are told one by one; of the others, how many there are.
_POINTS_TOLD = 2


def not_measured(one: Result) -> list[str]:
    """Which points of a curve have no samples, and why: sentences without a full stop."""
    place = lambda point: units.place(point.x, one.axis_unit)  # noqa: E731
    sentences = []
    for state in ("cannot", "failed"):  # a failure is not hidden behind what cannot be
        points = [p for p in one.missing if p.stopped == state]
        if points:
            more = f" and {len(points) - 1} more points, up to {place(points[-1])}" if points[1:] else ""
            verb = "Not measured" if state == "cannot" else "Failed"
            sentences.append(f"{verb} at {place(points[0])}{more}: {points[0].reason}")
    return sentences


def warnings(one: Result) -> list[str]:
    """What the samples themselves warn of; of a curve, where."""
    if not one.is_curve:
        return [warning for s in one.summaries for warning in s.warnings]
    told = [f"at {units.place(float(x), one.axis_unit)} {s.warnings[0]}"
            for x, s in zip(one.axis, one.summaries, strict=True) if s.warnings]  # fmt: skip
    more = len(told) - _POINTS_TOLD
    if more <= 0:
        return told
    return [*told[:_POINTS_TOLD], f"{more} more of its {len(one.points)} points have a note"]


_GROUPS_MOST = 24  # in which the trials of a series are taken together
_SLOW = 3  # times the median


def steadiness(one: Result, what: str) -> Block:
    """Whether the trials of a single quantity changed their level over time, as a disk's do whose burst
    is spent, and whether slow ones come in bursts."""
    if not one.has_samples:
        return say(f"How steady {what} is could not be seen: {one.reason}.")
    processes = sorted(one.points[0].processes, key=lambda p: p.started_s)
    values = np.concatenate([process_values(p, one.measurement, one.unit) for p in processes])
    times_s = np.concatenate([trial_times_s(p, one.measurement) for p in processes])
    groups = np.array_split(np.arange(len(values)), min(_GROUPS_MOST, len(values)))
    medians = np.array([np.median(values[group]) for group in groups])
    text = (f"In the order in which they ran, {len(values)} trials of {what} in {len(groups)} groups have "
            f"medians from {units.amount(medians.min(), one.unit)} to {units.amount(medians.max(), one.unit)}. ")
    moved = stats.shift(medians)
    if moved:
        at = units.amount(float(times_s[groups[moved.first][0]]), "s")
        text += (f"**It changed its level**: from {at} on, {units.amount(moved.after, one.unit)} in place of "
                 f"{units.amount(moved.before, one.unit)}, as where a disk's burst allowance "
                 f"{'is spent' if moved.after > moved.before else 'is back'} or another user of it "
                 f"{'comes' if moved.after > moved.before else 'goes'}. ")  # fmt: skip
    else:
        text += "No change of level that lasts is among them. "
    slow = values > _SLOW * np.median(values)
    if not slow.any():
        return say(text + f"No trial took more than {_SLOW} times the median.")
    text += (f"{units.number(100 * slow.mean(), 2)} % of the trials took more than {_SLOW} times the median, the "
             f"longest {units.amount(values.max(), one.unit)}; ")  # fmt: skip
    often = stats.clustered(slow)
    return say(text + (f"**they come in bursts**: one follows another {units.number(often, 2)} times as often as "
                       "chance would have it." if often else "they come one by one."))  # fmt: skip


def plausibility(found: list[Result], least: float, unit: str, why: str,
                 most: float = math.inf, with_reports: bool = True, block_bytes: int = 0,
                 because: str = "") -> Block:  # fmt: skip
    """Figures of this run and, where the bounds (in `unit`) are theirs too, of the reports that cannot
    be what they claim: not positive, or outside the bounds, with the reason why they are bounds.

    block_bytes: the bounds are for so many bytes; a whole file, or a larger block, is judged by their share
    of it. because: what explains those outside, where any is."""
    in_cycles = unit == "cycle"
    odd = []

    def judge(value: float, one: Result, at: float | None, where: str, whose: str) -> None:
        value *= _share(one, block_bytes, at)
        if not least <= value <= most:
            odd.append((one.quantity, where, whose, value))

    for one in found:
        told = ([c.median for c in one.cycles] if in_cycles
                else [units.from_base(v, unit) for v in one.medians])  # fmt: skip
        for i, value in enumerate(told):
            at = float(one.axis[i]) if one.is_curve else None
            where = f" at {units.place(at, one.axis_unit)}" if one.is_curve else ""
            judge(value, one, at, where, "this run")
            if one.summaries[i].minimum <= 0 < value:
                odd.append((one.quantity, where, "this run",
                            f"trials down to {units.amount(one.summaries[i].minimum, one.unit)}"))  # fmt: skip
        for f in reports.of(one.quantity) if with_reports else ():
            told = f.base(f.measured, one.unit)
            if told is not None:
                told = told * f.clock if in_cycles else units.from_base(told, unit)
                at = float(units.to_base(f.at, one.axis_unit)) if block_bytes and f.at is not None else None
                judge(told, one, at, f" at {f.at:g}" if f.at is not None else "", f.report)
    bound = f"No figure here can be below {units.number(least)} {units.spoken(unit)}"
    if math.isfinite(most):
        bound += f" or above {units.number(most)} {units.spoken(unit)}"
    bound += f" for {units.size(block_bytes, 'byte')}" if block_bytes else ""
    told = _by_curve(odd, unit) if block_bytes else [_outside(*one, unit) for one in odd]
    outside = [f"Outside: {'; '.join(told)}.", *filter(None, [because])] if odd else ["None is."]
    return say(f"{bound}: {why}.", *outside)


def _share(one: Result, block_bytes: int, at: float | None) -> float:
    """So many bytes of what one operation of the quantity reads, there on its axis."""
    m, whole = one.measurement, one.measurement.op == "file"
    along = at is not None and (whole or m.axis == "block_bytes")
    size = at if along else m.params.get("file_bytes" if whole else "block_bytes", block_bytes)
    return block_bytes / size if block_bytes else 1.0


def _outside(quantity: str, where: str, whose: str, value: float | str, unit: str) -> str:
    told = value if isinstance(value, str) else f"{units.number(value)} {units.spoken(unit)}"
    return f"`{quantity}`{where} of {whose}: {told}"


def _by_curve(odd: list[tuple], unit: str) -> list[str]:
    """The same, the points of one curve together."""
    told = []
    for (quantity, whose), group in itertools.groupby(odd, lambda one: (one[0], one[2])):
        points = list(group)
        values = [value for *_, value in points]
        if len(points) < 3 or any(isinstance(value, str) for value in values):
            told += [_outside(*one, unit) for one in points]
            continue
        ends = [f"{units.number(v)} {units.spoken(unit)}" for v in (min(values), max(values))]
        told.append(f"`{quantity}` of {whose}, {len(points)} points: {' to '.join(ends)}")
    return told

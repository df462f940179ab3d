"""How the predictions did, and what cannot be: computed sentences."""

from __future__ import annotations

import math

import numpy as np

from reckon import statistics, units
from reckon.prediction.inputs import Input
from reckon.presentation.block import Block, grid, label, say
from reckon.records.result import Result, process_values, trial_times_s
from reckon.reports import published


def verdict(one: Result, what: str) -> Block:
    """How the prediction did, in a sentence or two: computed, by the sealed prediction."""
    start = f"**Verdict.** {what[0].upper()}{what[1:]}"
    if one.summary is None:
        return say(f"{start} could not be judged: {one.reason}.")
    times = one.ratio
    if not times > 0 or math.isinf(times):
        return say(f"{start}: measured {one}, which no ratio to the prediction describes.")
    off = max(times, 1 / times)
    if off < 1.05:
        how = "as predicted"
    elif off < 2:
        how = f"{100 * abs(times - 1):.0f} % {'higher' if times > 1 else 'lower'} than predicted"
    else:
        how = f"a factor of {units.number(off, 2)} {'higher' if times > 1 else 'lower'} than predicted"
    if one.is_curve:
        text = f"**Verdict.** Over the whole curve, {what} came out {_over_the_curve(one, how)}"
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
    notes = warnings(one)
    if one.is_curve and notes:
        return say(f"{text} Note: {'; '.join(notes)}.")
    return say(text + "".join(f" Note: {warning}." for warning in notes))


# A point is near its prediction within this factor; a curve came out as predicted where so many of its points
# are. On both sides of the prediction are ratios further from 1 than the last of these.
_NEAR, _MOST, _BESIDE = 1.25, 0.9, 1.1


def _over_the_curve(one: Result, how: str) -> str:
    """The middle ratio in words, unless the points say otherwise; and where a curve is farthest off."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = one.medians / one.sealed("predicted")
    known = np.isfinite(ratios) & (ratios > 0)
    ratios, axis = ratios[known], one.axis[known]
    off = np.abs(np.log(ratios))
    near = int((off < np.log(_NEAR)).sum())
    place = lambda k: units.place(float(axis[k]), one.axis_unit)  # noqa: E731
    least, most, worst = (int(k) for k in (ratios.argmin(), ratios.argmax(), off.argmax()))
    count = f"{near} of {len(ratios)} points lie within {_NEAR} times of the prediction"
    few = len(ratios) // 10  # a single one of many is no side
    in_order = np.sort(ratios)
    if in_order[few] < 1 / _BESIDE and in_order[-1 - few] > _BESIDE:
        told = lambda ratio: f"{units.number(float(ratio))} times"  # noqa: E731
        return (
            f"on both sides of the prediction, from {told(ratios[least])} at {place(least)} to {told(ratios[most])} "
            f"at {place(most)}, with {told(np.median(ratios))} in the middle; {count}."
        )
    farthest = f" It is farthest off at {place(worst)}, with {units.number(float(ratios[worst]))} times the prediction."
    if how == "as predicted" and near < _MOST * len(ratios):
        return f"as predicted in part: {count}.{farthest}"
    return f"{how}, by the median over its points.{farthest if near < len(ratios) else ''}"


# So many notes of a curve's points are told; of the other points, how many there are.
_POINTS_TOLD = 2
_PLACES_TOLD = 3  # of one note; of more, only how many they are


def not_measured(one: Result) -> list[str]:
    """Which points of a curve have no samples, and why: sentences without a full stop."""
    place = lambda point: units.place(point.x, one.axis_unit)  # noqa: E731
    sentences = []
    for state in ("cannot", "failed"):  # a failure is not hidden behind what cannot be
        points = [p for p in one.missing if p.stopped == state]
        if points:
            more = (
                f" and {len(points) - 1} more points, up to {place(points[-1])}"
                if points[1:]
                else ""
            )
            verb = "Not measured" if state == "cannot" else "Failed"
            sentences.append(f"{verb} at {place(points[0])}{more}: {points[0].reason}")
    return sentences


def warnings(one: Result) -> list[str]:
    """What the samples themselves warn of; of a curve, where."""
    if not one.is_curve:
        return [warning for s in one.summaries for warning in s.warnings]
    places: dict[str, list[str]] = {}  # one sentence for all the points that it is true of
    for x, s in zip(one.axis, one.summaries, strict=True):
        if s.warnings:
            places.setdefault(s.warnings[0], []).append(units.place(float(x), one.axis_unit))
    several = lambda where: f"{len(where)} of its {len(one.points)} points"  # noqa: E731
    told = [
        f"at {_listed(where) if len(where) <= _PLACES_TOLD else several(where)} {warning}"
        for warning, where in places.items()
    ]
    more = sum(map(len, list(places.values())[_POINTS_TOLD:]))
    if not more:
        return told
    verb = "has" if more == 1 else "have"
    return [*told[:_POINTS_TOLD], f"{more} more of its {len(one.points)} points {verb} a note"]


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


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
    text = (
        f"In the order in which they ran, {len(values)} trials of {what} in {len(groups)} groups have "
        f"medians from {units.amount(medians.min(), one.unit)} to {units.amount(medians.max(), one.unit)}. "
    )
    moved = statistics.shift(medians)
    if moved:
        at = units.amount(float(times_s[groups[moved.first][0]]), "s")
        text += (
            f"**It changed its level**: from {at} on, {units.amount(moved.after, one.unit)} in place of "
            f"{units.amount(moved.before, one.unit)}, as where a disk's burst allowance "
            f"{'is spent' if moved.after > moved.before else 'is back'} or another user of it "
            f"{'comes' if moved.after > moved.before else 'goes'}. "
        )
    else:
        text += "No change of level that lasts is among them. "
    slow = values > _SLOW * np.median(values)
    if not slow.any():
        return say(text + f"No trial took more than {_SLOW} times the median.")
    text += (
        f"{units.number(100 * slow.mean(), 2)} % of the trials took more than {_SLOW} times the median, the "
        f"longest {units.amount(values.max(), one.unit)}; "
    )
    often = statistics.clustered(slow)
    return say(
        text
        + (
            f"**they come in bursts**: one follows another {units.number(often, 2)} times as often as "
            "chance would have it."
            if often
            else "they come one by one."
        )
    )


# So many figures of a curve that are outside their bounds are told one by one.
_OUTSIDE_TOLD = 3


def plausibility(
    found: list[Result],
    least: float,
    unit: str,
    why: str,
    most: float = math.inf,
    with_reports: bool = True,
    block_bytes: int = 0,
    because: str = "",
) -> Block:
    """Figures of this run and, where the bounds (in `unit`) are theirs too, of the reports that cannot
    be what they claim: not positive, or outside the bounds, with the reason why they are bounds.

    block_bytes: the bounds are for so many bytes; a whole file, or a larger block, is judged by their share
    of it. because: what explains those outside, where any is."""
    in_cycles = unit == "cycle"
    odd: list[str] = []
    outside: dict[
        tuple[str, str], list[tuple[str, float]]
    ] = {}  # by quantity and whose figures they are

    def judge(value: float, one: Result, at: float | None, where: str, whose: str) -> None:
        value *= _share(one, block_bytes, at)
        if not least <= value <= most:
            outside.setdefault((one.quantity, whose), []).append((where, value))

    for one in found:
        told = (
            [c.median for c in one.cycles]
            if in_cycles
            else [units.from_base(v, unit) for v in one.medians]
        )
        for i, value in enumerate(told):
            at = float(one.axis[i]) if one.is_curve else None
            where = f" at {units.place(at, one.axis_unit)}" if one.is_curve else ""
            judge(value, one, at, where, "this run")
            if one.summaries[i].minimum <= 0 < value:
                odd.append(
                    f"`{one.quantity}`{where} of this run: trials down to "
                    f"{units.amount(one.summaries[i].minimum, one.unit)}"
                )
        for f in published.of(one.quantity) if with_reports else ():
            told = f.base(f.measured, one.unit)
            if told is not None:
                told = told * f.core_hz if in_cycles else units.from_base(told, unit)
                at = (
                    float(units.to_base(f.at, one.axis_unit))
                    if block_bytes and f.at is not None
                    else None
                )
                judge(told, one, at, f" at {f.at:g}" if f.at is not None else "", f.report)
    odd = [
        *(
            sentence
            for (quantity, whose), found in outside.items()
            for sentence in _outside(f"`{quantity}`", whose, found, most, unit)
        ),
        *odd,
    ]
    bound = f"No figure here can be below {units.number(least)} {units.spoken(unit)}"
    if math.isfinite(most):
        bound += f" or above {units.number(most)} {units.spoken(unit)}"
    bound += f" for {units.size(block_bytes, 'byte')}" if block_bytes else ""
    told = [f"Outside: {'; '.join(odd)}.", *filter(None, [because])] if odd else ["None is."]
    return say(f"{bound}: {why}.", *told)


def _share(one: Result, block_bytes: int, at: float | None) -> float:
    """So many bytes of what one operation of the quantity reads, there on its axis."""
    m, whole = one.measurement, one.measurement.op == "file"
    along = at is not None and (whole or m.axis == "block_bytes")
    size = at if along else m.params.get("file_bytes" if whole else "block_bytes", block_bytes)
    return block_bytes / size if block_bytes else 1.0


def _outside(
    what: str, whose: str, found: list[tuple[str, float]], most: float, unit: str
) -> list[str]:
    """Figures outside their bounds, each by itself or, where they are many, their number and the worst."""
    told = lambda value: f"{units.number(value)} {units.spoken(unit)}"  # noqa: E731
    if len(found) <= _OUTSIDE_TOLD:
        return [f"{what}{where} of {whose}: {told(value)}" for where, value in found]
    where, value = min(found, key=lambda one: most / one[1] if one[1] > most else one[1])
    return [f"{what} of {whose}: {len(found)} figures, the worst {told(value)}{where}"]


def drives(
    found: list[Result], block_bytes: float, limits: dict[str, Input], caption: str, name: str
) -> Block:
    """Whether a drive can give what N readers got together: N blocks in the time that each took for one.
    `limits`: bytes in a second by report, "" for this run; a report without one is left out."""
    rows = []

    def judge(title: str, limit: Input, points: list[tuple[float, float]]) -> None:
        rates = [(n * block_bytes / seconds, n) for n, seconds in points]
        best, n = max(rates)
        most = limit.high if limit.origin == "guess" else limit.value
        beyond = sum(rate > most for rate, _ in rates)
        cited = f" {{cite}}`{limit.cite}`" if limit.cite else ""
        why = f"{'at most, ' if limit.origin == 'guess' else ''}{limit.source}"
        rows.append(
            [
                title,
                f"{units.amount(best, 'MB/s')} with {n:g}",
                f"{units.amount(most, 'MB/s')}: {why}{cited}",
                f"{beyond} of {len(rates)}" if beyond else "none",
            ]
        )

    for one in found:
        if one.has_samples:
            judge(
                f"{label(one.quantity)}, this run",
                limits[""],
                list(zip(one.axis, one.medians, strict=True)),
            )
        for report, limit in limits.items():
            told = [
                (f.at, f.base(f.measured, one.unit))
                for f in published.of(one.quantity)
                if f.report == report and f.at is not None
            ]
            if told:
                judge(f"{label(one.quantity)}, its report", limit, told)
    return grid(
        ["Figures of", "At most, with so many readers", "What the drive can", "Beyond it"],
        rows,
        caption,
        name,
        [26, 24, 36, 14],
    )

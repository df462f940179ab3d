"""A quantity as it stands: what was predicted, what was measured, and how far apart they are."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import ArrayLike

from reckon import records, statistics, units
from reckon.prediction.formula import Prediction
from reckon.prediction.ratios import median_ratio
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.revisions import revisions
from reckon.records.run_files.siblings import divided, unshared_ratio
from reckon.records.run_files.unit_conversion import (
    ops_in_a_trial,
    per_operation,
    summarise_point,
    values_of,
)


def median_text(summary: statistics.Summary, unit: str) -> str:
    """ "93.1 ns": the median in the digits that it has beside its interval."""
    if summary.groups is not None:
        return units.amount(summary.median, unit)
    return units.amount_and_interval(summary.median, *summary.interval.ends, unit)[0]


def summary_text(summary: statistics.Summary, unit: str) -> str:
    """ "93.1 ns (92.1 to 94.0)"; of two groups of processes both, with their shares."""
    if summary.groups:
        return groups_text(summary.groups, unit)
    return units.amount_with_interval(summary.median, *summary.interval.ends, unit)


def groups_text(groups: tuple[statistics.Group, statistics.Group], unit: str) -> str:
    """ "140 ns (60 % of processes) or 193 ns (40 % of processes)"."""
    return " or ".join(
        f"{units.amount(group.median, unit)} ({100 * group.share:.0f} % of processes)"
        for group in groups
    )


_OPEN = 1.5  # a ratio that intervals leave open by more than this factor is printed as a range
_SAME_VISIT_S = 60  # quantities of a page that are measured together start seconds apart


@dataclass(frozen=True)
class Result:
    quantity: str
    entry: records.Quantity  # of its experiment's record
    state: str  # "measured", "reused", "unsupported", "failed" or "predicted" (not yet measured)
    reason: str | None = None
    between_visits: statistics.PooledVariance | None = None  # of its run

    @property
    def experiment(self) -> str:
        return records.experiment_of(self.quantity)

    @property
    def seal(self) -> records.PredictionRecord:
        """The prediction that is scored, in base units."""
        return self.entry.seal

    @property
    def first_seal(self) -> records.PredictionRecord | None:
        """The prediction that was sealed first, if another one was sealed after measuring."""
        first = self.entry.predictions[0]
        return None if first is self.seal else first

    @property
    def current(self) -> records.PredictionRecord:
        """The last prediction: the seal, or a revision of it."""
        return self.entry.predictions[-1]

    @property
    def prediction(self) -> Prediction:
        """The current prediction, with measured inputs as they were when recorded."""
        return to_prediction(self.quantity, self.current)

    @property
    def unit(self) -> str:
        """The unit in which values are printed; the values themselves are in base units."""
        return self.current.unit

    @property
    def measurement(self) -> records.Measurement | None:
        """The last measurement, of which some points may have no samples; None if there is none."""
        return self.entry.measurement

    @property
    def points(self) -> list[records.Point]:
        return [p for p in self.measurement.points if p.has_samples] if self.measurement else []

    @property
    def missing_points(self) -> list[records.Point]:
        """The points of a curve without samples, each with its reason."""
        return [p for p in self.measurement.points if not p.has_samples] if self.measurement else []

    @property
    def has_samples(self) -> bool:
        return bool(self.points)

    @property
    def ops_in_a_trial(self) -> float:
        """See ops_in_a_trial(); of a curve at its first point, nan without samples."""
        return ops_in_a_trial(self.points[0]) if self.points else math.nan

    @property
    def counter_step(self) -> float:
        """The counter's step in seconds, as this quantity's single readings show it; else nan."""
        if not (self.points and self.measurement):
            return math.nan
        step = statistics.counter_step(np.concatenate([p.ticks for p in self.points[0].processes]))
        return step / self.measurement.tick_hz if step else math.nan

    @property
    def is_curve(self) -> bool:
        return isinstance(self.seal.predicted, list)

    def trials(self, point: records.Point) -> list[np.ndarray]:
        """The values of each process's trials at that point, in base units; a mean has one."""
        return [self._values(process, self.seal.kind) for process in point.processes]

    def single_trials(self, point: records.Point) -> list[np.ndarray]:
        """The same with a value for each trial of a mean too."""
        return [self._values(process, "plain") for process in point.processes]

    def _values(
        self, process: records.Process, kind: str, ticks: ArrayLike | None = None
    ) -> np.ndarray:
        """ticks: what its trials took; default: as they were measured."""
        assert self.measurement  # it has processes
        ticks = process.ticks if ticks is None else ticks
        return values_of(process, ticks, self.measurement, self.unit, kind)

    def process_medians(self, point: records.Point) -> np.ndarray:
        """The median of each process that its summary has, in base units."""
        summary = self._stored_summary(point)
        if summary:
            return np.array(summary.medians)
        processes = self.summarised_processes(point)
        return statistics.process_medians([self._values(p, self.seal.kind) for p in processes])

    def _stored_summary(self, point: records.Point) -> statistics.Summary | None:
        """The record's summary, if it is of this unit and kind, by these statistics."""
        return point.summary if self._has_current_summaries else None

    @functools.cached_property
    def _has_current_summaries(self) -> bool:
        measurement = self.measurement
        return bool(
            measurement
            and measurement.unit
            and units.dimension(measurement.unit) == units.dimension(self.unit)
            and measurement.kind == self.seal.kind
            and measurement.statistics == statistics.VERSION
        )

    @property
    def has_summaries(self) -> bool:
        """Whether the record has what the samples say of each point, as summarise() would have."""
        has_samples = self.measurement is not None and bool(self.measurement.visits)
        return self._has_current_summaries or not has_samples

    def core_clocks_hz(self, point: records.Point) -> np.ndarray:
        """The core's clock during each process at that point, as calibrated before and after it."""
        if self.measurement is None:
            return np.full(len(point.processes), math.nan)
        rates = [p.cycles_per_tick * self.measurement.tick_hz_of(p) for p in point.processes]
        return np.array(rates, dtype=float)

    def core_clock_hz(self, point: records.Point) -> float:
        """The core's clock at that point: the median of its visits' medians."""
        visits = [process.visit for process in point.processes]
        return statistics.median_of_visits([[hz] for hz in self.core_clocks_hz(point)], visits)

    @functools.cached_property
    def summaries(self) -> list[statistics.Summary]:
        """One summary a point, in base units; a single quantity has one point."""
        limits = self.limits
        return [self._summary(*each) for each in zip(self.points, limits, strict=True)]

    def _summary(self, point: records.Point, limit: float) -> statistics.Summary:
        summary = self._over_processes(point).over_visits(self.between_visits).at_most(limit)
        return summary.at_most(self._group_limit, is_sure=True)

    @property
    def _group_limit(self) -> float:
        """The memory that the control group of the probe may have, which no number of bytes in it
        exceeds; infinite without one."""
        if not self.measurement or units.dimension(self.unit) != units.dimension("byte"):
            return math.inf
        return float(self.measurement.params.get("limit_bytes", math.inf))

    def _over_processes(self, point: records.Point) -> statistics.Summary:
        """The summary whose interval is that of the median over the processes of all visits."""
        return self._stored_summary(point) or summarise_point(
            point,
            self._unshared_ratio,
            lambda process, ticks: self._values(process, self.seal.kind, ticks),
        )

    def summarised_processes(self, point: records.Point) -> list[records.Process]:
        """The processes whose medians its summary has: those that had the core alone, or all."""
        return divided(point, self._unshared_ratio).summarised

    @functools.cached_property
    def _unshared_ratio(self) -> float:
        return unshared_ratio(self.measurement) if self.measurement else math.nan

    @property
    def process_interval(self) -> statistics.Interval | None:
        """The interval of the median over the processes at the first point, which does not hold how
        the machine drifts; None without samples."""
        return self._over_processes(self.points[0]).interval if self.points else None

    @property
    def limits(self) -> np.ndarray:
        """What a rate cannot exceed at each point, in base units: the hardware part, where that is
        a value of the machine's description such as its link's rate, or the prediction, if no
        interval of its inputs lets that be larger; else infinity.

        The interval of a rate ends there. What quantities vary by from visit to visit would let it
        reach beyond, although a link that is full gives the same rate each time."""
        unlimited = np.full(len(self.points), math.inf)
        if self.seal.kind != "rate":
            return unlimited
        described = [i.value for i in self.seal.inputs if i.origin == "machine"]
        hardware = self.sealed("hardware")
        known = [np.isclose(hardware, value) for value in described if isinstance(value, float)]
        most = np.where(self._predicted_the_most, self.sealed("predicted"), hardware)
        return np.where(np.any(known, axis=0), most, unlimited) if known else unlimited

    @property
    def _predicted_the_most(self) -> np.ndarray:
        """Whether no input's interval lets the sealed prediction be larger, at each point: then it
        is what is left of the hardware's rate beside headers, for instance."""
        return self.sealed("high") <= self.sealed("predicted") * (1 + 1e-9)

    def may_give(self, index: int, value: float) -> bool:
        """Whether another visit may give that value at a point: whether its interval holds it, or,
        as that of one visit holds no drift, the visits of the run's other quantities differ so."""
        summary, pooled = self.summaries[index], self.between_visits
        if summary.interval.holds(value):
            return True
        if not pooled or len(summary.visit_medians) > 1 or min(summary.median, value) <= 0:
            return False
        return abs(math.log(value / summary.median)) <= pooled.reach(summary.visit_spread, 1)

    @property
    def interval_from(self) -> str:
        """What the interval is made from: "3 visits over 9 min", "12 processes of one visit"; ""
        without an interval."""
        intervals = [summary.interval for summary in self.summaries if summary.interval.is_known]
        if not self.measurement or not intervals:
            return ""
        if any(interval.kind == "next visit" for interval in intervals):
            starts = [visit.started_at for visit in self.measurement.visits]
            span_s = (max(starts) - min(starts)).total_seconds()
            span = f"{span_s / 60:.0f} min" if span_s >= 60 else f"{span_s:.0f} s"
            used = max(len(summary.visit_medians) for summary in self.summaries)
            of_all = f" of {len(starts)}" if used < len(starts) else ""
            return f"{used}{of_all} visits over {span}"
        fewest = min(summary.processes for summary in self.summaries)
        most = max(summary.processes for summary in self.summaries)
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        visits = max(len(summary.visit_medians) for summary in self.summaries)
        return f"{count} processes of {'one visit' if visits == 1 else f'{visits} visits'}"

    @property
    def summary(self) -> statistics.Summary | None:
        """The summary at the first point, in base units; None without samples."""
        return self.summaries[0] if self.summaries else None

    @property
    def at_end(self) -> statistics.Summary | None:
        """The summary at a curve's last point; None if that has no samples, or it is no curve."""
        if not (self.is_curve and self.measurement and self.points):
            return None
        if not self.measurement.points[-1].has_samples:
            return None
        return self._summary(self.points[-1], self.limits[-1])  # alone: a curve's take seconds

    @property
    def axis(self) -> np.ndarray:
        """Where the curve was measured, in base units."""
        return np.array([point.x for point in self.points], dtype=float)

    @property
    def axis_unit(self) -> str:
        """The unit of the axis that the prediction's author gave."""
        return next(i.unit for i in self.seal.inputs if i.origin == "axis")

    def point_index(self, x: float | None, unit: str | None = None) -> int | None:
        """The index of the point measured at `x`, in `unit` or the axis's own; None if none was.

        The only point of a single quantity lies at None.
        """
        if not self.is_curve:
            return 0 if self.points and x is None else None
        if x is None:
            return None
        near = np.isclose(self.axis, units.to_base(x, unit or self.axis_unit), rtol=1e-6, atol=0)
        return int(near.argmax()) if near.any() else None

    @property
    def axis_in_unit(self) -> np.ndarray:
        """Where the curve was measured, in the unit that its author gave."""
        return units.from_base(self.axis, self.axis_unit)

    def sealed(self, field: str, prediction: records.PredictionRecord | None = None) -> np.ndarray:
        """A field of the seal (or of another prediction) at the points measured; nan if unknown."""
        prediction = prediction or self.seal
        values = getattr(prediction, field)
        if not isinstance(values, list):
            return np.full(len(self.points), math.nan if values is None else values)
        axis = next(i.value for i in prediction.inputs if isinstance(i.value, list))
        at = dict(zip(axis, values, strict=True))
        return np.array([at.get(x, math.nan) for x in self.axis])

    @property
    def current_values(self) -> np.ndarray:
        """What is predicted now at the points measured: revised, or as sealed; nan if unknown."""
        return self.sealed("predicted", self.current if self.revisions else self.seal)

    @functools.cached_property
    def line(self) -> statistics.Line | None:
        """The straight line through the medians of a curve, in base units; None below 3 points."""
        if not self.is_curve or len(self.points) < 3:
            return None
        return statistics.line(self.axis, self.medians)

    @property
    def is_straight(self) -> bool:
        """Whether that line describes the curve: no point lies off it by more than its own interval
        is wide and by more than a tenth of the rise or a quarter of its own value."""
        if self.line is None:
            return False
        widths = [float(np.ptp(summary.bounds)) for summary in self.summaries]
        off = np.minimum(0.1 * np.ptp(self.medians), 0.25 * abs(self.medians))
        return bool(np.all(abs(self.line.residuals) <= np.maximum(off, widths)))

    @functools.cached_property
    def sealed_line(self) -> statistics.Line | None:
        """The straight line through what was predicted at the same points."""
        return statistics.line(self.axis, self.sealed("predicted")) if self.line else None

    @functools.cached_property
    def current_line(self) -> statistics.Line | None:
        return statistics.line(self.axis, self.current_values) if self.line else None

    @functools.cached_property
    def medians(self) -> np.ndarray:
        """The value at each measured point (n,), in base units: the median of its visits' medians.

        nan of a single quantity of two groups, which has no one value."""
        if self.is_of_two_groups:
            return np.array([math.nan])
        return np.array([summary.median for summary in self.summaries])

    @property
    def medians_text(self) -> str:
        """The first and last median of a curve; one if all are printed alike."""
        first, last = (median_text(self.summaries[i], self.unit) for i in (0, -1))
        others = (median_text(summary, self.unit) for summary in self.summaries[1:-1])
        is_one = first == last and all(text == first for text in others)
        return first if is_one else f"{first} to {last}"

    @property
    def median(self) -> float:
        """The value at the first point, in base units; nan without samples, and of two groups."""
        return float(self.medians[0]) if self.has_samples else math.nan

    @property
    def mean_with_interval(self) -> tuple[float, float, float]:
        """The median of the processes' means and its 95 % interval, at the first point.

        Where the counter's step is larger than what is compared, medians are multiples of it and
        means are not."""
        processes = self.summarised_processes(self.points[0])
        means = [self._values(process, "plain").mean() for process in processes]
        return float(np.median(means)), *statistics.median_interval(means)

    @property
    def growth(self) -> float:
        """How many times the median of a curve's first point that of its last one is; or nan."""
        return float(self.medians[-1] / self.medians[0]) if self.has_samples else math.nan

    def apart(self, other: Result, more: float = 0.0) -> int:
        """1 or -1 if this is the larger or the smaller one, 0 if the two are not shown to differ.

        Scalars only. By their intervals (Summary.apart()); where they overlap but both were
        measured in the same visits, visit by visit (apart_in_visits(), with its limits).
        """
        if not (self.summary and other.summary):
            return 0
        by_intervals = self.summary.apart(other.summary, more)
        if by_intervals or not self._was_measured_with(other):
            return by_intervals
        return statistics.apart_in_visits(
            self.summary.visit_medians,
            other.summary.visit_medians,
            more + max(self.summary.step, other.summary.step),
        )

    def _was_measured_with(self, other: Result) -> bool:
        """Whether each visit of both began within a minute, and no summary leaves one out."""
        starts, others = self._starts_of_summarised_visits, other._starts_of_summarised_visits
        return 0 < len(starts) == len(others) and all(
            abs((start - another).total_seconds()) < _SAME_VISIT_S
            for start, another in zip(starts, others, strict=True)
        )

    @property
    def _starts_of_summarised_visits(self) -> list[datetime]:
        """When the visits began whose medians the summary has; [] if it leaves one out, and of two
        groups."""
        if not (self.measurement and self.summary) or self.is_of_two_groups:
            return []
        starts = [visit.started_at for visit in self.measurement.visits]
        return starts if len(starts) == len(self.summary.visit_medians) else []

    def sealed_input(self, name: str) -> float:
        """The value that the scored prediction had of that input, in base units; nan without it.

        What is compared with the sealed prediction is computed with its inputs: a measured one,
        such as the core's clock, may have another value since."""
        value = self.seal.values.get(name, math.nan)
        return value if isinstance(value, float) else math.nan

    def times(self, other: Result, digits: int = 3) -> str:
        """How many times the other value this is, "1.42"; "0.3 to 0.95" where both intervals leave
        it open; a dash for no ratio. Both have samples."""
        ends = self.ratio_ends(other)
        if ends is None or ends[1] < _OPEN * ends[0]:
            return units.number(self.ratio_of_medians(other), digits)
        return " to ".join(units.number(end, digits) for end in ends)

    def ratio_of_medians(self, other: Result) -> float:
        """This median over the other; nan where that is not above 0, as a difference may be."""
        return self.median / other.median if other.median > 0 else math.nan

    def ratio_ends(self, other: Result) -> tuple[float, float] | None:
        """The least and the largest ratio that both intervals leave open; None without an end."""
        assert self.summary and other.summary
        (low, high), (other_low, other_high) = self.summary.bounds, other.summary.bounds
        return (low / other_high, high / other_low) if other_low > 0 else None

    def difference_from(self, other: Result) -> str:
        """ "59 µs (23 to 70) more", or "less", with the interval that those of both give; where
        they overlap but the visits decide, "16 µs to 37 µs more, depending on the visit (…)"."""
        assert self.summary and other.summary
        if self.median < other.median:
            return other.difference_from(self).replace(" more", " less")
        (low, high), (other_low, other_high) = self.summary.bounds, other.summary.bounds
        if low <= other_high and self.apart(other):
            pairs = zip(self.summary.visit_medians, other.summary.visit_medians, strict=True)
            differences = [mine - theirs for mine, theirs in pairs]
            middle_text = units.amount(float(np.median(differences)), self.unit)
            span = units.span((min(differences), max(differences)), self.unit)
            median_said = f"the median of these differences is {middle_text}"
            return f"{span} more, depending on the visit ({median_said})"
        middle, ends = self.median - other.median, (low - other_high, high - other_low)
        return f"{units.amount_with_interval(middle, *ends, self.unit)} more"

    def indistinct_note(self, other: Result) -> str:
        """Why the difference of two medians may be none, in brackets; "" if the two differ."""
        if self.apart(other) or not (self.summary and other.summary):
            return ""
        return f" ({self.summary.why_not_apart(other.summary)})"

    def alike(self, other: Result) -> str:
        """ "not shown to differ", and why; for two results that are not apart.

        Intervals that overlap do not show that two medians are the same.
        """
        return f"not shown to differ{self.indistinct_note(other)}"

    @functools.cached_property
    def core_cycles(self) -> statistics.Summary | None:
        """Core cycles per operation, by the clock of each sample's own process; times only."""
        return self.cycles[0] if self.cycles else None

    @property
    def median_cycles(self) -> float:
        """The same in core cycles; nan also if it is no time."""
        cycles = self.core_cycles
        return cycles.median if cycles and not cycles.groups else math.nan

    @functools.cached_property
    def cycles(self) -> list[statistics.Summary]:
        """The same at every point of a curve; empty if the quantity is no time."""
        if units.dimension(self.unit) != units.dimension("s"):
            return []
        return [
            summarise_point(point, self._unshared_ratio, self._process_cycles).over_visits(
                self.between_visits
            )
            for point in self.points
        ]

    def _process_cycles(self, process: records.Process, ticks: ArrayLike) -> np.ndarray:
        cycles = np.asarray(ticks) * process.cycles_per_tick
        return per_operation(cycles, process.ops, self.seal.kind)

    @functools.cached_property
    def is_of_two_groups(self) -> bool:
        """Whether it is no curve and its processes fall into two groups, so that one number does
        not describe it: it has no ratio."""
        return not self.is_curve and bool(self.summary and self.summary.groups)

    @functools.cached_property
    def ratio(self) -> float:
        """Measured over predicted, by the sealed prediction; of a curve, the middle one; nan of two
        groups."""
        return self.ratio_to(self.seal)

    @property
    def current_ratio(self) -> float:
        return self.ratio_to(self.current)

    def ratio_to(self, prediction: records.PredictionRecord) -> float:
        """Measured over that prediction; of a curve, the middle one; nan without samples or
        of two groups."""
        if not self.has_samples:
            return math.nan
        return median_ratio(self.medians, self.sealed("predicted", prediction))

    @property
    def sealed_interval(self) -> tuple[float, float] | None:
        """The ends of the sealed interval in base units; None without one, or for a curve."""
        low, high = self.seal.low, self.seal.high
        return (low, high) if isinstance(low, float) and isinstance(high, float) else None

    @property
    def inside_interval(self) -> bool | None:
        """Whether the measured median lies in the sealed interval, or its own interval reaches into
        it: that is within the error of measuring. None if either is missing."""
        if not self.sealed_interval or not self.summary or self.is_curve:
            return None
        if self.is_of_two_groups:
            return None
        low, high = self.sealed_interval
        own_low, own_high = self.summary.interval.ends  # nan if unknown
        return low <= self.median <= high or (own_low <= high and low <= own_high)

    @property
    def software_share(self) -> float:
        """The software's share of the predicted time; nan for a curve or without a hardware part.

        For a rate it is 1 - predicted/hardware: times per byte add, rates do not.
        """
        hardware, predicted = self.seal.hardware, self.seal.predicted
        if not isinstance(hardware, float) or isinstance(predicted, list):
            return math.nan
        is_rate = self.seal.kind == "rate"
        part, whole = (predicted, hardware) if is_rate else (hardware, predicted)
        return 1 - part / whole if whole else math.nan

    @property
    def revisions(self) -> list[str]:
        """How the current prediction differs from the one that was sealed before measuring."""
        return revisions(self.seal, self.current) if self.entry.has_samples else []

    @property
    def change(self) -> str:
        """What the last prediction is called, if it is none that was sealed: "Tried here", until it
        is kept, or "Revised after measuring"."""
        return "Tried here" if self.current.role is None else "Revised after measuring"

    @property
    def attempt_note(self) -> str:
        """The date of the samples, and why a later attempt gave none; "" if none was made."""
        attempt = self.entry.attempt
        if attempt is None or self.measurement is None:
            return ""
        outcome = "was not possible" if attempt.state == "unsupported" else "failed"
        return (
            f"measured {self.measurement.started_at:%Y-%m-%d}; the last attempt, "
            f"{attempt.at:%Y-%m-%d}, {outcome}: {(attempt.reason or '').rstrip('.')}"
        )

    def __repr__(self) -> str:
        if not self.has_samples:
            return f"{self.quantity} {self.state}: {self.reason}"
        measured = "a curve" if self.is_curve else f"{self:interval}"
        note = self.attempt_note and f" ({self.attempt_note})"
        return f"{self.quantity} measured: {measured}{note}"

    def __format__(self, spec: str) -> str:
        """f"{result}" is "93.1 ns"; f"{result:interval}" adds the interval; f"{result:cycles}"."""
        if self.summary is None:
            return "not measured"  # the reason may be another's words: measured_cell() says it
        if spec == "cycles":
            cycles = self.core_cycles
            groups = (cycles and cycles.groups) or [cycles] if cycles else []
            return f"{' or '.join(units.number(g.median) for g in groups) or '–'} cycles"
        if spec == "interval":
            return summary_text(self.summary, self.unit)
        if self.summary.groups and not self.is_curve:
            return " or ".join(units.amount(g.median, self.unit) for g in self.summary.groups)
        return median_text(self.summary, self.unit)

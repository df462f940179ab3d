"""What seaborn drew on the frames of results, as a figure of the book: predictions drawn in, units
on the axes, the legend below, alt text and data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

from reckon import statistics, units
from reckon.records.quantities.result import Result, median_text
from reckon.show.block import Block
from reckon.show.figures import measured_curve, places, style
from reckon.show.figures.drawings import Data, Drawing
from reckon.show.figures.measured_curve import MeasuredCurve
from reckon.show.figures.places import Places
from reckon.show.figures.style import BLACK, PURPLE, RED
from reckon.show.frames import Titles, readable_unit
from reckon.show.tables.tables import title
from reckon.show.text import percent, plural

_VALUES = ("value", "median")  # columns of the frames
_OVER_TIME, _ROWS = "second", "title"
_LABELS = {
    "Proportion": "share of trials at or below",
    _OVER_TIME: "seconds since the measurement began",
    _ROWS: "",
}
_MAX_STEPS = 200  # points of a distribution in a figure's data
_OUTLYING = 0.005  # the share of trials at either end that may lie beyond an axis
_FLATTENED = 1.5  # an axis is cut where all trials would make it longer by this factor
_AXIS_MARGIN = 0.1


@style.of_results
def figure(
    results: list[Result], axes: Axes, name: str, caption: str, titles: Titles = None
) -> Block:
    """The axes on which seaborn drew rk.samples() or rk.frame() of these results, as a figure of
    the book: numbered, with its caption and the predictions, as files NAME.svg, .pdf and .csv.

    The labels `value`, `median`, `second` and `Proportion` of axes become words with units; values
    along x are logarithmic unless one is not above 0. titles: those of the frame.
    """
    picture: Any = axes.get_figure(root=True)
    pyplot.close(picture)  # Jupyter would show it once more, as it is
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing_to_draw(results)
    drawing = Drawing(picture, [axes])
    unit = readable_unit(measured[0])
    names = [title(result, titles) for result in measured]
    unused = [title(result, titles) for result in results if not result.has_samples]
    looks = zip(measured, names, drawing.take_legend(names, unused), strict=True)
    if all(result.is_curve for result in measured) and axes.get_ylabel() == "median":
        curves = [MeasuredCurve(result, unit, *look) for result, *look in looks]
        return measured_curve.finish(drawing, curves, name, caption)
    kinds = [_KINDS[label] for label in (axes.get_xlabel(), axes.get_ylabel()) if label in _KINDS]
    drawn = (kinds or [_Distributions])[0](axes, unit, [_Trials(*look, unit) for look in looks])
    where = drawn.draw_predictions()
    caption += drawn.finding() + drawn.limit()
    for axis in (axes.xaxis, axes.yaxis):
        label = axis.get_label_text()
        axis.set_label_text(units.symbol(unit) if label in _VALUES else _LABELS.get(label, label))
    drawing.legend()
    return drawing.save(name, caption, drawn.alt(), drawn.data(), where)


class _Trials:
    """The trials of one quantity, of a curve at its last point, in `unit`."""

    def __init__(self, result: Result, name: str, colour: str, unit: str):
        self.result, self.name, self.colour = result, name, colour
        self.point = result.points[-1]
        self.of_processes = [
            units.from_base(values, unit) for values in result.single_trials(self.point)
        ]
        self.values = np.sort(np.concatenate(self.of_processes))
        self.medians = statistics.process_medians(self.of_processes)
        self.predicted = float(units.from_base(result.sealed("predicted")[-1], unit))
        self.revised = float(units.from_base(result.current_values[-1], unit))

    def with_median(self) -> str:
        """Its name and the value that tables print, for the alt text; of a mean's trials theirs."""
        result = self.result
        if result.seal.kind == "mean":
            trials = result.single_trials(self.point)
            visits = [process.visit for process in self.point.processes]
            median = statistics.median_of_visits(trials, visits)
            return f"{self.name} with median {units.amount(median, result.unit)}"
        value = median_text(result.summaries[-1], result.unit) if result.is_curve else result
        return f"{self.name} with median {value}"


@dataclass(frozen=True)
class _Distributions:
    """How the trials of several quantities are distributed."""

    axes: Axes
    unit: str
    trials: list[_Trials]

    @property
    def along(self) -> Literal["x", "y"]:
        return "x" if self.axes.get_xlabel() in _VALUES else "y"

    def draw_predictions(self) -> Places:
        """Draws each prediction as a dashed line in its quantity's colour; says where they are."""
        results = [each.result for each in self.trials]
        line = self.axes.axvline if self.along == "x" else self.axes.axhline
        for each in self.trials:
            line(each.predicted, color=each.colour, ls="--", lw=1)
            if each.result.revisions:
                line(each.revised, color=each.colour, ls=style.REVISED, lw=1)
        kinds = sorted({result.seal.kind == "mean" for result in results})
        dashed = " or ".join("predicted mean" if is_mean else "predicted" for is_mean in kinds)
        self.axes.plot([], [], "--", lw=1, color=BLACK, label=f"{dashed}, in the same colour")
        style.explain_revised(self.axes, results)
        colours = [each.colour for each in self.trials]
        return places.of_lines(self.axes, results, self.unit, self.along, colours)

    def finding(self) -> str:
        """What the caption adds."""
        return ""

    def limit(self) -> str:
        """Makes an x axis of values logarithmic, and cuts an axis where a few trials flatten the
        others; says for the caption how many lie beyond, "" without a cut."""
        values = np.concatenate([each.values for each in self.trials])
        axis = self.axes.xaxis if self.along == "x" else self.axes.yaxis
        is_logarithmic = self.along == "x" and values.min() > 0
        if is_logarithmic:
            self.axes.set_xscale("log")
        beyond = self._cut(values, axis.get_transform())
        if is_logarithmic:  # now, because ticks are chosen by what the axis spans
            style.plain_log(axis)
        if not beyond:
            return ""
        verb = plural(beyond, "lies", "lie")
        return f"; {beyond:,} of {len(values):,} trials {verb} beyond the axis"

    def _cut(self, values: np.ndarray, scale: Any) -> int:
        bulk = [np.quantile(each.values, [_OUTLYING, 1 - _OUTLYING]) for each in self.trials]
        predicted = [end for each in self.trials for end in (each.predicted, each.revised)]
        ends = np.array([pick([*np.ravel(bulk), *predicted]) for pick in (np.nanmin, np.nanmax)])
        whole = np.array([min(values.min(), ends[0]), max(values.max(), ends[1])])
        low, high = scale.transform(ends)
        first, last = scale.transform(whole)
        if last - first < _FLATTENED * (high - low):
            return 0
        margin = _AXIS_MARGIN * (high - low)
        limits = scale.inverted().transform(np.array([low - margin, high + margin]))
        self.axes.set(**{f"{self.along}lim": limits})
        return int(np.sum((values < limits[0]) | (values > limits[1])))

    def alt(self) -> str:
        return f"Distribution of {', '.join(each.with_median() for each in self.trials)}"

    def data(self) -> Data:
        rows = []
        for each in self.trials:
            n = len(each.values)
            for i in np.unique(np.linspace(0, n - 1, _MAX_STEPS).astype(int)):
                share = f"{(i + 1) / n:.6g}"
                rows.append([each.result.quantity, f"{each.values[i]:.6g}", share])
        return Data(["quantity", f"value [{units.symbol(self.unit)}]", "share at or below"], rows)


class _OverTime(_Distributions):
    """The trials of several quantities by the time at which they ran."""

    def finding(self) -> str:
        """How far the medians of the processes lie apart, by the quantity where it is most."""
        if min(each.medians.min() for each in self.trials) <= 0:
            return ""
        most = max(float(each.medians.max() / each.medians.min() - 1) for each in self.trials)
        return f". The process medians of one quantity differ by up to {percent(most)}"

    def alt(self) -> str:
        return f"Trials over time of {', '.join(each.with_median() for each in self.trials)}"

    def data(self) -> Data:
        rows = []
        for each in self.trials:
            for process, values in zip(each.point.processes, each.of_processes, strict=True):
                numbers = [f"{v:.6g}" for v in (np.median(values), values.min(), values.max())]
                rows.append([each.result.quantity, f"{process.started_s:.4f}", *numbers])
        columns = style.columns(self.unit, "median", "minimum", "maximum")
        return Data(["quantity", "started [s]", *columns], rows)


class _Rows(_Distributions):
    """The trials of several quantities, each in a row of its own."""

    def draw_predictions(self) -> Places:
        """Draws each prediction as a cross in its quantity's row; says where they are."""
        names = [label.get_text() for label in self.axes.get_yticklabels()]
        rows = [names.index(each.name) for each in self.trials]
        predicted = [each.predicted for each in self.trials]
        self.axes.plot(predicted, rows, "x", color=RED, mew=2, label="predicted")
        revised = [each.revised if each.result.revisions else np.nan for each in self.trials]
        if np.isfinite(revised).any():
            self.axes.plot(revised, rows, "+", color=PURPLE, ms=9, mew=2, label="revised")
        return places.of_rows(self.axes, [each.result for each in self.trials], self.unit, rows)

    def alt(self) -> str:
        return "; ".join(f"{each.name} {each.result}" for each in self.trials)

    def data(self) -> Data:
        rows = []
        for each in self.trials:
            predicted = each.result.sealed("predicted")[-1]
            cells = style.spread_cells(each.result.summaries[-1], predicted, self.unit)
            rows.append([each.result.quantity, *cells])
        return Data(["quantity", *style.spread_header(self.unit)], rows)


_KINDS = {_OVER_TIME: _OverTime, _ROWS: _Rows}

"""Figures of a quantity along an axis: prediction, hardware estimate and spread drawn in."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Literal

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from reckon import units
from reckon.records.quantities.result import Result, median_text
from reckon.show.block import Block
from reckon.show.figures import drawings, places, printing, style
from reckon.show.figures.drawings import Data, Drawing
from reckon.show.figures.line_names import LineEnd
from reckon.show.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, Look
from reckon.show.frames import frame, readable_unit
from reckon.show.tables.tables import title
from reckon.show.titles import title_of

# "auto": logarithmic axes for wide ranges; "log": the y axis logarithmic however narrow its range;
# "linear": axes on which a line is straight.
Scale = Literal["auto", "log", "linear"]
# An axis is logarithmic from these ratios of its largest to its smallest value on; one that starts
# at 0 from the second.
_LOG_X_FROM, _LOG_X_WITH_ZERO_FROM, _LOG_Y_FROM = 16, 50, 20
_MAX_COUNTS = 15  # fewer whole numbers on an axis, such as cores, have a tick each
_NAME_POINTS = 10  # the height of a band's name


def _set_x(axes: Axes, x: np.ndarray) -> None:
    positive = x[x > 0]
    span = positive.max() / positive.min() if len(positive) else 1
    are_counts = len(x) <= _MAX_COUNTS and (x == np.round(x)).all()
    if span >= _LOG_X_FROM and len(positive) == len(x):
        axes.set_xscale("log", base=2)
    elif span > _LOG_X_WITH_ZERO_FROM:
        axes.set_xscale("symlog", base=2, linthresh=positive.min(), linscale=0.5)
        axes.set_xticks(x)
    elif span < _LOG_X_FROM and are_counts:
        axes.set_xticks(x)
    axes.xaxis.set_major_formatter(style.tick_label)


def set_y(axes: Axes, values: np.ndarray, scale: Scale) -> None:
    """A linear axis begins at 0. A rare long trial may lie outside the axes, the data have it."""
    values = values[np.isfinite(values)]
    low, high = values.min(), values.max()
    if scale != "linear" and low > 0 and (scale == "log" or high / low > _LOG_Y_FROM):
        axes.set_yscale("log")
        style.plain_log(axes.yaxis)
    else:
        axes.set_ylim(min(0, 1.3 * low), max(0, 1.4 * high))


def _set_scales(axes: Axes, curves: list[MeasuredCurve], scale: Scale) -> None:
    x = np.unique(np.concatenate([c.x for c in curves]))
    if scale != "linear":
        _set_x(axes, x)
    elif (x == np.round(x)).all():
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    set_y(axes, np.concatenate([c.heights for c in curves]), scale)


class MeasuredCurve:
    """A curve's numbers in the unit of its figure."""

    def __init__(self, result: Result, unit: str | None = None, name: str = "", colour: str = BLUE):
        self.result, self.x = result, result.axis_in_unit
        self.name, self.colour = name or title_of(result.quantity), colour
        self.unit = unit or readable_unit(result)
        self.middle = self.in_unit(result.medians)
        self.low, self.high, self.minimum, self.p99 = (
            self.in_unit([attrgetter(field)(summary) for summary in result.summaries])
            for field in ("interval.low", "interval.high", "minimum", "p99")
        )
        self.predicted = self.in_unit(result.sealed("predicted"))
        self.current = self.in_unit(result.current_values)
        self.is_revised = bool(result.revisions)
        self.hardware = self.in_unit(result.sealed("hardware"))
        self.has_hardware = bool(np.isfinite(self.hardware).any())
        self.interval = [self.in_unit(result.sealed(end)) for end in ("low", "high")]

    def in_unit(self, values: np.ndarray | list[float]) -> np.ndarray:
        """Values in base units as numbers of the figure's unit."""
        return units.from_base(np.asarray(values, float), self.unit)

    @property
    def error_bars(self) -> np.ndarray:
        """Distance of the interval's ends from the median, (2, n); 0 where there is no interval."""
        return np.nan_to_num(np.abs([self.middle - self.low, self.high - self.middle]))

    @property
    def heights(self) -> np.ndarray:
        """The values that have to lie within the axes."""
        return np.concatenate([self.middle, self.predicted, self.current])

    def draw_measured(self, axes: Axes, colour: str, label: str, size: float = 4) -> None:
        look: Look = {"fmt": "o-", "ms": size, "color": colour, "capsize": 2, "label": label}
        axes.errorbar(self.x, self.middle, yerr=self.error_bars, **look)

    def draw_predicted(self, axes: Axes) -> None:
        """Draws the sealed prediction with its interval, the hardware estimate, the revision."""
        if np.isfinite(self.interval[0]).any():
            low, high = self.interval
            axes.fill_between(self.x, low, high, color=ORANGE, alpha=0.18, lw=0)
        axes.plot(self.x, self.predicted, "--", color=RED, label="predicted, with interval")
        if self.has_hardware:
            axes.plot(self.x, self.hardware, ":", color=GREEN, label="hardware estimate")
        self.draw_revised(axes, color=PURPLE, label="revised")

    def draw_revised(self, axes: Axes, **look: Any) -> None:
        if self.is_revised:
            axes.plot(self.x, self.current, style.REVISED, **look)

    def rows(self) -> list[list[str]]:
        points = zip(self.x, self.result.summaries, self.result.sealed("predicted"), strict=True)
        return [[f"{x:.6g}", *style.spread_cells(s, y, self.unit)] for x, s, y in points]

    def axis_title(self, xlabel: str) -> str:
        return style.column(xlabel, self.result.axis_unit)

    def alt(self, xlabel: str) -> str:
        first, last = (median_text(self.result.summaries[at], self.result.unit) for at in (0, -1))
        return (
            f"{title_of(self.result.quantity)} against {xlabel}: from {first} at "
            f"{units.plain(self.x[0])} to {last} at {units.plain(self.x[-1])}"
        )


def _name_band(axes: Axes, c: MeasuredCurve, ends: np.ndarray, name: str, colour: str) -> None:
    """Writes into a band what it is, where it is tallest; nothing if it is too thin for words.

    ends: (2, n), the ends of the part of the band in which the name may stand.
    """
    bottom, top = axes.get_ylim()
    within = np.clip(np.nan_to_num(ends, nan=bottom), bottom, top)
    low, high = (
        axes.transData.transform(np.column_stack([c.x, end]))[:, 1] * 72 / axes.figure.dpi
        for end in within
    )
    k = int(np.argmax(high - low))
    if high[k] - low[k] < _NAME_POINTS:
        return
    side = "left" if k == 0 else "right" if k == len(c.x) - 1 else "center"
    look: Look = {"ha": side, "va": "center", "fontsize": 7.5, "color": colour, "zorder": 6}
    look |= {"label": printing.ON_SCREEN}  # on paper the legend says it
    look |= {"path_effects": [withStroke(linewidth=2, foreground="white")]}
    look |= {"textcoords": "offset points", "xytext": (0, (low[k] - high[k]) / 2)}
    axes.annotate(name, (c.x[k], within[1][k]), **look)


def _draw_single(drawing: Drawing, c: MeasuredCurve, xlabel: str, scale: Scale) -> None:
    axes = drawing.axes
    label = "minimum to 99th percentile of the trials"
    axes.fill_between(c.x, c.minimum, c.p99, color=BLUE, alpha=0.12, lw=0, label=label)
    c.draw_measured(axes, BLUE, "measured: median, interval")
    c.draw_predicted(axes)
    _set_scales(axes, [c], scale)
    _name_band(axes, c, np.array([c.middle, c.p99]), "trials, up to the 99th percentile", BLUE)
    if np.isfinite(c.interval).all():
        below = np.array([c.interval[0], c.predicted])
        _name_band(axes, c, below, "interval of the prediction", RED)
    axes.set_ylabel(units.symbol(c.unit))
    drawing.panels[-1].set_xlabel(xlabel)


@style.of_results
def curve(result: Result, name: str, caption: str, xlabel: str, scale: Scale = "auto") -> Block:
    """A quantity along its axis: medians with interval and range, the hardware estimate and the
    sealed prediction with its interval."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    c = MeasuredCurve(result)
    with drawings.new() as drawing:
        _draw_single(drawing, c, xlabel, scale)
        drawing.legend()
        data = Data([c.axis_title(xlabel), *style.spread_header(c.unit)], c.rows())
        where = places.of_curves(drawing.axes, [result], c.unit)
        return drawing.save(name, caption, c.alt(xlabel), data, where)


@style.of_results
def fit(result: Result, name: str, caption: str, xlabel: str) -> Block:
    """The same with a straight line fitted to the medians, and below it the residuals."""
    if result.line is None:
        return curve(result, name, caption, xlabel)
    c = MeasuredCurve(result)
    residuals = c.in_unit(result.line.residuals)
    with drawings.new(4.6, (3, 1)) as drawing:
        axes, below = drawing.panels
        _draw_single(drawing, c, xlabel, "linear")
        axes.plot(c.x, c.middle - residuals, "-", color=BLACK, lw=0.8, label="fitted line")
        below.axhline(0, color=BLACK, lw=0.8)
        below.plot(c.x, residuals, "o-", ms=3, color=BLUE)
        below.set_ylabel("residual")
        drawing.legend()
        rows = [[*row, f"{r:.4g}"] for row, r in zip(c.rows(), residuals, strict=True)]
        header = [c.axis_title(xlabel), *style.spread_header(c.unit)]
        header.append(style.column("residual", c.unit))
        where = places.of_curves(axes, [result], c.unit)
        return drawing.save(name, caption, c.alt(xlabel), Data(header, rows), where)


@style.of_results
def curves(
    results: list[Result],
    name: str,
    caption: str,
    xlabel: str,
    titles: dict | None = None,
    scale: Scale = "auto",
) -> Block:
    """Several quantities along the same axis: medians with intervals, and in the same colour the
    sealed prediction dashed, a revised one dashed and dotted, the hardware estimate dotted."""
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing_to_draw(results)
    with drawings.new() as drawing:
        rows = frame(*measured, titles=titles)
        look: Look = {"marker": "o", "markersize": 4, "markeredgewidth": 0, "estimator": None}
        sns.lineplot(rows, x="position", y="median", hue="title", ax=drawing.axes, **look)
        drawing.axes.set_xlabel(xlabel)
        drawn = of_results(measured, titles)
        drawing.take_legend([c.name for c in drawn])
        return finish(drawing, drawn, name, caption, scale)


def of_results(results: list[Result], titles: dict | None) -> list[MeasuredCurve]:
    """Measured results as curves in one unit, each with its name and colour."""
    unit = readable_unit(results[0])
    return [
        MeasuredCurve(result, unit, title(result, titles), colour)
        for result, colour in style.with_colours(results)
    ]


def finish(
    drawing: Drawing, curves: list[MeasuredCurve], name: str, caption: str, scale: Scale = "auto"
) -> Block:
    """The figure of curves whose medians seaborn drew from a frame: with intervals, and in the same
    colour the sealed prediction dashed, a revised one dashed and dotted, the hardware estimate
    dotted; each named at its end or in the legend."""
    axes, results = drawing.axes, [c.result for c in curves]
    for c in curves:
        axes.errorbar(c.x, c.middle, yerr=c.error_bars, fmt="none", color=c.colour, capsize=2)
        axes.plot(c.x, c.predicted, "--", lw=1, color=c.colour)
        c.draw_revised(axes, lw=1, color=c.colour)
        if c.has_hardware:
            positive = np.where(c.hardware > 0, c.hardware, np.nan)
            axes.plot(c.x, positive, ":", lw=1, color=c.colour)
    axes.plot([], [], "--", lw=1, color=BLACK, label="predicted")
    style.explain_revised(axes, results)
    if any(c.has_hardware for c in curves):
        axes.plot([], [], ":", lw=1, color=BLACK, label="hardware estimate")
    _set_scales(axes, curves, scale)
    axes.set_ylabel(units.symbol(curves[0].unit))
    drawing.name_lines(line_ends(curves))
    drawing.legend()
    xlabel = axes.get_xlabel()
    alt = "; ".join(c.alt(xlabel) for c in curves)
    where = places.of_curves(axes, results, curves[0].unit, [c.colour for c in curves])
    return drawing.save(name, caption, alt, curves_data(curves, xlabel), where)


def line_ends(curves: list[MeasuredCurve]) -> list[LineEnd]:
    return [LineEnd(float(c.x[-1]), float(c.middle[-1]), c.name, c.colour) for c in curves]


def curves_data(curves: list[MeasuredCurve], xlabel: str) -> Data:
    rows = [[c.result.quantity, *row] for c in curves for row in c.rows()]
    first = curves[0]
    return Data(["quantity", first.axis_title(xlabel), *style.spread_header(first.unit)], rows)

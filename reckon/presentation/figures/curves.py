"""Figures of a quantity along an axis: prediction, hardware estimate and spread drawn in."""

from __future__ import annotations

from typing import Literal

import matplotlib
import numpy as np
from matplotlib.ticker import FormatStrFormatter, MaxNLocator

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.point_names import name_points
from reckon.presentation.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, STYLE
from reckon.records.result import Result

# "auto": logarithmic axes for wide ranges; "log": the y axis logarithmic however narrow its range;
# "linear": axes on which a line is straight.
Scale = Literal["auto", "log", "linear"]
# An axis is logarithmic from these ratios of its largest to its smallest value on; one that starts
# at 0 from the second.
_LOG_X_FROM, _LOG_X_WITH_ZERO_FROM, _LOG_Y_FROM = 16, 50, 20


def _set_x(axes, x: np.ndarray) -> None:
    positive = x[x > 0]
    span = positive.max() / positive.min() if len(positive) else 1
    are_counts = len(x) < _LOG_X_FROM and (x == np.round(x)).all()
    if span >= _LOG_X_FROM and len(positive) == len(x):
        axes.set_xscale("log", base=2)
    elif span > _LOG_X_WITH_ZERO_FROM:
        axes.set_xscale("symlog", base=2, linthresh=positive.min(), linscale=0.5)
        axes.set_xticks(x)
    elif span < _LOG_X_FROM and are_counts:  # a tick at each: there are no 1.2 cores
        axes.set_xticks(x)
    axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))


def _set_y(axes, values: np.ndarray, scale: Scale = "auto") -> None:
    values = values[np.isfinite(values)]
    is_wide = scale == "log" or values.max() / values.min() > _LOG_Y_FROM
    if values.min() > 0 and is_wide:
        axes.set_yscale("log")
        style.plain_log(axes.yaxis)
    else:
        _set_linear_y(axes, values)


def _set_linear_y(axes, values: np.ndarray) -> None:
    """From 0 on; a rare long trial may lie outside, the data have it."""
    values = values[np.isfinite(values)]
    axes.set_ylim(min(0, 1.3 * values.min()), max(0, 1.4 * values.max()))


def _set_scales(axes, x: np.ndarray, y: np.ndarray, scale: Scale) -> None:
    if scale != "linear":
        _set_x(axes, x)
        _set_y(axes, y, scale)
        return
    if (x == np.round(x)).all():
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _set_linear_y(axes, y)


class MeasuredCurve:
    """A curve's numbers in the unit of its figure."""

    def __init__(self, result: Result, unit: str):
        def converted(values) -> np.ndarray:
            return units.from_base(np.asarray(values, float), unit)

        def of_summaries(field: str) -> np.ndarray:
            return converted([getattr(summary, field) for summary in result.summaries])

        self.result, self.x, self.unit = result, result.axis_told, unit
        self.middle = converted(result.medians)
        self.low, self.high = of_summaries("low"), of_summaries("high")
        self.least, self.most = of_summaries("minimum"), of_summaries("p99")
        self.predicted = converted(result.sealed("predicted"))
        self.hardware = converted(result.sealed("hardware"))
        self.revised = None
        if result.revisions:
            self.revised = converted(result.sealed("predicted", result.current))
        self.interval = [converted(result.sealed(end)) for end in ("low", "high")]

    @property
    def bars(self) -> np.ndarray:
        """Distance of the interval's ends from the median, (2, n); 0 where there is no interval."""
        return np.nan_to_num(np.abs([self.middle - self.low, self.high - self.middle]))

    def draw_measured(self, axes, colour: str, title: str, size: float = 4) -> None:
        look = {"fmt": "o-", "ms": size, "color": colour, "capsize": 2, "label": title}
        axes.errorbar(self.x, self.middle, yerr=self.bars, **look)

    def draw_predicted(self, axes) -> None:
        """The sealed prediction with its interval, the hardware estimate and the revision."""
        if np.isfinite(self.interval[0]).any():
            axes.fill_between(self.x, *self.interval, color=ORANGE, alpha=0.18, lw=0)
        axes.plot(self.x, self.predicted, "--", color=RED, label="predicted, with interval")
        if np.isfinite(self.hardware).any():
            axes.plot(self.x, self.hardware, ":", color=GREEN, label="hardware estimate")
        if self.revised is not None:
            axes.plot(self.x, self.revised, "-.", color=PURPLE, label="revised")

    @property
    def drawn(self) -> np.ndarray:
        """What has to lie within the axes."""
        return np.concatenate([self.middle, self.predicted])

    def rows(self) -> list[list[str]]:
        columns = (self.middle, self.low, self.high, self.least, self.most, self.predicted)
        return [[f"{v:.6g}" for v in row] for row in zip(self.x, *columns, strict=True)]

    def header(self, xlabel: str) -> list[str]:
        median = f"median [{units.spoken(self.unit)}]"
        return [xlabel, median, "low", "high", "minimum", "p99", "predicted"]

    def alt(self, xlabel: str) -> str:
        first, last = (units.amount(v, self.result.unit) for v in self.result.medians[[0, -1]])
        return (
            f"{self.result.quantity} against {xlabel}: from {first} at {self.x[0]:g} to {last} at "
            f"{self.x[-1]:g}"
        )


def _draw_single(axes, c: MeasuredCurve) -> None:
    label = "minimum to 99th percentile"
    axes.fill_between(c.x, c.least, c.most, color=BLUE, alpha=0.12, lw=0, label=label)
    c.draw_measured(axes, BLUE, "measured: median, 95 % interval")
    c.draw_predicted(axes)
    axes.set_ylabel(units.spoken(c.unit))


def curve(
    result: Result,
    name: str,
    caption: str,
    xlabel: str,
    also: tuple[str, float] | None = None,
    scale: Scale = "auto",
) -> Block:
    """A quantity along its axis: medians with interval and range, the hardware estimate and the
    sealed prediction with its interval.

    also: a second unit, for an axis on the right, and how many of it one of the left is.
    """
    if not result.has_samples:
        return style.nothing([result])
    c = MeasuredCurve(result, style.step(result))
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        _draw_single(axes, c)
        _set_scales(axes, c.x, c.drawn, scale)
        axes.set_xlabel(xlabel)
        if also:
            unit, factor = also
            conversions = (lambda v: v * factor, lambda v: v / factor)
            right = axes.secondary_yaxis("right", functions=conversions)
            right.set_ylabel(units.spoken(unit))
            right.spines["right"].set_visible(True)
        style.legend(figure, axes)
    return style.save(figure, name, caption, c.alt(xlabel), c.header(xlabel), c.rows())


def fit(result: Result, name: str, caption: str, xlabel: str) -> Block:
    """The same with a straight line fitted to the medians, and below it the residuals."""
    if result.line is None:
        return curve(result, name, caption, xlabel)
    c = MeasuredCurve(result, style.step(result))
    residuals = units.from_base(result.line.residuals, c.unit)
    with matplotlib.rc_context(STYLE):
        figure, (axes, below) = style.new_axes((6.4, 4.6), (3, 1))
        _draw_single(axes, c)
        axes.plot(c.x, c.middle - residuals, "-", color=BLACK, lw=0.8, label="fitted line")
        _set_scales(axes, c.x, c.drawn, "linear")
        below.axhline(0, color=BLACK, lw=0.8)
        below.plot(c.x, residuals, "o-", ms=3, color=BLUE)
        below.set_ylabel("residual")
        below.set_xlabel(xlabel)
        style.legend(figure, axes)
    rows = [[*row, f"{r:.4g}"] for row, r in zip(c.rows(), residuals, strict=True)]
    return style.save(figure, name, caption, c.alt(xlabel), [*c.header(xlabel), "residual"], rows)


def curves(
    results: list[Result],
    name: str,
    caption: str,
    xlabel: str,
    titles: dict | None = None,
    scale: Scale = "auto",
) -> Block:
    """Several quantities along the same axis: medians with intervals, and in the same colour each
    one's sealed prediction dashed and its hardware estimate dotted."""
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing(results)
    unit = style.step(measured[0])
    drawn = [MeasuredCurve(result, unit) for result in measured]
    has_hardware = any(np.isfinite(c.hardware).any() for c in drawn)
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        for c, (result, colour) in zip(drawn, style.coloured(measured), strict=True):
            c.draw_measured(axes, colour, style.title(result, titles))
            axes.plot(c.x, c.predicted, "--", lw=1, color=colour)
            if np.isfinite(c.hardware).any():
                positive = np.where(c.hardware > 0, c.hardware, np.nan)
                axes.plot(c.x, positive, ":", lw=1, color=colour)
        axes.plot([], [], "--", lw=1, color=BLACK, label="predicted")
        if has_hardware:
            axes.plot([], [], ":", lw=1, color=BLACK, label="hardware estimate")
        places = np.unique(np.concatenate([c.x for c in drawn]))
        _set_scales(axes, places, np.concatenate([c.drawn for c in drawn]), scale)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(units.spoken(unit))
        style.legend(figure, axes)
    alt = "; ".join(c.alt(xlabel) for c in drawn)
    rows = [[c.result.quantity, *row] for c in drawn for row in c.rows()]
    return style.save(figure, name, caption, alt, ["quantity", *drawn[-1].header(xlabel)], rows)


def against(across: Result, up: Result, name: str, caption: str, xlabel: str, ylabel: str) -> Block:
    """Two quantities of the same axis against one another, such as latency against throughput at
    each load: medians with both intervals, each point with its place, the predictions dashed.

    Places that only one of them has are left out.
    """
    if not (across.has_samples and up.has_samples):
        return style.nothing([result for result in (across, up) if not result.has_samples])
    a, b = (MeasuredCurve(result, style.step(result)) for result in (across, up))
    shared, i, j = np.intersect1d(a.x, b.x, return_indices=True)
    if not len(shared):
        return Block(
            f"There is nothing to draw: `{across.quantity}` and `{up.quantity}` were measured "
            "at no common place."
        )
    axis_unit = units.spoken(across.axis_unit)
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        axes.errorbar(
            a.middle[i],
            b.middle[j],
            xerr=a.bars[:, i],
            yerr=b.bars[:, j],
            fmt="o-",
            ms=4,
            color=BLUE,
            capsize=2,
            label="measured: medians, 95 % intervals",
        )
        axes.plot(a.predicted[i], b.predicted[j], "--", color=RED, label="predicted")
        most = np.nanmax([a.middle[i], a.predicted[i]])
        axes.set_xlim(-0.04 * most, 1.1 * most)
        _set_y(axes, np.concatenate([b.middle[j], b.predicted[j]]))
        axes.set_xlabel(f"{xlabel} [{units.spoken(a.unit)}]")
        axes.set_ylabel(f"{ylabel} [{units.spoken(b.unit)}]")
        names = [f"{x:g} {axis_unit}".strip() for x in shared]
        name_points(axes, a.middle[i], b.middle[j], names)
        style.legend(figure, axes)
    header = [axis_unit or "at"]
    for text, c in ((xlabel, a), (ylabel, b)):
        header += [f"{text}: {part}" for part in c.header("")[1:]]
    rows = [[*a.rows()[k], *b.rows()[m][1:]] for k, m in zip(i, j, strict=True)]
    alt = f"{a.alt('the axis')}; {b.alt('the axis')}"
    return style.save(figure, name, caption, alt, header, rows)

"""Figures of a quantity against another one: prediction, hardware estimate and spread drawn in."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.ticker import FormatStrFormatter, MaxNLocator

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, STYLE
from reckon.records.result import Result

# From this ratio of largest to smallest on, an axis is logarithmic.
_LOG_FROM = 16


def _set_x(axes, x: np.ndarray) -> None:
    positive = x[x > 0]
    wide = len(positive) and positive.max() / positive.min() >= _LOG_FROM
    if wide and len(positive) == len(x):
        axes.set_xscale("log", base=2)
    elif wide and positive.max() / positive.min() > 50:  # from nothing on, then by factors
        axes.set_xscale("symlog", base=2, linthresh=positive.min(), linscale=0.5)
        axes.set_xticks(x)
    elif not wide and len(x) < _LOG_FROM and (x == np.round(x)).all():  # counts: no 1.2 cores
        axes.set_xticks(x)
    axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))


def _set_y(axes, drawn: np.ndarray, log: bool = False) -> None:
    drawn = drawn[np.isfinite(drawn)]
    if drawn.min() > 0 and (log or drawn.max() / drawn.min() > 20):
        axes.set_yscale("log")
        style.plain_log(axes.yaxis)
    else:
        _set_linear_y(axes, drawn)


def _set_linear_y(axes, drawn: np.ndarray) -> None:
    """From nothing on; a rare long trial may leave the picture, it is in the data."""
    drawn = drawn[np.isfinite(drawn)]
    axes.set_ylim(min(0, 1.3 * drawn.min()), max(0, 1.4 * drawn.max()))


def _set_scales(axes, x: np.ndarray, y: np.ndarray, straight: bool, log: bool = False) -> None:
    if not straight:
        _set_x(axes, x)
        _set_y(axes, y, log)
        return
    if (x == np.round(x)).all():
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _set_linear_y(axes, y)


class MeasuredCurve:
    """A curve's numbers in the units of its figure."""

    def __init__(self, one: Result, unit: str):
        told = lambda values: units.from_base(np.asarray(values, float), unit)  # noqa: E731
        self.one, self.x, self.unit = one, one.axis_told, unit
        self.middle = told(one.medians)
        self.low, self.high, self.least, self.most = (
            told([getattr(s, field) for s in one.summaries])
            for field in ("low", "high", "minimum", "p99")
        )
        self.predicted = told(one.sealed("predicted"))
        self.hardware = told(one.sealed("hardware"))
        self.revised = told(one.sealed("predicted", one.current)) if one.revisions else None
        self.interval = [told(one.sealed(name)) for name in ("low", "high")]

    @property
    def bars(self) -> np.ndarray:
        """Distance of the interval's ends from the median, (2, n); 0 where there is no interval."""
        return np.nan_to_num(np.abs([self.middle - self.low, self.high - self.middle]))

    def draw_measured(self, axes, colour: str, title: str, size: float = 4) -> None:
        axes.errorbar(
            self.x,
            self.middle,
            yerr=self.bars,
            fmt="o-",
            ms=size,
            color=colour,
            capsize=2,
            label=title,
        )

    def rows(self) -> list[list[str]]:
        return [
            [f"{v:.6g}" for v in row]
            for row in zip(
                self.x,
                self.middle,
                self.low,
                self.high,
                self.least,
                self.most,
                self.predicted,
                strict=True,
            )
        ]

    def header(self, xlabel: str) -> list[str]:
        return [
            xlabel,
            f"median [{units.spoken(self.unit)}]",
            "low",
            "high",
            "minimum",
            "p99",
            "predicted",
        ]

    def alt(self, xlabel: str) -> str:
        first, last = (units.amount(v, self.one.unit) for v in self.one.medians[[0, -1]])
        return (
            f"{self.one.quantity} against {xlabel}: from {first} at {self.x[0]:g} to {last} at "
            f"{self.x[-1]:g}"
        )


def _draw_single(axes, c: MeasuredCurve) -> None:
    axes.fill_between(
        c.x, c.least, c.most, color=BLUE, alpha=0.12, lw=0, label="minimum to 99th percentile"
    )
    c.draw_measured(axes, BLUE, "measured: median, 95 % interval")
    if np.isfinite(c.interval[0]).any():
        axes.fill_between(c.x, *c.interval, color=ORANGE, alpha=0.18, lw=0)
    axes.plot(c.x, c.predicted, "--", color=RED, label="predicted, with interval")
    if np.isfinite(c.hardware).any():
        axes.plot(c.x, c.hardware, ":", color=GREEN, label="hardware estimate")
    if c.revised is not None:
        axes.plot(c.x, c.revised, "-.", color=PURPLE, label="revised")
    axes.set_ylabel(units.spoken(c.unit))


def curve(
    one: Result,
    name: str,
    caption: str,
    xlabel: str,
    also: tuple | None = None,
    straight: bool = False,
) -> Block:
    """A quantity against its axis: medians with interval and range, the hardware estimate and the
    sealed prediction (with its interval) drawn in. `also`: the same in another unit on the right, as
    (unit, how many of the left one)."""
    if not one.has_samples:
        return style.nothing([one])
    c = MeasuredCurve(one, style.step(one))
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        _draw_single(axes, c)
        _set_scales(axes, c.x, np.concatenate([c.middle, c.predicted]), straight)
        axes.set_xlabel(xlabel)
        if also:
            told, factor = also
            right = axes.secondary_yaxis(
                "right", functions=(lambda v: v * factor, lambda v: v / factor)
            )
            right.set_ylabel(units.spoken(told))
            right.spines["right"].set_visible(True)
        style.legend(figure, axes)
    return style.save(figure, name, caption, c.alt(xlabel), c.header(xlabel), c.rows())


def fit(one: Result, name: str, caption: str, xlabel: str) -> Block:
    """The same with a straight line fitted to the medians, and below it what the line leaves over."""
    if one.line is None:
        return curve(one, name, caption, xlabel)
    c, line = MeasuredCurve(one, style.step(one)), one.line
    left = units.from_base(line.residuals, c.unit)
    with matplotlib.rc_context(STYLE):
        figure, (axes, below) = style.new_axes((6.4, 4.6), (3, 1))
        _draw_single(axes, c)
        axes.plot(c.x, c.middle - left, "-", color=BLACK, lw=0.8, label="fitted line")
        _set_scales(axes, c.x, np.concatenate([c.middle, c.predicted]), straight=True)
        below.axhline(0, color=BLACK, lw=0.8)
        below.plot(c.x, left, "o-", ms=3, color=BLUE)
        below.set_ylabel("residual")
        below.set_xlabel(xlabel)
        style.legend(figure, axes)
    rows = [[*row, f"{r:.4g}"] for row, r in zip(c.rows(), left, strict=True)]
    return style.save(figure, name, caption, c.alt(xlabel), [*c.header(xlabel), "residual"], rows)


def curves(
    found: list[Result],
    name: str,
    caption: str,
    xlabel: str,
    titles: dict | None = None,
    log: bool = False,
    straight: bool = False,
) -> Block:
    """Several quantities against the same axis: medians with intervals, and in the same colour each
    one's sealed prediction dashed and its hardware estimate dotted. `log`: the y axis is logarithmic,
    however little the values differ; `straight`: on axes on which a line is straight."""
    drawn = [one for one in found if one.has_samples]
    if not drawn:
        return style.nothing(found)
    unit = style.step(drawn[0])
    alt, rows, every, dotted = [], [], [], False
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        for one, colour in style.coloured(drawn):
            c = MeasuredCurve(one, unit)
            title = style.title(one, titles)
            c.draw_measured(axes, colour, title)
            axes.plot(c.x, c.predicted, "--", lw=1, color=colour)
            if np.isfinite(c.hardware).any():
                dotted = True
                axes.plot(
                    c.x, np.where(c.hardware > 0, c.hardware, np.nan), ":", lw=1, color=colour
                )
            every += [*c.middle, *c.predicted]
            alt.append(c.alt(xlabel))
            rows += [[one.quantity, *row] for row in c.rows()]
        axes.plot([], [], "--", lw=1, color=BLACK, label="predicted")
        if dotted:
            axes.plot([], [], ":", lw=1, color=BLACK, label="hardware estimate")
        places = np.unique(np.concatenate([one.axis_told for one in drawn]))
        _set_scales(axes, places, np.array(every), straight, log)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(units.spoken(unit))
        style.legend(figure, axes)
    return style.save(figure, name, caption, "; ".join(alt), ["quantity", *c.header(xlabel)], rows)


def against(across: Result, up: Result, name: str, caption: str, xlabel: str, ylabel: str) -> Block:
    """Two quantities over the same axis against one another (a latency against the throughput at
    each load): medians with both 95 % intervals, each point with its place on the axis, the sealed
    predictions of both dashed. What only one of them has is left out."""
    if not (across.has_samples and up.has_samples):
        return style.nothing([one for one in (across, up) if not one.has_samples])
    a, b = (MeasuredCurve(one, style.step(one)) for one in (across, up))
    shared, i, j = np.intersect1d(a.x, b.x, return_indices=True)
    if not len(shared):
        return Block(
            f"There is nothing to draw: `{across.quantity}` and `{up.quantity}` were measured "
            "at no common place."
        )
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
        _name_points(
            axes,
            a.middle[i],
            b.middle[j],
            [f"{x:g} {units.spoken(across.axis_unit)}".strip() for x in shared],
        )
        style.legend(figure, axes)
    header = [units.spoken(across.axis_unit) or "at"]
    for text, c in ((xlabel, a), (ylabel, b)):
        header += [f"{text}: {part}" for part in c.header("")[1:]]
    rows = [[*a.rows()[k], *b.rows()[m][1:]] for k, m in zip(i, j, strict=True)]
    return style.save(
        figure, name, caption, f"{a.alt('the axis')}; {b.alt('the axis')}", header, rows
    )


def _name_points(axes, x: np.ndarray, y: np.ndarray, names: list[str]) -> None:
    """Names beside points, each on a side where it meets no line and no other name; where all
    sides are taken a point stays without: it is in the data."""
    axes.get_xlim(), axes.get_ylim()  # settles limits that are still to be chosen
    in_points = lambda xy: axes.transData.transform(xy) * 72 / axes.figure.dpi  # noqa: E731
    taken = []
    lines = [line.get_xydata() for line in axes.get_lines() if line.get_linestyle() != "None"]
    for xy in [*lines, *(bar for bars in axes.collections for bar in bars.get_segments())]:
        dense = np.linspace(0, len(xy) - 1, 40 * len(xy))
        at = np.column_stack([np.interp(dense, np.arange(len(xy)), part) for part in xy.T])
        taken += [(px, py, px, py) for px, py in in_points(at[np.isfinite(at).all(axis=1)])]
    sides = (
        (0, 5, 0.5),
        (0, -13, 0.5),
        (6, -4, 0),
        (-6, -4, 1),
        (5, -11, 0),
        (-5, 3, 1),
        (14, -4, 0),
        (-14, -4, 1),
    )
    for place, (px, py), text in zip(
        zip(x, y, strict=True), in_points(np.column_stack([x, y])), names, strict=True
    ):
        width, height = 4.2 * len(text), 8
        for dx, dy, share in sides:
            left, low = px + dx - share * width, py + dy
            if any(
                left < t[2] and t[0] < left + width and low < t[3] and t[1] < low + height
                for t in taken
            ):
                continue
            axes.annotate(
                text,
                place,
                (dx - share * width, dy),
                textcoords="offset points",
                ha="left",
                va="bottom",
                fontsize=7,
            )
            taken.append((left, low, left + width, low + height))
            break

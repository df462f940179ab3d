"""Figures of single quantities and of the machine. Curves are in curves.py."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, BLUE, RED, SKY, STYLE
from reckon.records.result import Result, process_values, trial_times_s


def distribution(found: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Share of trials at or below a value, one curve a quantity; predictions as dashed lines. Of what
    was measured along an axis, at its last place."""
    drawn = [one for one in found if one.has_samples]
    if not drawn:
        return style.nothing(found)
    unit = style.step(drawn[0])
    rows, middles = [], []  # of single trials, whatever the quantity tells of them
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        for one, colour in style.coloured(drawn):
            title = style.title(one, titles)
            # All in the first one's unit, so that they share an axis.
            pooled = np.sort(
                np.concatenate(
                    [
                        units.from_base(process_values(p, one.measurement, one.unit), unit)
                        for p in one.points[-1].processes
                    ]
                )
            )
            share = np.arange(1, len(pooled) + 1) / len(pooled)
            axes.step(pooled, share, where="post", color=colour, label=f"{title}: measured")
            what = "predicted mean" if one.seal.kind == "mean" else "predicted"
            axes.axvline(
                units.from_base(one.sealed("predicted")[-1], unit),
                color=colour,
                ls="--",
                lw=1,
                label=f"{title}: {what}",
            )
            middle = np.median(
                [
                    np.median(process_values(p, one.measurement, one.unit))
                    for p in one.points[-1].processes
                ]
            )
            middles.append(f"{one.quantity} with median {units.amount(float(middle), one.unit)}")
            at = np.unique(np.linspace(0, len(pooled) - 1, 200).astype(int))
            rows += [[one.quantity, f"{pooled[i]:.6g}", f"{share[i]:.6g}"] for i in at]
        if pooled[0] > 0:
            axes.set_xscale("log")
            style.plain_log(axes.xaxis)
        axes.set_xlabel(units.spoken(unit))
        axes.set_ylabel("share of trials at or below")
        style.legend(figure, axes)
    alt = "Distribution of " + ", ".join(middles)
    return style.save(
        figure,
        name,
        caption,
        alt,
        ["quantity", f"value [{units.spoken(unit)}]", "share at or below"],
        rows,
    )


def series(found: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Every trial against the time at which it ran: is the machine steady?"""
    drawn = [one for one in found if one.has_samples]
    if not drawn:
        return style.nothing(found)
    unit = style.step(drawn[0])
    rows = []
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        for one, colour in style.coloured(drawn):
            title = style.title(one, titles)
            processes = one.points[0].processes
            for process, values in zip(processes, style.values(one, unit), strict=True):
                axes.plot(
                    trial_times_s(process, one.measurement),
                    values,
                    ".",
                    ms=3,
                    alpha=0.4,
                    color=colour,
                )
                rows.append(
                    [
                        one.quantity,
                        f"{process.started_s:.4f}",
                        f"{np.median(values):.6g}",
                        f"{values.min():.6g}",
                        f"{values.max():.6g}",
                    ]
                )
            middle = [np.median(v) for v in style.values(one, unit)]
            axes.plot(
                [p.started_s for p in processes],
                middle,
                "o",
                color=colour,
                mec="white",
                label=f"{title}: process medians",
            )
            axes.axhline(
                units.from_base(one.seal.predicted, unit),
                color=colour,
                ls="--",
                lw=1,
                label=f"{title}: predicted",
            )
        axes.set_xlabel("seconds since the measurement began")
        axes.set_ylabel(units.spoken(unit))
        style.legend(figure, axes)
    alt = "Trials over time of " + ", ".join(
        f"{one.quantity} with median {units.amount(one.median, one.unit)}" for one in drawn
    )
    return style.save(
        figure,
        name,
        caption,
        alt,
        ["quantity", "started [s]", f"median [{units.spoken(unit)}]", "minimum", "maximum"],
        rows,
    )


def bars(found: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Quantities side by side on one logarithmic scale: median with interval, prediction beside."""
    drawn = [one for one in found if one.has_samples and one.median > 0]
    if not drawn:
        return style.nothing(found)
    drawn = sorted(drawn, key=lambda one: one.median)
    unit = style.step(drawn[0])
    told = lambda v: units.from_base(v, unit)  # noqa: E731
    rows = []
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 0.6 + 0.28 * len(drawn)))
        for y, one in enumerate(drawn):
            s = one.summary
            axes.plot(
                [told(max(s.minimum, 1e-12)), told(s.p99)], [y, y], color=SKY, lw=3, alpha=0.6
            )
            axes.plot(told(s.median), y, "o", color=BLUE)
            axes.plot(told(one.seal.predicted), y, "x", color=RED, mew=2)
            rows.append(
                [
                    one.quantity,
                    *(
                        f"{told(v):.6g}"
                        for v in (s.median, s.low, s.high, s.minimum, s.p99, one.seal.predicted)
                    ),
                ]
            )
        handles = [
            Line2D([], [], marker="o", ls="", color=BLUE, label="measured median"),
            Line2D([], [], color=SKY, lw=3, label="minimum to 99th percentile"),
            Line2D([], [], marker="x", ls="", color=RED, mew=2, label="predicted"),
        ]
        axes.set_yticks(
            range(len(drawn)), [style.title(one, titles).replace("_", " ") for one in drawn]
        )
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_xlabel(units.spoken(unit))
        style.legend(figure, axes, handles)
    alt = "; ".join(f"{one.quantity} {units.amount(one.median, one.unit)}" for one in drawn)
    return style.save(
        figure,
        name,
        caption,
        alt,
        [
            "quantity",
            f"median [{units.spoken(unit)}]",
            "low",
            "high",
            "minimum",
            "p99",
            "predicted",
        ],
        rows,
    )


def machine_picture(machine: dict, name: str, caption: str) -> Block:
    """Cores, caches and memory as nested boxes, from the machine description."""
    get = lambda section, key: machine.get(section, {}).get(key, {}).get("value")  # noqa: E731
    size = lambda key: (  # noqa: E731
        units.amount(get("processor", key), "byte") if get("processor", key) else "not reported"
    )
    cores = int(get("processor", "cores") or 1)
    shown = min(cores, 8)
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 3.2))
        axes.axis("off")

        def box(x, y, width, height, text, colour):
            axes.add_patch(Rectangle((x, y), width, height, fc=colour, ec=BLACK, lw=0.8))
            axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=8)

        width = 10 / shown
        for i in range(shown):
            x = i * width
            last = f"core {cores - 1}" if i == shown - 1 and cores > shown else f"core {i}"
            box(x + 0.08, 4.6, width - 0.16, 1.0, last, "#cfe8f7")
            box(x + 0.08, 3.7, (width - 0.16) / 2, 0.8, f"L1i\n{size('l1i')}", "#fde9c4")
            box(x + width / 2, 3.7, (width - 0.16) / 2, 0.8, f"L1d\n{size('l1d')}", "#fde9c4")
            box(x + 0.08, 2.8, width - 0.16, 0.8, f"L2  {size('l2')}", "#fbdca0")
        box(0.08, 1.7, 9.84, 0.9, f"L3  {size('l3')}", "#f6c766")
        memory = get("memory", "capacity")
        box(
            0.08,
            0.2,
            9.84,
            1.1,
            "memory  " + (units.amount(memory, "byte") if memory else "not reported"),
            "#d8eadf",
        )
        axes.text(5, 1.45, "memory bus", ha="center", va="center", fontsize=8)
        axes.set_xlim(0, 10)
        axes.set_ylim(0, 5.8)
    alt = (
        f"{cores} cores with L1 {size('l1i')} and {size('l1d')} and L2 {size('l2')} each, L3 "
        f"{size('l3')}, memory"
    )
    rows = [[key, size(key)] for key in ("l1i", "l1d", "l2", "l3")]
    return style.save(figure, name, caption, alt, ["part", "size"], rows)


def off_chart(found: list[Result], name: str, caption: str) -> Block:
    """How far each sealed prediction was off, as measured over predicted on a log scale."""
    judged = [one for one in found if one.ratio > 0 and math.isfinite(one.ratio)]
    if not judged:
        return style.nothing(found)
    judged = sorted(judged, key=lambda one: one.ratio)
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 0.8 + 0.2 * len(judged)))
        for limit, colour in ((10, "#f7f0e3"), (2, "#ecdcb8"), (1.25, "#dcc07f")):
            axes.axvspan(1 / limit, limit, color=colour, lw=0, zorder=0)
        axes.plot([one.ratio for one in judged], range(len(judged)), "o", color=BLUE, ms=4)
        axes.axvline(1, color=BLACK, lw=0.8)
        axes.set_yticks(range(len(judged)), [one.quantity for one in judged], fontsize=7)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_xlabel("measured / predicted (bands: within 1.25, 2 and 10 times)")
    alt = "; ".join(f"{one.quantity} {units.number(one.ratio)}" for one in judged)
    return style.save(
        figure,
        name,
        caption,
        alt,
        ["quantity", "measured / predicted"],
        [[one.quantity, f"{one.ratio:.6g}"] for one in judged],
    )

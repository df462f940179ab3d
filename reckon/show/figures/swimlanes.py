"""Who does what in an operation: a lane for each, and below one another its steps in time."""

from __future__ import annotations

import itertools
import re
import textwrap
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from reckon import units
from reckon.records.quantities.result import Result, median_text
from reckon.show.block import Block
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.mechanism import SHARED, InputsOf, in_time, who_and_what
from reckon.show.figures.style import BLACK, BLUE, Look
from reckon.show.figures.text_bars import COLOURS
from reckon.show.text import capitalised

_LINE_INCHES, _BETWEEN_INCHES = 0.145, 0.07
_HEAD_INCHES = 0.36  # two lines, on which the lanes' names lie by turns
_LANE, _BLOCK = 0.1, 0.05  # of the width: a lane, and a block in it
_CHARACTERS = 36  # of a line that a phone has room for
_SMALL: Look = {"fontsize": 8, "va": "center", "parse_math": False}


class _Row(NamedTuple):
    who: str
    what: str
    time: str
    top: float
    bottom: float


@style.of_results
def lanes(result: Result, inputs_of: InputsOf, name: str, caption: str, hit: str = "") -> Block:
    """The steps in the order of time, each in the lane of who does it, with its share of the
    prediction; below them the sum and the measured time. Not to scale.

    inputs_of: as steps() has it, with "" for a step of which the formula has no term; without any
    term no times are written. hit: the lane whose first two steps a line connects: what lies
    between them is left out if what was looked for is there."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    steps = in_time(result, inputs_of) if any(inputs_of.values()) else []
    times = {(step.who, step.what): step.shown(result.unit) for step in steps if step.value}
    texts = [_in_words(step, times) for step in inputs_of]
    if steps:
        whole = units.amount(sum(step.share for step in steps), result.unit)
        measured = median_text(result.summaries[0], result.unit)
        texts.append(f"{style.predicted(result)}, together: {whole}\nMeasured: {measured}")
    if any(step.value and step.beside > 1 for step in steps):
        caption = f"{caption}. {SHARED}"
    heights = [_LINE_INCHES * (1 + text.count("\n")) + _BETWEEN_INCHES for text in texts]
    ends = [0.0, *itertools.accumulate(heights)]
    rows = [
        _Row(*who_and_what(step), times.get(who_and_what(step), ""), top, bottom)
        for step, (top, bottom) in zip(inputs_of, itertools.pairwise(ends), strict=False)
    ]
    at = {who: (i + 0.7) * _LANE for i, who in enumerate(dict.fromkeys(row.who for row in rows))}
    with drawings.new(_HEAD_INCHES + ends[-1]) as drawing:
        drawing.figure.subplots_adjust(bottom=0, top=1)
        axes = drawing.axes
        axes.set(xlim=(0, 1), ylim=(ends[-1], -_HEAD_INCHES))
        axes.set_axis_off()
        _draw_lanes(axes, at, rows[-1].bottom)
        _draw_blocks(axes, at, rows)
        for text, (top, bottom) in zip(texts, itertools.pairwise(ends), strict=True):
            axes.text((len(at) + 0.2) * _LANE, (top + bottom) / 2, text, linespacing=1.2, **_SMALL)
        if hit:
            first, second = [row for row in rows if row.who == hit][:2]
            axes.plot([at[hit]] * 2, [first.bottom, second.top], color=BLUE, lw=2)
            words = f"{hit}: on a hit the steps between are left out"
            drawing.legend([Line2D([], [], color=BLUE, lw=2, label=words)])
        described = [f"{who}: {what}{time and f', {time}'}" for who, what, time, *_ in rows]
        alt = "; ".join([*described, *texts[len(rows) :]]).replace("\n", "; ")
        data = Data(["who", "step", "predicted"], [[*row[:3]] for row in rows])
        return drawing.save(name, caption, alt, data)


def _in_words(step: str, times: dict[tuple[str, str], str]) -> str:
    """In lines that a phone has room for, each number in one with its unit."""
    who, what = who_and_what(step)
    words = ": ".join(filter(None, [capitalised(what), times.get((who, what))]))
    unbroken = re.sub(r"(?<=\d) ", "\xa0", words)
    return "\n".join(textwrap.wrap(unbroken, _CHARACTERS)).replace("\xa0", " ")


def _draw_lanes(axes: Axes, at: dict[str, float], end: float) -> None:
    for x, who, line in zip(at.values(), at, itertools.cycle([0.3, 0.75]), strict=False):
        axes.text(x, -_HEAD_INCHES * line, who, ha="center", **_SMALL)
        axes.plot([x, x], [0, end], color=BLACK, lw=0.6, ls=":")


def _draw_blocks(axes: Axes, at: dict[str, float], rows: list[_Row]) -> None:
    """A block in its lane for each step, and an arrow where another goes on."""
    look: Look = {"ec": BLACK, "lw": 0.6, "zorder": 2}
    for row in rows:
        corner, height = (at[row.who] - _BLOCK / 2, row.top), row.bottom - row.top
        axes.add_patch(Rectangle(corner, _BLOCK, height, fc=COLOURS[row.who], **look))
    for before, row in itertools.pairwise(rows):
        way = at[row.who] - at[before.who]
        if way:
            half = _BLOCK / 2 if way > 0 else -_BLOCK / 2
            tip = at[row.who] - half
            axes.plot([at[before.who] + half, tip], [row.top] * 2, color=BLACK, lw=1, zorder=3)
            head = ">" if way > 0 else "<"
            axes.plot(tip - 0.32 * half, row.top, head, color=BLACK, ms=4, zorder=3)

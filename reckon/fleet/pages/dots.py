"""Many values as dots on a logarithmic line: an SVG for pages without figures of their own."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Sequence

from reckon import units

_WIDTH, _BINS, _DOT = 360, 45, 3  # pixels, places for dots, their radius
_HIGHEST = 20  # dots above each other; of more, each stands for several values
_MARGIN = 1.2  # the line spans this factor beyond its outermost value
_BASE_LINE = 24  # pixels below the lowest dot, for the labels


def strip(
    values: Sequence[float], unit: str, name: str, *, of: str, line: tuple[str, float] | None = None
) -> str:
    """The values (base units, above 0) as dots of the class `of`, those of one place above each
    other. `line` is the class and the value of a line across; `name` says what there is to see."""
    everything = [*values, *([line[1]] if line else [])]
    ends = (min(everything) / _MARGIN, max(everything) * _MARGIN)
    low, high = map(math.log, ends)

    def share(value: float) -> float:
        return (math.log(value) - low) / (high - low)

    bins = Counter(int(share(value) * _BINS) for value in values)
    of_dot = -(-max(bins.values()) // _HIGHEST)
    heights = {place: -(-count // of_dot) for place, count in bins.items()}
    height = (2 * max(heights.values()) + 1) * _DOT + _BASE_LINE
    base = height - _BASE_LINE
    circles = "".join(
        f'<circle class="{of}" cx="{(place + 0.5) / _BINS * _WIDTH:.1f}" '
        f'cy="{base - (2 * k + 1) * _DOT}" r="{_DOT}"/>'
        for place, count in sorted(heights.items())
        for k in range(count)
    )
    across = ""
    if line:
        x = share(line[1]) * _WIDTH
        across = f'<path class="{line[0]}" d="M{x:.1f} 0V{base + 4}"/>'
    labels = "".join(
        f'<text x="{place}" y="{height - 6}" text-anchor="{anchor}">'
        f"{html.escape(units.amount(value, unit))}</text>"
        for place, anchor, value in ((0, "start", ends[0]), (_WIDTH, "end", ends[1]))
    )
    more = f"; each dot stands for {of_dot}" if of_dot > 1 else ""
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{html.escape(name + more)}">'
        f'<path d="M0 {base}H{_WIDTH}" stroke="currentColor" opacity="0.4"/>{circles}'
        f"{across}{labels}</svg>"
    )

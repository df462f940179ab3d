"""The drawing of the chapter on throughput: what is under way in each round trip of a stream."""

from __future__ import annotations

import math
from typing import NamedTuple

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import style, text_bars
from reckon.show.figures.style import BLUE, RED
from reckon.show.figures.text_bars import COLOURS, Bar
from reckon.show.text import percent

_FIRST, _LAST = 2, 2  # round trips of a longer start that are drawn
_UNSCALED_BYTES = 65_535


class Carried(NamedTuple):
    """What a stream may have under way: by the link, in bytes a second, and at first."""

    trip_s: float
    trip_origin: str
    link: float
    segments: int
    at_first: float  # bytes, of these segments

    @property
    def in_a_trip(self) -> float:
        return self.link * self.trip_s


@style.of_results
def window(rates: list[Result], carried: Carried, span: str, name: str, caption: str) -> Block:
    """What is under way in each round trip: predicted of slow start until the link is full, then
    measured from the first byte on, and when the stream has settled, which are `rates`.

    span: of the first window that was measured."""
    missing = [result for result in rates if not result.has_samples]
    if missing:
        return style.nothing_to_draw(missing)
    trip = carried.trip_s
    doublings = math.log2(carried.in_a_trip / carried.at_first)
    trips = max(0, math.ceil(doublings - 1e-9))
    bars = []
    for n in (n for n in range(trips) if n < _FIRST or n >= trips - _LAST):
        words = f"Trip {n + 1}, predicted: {carried.segments * 2**n:,g} segments"
        bars.append(_bar(words, carried.at_first * 2**n, carried, COLOURS["network"]))
    bars.append(_bar(f"Trip {trips + 1} on, predicted: full", carried.in_a_trip, carried, RED))
    bars.append(_bar("Largest window without scaling", _UNSCALED_BYTES, carried, None))
    ramp, settled = rates
    seen = {"Measured, settled": settled.summaries[0]}
    if ramp.point_index(0) == 0:
        seen = {f"Measured, first {span}": ramp.summaries[0]} | seen
    for words, summary in seen.items():
        bytes_, *interval = (rate * trip for rate in (summary.median, *summary.interval.ends))
        bars.append(_bar(words, bytes_, carried, BLUE, *interval))
    longest = max(each.reach for each in bars)
    of = f"under way in a round trip of {units.amount(trip, 'ms')}"
    xlabel = f"{of}, which is guessed" if carried.trip_origin == "guess" else of
    return text_bars.draw(bars, "byte", name, caption, longest=longest, xlabel=xlabel)


def _bar(
    words: str,
    bytes_: float,
    carried: Carried,
    colour: str | None,
    low: float = math.nan,
    high: float = math.nan,
) -> Bar:
    share = percent(bytes_ / carried.in_a_trip)
    shown = f"{units.amount(bytes_, 'byte')}, {share} of full"
    return Bar(words, shown, bytes_, colour, low=low, high=high)

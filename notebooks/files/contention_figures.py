"""The drawing of the chapter on contention: readers of one disk in its queue."""

from __future__ import annotations

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import in_flight, style
from reckon.show.figures.in_flight import Flight

_MOST = 8  # readers that are drawn: the answer's


@style.of_results
def queue(each: Result, name: str, caption: str) -> Block:
    """The readers' blocks, each as long as with the most readers up to eight, and what of it a
    reader alone takes; predicted and measured. Where a block begins is made up."""
    if not each.has_samples:
        return style.nothing_to_draw([each])
    numbers = [int(x) for x in each.axis_in_unit if x <= _MOST]
    if each.point_index(1) != 0 or len(numbers) < 2:
        return Block("There is nothing to draw: a lone reader and others were not both timed.")
    readers = numbers[-1]
    predicted = f"{style.predicted(each)}: {readers} readers"
    flights = []
    for called, times in ((predicted, each.current_values), ("Measured", each.medians)):
        alone, whole = float(times[0]), float(times[len(numbers) - 1])
        every = units.amount(whole / readers, each.unit)
        shown = f"{units.amount(whole, each.unit)} a block, one done each {every}"
        flights.append(Flight(called, shown, readers, whole, alone))
    parts = "as long as for a reader alone", "longer than that: it waits"
    return in_flight.draw(flights, name, caption, *parts)

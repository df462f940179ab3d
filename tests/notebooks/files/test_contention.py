"""Several readers of one drive: rates, times and shares by their number."""

import pytest
from helpers import made_up
from helpers.tables import rows

import reckon as rk
from reckon.book import contents
from reckon.comparison.reports import published

CONTENTION = contents.findings_of("files/contention")
TIME = "test/each"


def by_readers(y, unit="µs", x=(1, 2, 4, 8), **changes):
    return made_up.curve(TIME, x, y, unit, axis_unit="1", **changes)


@pytest.mark.parametrize(
    ("rates", "full"), [([1, 2, 4, 4], 4), ([4, 4, 4, 4], 1), ([1, 2, 4, 8], None)]
)
def test_the_first_number_of_readers_with_the_full_rate(rates, full):
    assert CONTENTION.saturating_readers(by_readers(rates, "GB/s")) == full


def with_ticks(curve, ticks):
    """The curve, each of its processes with these ticks."""
    curve.measurement.params = {"blocks": 10}
    for point in curve.points:
        for process in point.processes:
            process.ticks = ticks
    return curve


def test_the_shares_of_readers_are_those_of_a_trial():
    """Two trials of two readers, and one sample of a trial that was cut off."""
    [share] = CONTENTION.reader_shares(with_ticks(by_readers([1], x=[2]), [100, 300, 300, 100, 9]))
    assert share == CONTENTION.ReaderShare(readers=2, slowest=1.5, fastest=0.5)


def test_the_rate_of_all_readers_together_is_compared_with_the_drive(folders):
    """A block may take long enough for each of N readers, and yet too short for N blocks."""
    curve = made_up.curve(
        "files/contention/t470", [1, 2, 4], [10, 10, 10], unit="µs", axis_unit="1"
    )
    limit = rk.guess(1, "GB/s", "a disk", low=0.1, high=1.2)
    shown = CONTENTION.total_rates([curve], 4096, limit, "C", "n")
    _, this_run, report = rows(shown)
    assert this_run == [
        "method of the report on the ThinkPad T470, this run",
        "1.64 GB/s with 4",
        "1.20 GB/s: at most, a disk",
        "1 of 3",
    ]
    known = len(published.measured_values(curve.quantity))
    assert report[0] == "method of the report on the ThinkPad T470, its report"
    assert report[2] == "1.80 GB/s: as its report states {cite}`t470`"
    assert report[3] == f"{known} of {known}"

"""The plausibility check of readers that share a drive."""

from helpers import made_up, tables

import reckon as rk
from reckon.reports import published


def test_the_rate_of_all_readers_together_is_compared_with_the_drive(folders):
    """A block may take long enough for each of N readers, and yet too short for N blocks."""
    curve = made_up.curve(
        "files/contention/t470", [1, 2, 4], [10, 10, 10], unit="µs", axis_unit="1"
    )
    limit = rk.guess(1, "GB/s", "a disk", low=0.1, high=1.2)
    _, this_run, report = tables.rows(rk.show.drives([curve], 4096, limit, "C", "n"))
    assert this_run == [
        "t470, this run",
        "1.64 GB/s with 4",
        "1.20 GB/s: at most, a disk",
        "1 of 3",
    ]
    known = len(published.of(curve.quantity))
    assert report[0] == "t470, its report"
    assert report[2] == "1.80 GB/s: as its report states {cite}`t470`"
    assert report[3] == f"{known} of {known}"

"""The columns of a figure's data."""

import pytest
from helpers import made_up

import reckon as rk
from reckon.show.figures import style


@pytest.mark.parametrize(
    ("name", "unit", "title"),
    [
        ("low", "us", "low [µs]"),
        ("size of the region", "KiB", "size of the region [KiB]"),
        ("one read [KiB]", "KiB", "one read [KiB]"),
        ("MiB touched by the parent", "MiB", "MiB touched by the parent"),
        ("residual", "s", "residual [s]"),
        ("readers", "1", "readers"),
    ],
)
def test_a_column_of_data_has_its_unit_once(name, unit, title):
    assert style.column(name, unit) == title


def test_every_column_of_a_curves_data_has_a_unit(data):
    curve = made_up.curve("memory/latency/load", [1, 2, 4], [1, 2, 3], axis_unit="KiB")
    rk.draw.fit(curve, "units", "C", "size of the region")
    assert all(title.endswith((" [ns]", " [KiB]")) for title in data("units")[0])

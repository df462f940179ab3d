"""A quantity as text."""

import dataclasses

import numpy as np
from helpers import made_up


def test_a_cell_that_ends_with_a_quantity_shows_what_was_measured():
    single = made_up.single("cpu/made/one", 100, "ns")
    low, high = (1e9 * end for end in single.summary.interval.ends)
    ends = f"{low:.1f} to {high:.0f}"
    assert repr(single) == f"cpu/made/one measured: {1e9 * single.median:.0f} ns ({ends})"
    curve = made_up.curve("cpu/made/each", np.array([1.0, 2]), np.array([1.0, 2]))
    assert repr(curve) == "cpu/made/each measured: a curve"
    unmeasured = single.entry.model_copy(update={"measurement": None})
    without = dataclasses.replace(single, entry=unmeasured, state="predicted")
    assert repr(without) == "cpu/made/one: not measured"

"""The plausibility check: the bounds, and the values outside them."""

from helpers import made_up

import reckon as rk
from reckon.show.tables import bounds


def test_the_rule_of_bounds():
    limits = bounds.Bounds(1, "µs", "it is so")
    assert limits.rule() == "No median here can be below 1.00 µs: it is so."
    limits = bounds.Bounds(1, "µs", "it is so", maximum=5, block_bytes=4096)
    assert (
        limits.rule() == "No median here can be below 1.00 µs or above 5.00 µs for 4 KiB: it is so."
    )


def test_nothing_that_was_not_measured_is_within_bounds():
    gone = made_up.nothing("cpu/made/gone")
    text = rk.show.plausibility([gone], 8, "µs", "why").markdown
    assert text.endswith("Nothing was measured that could be.")


def test_values_of_a_curve_outside_their_bounds_are_counted():
    curve = made_up.curve("files/contention/t470", [1, 2, 4], [10] * 3, "µs", axis_unit="1")
    text = rk.show.plausibility([curve], 8, "µs", "why").markdown
    assert "of the ThinkPad T470: 6 values, the worst 2.0" in text
    assert text.endswith("µs at 1")
    text = rk.show.plausibility([curve], 1, "µs", "why", maximum=5, with_reports=False).markdown
    assert text.count(" of this run: ") == 3 and "of the ThinkPad" not in text

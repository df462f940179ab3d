"""The mountain: a quantity over two parameters."""

import numpy as np
import pytest
from helpers import figures, made_up

import reckon as rk
from reckon.show.figure_files import PRINT


def mountain(strides, **changes):
    x = 2.0 ** np.arange(4, 18)
    return [
        made_up.curve(
            f"memory/mountain/{s}",
            x,
            np.where(x < 1024, 40, 10) / (s / 8) ** 0.3,
            unit="GB/s",
            **changes,
        )
        for s in strides
    ]


def test_the_mountain_is_drawn_with_a_stride_and_a_point_missing(build, data):
    strides = [64, 8, 16, 32]
    results = mountain(strides, missing=[3])
    results[3] = made_up.unmeasured(results[3].quantity, results[3])
    given = dict(zip([result.quantity for result in results], strides, strict=True))
    block = rk.draw.mountain(results, "mem-mountain", "Caption", given)
    assert "stride 8 bytes and lowest" in block.markdown and "stride 64 bytes" in block.markdown
    rows = data("mem-mountain")
    assert rows[0][:3] == ["stride [bytes]", "size [bytes]", "median [GB/s]"]
    assert len(rows) == 1 + 3 * 13 and {row[0] for row in rows[1:]} == {"8", "16", "64"}
    assert rows[1][:2] == ["8", "16384"] and float(rows[1][2]) == pytest.approx(40, rel=0.03)
    assert figures.file("mem-mountain", PRINT).exists()

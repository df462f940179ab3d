"""One curve against another."""

import numpy as np
import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

from reckon.book import contents

FIGURES = contents.findings_of("memory/bandwidth_figures")


def test_latency_against_throughput_leaves_out_what_one_of_them_lacks(data):
    load = np.arange(0, 101, 10.0)
    across = made_up.curve(
        "memory/loaded/throughput",
        load,
        0.1 + load / 5,
        unit="GB/s",
        axis_unit="%",
        predicted=load / 4,
        missing=[0],
    )
    up = made_up.curve("memory/loaded/latency", load, 90 + load**2 / 50, axis_unit="%", missing=[4])
    block = FIGURES.pair(across, up, "mem-loaded", "Caption", "throughput", "latency")
    rows = data("mem-loaded")
    assert rows[0][1] == "throughput: median [GB/s]" and rows[0][7] == "latency: median [ns]"
    assert [row[0] for row in rows[1:]] == ["10", "20", "30", "50", "60", "70", "80", "90", "100"]
    last = dict(zip(rows[0], rows[-1], strict=True))
    assert float(last["throughput: median [GB/s]"]) == pytest.approx(20.1, rel=0.03)
    assert float(last["latency: median [ns]"]) == pytest.approx(290, rel=0.03)
    assert float(last["throughput: predicted [GB/s]"]) == pytest.approx(25)
    assert "latency against the axis" in block.markdown and "nan" not in block.markdown
    gone = made_up.unmeasured("memory/loaded/latency", up)
    assert "needs huge pages" in FIGURES.pair(across, gone, "mem-gone", "C", "x", "y").markdown


@pytest.mark.parametrize("narrow", [False, True])
def test_lines_under_way_are_those_of_littles_law(data, narrow):
    read = made_up.single("memory/made/read", 16, "GB/s")
    read.seal.predicted = 40e9
    latency, line = 80e-9, 64
    block = FIGURES.lines_under_way(read, latency, line, "mem-lines", "Caption")
    predicted, measured = data("mem-lines")[1:]
    assert predicted[:2] == ["Predicted: 50 lines on average", "50"]
    assert float(measured[1]) == pytest.approx(16 * 80 / 64, rel=0.03)
    assert "80.0 ns a line, one each 1.60 ns" in block.markdown
    assert block.measured == ("memory/made/read",)
    assert_texts_touch_nothing(drawing("mem-lines", narrow))
    gone = made_up.unmeasured("memory/made/read", read)
    assert "needs huge pages" in FIGURES.lines_under_way(gone, latency, line, "m", "C").markdown

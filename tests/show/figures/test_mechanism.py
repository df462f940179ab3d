"""The steps of an operation: the terms of its formula, one after the other on an axis of time."""

import pytest
from helpers import made_up

import reckon as rk
from reckon.prediction.inputs import guess
from reckon.records.quantities.recorded_predictions import prediction_record
from reckon.show import figure_files

PARTS = {
    "work": "kernel: finds a page, counts it, enters it",
    "rate": "memory: the page is cleared",
}


@rk.predict("memory/fault/made", unit="us")
def fault(size, rate, work, clock, entry):
    return size / rate, 2 * (work / clock + entry) - entry


def result(measured_us=3.0, **changes):
    made = made_up.single("memory/fault/made", measured_us, "us")
    inputs = {
        "size": guess(4, "KiB", "", low=4, high=4),
        "rate": guess(4.096, "GB/s", "", low=2, high=8),
        "work": guess(1000, "cycle", "", low=500, high=10_000),
        "clock": guess(2, "GHz", "", low=1, high=4),
        "entry": guess(0.25, "us", "", low=0.1, high=1),
    }
    made.entry.predictions[:] = [prediction_record(fault(**inputs | changes))]
    return made


def test_each_step_is_a_term_and_they_add_up_to_the_prediction(data):
    block = rk.draw.steps(result(), PARTS, "made-steps", "Made")
    header, *rows = data("made-steps")
    assert header == ["step", "time [µs]", "low [µs]", "high [µs]"]
    steps = {row[0]: float(row[1]) for row in rows}
    assert steps["Finds a page, counts it, enters it (kernel)"] == pytest.approx(1.0)
    assert steps["The page is cleared (memory)"] == pytest.approx(1.0)
    assert steps["2 * entry"] == pytest.approx(0.5)  # what no step has stands as it is written
    assert steps["entry"] == pytest.approx(-0.25)
    *parts, predicted, measured = steps.values()
    assert predicted == pytest.approx(sum(parts)) == pytest.approx(2.25)
    assert measured == pytest.approx(3.0, rel=0.05)
    assert "Together, predicted; 2.25 µs" in block.markdown
    assert block.measured == ("memory/fault/made",)


def test_a_step_that_takes_nothing_is_left_out(data):
    rk.draw.steps(result(entry=rk.given(0, "us", "none")), PARTS, "made-steps", "Made")
    assert [row[0] for row in data("made-steps")[1:]] == [
        "Finds a page, counts it, enters it (kernel)",
        "The page is cleared (memory)",
        "Together, predicted",
        "Measured",
    ]


def test_two_groups_of_processes_have_a_bar_each(data):
    rk.draw.steps(made_up.in_two_groups(result()), PARTS, "made-steps", "Made")
    measured = [row for row in data("made-steps") if row[0].startswith("Measured")]
    assert len(measured) == 2 and all("% of the processes" in row[0] for row in measured)


def test_nothing_is_drawn_of_what_was_not_measured():
    missing = made_up.unmeasured("memory/fault/made", result())
    assert "needs huge pages" in rk.draw.steps(missing, PARTS, "made-steps", "Made").markdown


@pytest.mark.parametrize("measured_us", [3.0, 300.0, 0.02])
@pytest.mark.parametrize("narrow", [False, True])
def test_texts_touch_neither_one_another_nor_a_bar(data, narrow, measured_us):
    rk.draw.steps(result(measured_us), PARTS, "made-steps", "Made")
    drawing, _ = figure_files.kept("made-steps")
    if narrow:
        drawing._make_narrow()
    drawing.figure.draw_without_rendering()
    texts = [text.get_window_extent() for text in drawing.axes.texts]
    bars = [bar.get_window_extent() for bar in drawing.axes.patches]
    assert len(texts) == 12 and len(bars) == 6
    for i, text in enumerate(texts):
        assert not any(text.overlaps(other) for other in [*texts[:i], *bars])

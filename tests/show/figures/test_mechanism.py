"""The steps of an operation: the terms of its formula, one after the other on an axis of time."""

import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

import reckon as rk
from reckon.prediction.inputs import guess
from reckon.records.quantities.recorded_predictions import prediction_record

PARTS = {
    "kernel: finds a page, counts it, enters it": "work",
    "memory: the page is cleared": "rate",
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


def test_a_term_of_several_steps_is_drawn_in_equal_parts_whose_number_stands_nowhere(data):
    around = {"kernel: is entered": "entry", **PARTS, "kernel: returns": "entry"}
    block = rk.draw.steps(result(), around, "made-parts", "Made")
    rows = {row[0]: row[1] for row in data("made-parts")[1:]}
    assert [*rows][0] == "Is entered (kernel)" and [*rows][3] == "Returns (kernel)"
    assert rows["Is entered (kernel)"] == rows["Returns (kernel)"] == ""
    assert block.markdown.count("part of 250 ns") == 2
    assert "it is drawn in equal parts" in block.markdown
    bars = [(bar.get_x(), bar.get_width()) for bar in drawing("made-parts").axes.patches]
    assert bars[0] == pytest.approx((0, 0.125)) and bars[3] == pytest.approx((2.125, 0.125))


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
    drawn = drawing("made-steps", narrow)
    assert len(drawn.axes.texts) == 12 and len(drawn.axes.patches) == 6
    assert_texts_touch_nothing(drawn)


@rk.predict("files/made", unit="us")
def block(trip, rate, size, nothing, near, near_nothing):
    return trip + size / rate, (nothing - trip) + (near - near_nothing - size / rate)


def test_an_input_may_mean_one_step_of_the_hardware_and_another_of_the_software(data):
    made = made_up.single("files/made", 400, "us")
    times = {"trip": 200, "nothing": 250, "near": 100, "near_nothing": 75}
    inputs = {name: guess(time, "us", "", low=time, high=time) for name, time in times.items()}
    inputs |= {"size": rk.given(4, "KiB", ""), "rate": rk.given(102.4, "MB/s", "")}
    made.entry.predictions[:] = [prediction_record(block(**inputs))]
    rk.draw.steps(
        made,
        {
            "kernel: ends": "trip nothing",
            "program: the file": "near near_nothing size",
            "network: a trip": "trip",
            "network: bytes": "size",
        },
        "made-layers",
        "Made",
    )
    steps = {row[0]: float(row[1]) for row in data("made-layers")[1:]}
    assert steps["A trip (network)"] == pytest.approx(200)
    assert steps["Bytes (network)"] == pytest.approx(40)
    assert steps["Ends (kernel)"] == pytest.approx(50)
    assert steps["The file (program)"] == pytest.approx(-15)
    assert steps["Together, predicted"] == pytest.approx(275)
    assert_texts_touch_nothing(drawing("made-layers", narrow=True))


LANES = {
    "program: touches a page whose name is long enough to take another line of it": "",
    "kernel: is entered": "entry",
    "memory: the page is cleared": "rate",
    "kernel: enters it": "work",
    "kernel: returns": "entry",
    "memory: is there": "",
}


def drawn():
    return rk.draw.lanes(result(), LANES, "made-lanes", "Made", hit="memory")


def test_the_steps_stand_in_the_order_of_time_each_in_its_lane(data):
    block = drawn()
    header, *rows = data("made-lanes")
    assert header == ["who", "step", "predicted"]
    assert [": ".join(row[:2]) for row in rows] == [*LANES]
    patches = drawing("made-lanes").axes.patches
    tops = [patch.get_y() for patch in patches]
    assert len(tops) == len(LANES) and tops == sorted(tops)
    places = [round(patch.get_x(), 6) for patch in patches]
    assert places[0] < places[1] == places[3] == places[4] < places[2] == places[5]
    assert block.measured == ("memory/fault/made",)


def test_a_sum_of_several_steps_is_written_at_each_as_what_it_is_part_of(data):
    block = drawn()
    times = [row[2] for row in data("made-lanes")[1:]]
    assert times == ["", "part of 250 ns", "1.00 µs", "1.00 µs", "part of 250 ns", ""]
    assert "marks steps of which only the sum is known" in block.markdown
    assert "2.25 µs" in drawing("made-lanes").axes.texts[-1].get_text()
    assert "; Predicted, together: 2.25 µs; Measured: 3" in block.markdown


def test_without_inputs_no_times_are_written(data):
    block = rk.draw.lanes(result(), dict.fromkeys(LANES, ""), "made-lanes", "Made")
    assert {row[2] for row in data("made-lanes")[1:]} == {""}
    assert "Measured" not in drawing("made-lanes").axes.texts[-1].get_text()
    assert "only the sum" not in block.markdown


def test_a_hit_goes_from_the_first_step_of_its_lane_to_the_next(data):
    drawn()
    figure = drawing("made-lanes")
    first, second = (patch for patch in figure.axes.patches if patch.get_x() > 0.2)
    line = next(line for line in figure.axes.lines if line.get_linewidth() == 2)
    assert [*line.get_ydata()] == pytest.approx(
        [first.get_y() + first.get_height(), second.get_y()]
    )
    assert [text.get_text() for text in figure.figure.legends[0].get_texts()] == [
        "memory: on a hit the steps between are left out"
    ]


@pytest.mark.parametrize("narrow", [False, True])
def test_texts_of_lanes_touch_nothing_and_none_leaves_the_figure(narrow, data):
    drawn()
    axes = drawing("made-lanes", narrow).axes
    texts = [text.get_window_extent() for text in axes.texts]
    blocks = [patch.get_window_extent() for patch in axes.patches]
    room = axes.get_window_extent()
    for i, text in enumerate(texts):
        assert not any(text.overlaps(other) for other in [*texts[:i], *blocks])
        assert (
            room.x0 <= text.x0 and text.x1 <= room.x1 and room.y0 <= text.y0 and text.y1 <= room.y1
        )


def test_no_lanes_are_drawn_of_what_was_not_measured():
    missing = made_up.unmeasured("memory/fault/made", result())
    assert "needs huge pages" in rk.draw.lanes(missing, LANES, "made-lanes", "Made").markdown

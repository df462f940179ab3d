"""The portrait of the machine: what is written stays in its box, wide and on a phone."""

import pytest
from helpers import made_up
from matplotlib.patches import Rectangle

from reckon.book import contents
from reckon.computer.facts import Machine
from reckon.show import figure_files
from reckon.show.tables.headlines import main_results

PAGE = contents.findings_of("machine")
REPORTED = {"cores": 128, "l1d": 49152, "l2": 2 << 20, "l3": 480 << 20}


def portrait(reported, results):
    fields = {name: {"value": value, "source": ""} for name, value in reported.items()}
    return PAGE.picture(Machine({"processor": fields}), results, "portrait", "A machine")


def all_measured():
    unit = {"read": "GB/s", "tcp": "us"}
    return [
        made_up.single(each.quantity, 123.4, unit.get(each.quantity.rpartition("/")[2], "us"))
        for each in main_results()
    ]


@pytest.mark.parametrize("narrow", [False, True])
def test_every_text_lies_in_a_box(folders, narrow):
    block = portrait(REPORTED, all_measured())
    assert len(block.measured) == len(main_results())
    drawing, _ = figure_files.kept("portrait")
    if narrow:
        drawing._make_narrow()
    drawing.figure.draw_without_rendering()
    boxes = [patch.get_window_extent() for patch in drawing.axes.patches]
    assert all(isinstance(patch, Rectangle) for patch in drawing.axes.patches)
    texts = [text for text in drawing.axes.texts if text.get_text()]
    assert len(texts) > 2 * len(main_results())
    for text in texts:
        place = text.get_window_extent()
        assert any(
            box.x0 <= place.x0 and place.x1 <= box.x1 and box.y0 <= place.y0 and place.y1 <= box.y1
            for box in boxes
        ), text.get_text()
    for i, text in enumerate(texts):
        others = [other.get_window_extent() for other in texts[:i]]
        assert not any(text.get_window_extent().overlaps(other) for other in others)


def test_a_machine_of_which_little_is_known_has_its_parts_without_values(folders):
    block = portrait({}, [])
    drawing, _ = figure_files.kept("portrait")
    texts = [text.get_text() for text in drawing.axes.texts if text.get_text()]
    assert texts == ["kernel", "core 0", "L1", "L2", "L3", "memory"]
    assert not block.measured

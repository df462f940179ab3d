"""The portrait of the machine and its poster: what is written is legible, in its box and apart."""

import pytest
from helpers import made_up
from helpers.figures import assert_apart
from matplotlib.patches import Rectangle

from reckon.book import contents
from reckon.computer.facts import Machine
from reckon.show import figure_files
from reckon.show.figures import printing
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
    assert_apart(texts)


def test_a_machine_of_which_little_is_known_has_its_parts_without_values(folders):
    block = portrait({}, [])
    drawing, _ = figure_files.kept("portrait")
    texts = [text.get_text() for text in drawing.axes.texts if text.get_text()]
    assert texts == ["kernel", "measured core", "L1", "L2", "L3", "memory"]
    assert not block.measured


FACTS = {
    "machine": "A chip, 128 cores, 2 GiB of memory",
    "score": "Of 182 sealed predictions, 43 % within 1.25 times.",
    "conditions": "Linux 6.1, KVM guest; measured 2026-11-27",
    "profile": "standard",
    "run": "here",
    "made from": "commit 0123456789",
    "root hash": "6" * 64,
}
SMALLEST_POINTS = 9


def texts_of(results, reported=REPORTED, **facts):
    """All that is written on the sheet, once it is known to be legible."""
    fields = {name: {"value": value, "source": ""} for name, value in reported.items()}
    with printing.in_family() as (_, letters):
        drawing = contents.findings_of("machine_poster")
        sheet = drawing.draw(Machine({"processor": fields}), results, FACTS | facts, letters)
        sheet.draw_without_rendering()
        texts = [*sheet.texts]
        for axes in sheet.axes:
            low, high = axes.get_xlim()
            ticks = axes.xaxis.get_major_ticks() if axes.axison else []
            labels = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]
            named = [*axes.get_yticklabels(), *axes.get_legend().get_texts()] if axes.axison else []
            texts += [*axes.texts, *labels, *named]
        texts = [text for text in texts if text.get_text()]
        assert_apart(texts)
        for text in texts:
            place = text.get_window_extent()
            assert text.get_fontsize() >= SMALLEST_POINTS, text.get_text()
            assert place.x0 > 0 < place.y0, text.get_text()
            assert place.x1 < sheet.bbox.x1 and place.y1 < sheet.bbox.y1, text.get_text()
    return [text.get_text() for text in texts]


@pytest.mark.parametrize("has_family", [True, False])
@pytest.mark.parametrize("name", ["A chip", f"{'Wide M' * 6} {'of many words ' * 5}"])
def test_the_sheet_has_every_main_result(folders, monkeypatch, name, has_family):
    if not has_family:  # as without TeX
        monkeypatch.setattr(printing, "_load_family", lambda folder: False)
    texts = texts_of(all_measured(), machine=f"{name}, 128 cores")
    assert {each.name for each in main_results()} <= set(texts)
    values = [PAGE.value(each) for each in all_measured()]
    times = sum(value == values[0] for value in values)
    assert texts.count(values[0]) == 2 * times > len(values)  # in a box and on the axis
    assert "6" * 64 in " ".join(texts) and "measured 2026-11-27" in " ".join(texts)
    assert not any("Not measured" in text for text in texts)


def test_what_was_not_measured_is_named_and_has_no_value(folders):
    first, second, *rest = all_measured()
    texts = " ".join(texts_of(rest))
    names = [each.name for each in main_results()][:2]
    assert f"Not measured here: {names[0]} and {names[1]} (not measured yet)." in texts
    assert all(texts.count(name) == 1 for name in names)


def test_a_run_without_anything_has_its_parts_and_no_times(folders):
    texts = texts_of([], {}, machine="not reported", score="", conditions="no guest")
    assert texts[-6:] == ["kernel", "measured core", "L1", "L2", "L3", "memory"]
    assert "This machine" in texts and "predicted" not in texts


def test_the_core_with_the_values_is_that_of_the_measured_cpu(folders):
    portrait(REPORTED | {"cores": 2, "cpu": 1}, all_measured())
    drawing, _ = figure_files.kept("portrait")
    by_place = {text.get_text(): text.get_position()[0] for text in drawing.axes.texts}
    of_values = by_place["Empty timed interval"]
    assert by_place["measured core (CPU 1)"] == of_values < by_place["other core"]


@pytest.mark.parametrize(
    ("sections", "titles"),
    [
        (
            {
                "disk": {"devices": "vda (virtual, 256 GiB)"},
                "scratch": {"lies_on": "on /dev/vda1"},
                "nfs": {"link_rtt": 2e-4},
            },
            {"virtual disk", "built-in host", "link set to 200 µs"},
        ),
        ({}, {"disk", "other host"}),
    ],
)
def test_a_virtual_disk_and_a_host_over_a_set_link_are_named_in_their_boxes(sections, titles):
    fields = {
        part: {key: {"value": value, "source": ""} for key, value in known.items()}
        for part, known in sections.items()
    }
    results = all_measured()
    for result in results:
        result.measurement.peer = "host" if result.quantity == "files/remote/random" else ""
    texts = {
        text.text
        for band in PAGE.portrait(Machine(fields), results).bands
        for box in band
        for text in [PAGE.Text(box.title), *sum(box.lines, [])]
    }
    of_either = {"disk", "virtual disk", "other host", "built-in host", "link set to 200 µs"}
    assert texts & of_either == titles

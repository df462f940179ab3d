"""The what-if panels in Chromium, on pages that hold nothing else, opened as files."""

import math
import tomllib

import numpy as np
import pytest
from helpers.panels import EXPERIMENTS, NULL_CALL, RUN, null_call, results_of
from helpers.project import PROGRAMS

import reckon as rk
from reckon import units
from reckon.prediction import variations
from reckon.presentation import what_if_panels as panels
from reckon.presentation.verdicts import how_far
from reckon.records.recorded_predictions import measured_indices, needed_guesses, to_prediction

pytestmark = pytest.mark.browser

OTHER_CALL = "cpu/syscall/getppid"


def panel(page, number=0):
    box = page.locator("details.what-if").nth(number)
    if not box.evaluate("box => box.open"):
        box.locator("> summary").click()
    return box


def field(box, label):
    return box.get_by_label(label, exact=True)


def test_typing_changes_all_numbers_and_keeps_the_sealed_ones(open_page):
    page, result = open_page(), null_call()
    box = panel(page)
    field(box, "kernel path").fill("550")
    prediction = to_prediction(NULL_CALL, result.current)
    changed = variations.with_values(prediction, {"kernel_path": 550.0})
    predicted = units.amount(float(changed.predicted), "ns")
    ratio = f"{units.number(result.median / float(changed.predicted))}×"
    sealed = f"{units.number(result.ratio)}×"
    status = box.locator(".what-if-status")
    assert status.text_content() == (
        f"With your inputs: {predicted}; measured is {ratio} (sealed {sealed})."
    )
    assert status.get_attribute("aria-live") == "polite"
    low, high = changed.interval()
    step = units.readable_unit(float(changed.predicted), "ns")
    body = box.locator(".what-if-body")
    assert f"predicted {predicted} ({units.range_text(low, high, step)})" in body.text_content()
    assert how_far(result.median / float(changed.predicted)) in body.text_content()
    row = body.locator("tr", has_text="mode switch")
    row.wait_for()
    needed = variations.needed_value(
        changed, "mode_switch", result.medians, measured_indices(result, changed)
    )
    assert row.locator("td").last.text_content() == units.with_unit(units.plain(needed), "cycle")
    shown = {what: page.locator(f"[data-shows={what}]").text_content() for what in SHOWN}
    assert shown == {
        "predicted": predicted,
        "ratio": ratio,
        "interval": units.range_text(low, high, step),
        "verdict": how_far(result.median / float(changed.predicted)),
    }


SHOWN = ("predicted", "ratio", "interval", "verdict")


def test_the_mark_of_the_answer_box_follows(open_page):
    page, result = open_page(), null_call()
    track = page.locator("[data-track]")
    box = panel(page)
    field(box, "kernel path").fill(needed_kernel_path(result))
    assert 69.5 < mark(track) < 70.5
    field(box, "kernel path").fill("1e9")
    assert mark(track) == 100
    box.get_by_text("Reset").click()
    assert mark(track) == 30


def needed_kernel_path(result):
    """The value with which the prediction meets the measurement."""
    return str(needed_guesses(result, to_prediction(NULL_CALL, result.current))["kernel_path"])


def mark(track):
    return track.evaluate("track => parseFloat(track.style.getPropertyValue('--predicted'))")


def test_reset_shows_again_what_was_sealed(open_page):
    page = open_page()
    box = panel(page)
    before = box.locator(".what-if-body ul").text_content()
    field(box, "kernel path").fill("550")
    assert box.locator(".what-if-body ul").text_content() != before
    box.get_by_text("Reset").click()
    assert field(box, "kernel path").input_value() == "150"
    assert box.locator(".what-if-body ul").text_content() == before
    assert page.locator("[data-shows=ratio]").text_content() == "sealed ratio"


def test_an_unfinished_number_changes_nothing(open_page):
    page = open_page()
    box = panel(page)
    kernel_path = field(box, "kernel path")
    kernel_path.fill("550")
    before = box.locator(".what-if-status").text_content()
    kernel_path.press_sequentially("e")  # "550e" is no number
    assert box.locator(".what-if-status").text_content() == before
    assert kernel_path.get_attribute("aria-invalid") == "true"
    kernel_path.press_sequentially("1")
    assert kernel_path.get_attribute("aria-invalid") == "false"
    assert box.locator(".what-if-status").text_content() != before
    kernel_path.fill("")  # as it was
    assert page.locator("[data-shows=ratio]").text_content() == "sealed ratio"


def test_an_input_of_several_predictions_moves_them_all(open_page):
    page = open_page(groups=[(NULL_CALL,), (OTHER_CALL, "cpu/syscall/clock_gettime")])
    first, second = panel(page, 0), panel(page, 1)
    other = second.locator(".what-if-result", has_text="getppid")
    before = other.locator(".what-if-values").text_content()
    field(first, "clock").fill("1")
    assert float(field(second, "clock").input_value()) == 1
    assert other.locator(".what-if-values").text_content() != before
    assert "With your inputs 1 of 2 predictions change" in second.text_content()


def test_a_closed_panel_follows_when_it_is_opened(open_page):
    page = open_page(groups=[(NULL_CALL,), (OTHER_CALL,)])
    second = panel(page, 1)
    second.locator("> summary").click()  # closed again
    field(panel(page, 0), "clock").fill("1")
    assert float(field(panel(page, 1), "clock").input_value()) == 1


def test_a_panel_works_by_keyboard_alone(open_page):
    page = open_page()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("details.what-if[open]").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # the first slider
    box = panel(page)
    assert "With your inputs" in box.locator(".what-if-status").text_content()
    assert page.evaluate("document.activeElement.ariaValueText").endswith("cycles")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("120")
    assert field(box, "mode switch").input_value() == "120"
    assert page.locator("[data-shows=ratio]").text_content() != "sealed ratio"
    page.get_by_text("Reset").focus()
    page.keyboard.press("Enter")
    assert field(box, "mode switch").input_value() == "90"


def test_a_slider_is_bounded_by_the_interval(open_page):
    box = panel(open_page())
    slider = box.get_by_label("kernel path, slider")
    slider.fill("1000")
    assert field(box, "kernel path").input_value() == "1200"
    slider.fill("0")
    assert field(box, "kernel path").input_value() == "50"


def test_a_link_carries_the_changes(open_page):
    page = open_page()
    box = panel(page)
    field(box, "kernel path").fill("550")
    field(box, "clock").fill("3.5")
    box.get_by_text("Copy link").click()
    address = box.get_by_label("Text to copy").input_value()
    assert address.endswith("#what-if=getpid.kernel_path=550&getpid.clock=3.5")
    expected = page.locator("[data-shows=ratio]").text_content()
    other = open_page(fragment="#" + address.split("#")[1])
    assert other.locator("details.what-if").evaluate("box => box.open")
    assert field(panel(other), "kernel path").input_value() == "550"
    assert other.locator("[data-shows=ratio]").text_content() == expected


@pytest.mark.parametrize(
    "fragment", ["#what-if=", "#what-if=a.b=1&getpid.kernel_path=x&&%", "#elsewhere"]
)
def test_a_link_to_nothing_is_ignored(open_page, fragment):
    page = open_page(fragment=fragment)
    assert page.locator("[data-shows=ratio]").text_content() == "sealed ratio"
    assert page.locator("details.what-if").count() == 1


def test_kept_predictions_are_toml(open_page):
    page = open_page()
    box = panel(page)
    field(box, "kernel path").fill("550.5")
    box.get_by_text("Keep these predictions").click()
    text = box.get_by_label("Text to copy").input_value()
    assert tomllib.loads(text) == {NULL_CALL: {"kernel_path": "550.5 cycle"}}
    with page.expect_download() as download:
        box.get_by_text("Download predictions.toml").click()
    assert download.value.suggested_filename == "predictions.toml"


@pytest.mark.parametrize(
    ("quantity", "label", "value"),
    [
        ("cpu/syscall/getpid", "kernel path", "5000"),
        ("cpu/syscall/getpid_int80", "clock", "1.5"),
        ("cpu/syscall/amortised", "pair", "55"),
        ("cpu/syscall/x510uq_times", "call", "70"),
    ],
)
def test_the_copied_cell_gives_the_same_prediction(open_page, recorded, quantity, label, value):
    page = open_page(groups=[(quantity,)])
    box = panel(page)
    field(box, label).fill(value)
    box.get_by_text("Copy as notebook cell").click()
    cell = box.get_by_label("Text to copy").input_value()
    scope = {"rk": rk, "np": np}
    exec(cell, scope)
    (copied,) = (value for name, value in scope.items() if name.endswith("_here"))
    name = label.replace(" ", "_")
    prediction = to_prediction(quantity, results_of("cpu/syscall")[quantity].current)
    in_base = units.to_base(float(value), prediction.inputs[name].unit)
    changed = variations.with_values(prediction, {name: in_base})
    np.testing.assert_allclose(copied.predicted, changed.predicted, rtol=1e-9, atol=0)
    assert copied.formula.kind == prediction.formula.kind


def test_points_without_a_median_are_left_out(open_page, monkeypatch):
    """A median may be infinite, which JSON has as null."""
    whole = panels.panel_data

    def with_a_gap(run, experiment):
        data = whole(run, experiment)
        for formula in data.formulas:
            if formula.measured:
                formula.measured.value[0] = None
        return data

    monkeypatch.setattr(panels, "panel_data", with_a_gap)
    page = open_page(groups=[("cpu/syscall/amortised",), (NULL_CALL,)])
    circles = panel(page, 0).locator("circle")
    circles.first.wait_for()
    curve = results_of("cpu/syscall")["cpu/syscall/amortised"]
    assert circles.count() == len(curve.points) - 1
    first_measured = page.evaluate("reckon.data.formulas.find(({ axis }) => axis).measured")
    assert math.isnan(first_measured["value"][0])
    assert panel(page, 1).locator(".what-if-ratio b").text_content() == "–"


def test_a_curve_is_drawn_again(open_page):
    page = open_page(groups=[("cpu/syscall/amortised",)])
    box = panel(page)
    picture = box.locator("svg[role=img]")
    line = picture.locator("polyline.predicted")
    before, sealed = line.get_attribute("points"), picture.locator("polyline.sealed")
    assert before == sealed.get_attribute("points")
    field(box, "pair").fill("500")
    assert line.get_attribute("points") != before
    curve = results_of("cpu/syscall")["cpu/syscall/amortised"]
    assert picture.locator("circle").count() == len(curve.points)
    assert "measured" in picture.get_attribute("aria-label")


def test_without_javascript_there_is_no_panel(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("main").inner_text().startswith("Predicted.")
    assert page.locator(".reckon-what-if").inner_text() == ""


@pytest.mark.parametrize("experiment", ["cpu/syscall", "memory/latency"])
def test_nothing_scrolls_sideways_on_a_phone(open_page, experiment):
    groups = [tuple(results_of(experiment))]
    page = open_page(experiment, groups, viewport={"width": 390, "height": 800})
    box = panel(page)
    box.locator(".what-if-result > summary").nth(1).click()
    box.locator("table").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


OPENING_MS = "performance.getEntriesByType('navigation')[0].duration"


@pytest.mark.timed
def test_an_input_shows_its_new_numbers_sooner_than_the_largest_page_opens(open_page):
    """By the fastest of each, because other load only adds time."""
    experiment = max(EXPERIMENTS, key=lambda name: len(panels.script(RUN, name)))
    results = list(results_of(experiment))
    page = open_page(experiment, [results[k : k + 10] for k in range(0, len(results), 10)])
    openings_ms = []
    for _ in range(5):
        page.reload()
        openings_ms.append(page.evaluate(OPENING_MS))
    for number in range(page.locator("details.what-if").count()):
        box = panel(page, number)
        box.locator(".what-if-result > summary").first.click()
    script = (PROGRAMS / "input_times.js").read_text()
    times_ms = [time_ms for _ in range(5) for time_ms in page.evaluate(script)]
    print(f"{min(times_ms):.1f} ms for new numbers, {min(openings_ms):.1f} ms to open the page")
    assert min(times_ms) < min(openings_ms)

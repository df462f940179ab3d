"""The what-if panels in Chromium, on pages that hold nothing else, opened as files."""

import math
import re

import pytest
from helpers.panels import (
    EXPERIMENTS,
    NULL_CALL,
    RUN,
    field,
    needed_kernel_path,
    null_call,
    panel,
    results_of,
)
from helpers.project import PROGRAMS

from reckon import units
from reckon.edits import what_if_panels as panels
from reckon.prediction import variations
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.show.sentences.verdicts import how_far
from reckon.show.titles import title_of

pytestmark = pytest.mark.browser

OTHER_CALL = "cpu/syscall/getppid"


def test_typing_changes_all_numbers_and_keeps_the_sealed_ones(open_page):
    page, result = open_page(), null_call()
    box = panel(page)
    field(box, "kernel path").fill("170")
    prediction = to_prediction(NULL_CALL, result.current)
    changed = variations.with_values(prediction, {"kernel_path": 170.0})
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
    needed = variations.needed_value(changed, "mode_switch", result.medians, [0])
    assert row.locator("td").last.text_content() == units.with_unit(units.plain(needed), "cycle")
    shown = {what: page.locator(f"[data-shows={what}]").text_content() for what in SHOWN}
    assert shown == {
        "predicted": predicted,
        "ratio": ratio,
        "interval": units.range_text(low, high, step),
        "verdict": "sealed verdict",  # what follows it in its sentence judges the sealed prediction
    }
    sentence = page.locator("[data-shows=verdict]").locator("..")
    before = "node => getComputedStyle(node, '::before').content"
    assert "Of the sealed prediction: " in sentence.evaluate(before)
    box.get_by_text("Reset").click()
    assert sentence.evaluate(before) == "none"


def test_the_tables_of_results_follow(open_page):
    cells = "<td>getpid<td>66 ns<td>190 ns<td><b>2.9×</b>"
    table = f"<table class=results><tbody><tr>{cells}</tr><tr>{cells.replace('getpid', 'else')}</tr></table>"
    page, result = open_page(article=table), null_call()
    before = page.locator("table.results tr").all_inner_texts()
    box = panel(page)
    field(box, "kernel path").fill("550")
    changed = variations.with_values(
        to_prediction(NULL_CALL, result.current), {"kernel_path": 550.0}
    )
    cells = page.locator("table.results tr").first.locator("td").all_inner_texts()
    assert cells[1] == units.amount(float(changed.predicted), "ns")
    assert cells[3] == f"{units.number(result.median / float(changed.predicted))}×"
    assert page.locator("table.results tr").nth(1).inner_text() == before[1]
    box.get_by_text("Reset").click()
    assert page.locator("table.results tr").all_inner_texts() == before


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


def test_of_two_groups_both_are_shown_and_no_ratio(open_page, recorded, two_groups):
    cells = "<td>getpid<td>66 ns<td>both<td>–"
    table = f"<table class=results><tbody><tr>{cells}</tr></tbody></table>"
    groups = [(NULL_CALL,), (NULL_CALL, OTHER_CALL)]
    page = open_page(groups=groups, article=table, run=recorded)
    both = f"{two_groups:interval}"
    assert both.count("of processes") == 2
    box = panel(page)
    field(box, "kernel path").fill("170")
    assert (
        box.locator(".what-if-status")
        .text_content()
        .endswith(f"; measured {both}, so there is no ratio.")
    )
    values = box.locator(".what-if-values").first
    assert values.locator(".measured").text_content() == both
    assert box.locator(".what-if-track .measured").count() == 2
    box.locator(".what-if-effects tr").nth(1).wait_for()
    text = box.locator(".what-if-result").text_content()
    assert f"measured {both}" in text and "than predicted" not in text
    assert box.locator(".what-if-ratio").text_content() == "–sealed –"
    assert {*box.locator(".what-if-effects td:last-child").all_text_contents()} == {"–"}
    assert page.locator("table.results td").nth(3).inner_text().startswith("–")
    assert {*page.locator("[data-shows=ratio]").all_text_contents()} == {"–"}
    several = panel(page, 1)
    assert " of 1 lie within " in several.locator(".what-if-status").text_content()
    before, _ = mark(page.locator("[data-track]")), field(box, "kernel path").fill("1200")
    assert mark(page.locator("[data-track]")) > before  # by the mark of the lower group


def test_the_rows_of_a_curve_in_a_table_follow(open_page):
    quantity = "cpu/syscall/amortised"
    curve = results_of("cpu/syscall")[quantity]
    title = title_of(quantity)
    row = "<tr><td>{title}, {at}<td>sealed<td>measured<td><b>ratio</b></tr>"
    ends = "".join(row.format(title=title, at=at) for at in ("1", "1,024"))
    page = open_page(
        groups=[(quantity,)], article=f"<table class=results><tbody>{ends}</tbody></table>"
    )
    before = page.locator("table.results tr").all_inner_texts()
    box = panel(page)
    field(box, "null").fill("300")
    prediction = to_prediction(quantity, curve.current)
    null = units.to_base(300, prediction.inputs["null"].unit)
    changed = variations.with_values(prediction, {"null": null}).predicted
    for number, k in enumerate((0, -1)):
        cells = page.locator("table.results tr").nth(number).locator("td").all_inner_texts()
        assert cells[1] == units.amount(float(changed[k]), "ns")
        assert cells[3] == f"{units.number(curve.medians[k] / changed[k])}×"
    box.get_by_text("Reset").click()
    assert page.locator("table.results tr").all_inner_texts() == before


def test_a_changed_setting_of_the_measurement_is_said_not_to_measure_again(open_page):
    box = panel(open_page("memory/latency", groups=[("memory/latency/memory",)]))
    said = box.get_by_text("The measurement stays at size = 1,048,576 KiB.")
    field(box, "entries").fill("1024")
    assert said.count() == 0
    field(box, "size").fill("123")
    assert said.is_visible()


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
    kernel_path.press("Enter")
    before = box.locator(".what-if-status").text_content()
    older = f"{before} All of this is from before the mistake."
    kernel_path.fill("1,550.5")
    assert box.locator(".what-if-status").text_content() == older
    assert box.get_by_text("nothing between thousands").is_visible()
    kernel_path.blur()
    field(box, "clock").fill("3")  # another one does not hide the mistake
    assert box.get_by_text("nothing between thousands").is_visible()
    assert kernel_path.input_value() == "1,550.5"
    for part in (".what-if-result > summary", ".what-if-body ul", "table"):
        box.locator(part).first.wait_for()
        opacity = "box => getComputedStyle(box.closest('.what-if-body > *') ?? box).opacity"
        assert box.locator(part).first.evaluate(opacity) == "0.5", part
    box.get_by_text("Reset").click()
    assert kernel_path.input_value() == "150"
    kernel_path.fill("550")
    kernel_path.press("Enter")
    before = box.locator(".what-if-status").text_content()
    kernel_path.press_sequentially("0,550e")  # on its way it is 5500
    assert box.locator(".what-if-status").text_content() == older
    assert kernel_path.get_attribute("aria-invalid") == "true"
    kernel_path.fill("550e1")
    assert kernel_path.get_attribute("aria-invalid") == "false"
    assert box.locator(".what-if-status").text_content() != before
    kernel_path.fill("550")
    box.get_by_text("Change the formula").click()
    box.get_by_label("hardware = ").fill("mode_switch /")
    assert box.locator(".what-if-status").text_content() == older
    box.get_by_label("hardware = ").fill("mode_switch / clock")
    assert box.locator(".what-if-status").text_content() == before
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
    others = re.search(r"(\d+) more predictions of this page follow", first.text_content())
    formulas = "[...reckon.formulas.byQuantity.values()]"
    edited = page.evaluate(f"{formulas}.filter(reckon.edits.isEdited).length")
    assert int(others[1]) == edited - 1 > 1
    first.get_by_text("Reset").click()
    assert "of this page follow" not in first.text_content() + second.text_content()


def test_the_result_of_an_edit_and_of_a_link_is_unfolded(open_page):
    names = (OTHER_CALL, "cpu/syscall/clock_gettime", "cpu/syscall/times")
    page = open_page(groups=[(NULL_CALL,), names])
    results = panel(page, 1).locator(".what-if-result")
    assert [results.nth(k).evaluate("box => box.open") for k in range(3)] == [False] * 3
    field(panel(page, 1), "work of times").fill("3000")
    assert [results.nth(k).evaluate("box => box.open") for k in range(3)] == [False, False, True]
    page = open_page(groups=[(NULL_CALL,), names], fragment=f"#what-if={names[2]}.null=70 ns")
    results = page.locator("details.what-if").nth(1).locator(".what-if-result")
    assert results.nth(2).locator(".what-if-body ul").is_visible()


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
    box = page.locator("details.what-if").first
    first_slider = box.locator("input[type=range]").first
    first_slider.wait_for()  # the panel is made in the event after the opening
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert "With your inputs" in box.locator(".what-if-status").text_content()
    assert first_slider.evaluate("slider => slider === document.activeElement")
    assert first_slider.evaluate("slider => slider.ariaValueText").endswith("cycles")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("120")
    assert field(box, "mode switch").input_value() == "120"
    assert page.locator("[data-shows=ratio]").text_content() != "sealed ratio"
    page.get_by_text("Reset").focus()
    page.keyboard.press("Enter")
    assert field(box, "mode switch").input_value() == "90"


def test_a_field_that_is_emptied_stays_empty_until_it_is_left(open_page):
    page = open_page()
    box = panel(page)
    kernel_path = field(box, "kernel path")
    kernel_path.click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Backspace")
    assert kernel_path.input_value() == ""
    page.keyboard.type("550")
    assert kernel_path.input_value() == "550"
    page.keyboard.press("Control+A")
    page.keyboard.type("abc")
    assert box.get_by_text("This is no number; write one such as 150 cycles.").is_visible()
    page.keyboard.press("Control+A")
    page.keyboard.type("1e400")
    assert box.get_by_text("This is too large for a number").is_visible()
    page.keyboard.press("Tab")
    assert kernel_path.input_value() == "1e400"  # it does not snap back without a word
    assert box.get_by_text("This is too large").is_visible()


def test_a_slider_is_bounded_by_the_interval(open_page):
    box = panel(open_page())
    slider = box.get_by_label("kernel path, slider")
    assert slider.locator("..").inner_text().split("\n") == ["50 cycles", "1,200 cycles"]
    slider.fill("1000")
    assert field(box, "kernel path").input_value() == "1200"
    slider.fill("0")
    assert field(box, "kernel path").input_value() == "50"


def test_a_value_far_outside_its_interval_is_said_to_be(open_page):
    page = open_page()
    box = panel(page)
    said = box.get_by_text("Far outside its interval of 50 to 1,200 cycles.")
    for value, is_far in (("1300", False), ("5505", True), ("24", True), ("1e3", False)):
        field(box, "kernel path").fill(value)
        assert said.is_visible() == is_far, value
        assert field(box, "kernel path").get_attribute("aria-invalid") == "false"


def test_points_without_a_median_are_left_out(open_page, monkeypatch):
    """A median may be infinite, which JSON has as null."""
    whole = panels.panel_data

    def with_a_gap(run, experiment):
        data = whole(run, experiment)
        for formula in data["formulas"]:
            if "measured" in formula:
                formula["measured"]["value"][0] = None
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
    row = box.locator(".what-if-input:has(input[type=range])").first
    before = row.locator("label").bounding_box()["height"]
    row.locator("input:not([type=range])").fill("1,200")
    assert row.locator(".what-if-fault").text_content()
    assert row.locator("label").bounding_box()["height"] == before
    row.locator("input:not([type=range])").fill("1200")
    status = box.locator(".what-if-status").bounding_box()
    assert status["y"] > 0 and status["y"] + status["height"] <= 800  # the field is in sight, too


def test_in_print_a_panel_shows_what_each_input_does_and_no_control(open_page):
    page = open_page(groups=[(NULL_CALL,), (OTHER_CALL, "cpu/syscall/clock_gettime")])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    effects = page.locator("table.what-if-effects")
    assert effects.locator("tbody tr").count() == 3 and effects.is_visible()
    moved = effects.locator("tbody td:nth-of-type(1)").all_inner_texts()
    ends = [[float(end) for end in re.findall(r"([\d.]+)×", text)] for text in moved]
    assert all(least <= largest for least, largest in ends)  # a clock's too, which moves it down
    assert sum(least < largest for least, largest in ends) >= 2
    assert page.locator("details.what-if:visible").count() == 1
    assert page.locator("input:visible, button:visible").count() == 0


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


def test_what_is_changed_is_called_inputs_formula_or_both(open_page):
    box = panel(open_page())
    status = box.locator(".what-if-status")
    box.get_by_text("Change the formula").click()
    hardware = box.get_by_label("hardware = ")
    hardware.fill("mode_switch * clock")
    assert "gives a quantity of dimension cycle^2 · time^-1, but" in box.inner_text()
    hardware.fill("2 * mode_switch / clock")
    assert status.inner_text().startswith("With your formula: ")
    field(box, "kernel path").fill("550")
    assert status.inner_text().startswith("With your inputs and formula: ")

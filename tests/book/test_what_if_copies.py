"""What a reader takes away from the what-if panels: a link, a file of predictions, a notebook's cell."""

import re

import numpy as np
import pytest
from helpers.panels import NULL_CALL, field, panel, results_of

import reckon as rk
from reckon import units
from reckon.prediction import variations
from reckon.records.quantities.recorded_predictions import to_prediction

pytestmark = pytest.mark.browser


def test_only_what_is_changed_and_without_a_mistake_can_be_kept(open_page):
    page = open_page()
    box, opener = panel(page), page.get_by_label("Kept predictions: ")
    status, keep = box.locator(".what-if-status"), box.get_by_text("Keep these predictions")
    keep.click()
    assert status.text_content() == "Nothing is changed; change an input first."
    field(box, "kernel path").fill("550")
    box.get_by_text("Change the formula").click()
    box.get_by_label("hardware = ").fill("oops +")
    keep.click()
    assert "A field has a mistake, so nothing is kept" in status.text_content()
    assert box.get_by_label("hardware = ").evaluate("field => field === document.activeElement")
    assert opener.get_attribute("aria-label") == "Kept predictions: 0"
    box.get_by_text("Copy as notebook cell").click()
    assert box.get_by_label("Text to copy").is_hidden()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("getpid.kernel_path=abc", "kernel_path: This is no number;"),
        ("getpid.kernel_path=-5", "kernel_path: This input is below 0,"),
        ("getpid.path=5", "getpid has no input path;"),
        ("getpit.clock=5", "cpu/syscall/getpit is not on this page."),
        ("getpit", "cpu/syscall/getpit is not on this page."),
        ("getpid.software=1", "The formula gives a plain number"),
        ("getpid.formula=1", "“1” has 1 part, not 2; write hardware, software."),
    ],
)
def test_a_link_that_does_not_fit_the_page_says_so(open_page, change, says):
    box = open_page(fragment=f"#what-if=cpu/syscall/{change}").locator("details.what-if").first
    said = box.locator(".what-if-status").text_content()
    assert said.startswith("The address has changes that do not fit this page") and says in said


def test_a_measured_input_that_was_changed_is_no_longer_called_measured(open_page):
    box = panel(open_page())
    field(box, "clock").fill("3")
    box.get_by_text("Copy as notebook cell").click()
    code = box.get_by_label("Text to copy").input_value()
    assert re.search(r'clock=rk.guess\(3, "GHz", "instead of [\d.]+ GHz, measured', code), code


def test_a_link_carries_the_changes(open_page):
    page = open_page()
    box = panel(page)
    field(box, "kernel path").fill("550")
    field(box, "clock").fill("3.5")
    box.get_by_text("Copy link").click()
    address = box.get_by_label("Text to copy").input_value()
    assert address.endswith(
        f"#what-if={NULL_CALL}.kernel_path=550+cycles&{NULL_CALL}.clock=3.5+GHz"
    )
    expected = page.locator("[data-shows=ratio]").text_content()
    other = open_page(fragment="#" + address.split("#")[1])
    assert other.locator("details.what-if").evaluate("box => box.open")
    assert field(panel(other), "kernel path").input_value() == "550"
    assert other.locator("[data-shows=ratio]").text_content() == expected


@pytest.mark.parametrize(
    "fragment", ["#what-if=", f"#what-if=a.b=1&{NULL_CALL}.kernel_path=x&&%", "#elsewhere"]
)
def test_a_link_to_nothing_is_ignored(open_page, fragment):
    page = open_page(fragment=fragment)
    assert page.locator("[data-shows=ratio]").text_content() == "sealed ratio"
    assert page.locator("details.what-if").count() == 1


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

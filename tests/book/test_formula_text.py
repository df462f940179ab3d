"""A formula typed on the page becomes what Python makes of it: the same tree, the same refusals."""

from pathlib import Path
from urllib.parse import quote

import pytest
from helpers.panels import EXPERIMENTS, NULL_CALL, null_call, results_of

from reckon import units
from reckon.errors import ReckonError
from reckon.messages import nearest
from reckon.prediction import expression, grammar
from reckon.prediction.dimensions import dimension
from reckon.prediction.variations import changed
from reckon.records.quantities import revisions
from reckon.records.quantities.recorded_predictions import to_prediction

pytestmark = pytest.mark.browser

PARSE = """([quantity, text]) => {
  const formula = reckon.formulas.byQuantity.get(quantity);
  try {
    return { tree: JSON.parse(JSON.stringify(reckon.formulaText.parsePart(formula, text))) };
  } catch (error) {
    if (!(error instanceof reckon.formulaText.FormulaError)) throw error;
    return { fault: error.message };
  }
}"""
PREDICTED = """(quantity) =>
  reckon.edits.compute(reckon.formulas.byQuantity.get(quantity)).predicted"""
TEXTS = """(() => [...reckon.formulas.byQuantity.values()].map((formula) => {
  const same = Object.entries(formula.python).map(([part, text]) =>
    JSON.stringify(reckon.formulaText.parsePart(formula, text)) === JSON.stringify(formula[part]));
  return [formula.quantity, same.every(Boolean)];
}))()"""


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_formula_of_the_book_is_read_as_it_is(open_page, experiment):
    page = open_page(experiment, ())
    read = dict(page.evaluate(TEXTS))
    assert set(read) == set(results_of(experiment))
    assert [quantity for quantity, is_same in read.items() if not is_same] == []


# Those that fit the null call, then those that do not.
FITTING, UNFITTING = (
    part.splitlines()
    for part in Path(__file__).with_name("formulas.txt").read_text("utf-8").split("\n\n")
)
FITTING += [f"{'(' * 149}mode_switch{')' * 149} / clock", " + ".join(["mode_switch / clock"] * 140)]
UNFITTING += ["", f"{'(' * 151}mode_switch{')' * 151} / clock", f"{'-' * 151}mode_switch / clock"]
UNFITTING.append(" + ".join(["mode_switch / clock"] * 200))


def in_python(text):
    """The tree that Python makes of a formula of the null call. Raises ReckonError."""
    prediction = to_prediction(NULL_CALL, null_call().current)
    trees = grammar.parse_parts(text, list(prediction.inputs))
    if len(trees) > 1:
        count = f"{len(trees)} parts"
        raise grammar.fault("parts", text=text, count=count, needed=1, wanted="one")
    [tree] = trees
    dimensions = {name: units.dimension(given.unit) for name, given in prediction.inputs.items()}
    result = dimension(tree, dimensions)
    if result != units.dimension("ns"):
        found, wanted = (units.dimension_name(each) for each in (result, units.dimension("ns")))
        raise ReckonError(f"The formula gives {found}, but ns is {wanted}.")
    return expression.to_json(tree)


def test_a_formula_that_fits_is_the_same_tree(open_page):
    page = open_page()
    for text in FITTING:
        assert page.evaluate(PARSE, [NULL_CALL, text]) == {"tree": in_python(text)}, text


def test_what_python_refuses_is_refused_in_the_same_words(open_page):
    page = open_page()
    for text in UNFITTING:
        with pytest.raises(ReckonError) as refused:
            in_python(text)
        fault = page.evaluate(PARSE, [NULL_CALL, text]).get("fault", "")
        assert fault.endswith((".", "?")) and len(fault) < 500, (text, fault)
        assert fault == str(refused.value), text


def test_where_an_amount_or_a_sign_is_missing_is_said():
    for number in ("10", "10 ns", "10ns", "10*ns"):
        with pytest.raises(ReckonError, match="an input of its own, as rk.given"):
            in_python(f"kernel_path / clock + {number}")
    with pytest.raises(ReckonError, match="rk.guess makes an input: give it a name"):
        in_python("rk.guess(500) / clock")
    with pytest.raises(ReckonError, match="such as \\* is missing between “2” and “kernel_path”"):
        in_python("2 kernel_path / clock")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hardware", "2 * mode_switch / clock"),
        ("software", "np.minimum(mode_switch, kernel_path) / clock"),
        ("formula", "mode_switch/clock, np.maximum(mode_switch, kernel_path)/clock"),
    ],
)
def test_a_formula_in_a_file_has_the_parts_that_the_command_line_makes_of_it(open_page, name, text):
    in_page = open_page(fragment=f"#what-if={NULL_CALL}.{name}={quote(text)}")
    in_python = changed(to_prediction(NULL_CALL, null_call().current), [f"{name}={text}"])
    trees = [
        expression.to_json(getattr(in_python.formula, part)) for part in ("hardware", "software")
    ]
    formula = f"reckon.formulas.byQuantity.get('{NULL_CALL}')"
    in_use = f"{{ ...{formula}, ...{formula}.changed }}"
    assert (
        in_page.evaluate(f"(({{ hardware, software }}) => [hardware, software])({in_use})") == trees
    )


def panel(page):
    box = page.locator("details.what-if").first
    box.locator("> summary").click()
    box.get_by_text("Change the formula").click()
    return box


def test_numbers_follow_a_changed_formula_and_go_back(open_page):
    page = open_page()
    box = panel(page)
    before = box.locator(".what-if-body ul").text_content()
    box.get_by_label("software = ").fill("3 * kernel_path / clock")
    result = null_call()
    inputs = {given.name: given.value for given in result.current.inputs}
    predicted = (inputs["mode_switch"] + 3 * inputs["kernel_path"]) / inputs["clock"]
    assert (
        f"predicted {units.amount(predicted, 'ns')} ("
        in box.locator(".what-if-body ul").text_content()
    )
    assert page.locator("[data-shows=predicted]").text_content() == units.amount(predicted, "ns")
    assert units.amount(predicted, "ns") in box.locator(".what-if-status").text_content()
    box.get_by_text("Reset").click()
    assert box.locator(".what-if-body ul").text_content() == before
    assert box.get_by_label("software = ").input_value() == "kernel_path / clock"


def test_a_formula_that_does_not_fit_changes_nothing_and_says_why(open_page):
    page = open_page()
    box = panel(page)
    before = box.locator(".what-if-body ul").text_content()
    field = box.get_by_label("hardware = ")
    field.fill("mode_switch * clock")
    fault = box.locator(".what-if-fault:not(.what-if-input *)")
    assert "but ns is a time. The numbers are as before" in fault.text_content()
    field.fill("mode_switch^2 / clock")
    assert "a power is written **, as in a**2" in fault.text_content()
    assert (
        fault.get_attribute("aria-live") == "polite"
        and field.get_attribute("aria-invalid") == "true"
    )
    assert box.locator(".what-if-body ul").text_content() == before
    field.fill("mode_switch / clock")
    assert fault.text_content() == "" and field.get_attribute("aria-invalid") == "false"


def test_a_link_and_a_notebook_cell_carry_the_formula(open_page):
    page = open_page()
    box = panel(page)
    box.get_by_label("software = ").fill("np.maximum(2, 3) * kernel_path / clock")
    box.get_by_text("Copy link").click()
    address = box.get_by_label("Text to copy").input_value()
    other = open_page(fragment="#" + address.split("#")[1])
    shown = page.locator("[data-shows=predicted]").text_content()
    assert other.locator("[data-shows=predicted]").text_content() == shown != "sealed predicted"
    box.get_by_text("Copy as notebook cell").click()
    assert (
        "    software = np.maximum(2, 3) * kernel_path / clock\n"
        in box.get_by_label("Text to copy").input_value()
    )
    broken = open_page(fragment="#what-if=getpid:software=alert(1)&getpid:nothing=1")
    assert broken.locator("[data-shows=predicted]").text_content() == "sealed predicted"


def test_a_kept_formula_is_python_s_with_the_same_value(open_page, tmp_path):
    page = open_page()
    box = panel(page)
    box.get_by_label("software = ").fill("np.maximum(2, 3) * kernel_path / clock")
    box.get_by_text("Keep these predictions").click()
    box.get_by_text("Kept predictions", exact=True).click()
    with page.expect_download() as download:
        page.get_by_text("Download predictions.toml").click()
    file = tmp_path / "predictions.toml"
    download.value.save_as(file)
    stated = revisions.read_file(file).quantities[NULL_CALL].changes
    assert stated == ["formula=mode_switch / clock, np.maximum(2, 3) * kernel_path / clock"]
    in_python = changed(to_prediction(NULL_CALL, null_call().current), stated)
    [in_page] = page.evaluate(PREDICTED, NULL_CALL)
    assert in_page == pytest.approx(in_python.predicted, rel=1e-9)


def test_an_input_below_zero_is_refused_in_the_words_of_python(open_page):
    page = open_page()
    box = panel(page)
    before = box.locator(".what-if-body ul").text_content()
    box.get_by_label("kernel path", exact=True).fill("-900")
    fault = box.locator(".what-if-input .what-if-fault", has_text="no amount is negative")
    with pytest.raises(ReckonError) as refused:
        changed(to_prediction(NULL_CALL, null_call().current), ["kernel_path=-900"])
    assert fault.text_content().startswith(
        str(refused.value).removeprefix(f"{NULL_CALL}: kernel_path: ")
    )
    assert box.locator(".what-if-body ul").text_content() == before


NAMES = ["mode_switch", "kernel_path", "clock", "path", "clocks"]


def test_the_nearest_name_is_python_s(open_page):
    page = open_page()
    for name in ["clok", "kernelpath", "pth", "colcks", "xyz", "mode switch", "KERNEL_PATH"]:
        in_page = page.evaluate(
            "([name, known]) => reckon.words.nearest(name, known)", [name, NAMES]
        )
        assert in_page == nearest(name, NAMES), name

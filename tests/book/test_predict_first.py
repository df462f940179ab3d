"""Predict first, in Chromium: what was measured is covered until its reader has predicted it."""

import re
import tomllib

import pytest
from helpers.panels import NULL_CALL, RUN, cell, results_of

from reckon import records, units
from reckon.book.staging import pages, stage
from reckon.fleet import readers
from reckon.records.quantities.lookup import all_results
from reckon.show.block import MEASURED, what_if_element

pytestmark = pytest.mark.browser

CURVE, TIMES = "cpu/syscall/amortised", "cpu/syscall/times"
ANSWER = (
    f'<div class=answer><p>What does it cost?</p><p><span data-quantity="{NULL_CALL}" data-shows=verdict>'
    "THE ANSWER</span></p></div>"
)
FIGURE = '<figure><img alt="THE ALT TEXT"><figcaption>THE CAPTION</figcaption></figure>'
TABLE = (
    "<div class=pst-scrollable-table-container><table><caption><span class=caption-text>THE FINDING</span>"
    "</caption><tbody><tr><td>getpid</td><td>VALUE 1</td></tr><tr><td>getppid</td><td>VALUE 2</td></tr>"
    "</tbody></table></div>"
)
EXERCISE = (
    "<p>An exercise</p><details class=sd-dropdown open><summary>Solution</summary>SOLVED</details>"
)
ARTICLE = (
    cell(ANSWER)
    + cell(FIGURE)
    + cell(TABLE)
    + cell("<p>A VERDICT</p>" + f'<span data-measured="{NULL_CALL}"></span>')
    + cell(EXERCISE)
    + cell("<p>A FACT</p>", "tag_given")
)
ANCHOR = what_if_element([NULL_CALL])
SECRETS = ("THE ANSWER", "THE CAPTION", "THE FINDING", "VALUE 1", "VALUE 2", "A VERDICT", "SOLVED")


def shown(page):
    text = page.locator("article").inner_text()
    return [secret for secret in SECRETS if secret in text]


def own_quantities():
    return [
        quantity
        for quantity, result in results_of("cpu/syscall").items()
        if result.has_samples and not result.measurement.reports
    ]


def predict(page, value, interval=()):
    """Fill in the dialog that is open."""
    dialog = page.locator("dialog")
    dialog.get_by_label("Unit").select_option("ns")
    dialog.get_by_label("I predict").fill(value)
    for label, end in zip(("at least", "at most"), interval, strict=False):
        dialog.get_by_label(label).fill(end)
    dialog.get_by_role("button", name="Predict", exact=True).click()
    return dialog


@pytest.fixture
def blind(recorded, monkeypatch):
    """The static files of a blind book."""
    monkeypatch.setenv("RECKON_BLIND", "1")
    return static_files()


def static_files():
    return {
        name: content.decode()
        for name, content in stage._static(records.read_run("recorded")).items()
        if name.endswith((".js", ".css"))
    }


def test_nothing_is_covered_before_the_switch_is_on(open_page):
    page = open_page(article=ARTICLE)
    assert shown(page) == [*SECRETS]
    assert page.locator(".cover:visible").count() == 0
    page.get_by_role("switch").check()
    assert shown(page) == [] and "A FACT" in page.locator("article").inner_text()
    assert "What does it cost?" in page.locator("article").inner_text()
    page.reload()
    assert shown(page) == []  # the browser remembers it
    page.get_by_role("switch").uncheck()
    assert shown(page) == [*SECRETS]


def test_what_is_covered_is_not_in_the_accessibility_tree(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    tree = page.locator("article").aria_snapshot()
    assert not [secret for secret in (*SECRETS, "THE ALT TEXT") if secret in tree]


def test_what_would_meet_the_measurement_is_covered_beside_a_prediction(open_page):
    article = cell(f"<p>A PREDICTION <span class=needed>623 cycles</span></p>{ANCHOR}")
    page = open_page(article=article)
    assert page.locator(".needed").is_visible()
    page.get_by_role("switch").check()
    assert page.get_by_text("A PREDICTION").is_visible()
    assert not page.locator(".needed").is_visible()


def test_without_javascript_nothing_is_covered_unless_the_book_is_blind(open_page, blind):
    page = open_page(article=ARTICLE, java_script_enabled=False)
    assert shown(page) == [*SECRETS]
    style = blind["_static/predict-first.css"]
    page = open_page(article=ARTICLE, style=style, java_script_enabled=False)
    assert shown(page) == [] and "A FACT" in page.locator("article").inner_text()


def test_the_scripts_of_a_blind_book_know_it_and_the_run(blind):
    facts = blind["_static/book.js"]
    assert '"blind": true' in facts and "recorded" not in facts  # a published site names no run
    assert '"run": ""' not in facts and f'"{NULL_CALL}": "getpid"' in facts


def test_a_prediction_of_two_groups_shows_both_and_is_not_scored(open_page, recorded, two_groups):
    page = open_page(article=ARTICLE, fragment="?predict", run=recorded)
    page.get_by_role("button", name="Predict getpid").first.click()
    dialog = predict(page, "150", ("100", "200"))
    assert f"Measured: {two_groups:interval}." in dialog.inner_text()
    said = "You predicted 150 ns (100 ns to 200 ns), of which there is no ratio."
    assert said in dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    page.reload()  # from what the browser keeps
    assert said in page.locator("article").inner_text()
    assert "you predicted 1:" not in page.locator(".predict-bar").inner_text()


def test_a_prediction_uncovers_its_quantity_and_is_scored(open_page):
    page, result = (
        open_page(article=ARTICLE, fragment="?predict"),
        results_of("cpu/syscall")[NULL_CALL],
    )
    measured_ns = 1e9 * result.median
    page.get_by_role("button", name="Predict getpid").first.click()
    for value, interval in (("1,500", ()), ("1.5", ("1,0.0", "2")), ("1.5", ("1", "2_0"))):
        predict(page, value, interval)
        assert page.locator("dialog input:invalid").count() == 1  # and the dialog is still open
    dialog = predict(page, f"{measured_ns / 1.5:.6g}", ("1", f"{measured_ns * 2:.6g}"))
    text = dialog.inner_text()
    assert f"Measured: {units.amount(result.median, 'ns')}" in text
    assert "1.50× that, inside your interval: 50 % higher than predicted" in text
    assert "On all pages you predicted 1: off by a factor of 1.50 (geometric mean)" in text
    dialog.get_by_role("button", name="Close").click()
    assert shown(page) == ["THE ANSWER", "VALUE 1", "A VERDICT"]
    assert "1.50× that, inside your interval" in page.locator(".answer").inner_text()
    bar = page.get_by_role("complementary")
    assert f"1 of {len(own_quantities())} quantities of this page shown" in bar.inner_text()
    assert "1 of 1 intervals held" in bar.inner_text()


def test_an_interval_that_does_not_hold_the_prediction_is_refused(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.get_by_role("button", name="Predict getpid").first.click()
    for value, interval, fault in (
        ("150", ("200", "300"), "“At least” is larger than your prediction."),
        ("150", ("100", "120"), "“At most” is smaller than your prediction."),
        ("150", ("200", "100"), "“At least” is larger than “at most”: exchange the two."),
        ("150", ("-5", "200"), "“At least” is below 0, and no amount is negative."),
        ("150", ("100",), "Fill in both “at least” and “at most”, or neither."),
        ("0", (), "A prediction is larger than 0."),
        ("", (), "Type a number: what you predict."),
    ):
        dialog = predict(page, value, (*interval, "", "")[:2])
        assert dialog.locator("form").count() == 1, (value, interval)
        label = "at most" if value == "150" else "I predict"
        said = dialog.get_by_label(label).evaluate("field => field.validationMessage")
        assert said == fault
    assert shown(page) == []


def test_a_slip_of_the_unit_is_asked_back_once(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.get_by_role("button", name="Predict getpid").first.click()
    said = page.locator("dialog output")
    predict(page, "150 s")
    asked = said.inner_text()
    assert asked.startswith("Far outside of all that this page is about: 150 s (getpid). Is the")
    assert shown(page) == []
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Predict getpid").first.click()
    dialog = predict(page, "1e-9 s")  # it would tell how large it is to ask again
    assert dialog.locator("form").count() == 0 and "THE ANSWER" in shown(page)


def test_what_another_quantity_of_the_page_may_take_is_not_asked_back(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.get_by_role("button", name="Predict getpid").first.click()
    assert predict(page, "20 µs").locator("form").count() == 0


def test_no_unit_is_chosen_before_the_reader_does(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.get_by_role("button", name="Predict getpid").first.click()
    dialog, unit = page.locator("dialog"), page.locator("dialog").get_by_label("Unit")
    assert unit.input_value() == ""
    for value, low, is_refused in (("1e3", "", True), ("1 µs", "5", True), ("1 µs", "5 ns", False)):
        for label, text in (("I predict", value), ("at least", low), ("at most", low and "1 ms")):
            dialog.get_by_label(label).fill(text)
        said = "Choose a unit, or write it behind each number." if is_refused else ""
        assert unit.evaluate("field => field.validationMessage") == said
    unit.select_option("ns")
    dialog.get_by_label("I predict").fill("1us")
    assert unit.evaluate("list => list.selectedOptions[0].text") == "µs"  # it names what counts
    dialog.get_by_role("button", name="Predict", exact=True).click()
    assert "You predicted 1000 ns (5 ns to 1000000 ns)" in dialog.inner_text()


def test_the_order_of_the_ruler_does_not_tell_what_is_covered(open_page):
    times = [("One", NULL_CALL), ("Three", "a/b/c"), ("Another", TIMES)]
    rows = "".join(
        f'<tr><td>{name}</td><td><span data-quantity="{quantity}">1</span></td></tr>'
        for name, quantity in times
    )
    head = "<thead><tr><th></th><th>One as 1 s</th></tr></thead>"
    table = f"<div class='headlines ruler'><table>{head}<tbody>{rows}</tbody></table></div>"
    page = open_page(article=cell(table))

    def names():
        return [text.split()[0] for text in page.locator("tbody tr").all_inner_texts()]

    assert names() == ["One", "Three", "Another"]
    page.get_by_role("switch").check()
    assert (
        names() == ["Another", "One", "Three"] and not page.get_by_text("One as 1 s").is_visible()
    )
    page.get_by_role("button", name="Show all of this page").click()
    assert names() == ["One", "Three", "Another"] and page.get_by_text("One as 1 s").is_visible()


def test_by_keyboard_alone(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.get_by_role("button", name="Predict getpid").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("150 ns")
    page.keyboard.press("Enter")
    assert page.locator("dialog [role=status]").inner_text().startswith("Measured: ")
    page.keyboard.press("Enter")  # the focus is on Close
    assert page.locator("dialog").count() == 0 and "THE ANSWER" in shown(page)
    assert "THE ANSWER" in page.evaluate("document.activeElement.innerText")


def test_the_rest_of_a_page_can_be_shown_without_predicting(open_page):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.get_by_role("button", name="Show all of this page").click()
    assert shown(page) == [*SECRETS]
    assert "You predicted" not in page.locator("article").inner_text()


def test_a_page_of_many_chapters_can_be_shown_as_a_whole(open_page):
    row = '<td>one</td><td><span data-quantity="a/b/c">SEEN</span></td>'
    table = f"<table class=headlines><tbody><tr>{row}</tr></tbody></table>"
    sentence = '<p>One is off by <span data-quantity="a/b/c">SEEN 2</span></p>'
    page = open_page(article=cell(table) + sentence, fragment="?predict")
    seen = page.get_by_text("SEEN", exact=True)
    assert not page.get_by_text("SEEN 2").is_visible()
    assert not seen.is_visible()
    page.get_by_role("button", name="Show all of this page").click()
    assert seen.is_visible() and not page.get_by_text("covered", exact=True).is_visible()
    assert page.get_by_text("SEEN 2").is_visible()
    page.reload()  # it is remembered that it was shown
    assert seen.is_visible()


def test_one_form_asks_for_all_of_a_page_and_gives_a_file_that_reckon_class_reads(
    open_page, tmp_path
):
    page = open_page(groups=[(NULL_CALL,), (CURVE,)], article=ARTICLE, fragment="?predict")
    page.locator("figure").locator("..").get_by_role("button").click()
    dialog = page.locator("dialog")
    assert dialog.locator("h2").inner_text() == "Predict first: A chapter"
    assert dialog.locator("fieldset").count() == len(own_quantities())
    dialog.get_by_role("button", name="Predict", exact=True).click()
    assert "Predict one of these at least." in dialog.inner_text()
    for number in range(len(own_quantities())):
        fields = dialog.locator("fieldset").nth(number)
        if number == 0:
            assert fields.locator("legend").inner_text().startswith("getpid")
            fields.get_by_label("because").fill('two "mode switches"')
        question = "What does it cost?" if number == 0 else "How long does one call take?"
        assert fields.locator("p").first.inner_text() == question
        fields.get_by_label("Unit").select_option("ns")
        fields.get_by_label("I predict").fill("150")
        fields.get_by_label("at least").fill("100")
        fields.get_by_label("at most").fill("200")
    dialog.get_by_role("button", name="Predict", exact=True).click()
    assert dialog.locator("[role=status] p").count() == len(own_quantities()) + 1
    dialog.get_by_role("button", name="Close").click()
    assert shown(page) == [*SECRETS]
    page.get_by_text("Your predictions", exact=True).click()
    page.get_by_label("Your name").fill('Ada "A."')
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert re.fullmatch(r"predictions-Ada-A-20[\d-]+\.toml", download.value.suggested_filename)
    download.value.save_as(tmp_path / "handed-in" / "predictions.toml")
    text = (tmp_path / "handed-in" / "predictions.toml").read_text()
    assert tomllib.loads(text)[NULL_CALL] == {
        "predicted": "150 ns",
        "low": "100 ns",
        "high": "200 ns",
        "reason": 'two "mode switches"',
    }
    group = readers.read_folder(tmp_path / "handed-in", all_results(RUN))
    assert group.skipped == [] and group.readers == ['Ada "A."']
    assert {each.result.quantity for each in group.quantities} == set(own_quantities())
    (curve,) = [each for each in group.quantities if each.result.quantity == CURVE]
    assert curve.guesses[0].point == len(curve.result.points) - 1


def test_a_teacher_chooses_the_questions_and_asks_each_twice(open_page, tmp_path):
    own = (
        f"<p><strong>Predicted: 63 ns</strong></p><div class=math>63</div>{ANCHOR}<p>THE INPUTS</p>"
    )
    page = open_page(article=ARTICLE + cell(own), fragment="?predict=getpid&votes=2")
    math = page.locator("div.math")
    assert "1 quantity of this page" in page.get_by_role("complementary").inner_text()
    assert not math.is_visible() and not page.get_by_text("Predicted: 63 ns").is_visible()
    assert page.get_by_text("THE INPUTS").is_visible()
    page.get_by_role("button", name="Predict this page").click()
    form = page.locator("dialog form")
    assert form.locator("> p").first.inner_text().startswith("You predict twice: now, and again")
    form.get_by_label("because").fill("a guess")
    dialog = predict(page, "150", ("100", "200"))
    assert "predict again" in dialog.inner_text() and "Measured" not in dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    page.reload()
    assert shown(page) == [] and not math.is_visible()
    bar = page.get_by_role("complementary")
    assert "a second prediction is due" in bar.inner_text() and "off by" not in bar.inner_text()
    bar.get_by_role("button", name="Predict again").click()
    assert form.locator("> p").first.inner_text().startswith("This is your second prediction")
    assert page.locator("dialog").get_by_label("at least").input_value() == "100 ns"
    page.locator("dialog").get_by_label("because").fill("discussed")
    dialog = predict(page, "170", ("", "180"))
    assert dialog.locator("form").count() == 1  # half an interval
    dialog = predict(page, "170", ("100", "180"))
    assert "You predicted 170 ns (100 ns to 180 ns)" in dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    assert shown(page) == [*SECRETS] and math.is_visible()
    votes = download_predictions(page)
    assert votes[NULL_CALL] == {
        "predicted": "170 ns",
        "low": "100 ns",
        "high": "180 ns",
        "reason": "discussed",
        "first_predicted": "150 ns",
        "first_low": "100 ns",
        "first_high": "200 ns",
        "first_reason": "a guess",
    }


def test_a_question_is_covered_where_another_chapter_has_it_as_an_input(open_page):
    article = (
        cell(f"<p>THE INPUTS: 73 ns</p>{what_if_element(['memory/fault/minor'])}")
        + cell(f'<p>A VERDICT ON IT</p><span data-measured="{NULL_CALL}"></span>')
        + cell(f'<p>A FACT</p><span data-measured="{CURVE}"></span>')
    )
    page = open_page("memory/fault", (), article=article, fragment=f"?predict={NULL_CALL}")
    secrets = [page.get_by_text("THE INPUTS"), page.get_by_text("A VERDICT ON IT")]
    assert not any(secret.is_visible() for secret in secrets)
    assert page.get_by_text("A FACT").is_visible()
    said = page.get_by_text("Covered until you have predicted getpid in its chapter.")
    assert said.count() == 2
    page.evaluate(f"reckon.guesses.put('{NULL_CALL}', {{ predicted: 1e-7, text: {{}} }})")
    page.reload()
    assert all(secret.is_visible() for secret in secrets) and said.count() == 0


def download_predictions(page):
    """What the file of the reader's predictions has."""
    if not page.get_by_label("Your name").is_visible():
        page.get_by_text("Your predictions", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    return tomllib.loads(download.value.path().read_text())


@pytest.mark.parametrize("where", ["Show all of this page", "Show without predicting"])
def test_a_first_vote_stays_where_the_rest_is_shown_without_a_second(open_page, where):
    page = open_page(article=ARTICLE, fragment="?predict=getpid&votes=2")
    page.get_by_role("button", name="Predict this page").click()
    page.locator("dialog").get_by_label("because").fill("a guess")
    predict(page, "150", ("100", "200")).get_by_role("button", name="Close").click()
    before = download_predictions(page)
    if where == "Show without predicting":
        page.get_by_role("button", name="Predict again", exact=True).click()
    page.get_by_role("button", name=where).click()
    if where == "Show without predicting":
        assert (
            "You predicted 150 ns (100 ns to 200 ns): measured is"
            in page.locator("dialog").inner_text()
        )
        page.get_by_role("button", name="Close").click()
    assert shown(page) == [*SECRETS]
    after = download_predictions(page)
    first = {"predicted": "150 ns", "low": "100 ns", "high": "200 ns", "reason": "a guess"}
    named = {f"first_{name}": text for name, text in first.items()}
    assert after[NULL_CALL] == before[NULL_CALL] == named
    assert after["reader"]["browser"] == before["reader"]["browser"]
    assert after["reader"]["written"] > before["reader"]["written"]


def test_a_blind_book_asks_what_its_build_says(open_page, recorded, monkeypatch):
    monkeypatch.setenv("RECKON_BLIND", f"{NULL_CALL}, a/b/c")
    monkeypatch.setenv("RECKON_VOTES", "2")
    monkeypatch.setenv("RECKON_OWN", "shown")
    facts = static_files()["_static/book.js"]
    own = f"<p><strong>Predicted: 63 ns</strong></p><div class=math>63</div>{ANCHOR}"
    headlines = "<table class=headlines><tbody>" + "".join(
        f'<tr><td>{name}</td><td><span data-quantity="{quantity}">SEEN {name}</span></td></tr>'
        for name, quantity in (("one", NULL_CALL), ("two", TIMES), ("three", "a/b/d"))
    )
    article = cell(own) + cell(ANSWER) + cell(f"{headlines}</tbody></table>")
    page = open_page(article=article)
    page.route("**/book.js", lambda route: route.fulfill(body=facts))
    page.reload()
    assert "0 of 1 quantity of this page" in page.get_by_role("complementary").inner_text()
    assert (
        page.get_by_text("Predicted: 63 ns").is_visible() and page.locator("div.math").is_visible()
    )
    page.get_by_role("button", name="Predict this page").click()
    assert "You predict twice" in page.locator("dialog").inner_text()
    predict(page, "150").get_by_role("button", name="Close").click()
    assert "SEEN" not in page.locator("table").inner_text()
    page.get_by_role("button", name="Predict again").first.click()
    predict(page, "150").get_by_role("button", name="Close").click()
    # Of another page's quantity that its chapter does not ask for, what it asks for counts.
    assert re.findall(r"SEEN (\w+)", page.locator("table").inner_text()) == ["one", "two"]


def test_what_is_predicted_again_is_said_to_have_been_shown(open_page, tmp_path):
    page = open_page(article=ARTICLE, fragment="?predict")
    page.on("dialog", lambda question: question.accept())
    for words in ("measured values were shown.", ", but for 1 shown in an earlier round."):
        page.get_by_role("button", name="Predict getpid").first.click()
        predict(page, "150").get_by_role("button", name="Close").click()
        if not page.get_by_label("Your name").is_visible():
            page.get_by_text("Your predictions", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        download.value.save_as(tmp_path / "predictions.toml")
        assert words in (tmp_path / "predictions.toml").read_text()
        page.get_by_role("button", name="Forget them all").click()


def test_a_question_of_the_address_that_no_page_has_is_named(open_page):
    page = open_page(article=ARTICLE, fragment="?predict=getpid,getpit,x/y/z")
    bar = page.get_by_role("complementary").inner_text()
    assert "0 of 1 quantity of this page shown." in bar
    assert "The address asks for getpit and x/y/z, which this book does not have." in bar


def test_questions_of_the_address_are_divided_by_commas_semicolons_or_spaces(open_page):
    for names in ("getpid,times", " getpid; times ", "getpid times,"):
        bar = open_page(article=ARTICLE, fragment=f"?predict={names}").get_by_role("complementary")
        assert "0 of 2 quantities of this page shown." in bar.inner_text(), names


def test_a_broken_store_loses_the_predictions_alone(open_page):
    page = open_page(article=ARTICLE)
    page.evaluate("localStorage.setItem('reckon-guesses ', '{')")
    page.reload()
    assert shown(page) == [*SECRETS] and page.get_by_role("switch").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_scrolls_sideways_on_a_phone(open_page, scheme):
    options = {"viewport": {"width": 390, "height": 800}, "color_scheme": scheme}
    page = open_page(article=ARTICLE, fragment="?predict", **options)
    page.get_by_role("button", name="Predict getpid").first.click()
    assert page.locator("dialog").bounding_box()["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_output_is_marked_with_the_quantities_that_it_shows():
    output = {"data": {"text/markdown": "A verdict."}, "metadata": {MEASURED: ["a/b/c", "a/b/d"]}}
    page = {
        "cells": [
            {"cell_type": "markdown", "source": "# T", "metadata": {}},
            {"cell_type": "code", "source": "", "metadata": {}, "outputs": [output]},
        ],
        "metadata": {},
    }
    staged = pages._staged(page, [], "").decode()
    assert 'data-measured=\\"a/b/c a/b/d\\"' in staged and MEASURED not in str(output["metadata"])

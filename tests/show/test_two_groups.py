"""A quantity whose processes fall into two groups: both are shown, and what lies between them is in
no ratio, verdict, ranking or conclusion."""

import json

import pytest
from helpers import made_up

from reckon import records
from reckon.book import contents
from reckon.comparison.reports import other_machines
from reckon.comparison.reports.method_groups import Group, GroupResult, Method, MethodResult
from reckon.computer.facts import Machine
from reckon.edits.guesses import compared as compared_with_guess
from reckon.edits.tried_predictions import Tried, comparison
from reckon.edits.what_if_panels import data_of
from reckon.errors import NoOneValue
from reckon.records.quantities.recorded_predictions import needed_guesses, ratio, to_prediction
from reckon.records.quantities.revisions import QuantityPrediction
from reckon.show import text_summary
from reckon.show.findings import missed
from reckon.show.sentences.verdicts import verdict
from reckon.show.tables import headlines as chosen
from reckon.show.tables import scores
from reckon.show.tables.answer_box import answer
from reckon.show.tables.headlines import Headline
from reckon.show.tables.tables import cross_check, table

BOTH = "100 ns (60 % of processes) or 200 ns (40 % of processes)"
NAME = "cpu/made/two"


@pytest.fixture
def two():
    """Six processes near 100 ns and four near 200 ns."""
    result = made_up.single(NAME, 100, "ns", processes=10)
    for k, process in enumerate(result.points[0].processes):
        process.ticks = [(1 + (k > 5)) * 100 * made_up.OPS] * 10
    return result


@pytest.fixture
def one():
    return made_up.single("cpu/made/one", 130, "ns")


def test_groups_have_their_medians_and_shares(two, one):
    low, high = two.summary.groups
    assert (low.median, high.median) == pytest.approx((1e-7, 2e-7))
    assert (low.share, high.share) == (0.6, 0.4)
    assert one.summary.groups is None and not one.is_of_two_groups and two.is_of_two_groups


def test_both_are_printed(two):
    assert f"{two:interval}" == BOTH
    assert f"{two}" == "100 ns or 200 ns"
    assert f"{two:cycles}" == "300 or 600 cycles"


def test_a_later_prediction_takes_the_larger_group_in_an_interval_of_both(two, one):
    value, low, high = two.summary.input
    assert value == pytest.approx(1e-7) and low <= 1e-7 and high >= 2e-7
    assert one.summary.input == (one.median, *one.summary.interval.ends)


def test_a_miss_of_a_group_is_a_miss_and_names_both(two):
    two.seal.predicted = 100e-9 / 3
    assert "3.00 or 6.00 times the prediction" in missed(two, "unexplained.")
    two.seal.predicted = 150e-9
    assert missed(two, "unexplained.") == ""


def test_it_has_no_ratio_and_no_interval_that_held(two):
    two.seal.low, two.seal.high = 0.5e-7, 1.5e-7
    assert two.inside_interval is None
    assert two.ratio != two.ratio and two.current_ratio != two.current_ratio


def test_nothing_between_the_groups_is_apart_from_it(two):
    for between, sign in ((90, 1), (110, 0), (150, 0), (190, 0), (260, -1)):
        assert two.apart(made_up.single("cpu/made/x", between, "ns")) == sign


def test_tables_show_both_and_a_dash(two, one):
    row = table([two], "c", "n").markdown
    assert BOTH in row and "×" not in row
    assert "×" in table([one], "c", "n").markdown
    assert "×" not in cross_check({"it": (two, one)}, "c", "n").markdown


def test_a_point_of_a_curve_shows_both_too(two):
    curve = made_up.curve("cpu/made/curve", [1, 2], [100, 100])
    curve.points[1].processes[:] = two.points[0].processes
    rows = table([curve], "c", "n").markdown.splitlines()
    first, second = (next(row for row in rows if f"{x} KiB" in row) for x in (1, 2))
    assert BOTH not in first and "×" in first
    assert BOTH in second and "×" not in second


def test_the_box_and_the_front_page_show_both_without_a_verdict(two):
    box = answer("?", two, "it").markdown
    assert f"**{BOTH}**" in box and "×" not in box and "fell into" in box
    assert "came out" not in box and "chance" not in box
    front = (
        contents.findings_of("summary_front")
        .headlines([two], [Headline(quantity=NAME, name="Two", note="")], Machine({}))
        .markdown
    )
    assert BOTH in front and "×" not in front.split("\n", 4)[-1]
    position = {  # of the marks on the axis: one at each group
        name: float(value.removesuffix("%"))
        for name, _, value in (
            mark.strip().partition(": ")
            for mark in front.split('style="')[1].split('"')[0].split(";")
        )
    }
    assert position["--measured"] == position["--low"] < position["--high"]


def test_the_verdict_says_so(two):
    text = verdict(two, "it").markdown
    assert text.startswith(f"**Verdict.** It: measured {BOTH}, so there is no ratio")


def test_it_is_not_scored_or_ranked(two, one):
    assert "1 sealed prediction" in scores.score([two, one]).markdown
    assert "two" not in contents.findings_of("summary").best_and_worst([two, one]).markdown
    caveats = contents.findings_of("summary").caveats([two, one], []).markdown
    assert "Fresh processes in two groups" in caveats


def test_the_summary_prints_both(two, monkeypatch, folders):
    headline = Headline(quantity=NAME, name="Two", note="")
    monkeypatch.setattr(chosen, "main_results", lambda: [headline])
    monkeypatch.setattr(text_summary, "main_results", lambda: [headline])
    made_up.run("a", [two])
    run = records.read_run("a")
    assert BOTH in text_summary.text_summary(run, [two])
    (entry,) = text_summary.to_json(run, [two])["results"]
    low, high = entry["groups"]
    assert (low["share"], high["share"]) == (0.6, 0.4)
    assert (low["median"], high["median"]) == pytest.approx((100, 200))
    json.dumps(entry, allow_nan=False)


def test_machines_are_not_ranked_by_it(two, one, folders):
    made_up.run("here", [two, one])
    made_up.run("there", [made_up.single(NAME, 120, "ns"), made_up.single(one.quantity, 120, "ns")])
    for name in ("here", "there"):
        found = other_machines.other_machines(records.read_run(name))
        assert [row.name for row in found.rows] == ["one"]


def test_two_runs_are_not_compared_by_it(two, folders):
    compared = made_up.compared([two], [made_up.single(NAME, 400, "ns")])
    (quantity,) = compared.quantities
    assert quantity.why == "its processes fall into two groups" and not quantity.has_changed


def test_a_tried_prediction_has_both_values_and_no_ratio(two):
    prediction = to_prediction(NAME, two.current)
    text = comparison([Tried(two, "here")], with_formula=False).markdown
    assert f"measured {BOTH}, so there is no ratio." in text and "×" not in text
    table = comparison([Tried(two, "here")] * 2, with_formula=False).markdown
    assert BOTH in table and "×" not in table
    assert ratio(two, prediction) != ratio(two, prediction) and not needed_guesses(two, prediction)


def test_a_panel_has_both_values_and_nothing_between_them(two, one):
    of_two, of_one = (
        formula["measured"] for formula in data_of([two, one], "run", "cpu/made")["formulas"]
    )
    assert (of_two["value"], of_two["low"], of_two["high"]) == ([None], [None], [None])
    assert of_two["groups"][0]["shown"] == BOTH
    assert of_two["groups"][0]["medians"] == pytest.approx((1e-7, 2e-7))
    assert "groups" not in of_one and of_one["value"][0] > 0


def test_a_point_of_a_panel_s_curve_has_both_values(two):
    curve = made_up.curve("cpu/made/curve", [1, 2], [100, 100])
    curve.points[1].processes[:] = two.points[0].processes
    (formula,) = data_of([curve], "run", "cpu/made")["formulas"]
    first, second = formula["measured"]["groups"]
    assert first is None and second["shown"] == BOTH
    assert formula["measured"]["low"][1] is None and formula["measured"]["value"][1] > 0


def test_a_reader_s_prediction_is_not_compared_with_it(two):
    prediction = QuantityPrediction(changes=[], stated={"predicted": "150 ns"})
    with pytest.raises(NoOneValue, match="two groups"):
        compared_with_guess("somebody", NAME, prediction, two)


def by_method(result, **more):
    row = Method(quantity=result.quantity, differs="again")
    return MethodResult(row, (), page=result, point=result.points[0], **more)


def test_a_method_has_no_ratio_of_it_unless_the_rounds_are_of_one(two):
    group = Group(name="g", title="A Figure", baseline="cpu/made/x", method=())
    again = made_up.single("cpu/made/x", 130, "ns", processes=10)
    other = GroupResult(group, by_method(again, repeated=again), ())
    assert by_method(two).text() == BOTH
    assert not other.ratio(by_method(two)).is_known
    assert not other.ratio(by_method(two, repeated=two)).is_known
    alike = GroupResult(group, by_method(two, repeated=two), ())
    assert alike.ratio(by_method(two, repeated=two)).middle == 1

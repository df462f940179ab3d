"""The page `methods`: its groups, its sentences, its value."""

import dataclasses
import itertools
import json
import re

import numpy as np
import pytest
from helpers import made_up
from helpers.project import ROOT

from reckon.book import contents
from reckon.comparison.reports import method_groups
from reckon.comparison.reports.method_groups import Group, GroupResult, Method, MethodResult

METHODS = contents.findings_of("methods")


def method(quantity, values_ns, reports=("t470",), side_by_side=True, **more):
    """A method with one fresh process for each value."""
    result = made_up.single(quantity, 100, "ns", processes=len(values_ns))
    point = result.points[0]
    for process, value in zip(point.processes, values_ns, strict=True):
        process.ticks, process.ops = [round(1000 * value)] * 10, 1000
    row = Method(quantity=quantity, differs="in its way")
    repeated = result if side_by_side else None
    by_page = MethodResult(row, reports, page=result, point=point, repeated=repeated)
    return dataclasses.replace(by_page, **more)


def in_a_group(*others, baseline_ns=(100,) * 6, **more):
    group = Group(name="g", title="A Figure", baseline="cpu/x/own", method=())
    return GroupResult(group, method("cpu/x/own", baseline_ns, (), **more), others)


def sentence(values_ns, **more):
    group = in_a_group(method("cpu/x/t470_fork", values_ns, **more))
    return METHODS.group(group).markdown.splitlines()[-1]


def test_the_page_shows_every_group_under_its_title():
    cells = json.loads((ROOT / "notebooks/methods.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    shown = [
        (title.removeprefix("### "), match[1])
        for title, source in itertools.pairwise(sources)
        if (match := re.search(r'page\.group\(measured\["([\w-]+)"\]', source))
    ]
    assert shown == [(group.title, group.name) for group in method_groups.groups()]


NOT_MEASURED = {"page": None, "point": None, "repeated": None, "reason": "no gate"}


def test_a_ratio_is_taken_round_by_round_so_that_a_drift_cancels():
    drift = np.array([100, 120, 150, 200, 250, 300])
    group = in_a_group(method("cpu/x/t470", 2 * drift), baseline_ns=drift)
    ratio = group.ratio(group.methods[0])
    assert (ratio.low, ratio.high, ratio.rounds) == (*[pytest.approx(2, rel=0.1)] * 2, 6)


def test_values_on_one_step_of_the_counter_are_not_said_to_be_alike():
    def single(quantity):
        pair = method(quantity, [30] * 6)
        summary = dataclasses.replace(pair.repeated.summary, step=10e-9)
        pair.repeated.__dict__["summaries"] = [summary]
        return pair

    group = dataclasses.replace(in_a_group(single("cpu/x/t470")), baseline=single("cpu/x/own"))
    text = METHODS.group(group).markdown
    assert "cannot be distinguished from Reckon's method here (0.714 to 1.40 times" in text
    assert text.count("30.0 ns (25.0 to 35.0)") == 2


def test_a_method_from_its_page_says_why():
    text = sentence([200] * 6, side_by_side=False, reason="one process of it takes 2 s")
    assert text == (
        "- **ThinkPad T470: fork** gives 2.00 times Reckon's value from the chapters' values, whose "
        "intervals do not overlap. Its value comes from its chapter, measured at another time: one process of it takes 2 s. How it differs: in its way."
    )


def test_pages_whose_intervals_do_not_overlap_are_not_said_to_be_alike():
    def of_pages(values, baseline):
        pages = (method("cpu/x/t470_fork", values, side_by_side=False),)
        group = in_a_group(*pages, baseline_ns=baseline, repeated=None)
        return METHODS.group(group).markdown.splitlines()[-1]

    apart = of_pages([118, 119, 120, 120, 121, 122], [98, 99, 100, 100, 101, 102])
    assert (
        "gives 1.20 times Reckon's value from the chapters' values, whose intervals do not" in apart
    )
    overlapping = of_pages([90, 100, 105, 105, 110, 120], [90, 95, 100, 100, 105, 110])
    assert (
        "gives 1.05 times Reckon's value from the chapters' values, which may be chance"
        in overlapping
    )


def test_how_well_values_repeat_is_judged_by_the_intervals_that_the_pages_print():
    def again(name, value):
        page = made_up.single(f"cpu/x/{name}", 100, "ns")
        repeated = made_up.single(f"methods/cpu/x/{name}", value, "ns", processes=4)
        repeated.seal.predicted, repeated.seal.low, repeated.seal.high = 100e-9, 1e-9, 2e-9
        row = Method(quantity=f"cpu/x/{name}", differs="in its way")
        return MethodResult(row, (), page=page, point=page.points[0], repeated=repeated)

    group = in_a_group()
    group = dataclasses.replace(group, baseline=again("a", 100), methods=(again("b", 200),))
    text = METHODS.repeatability({"g": group}).markdown
    assert "Of the 2 values whose chapter prints an interval, 1 (50 %) lie in it." in text


def test_a_method_has_its_own_title_and_not_that_of_the_books_quantity():
    """They find the file cache under another limit than the quantity of the same name."""
    entry = method_groups.method_of("files/cache/t470_size")
    title = METHODS.method_title(MethodResult(entry, ("t470",)))
    assert title == "ThinkPad T470: Inferred, ThinkPad T470's method"
    entry = method_groups.method_of("memory/latency/t470_l1")
    assert METHODS.method_title(MethodResult(entry, ("t470",))) == "ThinkPad T470: L1"


def test_a_group_without_a_method_or_a_baseline():
    missing = "- **ThinkPad T470: fork** is not measured here. How it differs: in its way."
    assert sentence([1] * 6, **NOT_MEASURED) == missing
    baseline = method("cpu/x/own", [1] * 6, (), **NOT_MEASURED)
    group = in_a_group(method("cpu/x/t470", [100] * 6))
    group = dataclasses.replace(group, baseline=baseline)
    text = METHODS.group(group).markdown
    assert text.startswith("Reckon's method has no value here: no gate.")
    assert "**ThinkPad T470** cannot be compared: Reckon's method has no value here" in text
    nothing = dataclasses.replace(group, methods=())
    assert METHODS.group(nothing).markdown == "There is nothing to compare: no gate."
    assert "nothing can be compared" in METHODS.effects_summary({"g": nothing}).markdown
    assert METHODS.method_ratios({"g": nothing}, "methods-none", "x").svg is None


@pytest.mark.parametrize(
    ("cost", "value", "explained"),
    [
        (190, 300, "190 ns here, about as much as the difference."),
        (120, 300, "120 ns here, 60 % of the difference."),
        (900, 300, "900 ns here, more than the difference."),
        (20, 300, "20.0 ns here, 10 % of the difference."),
        (9, 300, ""),  # too small a share
        (20, 102, ""),  # no difference that is sure
        (20, 50, ""),  # a difference the other way
    ],
)
def test_a_cost_inside_a_value_is_compared_with_the_difference(cost, value, explained):
    entry = Method(quantity="cpu/x/t470_fork", differs="in its way", includes="cpu/timer/paoloni")
    included = method("cpu/timer/paoloni", [cost] * 6).page
    text = sentence([value] * 6, entry=entry, included=included)
    assert text.endswith(
        f"(/notebooks/cpu/timer.ipynb)”; this takes {explained}" if explained else "in its way."
    )


def test_methods_are_ordered_by_effect_and_the_farthest_is_named(folders):
    far, near, below = (
        method(f"cpu/x/{name}", [value] * 6)
        for name, value in (("t470", 400), ("mbp2016", 101), ("i7_10750h", 20))
    )
    group = in_a_group(far, near, below)
    assert group.ranked == [near, far, below]
    text = METHODS.effects_summary({"g": group}).markdown
    assert text.startswith(
        "Of 3 methods, 2 change the value on this machine by more than chance and by more than 5 %, 2 "
    )
    assert (
        "more differ" not in text
        and "0.200 times Reckon's value for *a Figure*. How it differs: in its way." in text
    )
    block = METHODS.method_ratios({"g": group}, "methods-test", "Caption")
    assert block.svg and "the Laptop with i7-10750H 0.200 times" in block.markdown
    table = (folders / "_build/figures/methods-test.csv").read_text().splitlines()
    assert table[1].startswith("A Figure,cpu/x/mbp2016,t470,1.01,1.01,1.01,6") and len(table) == 4

"""The graded report: its rubric is the teachers', and what it says follows from the run."""

import re

import numpy as np
import pytest
from helpers import made_up
from helpers.project import ROOT

import reckon as rk
from reckon.book import contents

PAGE = contents.findings_of("graded")


@rk.predict("memory/fault/anonymous", unit="us")
def touch(page, written, entry, work, clock):
    return page / written, entry + work / clock


def mine():
    """1 µs to clear, 0.1 µs to enter, 0.5 µs of work."""
    return touch(
        page=rk.given(4, "KiB", ""),
        written=rk.given(4.096, "GB/s", ""),
        entry=rk.given(100, "ns", ""),
        work=rk.guess(1500, "cycle", "", low=300, high=3000),
        clock=rk.given(3, "GHz", ""),
    )


def test_the_rubric_is_that_of_the_teachers_page():
    text = (ROOT / "book" / "teaching.md").read_text("utf-8")
    table = text[text.index("| Points | For |") :].split("\n\n")[0].splitlines()[2:]
    rows = [re.match(r"\| (\d+) \| (.*) \|$", line).groups() for line in table]
    assert sum(PAGE.RUBRIC.values()) == 20 == sum(int(points) for points, _ in rows)
    for (points, what), (row, most) in zip(rows, PAGE.RUBRIC.items(), strict=True):
        assert what.startswith(row) and int(points) == most
    assert all(0 <= points <= PAGE.RUBRIC[row] for row, (points, _) in PAGE.GRADES.items())
    assert "**16 of 20**" in PAGE.grades().markdown


@pytest.mark.parametrize(
    ("measured_us", "side", "fits"),
    [
        (3.1, "takes longer than I predicted", "With 6,0"),
        (1.6, "came out near", "With 1,5"),
        (1.2, "takes less than I predicted", "With 3"),
        (0.5, "takes less than I predicted", "No work of the kernel"),
    ],
)
def test_the_explanation_is_that_of_the_ratio(measured_us, side, fits):
    result = made_up.single("memory/fault/anonymous", measured_us, "us")
    text = PAGE.explanation(result, mine()).markdown
    assert side in text and re.search(fits.replace(",0", ",?[0-9]"), text)
    cycles = PAGE.work_that_fits(result, mine())
    assert cycles == pytest.approx((result.median - 1.1e-6) * 3e9)


def test_the_student_moves_the_guess_alone():
    """1.1 µs, and 300 or 3,000 cycles at 3 GHz."""
    text = PAGE.expected(mine()).markdown
    assert "1.60 µs" in text and "1.20 µs or 2.10 µs" in text


def test_the_grader_answers_with_values_of_the_run():
    result = made_up.single("memory/fault/anonymous", 3, "us")
    note = PAGE.misread_interval(result)
    assert (
        rk.amount(result.summary.p99, "us") in note
        and rk.amount(result.summary.minimum, "us") in note
    )
    assert "30.0 ns longer" in PAGE.tlb_claim(30e-9, 700e-9)
    assert PAGE.missing(result, mine()) == pytest.approx(result.median - 1.6e-6)
    for walk_ns, missing_ns in ((400, 700), (np.nan, 700), (30, -100), (30, np.nan)):
        assert "No value of this run shows it" in PAGE.tlb_claim(walk_ns / 1e9, missing_ns / 1e9)
    huge = made_up.single("memory/fault/huge", 150, "us")
    assert "512 µs by my formula" in PAGE.deciding(result, huge, mine()).markdown
    assert "does not fit huge pages" in PAGE.decided(result, huge, mine())
    cleared_as_predicted = made_up.single("memory/fault/huge", 560, "us")
    assert "answers the section above" in PAGE.decided(result, cleared_as_predicted, mine())
    near = made_up.single("memory/fault/anonymous", 1.6, "us")
    assert PAGE.decided(near, cleared_as_predicted, mine()).endswith("right for huge pages.")
    assert (
        f"{rk.number(huge.median / result.median)} times"
        in PAGE.deciding(result, huge, mine()).markdown
    )


def test_without_the_measurement_the_page_says_why():
    gone = made_up.nothing("memory/fault/anonymous", "this machine cannot")
    for said in (PAGE.result(gone, mine()), PAGE.explanation(gone, mine())):
        assert said.markdown == "Not measured: this machine cannot."
    touched = made_up.single("memory/fault/anonymous", 3, "us")
    without_huge = PAGE.deciding(touched, gone, mine()).markdown
    assert "512 µs" in without_huge and without_huge.endswith("Not measured: this machine cannot.")
    assert "no record" in PAGE.result(None, mine()).markdown
    assert PAGE.misread_interval(gone) == PAGE.decided(touched, gone, mine()) == ""

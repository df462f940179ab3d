"""The page of beliefs: each verdict is that of the values beside it."""

import re
from types import SimpleNamespace

import pytest

import reckon as rk
from reckon.book import contents
from reckon.records.quantities.result import Result

PAGE = contents.findings_of("beliefs")
ALL = [*PAGE.KERNEL, *PAGE.MEMORY, *PAGE.AFAR]


def test_every_belief_is_about_two_quantities_that_the_book_measures(recorded):
    rk.begin(run="recorded")
    known = {each.quantity for each in rk.results()}
    assert len(ALL) == 20
    assert {name for belief in ALL for name in (belief.one, belief.other)} <= known


class Value:
    """A result as far as a verdict reads it."""

    ratio_ends, ratio_of_medians = Result.ratio_ends, Result.ratio_of_medians

    def __init__(self, quantity, low, high):
        self.quantity, self.median = quantity, (low + high) / 2
        self.summary = SimpleNamespace(bounds=(low, high))

    def __format__(self, _):
        return "1 ns"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.9, 1.1, "Right"),
        (0.5, 0.9, "Undecided"),
        (0.5, 2, "Undecided"),
        (2, 3, "Wrong"),
        (0.1, 0.2, "Wrong"),
    ],
)
def test_a_verdict_holds_for_the_whole_interval_of_the_ratio(monkeypatch, low, high, verdict):
    monkeypatch.setattr(PAGE.rk, "title_of", lambda name: name)
    belief = PAGE.Belief("", "a/b/one", "a/b/other", *PAGE.ABOUT, "")
    pair = Value("a/b/one", low, high), Value("a/b/other", 1, 1)
    assert PAGE.judged(belief, *pair).startswith(f"**{verdict} on this machine.**")


def test_an_answer_without_a_value_says_why(recorded):
    assert "Not measured: no record. The counter runs" in PAGE.answer(1, ALL[0], {}).markdown
    assert re.match(r"\*\*7\*\* ", PAGE.answers(ALL[:1], 7).markdown)

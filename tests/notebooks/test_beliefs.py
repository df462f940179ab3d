"""The page of beliefs: each verdict is that of the values beside it."""

import re
from types import SimpleNamespace

import pytest

import reckon as rk
from reckon.book import contents
from reckon.computer.facts import Machine
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


def test_an_undecided_answer_shows_the_ratio_and_what_counts_as_right(monkeypatch):
    monkeypatch.setattr(PAGE.rk, "title_of", lambda name: name)
    belief = PAGE.Belief("", "a/b/one", "a/b/other", *PAGE.ABOUT, "")
    said = PAGE.judged(belief, Value("a/b/one", 0.5, 0.9), Value("a/b/other", 1, 1))
    assert said.endswith("The ratio is 0.70 (0.50 to 0.90); right is 0.8 to 1.25.")


@pytest.mark.parametrize(("least", "most"), [(PAGE.NOT_OVER, 2), (2, PAGE.NOT_UNDER)])
def test_a_belief_of_one_end_names_that_end_alone(least, most):
    side = "less" if most == 2 else "more"
    assert PAGE.allowed(PAGE.Belief("", "", "", least, most, "")) == f"right is 2 or {side}"


@pytest.mark.parametrize(
    ("settings", "peers", "link"),
    [
        ({"link_rtt": 2e-4}, ("host", ""), "200 µs"),
        ({"link_rtt": 2e-4}, ("host", "host"), ""),  # it is in both
        ({"link_rtt": 2e-4}, ("", ""), ""),
        ({}, ("host", ""), ""),  # a real host
    ],
)
def test_a_ratio_that_contains_a_set_link_has_no_verdict(monkeypatch, settings, peers, link):
    machine = Machine({"nfs": {key: {"value": v, "source": ""} for key, v in settings.items()}})
    monkeypatch.setattr(PAGE.rk, "run", lambda: SimpleNamespace(machine=machine))
    monkeypatch.setattr(PAGE.rk, "title_of", lambda name: name)
    pair = [Value("files/remote/random", 10, 12), Value("files/read/direct", 1, 1)]
    for each, peer in zip(pair, peers, strict=True):
        each.measurement = SimpleNamespace(peer=peer)
    pair[1].quantity = "files/remote/other" if all(peers) else pair[1].quantity
    assert PAGE.set_link(pair) == link
    said = PAGE.judged(PAGE.Belief("", "", "", 1, PAGE.NOT_UNDER, ""), *pair, link)
    assert said.startswith("**No verdict" if link else "**Right")


def test_an_answer_without_a_value_says_why(recorded):
    assert "Not measured: no record. The counter runs" in PAGE.answer(1, ALL[0], {}).markdown
    assert re.match(r"\*\*7\*\* ", PAGE.answers(ALL[:1], 7).markdown)

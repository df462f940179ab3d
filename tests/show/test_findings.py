"""Findings: what a chapter concludes keeps its evidence, its strength and what was missing."""

import math

import pytest
from helpers import made_up

import reckon as rk
from reckon.show.findings import NOT_MEASURED, TWO_VALUES

CALL = made_up.single("cpu/made/call", 100, "ns")
SLOW = made_up.single("cpu/made/slow", 300, "ns")
TWO = made_up.in_two_groups(made_up.single("cpu/made/two", 200, "ns", processes=12))
NOTHING = made_up.nothing("cpu/made/call", "no such instruction")


@rk.finding
def dearer(call, slow, limit=2.0):
    if slow.median > limit * call.median:
        return rk.shown("dearer", f"{slow} is more than {limit:g} times {call}.")
    return [rk.consistent("alike", "They are alike."), rk.unexplained("why", "Why is open.")]


def test_a_finding_is_its_sentence_with_its_name_strength_and_evidence():
    found = dearer(CALL, slow=SLOW)
    assert (found.name, found.strength) == ("dearer", "shown")
    assert found.evidence == {"call": CALL, "slow": SLOW, "limit": 2.0}
    assert found == f"{SLOW} is more than 2 times {CALL}."


def test_findings_of_one_function_share_its_evidence():
    found = dearer(CALL, CALL)
    assert [each.strength for each in found] == ["consistent with", "not explained"]
    assert all(each.evidence["slow"] is CALL for each in found)
    said = "They are alike. ({term}`consistent with the data`) Why is open. And so on."
    assert rk.say(found, "And so on.").markdown == said


@pytest.mark.parametrize(
    ("slow", "limit", "says"),
    [
        (NOTHING, 2.0, "It was not measured here: no such instruction."),
        (SLOW, math.nan, "It has no value here."),
    ],
)
def test_without_a_value_it_says_why(slow, limit, says):
    found = dearer(CALL, slow, limit)
    assert (found.name, found) == (NOT_MEASURED, says)


def test_a_function_may_say_nothing_or_do_without_a_value():
    silent = rk.finding(missing="")(lambda call: rk.shown("there", "There."))
    assert silent(NOTHING) == "" and silent(CALL) == "There."
    needless = rk.finding(needs=())(lambda call: rk.shown("there", "There."))
    assert needless(NOTHING) == "There."


def test_nothing_follows_from_one_of_two_values():
    found = dearer(CALL, TWO)
    assert (found.name, found.strength) == (TWO_VALUES, "not explained")
    assert found.evidence["slow"] is TWO
    said = f"There are two values of “two”, {TWO:interval}, so nothing follows"
    assert found.startswith(said)
    silent = rk.finding(missing="")(lambda calls: rk.shown("sum", f"{calls['two'][0].median}"))
    assert silent({"two": [TWO]}) == "" and silent({"two": [CALL]}) == f"{CALL.median}"
    in_cycles = rk.finding(lambda call: rk.shown("cycles", f"{call.median_cycles}"))
    assert in_cycles(TWO).name == TWO_VALUES
    assert rk.missed_item("two", "2 times", found).labelled == "- **two** (2 times): unexplained."


def test_a_finding_may_print_both_of_two_values():
    printed = rk.finding(lambda two, call: rk.shown("both", f"{two}, {two.apart(call)}"))
    assert printed(TWO, CALL).name == "both" and printed(TWO, CALL).endswith(" ns, 1")
    missed = rk.finding(lambda two: rk.shown("off", rk.missed(two, "why.")))
    assert missed(TWO) == "- **two** (1.01 or 2.02 times the prediction): why."


def test_only_a_miss_is_an_item_of_the_list():
    SLOW.seal.predicted = SLOW.median / 3
    assert rk.missed(SLOW, "unexplained.").endswith("(3.00 times the prediction): unexplained.")
    assert rk.missed(CALL, "unexplained.") == ""


def test_a_miss_is_as_strong_as_its_reason_and_has_its_evidence():
    SLOW.seal.predicted = SLOW.median / 3
    found = rk.missed(SLOW, dearer(CALL, SLOW))
    assert (found.name, found.strength) == ("dearer", "shown")
    assert found.evidence["slow"] is SLOW
    assert rk.missed(SLOW, "as ever.").strength == "not explained"


def test_what_was_not_measured_is_no_reason():
    SLOW.seal.predicted = SLOW.median / 3
    found = rk.missed(SLOW, dearer(CALL, NOTHING))
    assert found.endswith(": unexplained.") and found.strength == "not explained"


def test_misses_are_a_list_below_what_is_said_before():
    SLOW.seal.predicted = SLOW.median / 3
    one = rk.missed(SLOW, "unexplained.")
    assert rk.missed_list(["", one, one], "None.") == [one, one]
    assert rk.missed_list(["", ""], "None.") == ["None."]
    said = rk.say("These:", rk.missed_list([one, one], "None.")).markdown
    assert said == f"These:\n{one}\n{one}"


def test_what_is_below_its_prediction_gets_no_reason_for_one_above():
    SLOW.seal.predicted = SLOW.median * 3
    assert rk.missed(SLOW, "slow.", lower="fast.").endswith("fast.")
    SLOW.seal.predicted = SLOW.median / 3
    assert rk.missed(SLOW, "slow.", lower="fast.").endswith("slow.")

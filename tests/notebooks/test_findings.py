"""What each chapter concludes of made-up results: findings/*.txt list a call a line, and what it has to say.

    [network/rtt]                        the page whose functions are called
    trip = q("tcp 4.4 us")               a value for the lines below
    answer(trip) -> name; other          the names of all findings, `nothing`, or `*` for any
    answer(trip) -> name [shown]         and the strength of the last one
    answer(trip) -> * | words | -words   what the text has, and what it has not; {name}: a value
    answer(trip).name == "x" -> True     or any other value

A line that begins with blanks continues the one above. helpers/findings.py is at hand.
"""

import re
from pathlib import Path

import pytest
from helpers.findings import Table, each
from helpers.lines import at_hand, by_heading, check_all, read

ROW = re.compile(
    r"(?P<call>.*\S) +-> +(?P<names>.*?)(?: +\[(?P<strength>[\w ]+)\])?(?P<words>(?: \| .*)?)"
)


LINES = read(Path(__file__).parent / "findings")
CASES = by_heading(LINES, lambda line: " -> " in line)


def check(number, _, line, page):
    names_at_hand = at_hand(LINES, number, lambda line: " -> " in line, Table(page).names)
    row = ROW.fullmatch(line)
    found = eval(row["call"], names_at_hand)
    if row["names"] in ("True", "False"):
        assert bool(found) == (row["names"] == "True")
        return
    findings = [one for one in each(found) if one]
    if row["names"] != "*":
        names = [] if row["names"] == "nothing" else row["names"].split("; ")
        assert sorted(one.name for one in findings) == sorted(names)
    if row["strength"]:
        assert findings[-1].strength == row["strength"]
    text = " ".join(map(str, findings))
    for words in filter(None, row["words"].split(" | ")):
        words = re.sub(r"\{(\w+)\}", lambda name: str(names_at_hand.get(name[1], name[0])), words)
        assert (words.removeprefix("-") in text) == (not words.startswith("-")), (words, text)


@pytest.mark.parametrize("page", CASES)
def test_a_finding_is_what_follows_from_its_results(page):
    check_all([(*case, page) for case in CASES[page]], check)

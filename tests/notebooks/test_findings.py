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

FILES = sorted((Path(__file__).parent / "findings").glob("*.txt"))
ROW = re.compile(
    r"(?P<call>.*\S) +-> +(?P<names>.*?)(?: +\[(?P<strength>[\w ]+)\])?(?P<words>(?: \| .*)?)"
)


def _lines():
    """[(file and number, page, line)], each line with those that continue it."""
    page, lines = None, []
    for file in FILES:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if heading := re.fullmatch(r"\[(\w+(?:/\w+)?)\]", line):
                page = heading[1]
            elif line.startswith(" "):
                lines[-1][2] += " " + line.strip()
            elif line and not line.startswith("#"):
                lines.append([f"{file.stem}:{number}", page, line])
    return lines


LINES = _lines()
CASES = [
    pytest.param(k, *line[1:], id=line[0]) for k, line in enumerate(LINES) if " -> " in line[2]
]


def _names(page, upto):
    """What the line at that place has at hand: the values above it that it needs."""
    above = [line for _, its_page, line in LINES[:upto] if its_page == page and " -> " not in line]
    needed, lines = {*re.findall(r"\w+", LINES[upto][2])}, []
    for line in reversed(above):
        set_here = re.match(r"[\w, ]+(?= = )|\w+(?=\.)", line)[0]
        if needed & {*set_here.split(", ")}:
            needed |= {*re.findall(r"\w+", line)}
            lines.insert(0, line)
    table = Table(page)
    exec("\n".join(lines), table.names)
    return table.names


@pytest.mark.parametrize(("number", "page", "line"), CASES)
def test_a_finding_is_what_follows_from_its_results(number, page, line):
    names_at_hand = _names(page, number)
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

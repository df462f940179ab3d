"""What functions give and refuse: calls/*.txt list a call a line.

    [reckon.units]                 the module whose names are at hand, or the page
    printed = amount(5e-9, "ns")   a value for the lines below
    number(99.96) -> 100           what it gives, as text; … stands for any
    factor("ns") ~ 1e-9            a number, to a billionth
    factor("dB") ! is not a unit   a ReckonError that says this

A line that begins with blanks continues the one above. helpers/findings.py is at hand.
"""

import functools
import importlib
import math
import operator
import re
from pathlib import Path

import pytest
from helpers import findings
from helpers.lines import at_hand, by_heading, check_all, read

from reckon.book import contents
from reckon.errors import ReckonError

ROW = re.compile(r"(?P<call>.*\S) (?P<how>->|~|!)(?: (?P<expected>.*))?")
MORE = {"functools": functools, "math": math, "operator": operator}


def is_case(line):
    return ROW.fullmatch(line) and not re.match(r"[\w, ]+ = |def |from ", line)


LINES = read(Path(__file__).parent / "calls")
CASES = by_heading(LINES, is_case)


def check(place, _, line, heading, folder):
    module = importlib.import_module(heading) if "." in heading else contents.findings_of(heading)
    names = {**vars(findings), **MORE, "tmp_path": folder, **vars(module)}
    call, how, expected = ROW.fullmatch(line).groups(default="")
    names = at_hand(LINES, place, is_case, names)
    if how == "!":
        with pytest.raises(ReckonError) as refused:
            eval(call, names)
        assert expected in str(refused.value) and "\n" not in str(refused.value)
    elif how == "~":
        assert eval(call, names) == pytest.approx(float(expected), rel=1e-9)
    else:
        text = str(eval(call, names)).strip()
        assert re.fullmatch(re.escape(expected).replace("…", ".*"), text, re.DOTALL), text


@pytest.mark.parametrize("heading", CASES)
def test_a_call_gives_or_refuses_this(heading, folders):
    cases = [(*case, heading, folders) for case in CASES[heading]]
    check_all(cases, check)

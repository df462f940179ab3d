"""Sentences with cases in notebooks: each `rk.sentence()` is read in each of its cases."""

import ast
import functools
import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import made_up
from helpers.project import ROOT

import reckon as rk
from reckon.book import contents


@functools.cache
def sentences(page):
    """The calls of `rk.sentence()` on a page, by the names of their cases."""
    cells = json.loads((ROOT / "notebooks" / f"{page}.ipynb").read_text())["cells"]
    calls = [
        node
        for cell in cells
        if cell["cell_type"] == "code"
        for node in ast.walk(ast.parse("".join(cell["source"])))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "rk.sentence"
    ]
    named = [(ast.literal_eval(case.elts[0]), call) for call in calls for case in tuples(call)]
    assert len({name for name, _ in named}) == len(named), f"{page}: two cases have one name"
    return dict(named)


def tuples(call):
    return [case for case in call.args if isinstance(case, ast.Tuple)]


def read(page, case, names):
    """What the sentence with this case says, where these names have these values."""
    call = compile(ast.Expression(sentences(page)[case]), page, "eval")
    return eval(call, names | {"rk": rk, "np": np})


def value(number):
    """An input, or another thing with a value."""
    return SimpleNamespace(value=number)


def ns(number):
    """A measured result of that many nanoseconds."""
    return made_up.single("test/made_up", number, "ns")


def summary(median, apart=0):
    return SimpleNamespace(
        median=median,
        apart=lambda other: apart,
        interval=SimpleNamespace(is_known=median > 0),
        minimum=median * 0.8,
        maximum=median * 1.2,
        processes=7,
    )


FULL = dict(by_times=0, highest=100.0, full_from=4)
SECOND = dict(cpu=0.2, disk=0.2, full_from=4)
WAITS = dict(ratio=1.5, times="1.5", second=lambda *_: "They wait.", rate=9)
WAITS |= dict(two=summary(2, apart=1), alone=summary(1))
READERS = dict(readers=8, rate=value(50_000), needed=25_000, e=ns(10))
WORK = dict(cycles="9,000", of_one=SimpleNamespace(inputs={"cycles": value(5000)}))

SWITCH = dict(far=ns(3), early=ns(3), gross=ns(1), from_fork="F")

# Page, case, the names of the cell, and words that the text has in this case alone.
CASES = [
    *(
        ("files/contention", *case)
        for case in [
            (
                "slowest below mean",
                dict(odd={4: 0.1}, most=4, counts="4"),
                "With 4 readers the slowest",
            ),
            (
                "lone rate",
                dict(alone=summary(50), low=1, high=2, least=0, most=3),
                "between 1 and 2 (95 %)",
            ),
            (
                "lone rate by few",
                dict(alone=summary(np.nan), low="–", high="–", least=0, most=3),
                "their trials lie between 0 and 3",
            ),
            (
                "more by times",
                dict(by_times=200, highest=100, blocks_in_a_second=str),
                "it is up to 200.",
            ),
            (
                "full from",
                dict(full_from=4, t=SimpleNamespace(axis_in_unit=[20])),
                "From 4 readers on",
            ),
            (
                "never full",
                dict(full_from=None, t=SimpleNamespace(axis_in_unit=[20])),
                "to 20 readers",
            ),
            ("CPUs full", FULL | dict(used=0.9), "The CPUs are what is full, or nearly."),
            ("nothing full", FULL | dict(used=0.6, full_from=None), "more readers would get more."),
            (
                "CPUs not full, others got more",
                FULL | dict(used=0.2, by_times=200),
                "because other trials got more.",
            ),
            ("disk full", FULL | dict(used=0.2), "the disk is, or whoever limits it."),
            ("cannot be told", FULL | dict(used=0.6), "Neither CPUs nor disk can be told"),
            ("wait for CPUs", SECOND | dict(cpu=0.9), "The CPUs are what they wait for."),
            ("wait for disk", SECOND | dict(disk=0.9), "They are near what the disk can."),
            ("wait unexplained", SECOND, "cannot be told from here"),
            ("second reader unclear", WAITS | dict(two=summary(2)), "their trials scatter as far."),
            ("second reader for nothing", WAITS | dict(ratio=1.05), "It hardly does: 1.5 times"),
            ("second reader waits", WAITS, "They wait."),
            ("rate fits", READERS | dict(needed=52_000), "None: the model's 50,000 IO/s fits."),
            ("rate is off", READERS, "it would have to be 25,000 IO/s, as 8 readers show."),
            (
                "knee unexplained",
                dict(few_readers=2e-6, bound=1e-6),
                "That does not explain 4 readers",
            ),
            ("knee fits", dict(few_readers=1e-6, bound=1e-6), "4 readers fit as well: 1.00 µs"),
            ("work as guessed", WORK | dict(work=ns(1)), "held within a factor of two: 9,000"),
            (
                "work off",
                WORK | dict(work=SimpleNamespace(ratio=9, has_samples=True)),
                "9,000 cycles instead of 5,000.",
            ),
            ("work falls", dict(work=ns(9), work_of_20=ns(3)), "So idle and wake-up are likely"),
            ("work stays", dict(work=ns(3), work_of_20=ns(3)), "With twenty readers it is 3"),
            (
                "first reader off",
                dict(
                    one_begins=9e-6,
                    predicted=1e-6,
                    begin=SimpleNamespace(inputs={"first": value(1e-6)}),
                ),
                "One reader begins after 9.00 µs, predicted 1.00 µs",
            ),
            (
                "served in turn",
                dict(worst=SimpleNamespace(slowest=1.1)),
                "They are served in turn.",
            ),
            (
                "some served first",
                dict(worst=SimpleNamespace(slowest=1.5)),
                "Some are served before",
            ),
        ]
    ),
    *(
        ("cpu/switch", *case)
        for case in [
            ("woken", SWITCH | dict(times=3), "3.0 times a switch on the same one: an idle CPU"),
            ("as near", SWITCH | dict(times=1), "1.0 times a switch on the same one."),
            (
                "creation too",
                SWITCH | dict(times=3),
                "F: it times the rest of a process's creation",
            ),
            ("child first", SWITCH | dict(times=-1), "F: the child ran before the parent's clock"),
            ("like a switch", SWITCH | dict(times=1), "F."),
        ]
    ),
]


@pytest.mark.parametrize(("page", "case", "names", "words"), CASES, ids=lambda part: str(part)[:30])
def test_a_case_of_a_sentence(page, case, names, words):
    text = read(page, case, names)
    assert words in text and "nan" not in text


def test_every_case_of_a_sentence_is_read():
    known = {(page, case) for page in contents.notebooks() for case in sentences(page)}
    assert known == {(page, case) for page, case, *_ in CASES}


def test_a_template_without_a_name_has_no_cases_beside_it():
    for page in contents.notebooks():
        for case, call in sentences(page).items():
            assert len(tuples(call)) == len(call.args), (page, case)

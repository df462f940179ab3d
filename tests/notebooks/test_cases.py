"""Sentences with cases in notebooks: each `rk.sentence()` is read in each of its cases."""

import ast
import functools
import json

import numpy as np
import pytest
from helpers.project import ROOT
from helpers.sentence_cases import CASES

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

"""A careless edit of a notebook's prediction gets one sentence: where, what, and what to write."""

import pytest
from helpers.syscall_cells import FORMULA, INPUTS, MEASURE, cells

from reckon import ReckonError


def run(edited, old, new):
    """Execute the cells up to the measurement, one of them with a text replaced."""
    source, variables = cells(), {"__name__": "__main__"}
    assert source[edited].count(old) >= 1
    source[edited] = source[edited].replace(old, new, 1)
    start = "import math\nimport reckon as rk\n"
    for text in (start, source[FORMULA], source[INPUTS], source[MEASURE]):
        exec(text, variables)


def test_the_cells_run_as_they_are(recorded):
    run(FORMULA, "", "")


# One of each kind, as a page has it; every other refusal: prediction/test_formula.py and test_expression.py.
CASES = {
    "an unknown name": (
        FORMULA,
        "mode_switch / clock",
        "mode_swich / clock",
        "null_call: mode_swich is not one of its inputs; did you mean mode_switch?",
    ),
    "a misspelt quantity": (
        INPUTS,
        "cpu/clock/core",
        "cpu/clock/cor",
        "cpu/clock measures no cor; did you mean core?",
    ),
    "an unknown citation": (
        INPUTS,
        "low=60, high=200)",
        'low=60, high=200, cite="knut")',
        "no entry knut",
    ),
    "a renamed quantity": (
        FORMULA,
        "cpu/syscall/getpid",
        "cpu/syscall/getpit",
        "cpu/syscall/getpi",
    ),
    "a power as it is written elsewhere": (
        FORMULA,
        "kernel_path / clock",
        "kernel_path ^ 2 / clock",
        "null_call: `^` cannot become part of a formula; a power is written **, as in a**2.",
    ),
    "a misspelt parameter of the probe": (
        MEASURE,
        "calls=1000",
        "cals=1000",
        "cpu/syscall/getpid has no parameter cals; did you mean calls?",
    ),
    "a misspelt option of the measurement": (
        MEASURE,
        "calls=1000",
        "smples=10",
        "cpu/syscall/getpid has no parameter smples; did you mean samples?",
    ),
    "a formula that is measured": (
        MEASURE,
        "null_call_here",
        "null_call",
        "write rk.measure(null_call(mode_switch=..., kernel_path=..., clock=...)).",
    ),
}


@pytest.mark.parametrize("edit", CASES)
def test_a_careless_edit_is_explained_in_one_sentence(edit, recorded):
    cell, old, new, says = CASES[edit]
    with pytest.raises(ReckonError) as raised:
        run(cell, old, new)
    sentence = str(raised.value)
    assert says in sentence and "\n" not in sentence and sentence[-1] in ".?"
    assert raised.value._render_traceback_() == [sentence]  # all that JupyterLab shows

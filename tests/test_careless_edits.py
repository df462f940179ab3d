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


CASES = {
    "an unknown name": (
        FORMULA,
        "mode_switch / clock",
        "mode_swich / clock",
        "null_call: mode_swich is not one of its inputs; did you mean mode_switch?",
    ),
    "a missing input": (
        INPUTS,
        "kernel_path=path, ",
        "",
        "null_call takes mode_switch, kernel_path, clock; missing: kernel_path.",
    ),
    "a misspelt input": (
        INPUTS,
        "kernel_path=",
        "kernel_pth=",
        "missing: kernel_path; unknown: kernel_pth.",
    ),
    "inputs without names": (
        INPUTS,
        "mode_switch=switch, kernel_path=path, clock=clock",
        "switch, path, clock",
        "The inputs of null_call are given by name: null_call(mode_switch=..., kernel_path=..., clock=...).",
    ),
    "a wrong dimension": (
        FORMULA,
        "kernel_path / clock",
        "kernel_path",
        "null_call: mode_switch / clock is a time; kernel_path is a number of cycles: these cannot be added.",
    ),
    "a wrong dimension of all": (
        FORMULA,
        "return hardware, software",
        "return mode_switch, kernel_path",
        "null_call: the formula gives a number of cycles, but ns is a time.",
    ),
    "an unknown unit": (
        INPUTS,
        '"GHz"',
        '"GHertz"',
        "'GHertz' is not a unit of this book; write for example",
    ),
    "a division by 0": (
        FORMULA,
        "kernel_path / clock",
        "kernel_path / 0",
        "null_call: A division by 0 has no value",
    ),
    "an input of 0": (
        INPUTS,
        "kernel_path=path, clock=clock",
        'kernel_path=path, clock=rk.given(0, "GHz", "x")',
        "null_call gives ∞ ns, with clock = 0; a prediction is a finite number",
    ),
    "a negative time": (
        INPUTS,
        "kernel_path=path",
        'kernel_path=rk.given(-900, "cycle", "x")',
        "; no amount is negative: change the formula or its inputs.",
    ),
    "an if": (
        FORMULA,
        "    return",
        "    if kernel_path > mode_switch:\n        hardware = 0\n    return",
        "null_call: `if`, `and`, `or`, min() and max() cannot become part of a formula; write np.where",
    ),
    "a function of math": (
        FORMULA,
        "kernel_path / clock",
        "math.log(kernel_path) / clock",
        "null_call: A function of the math module, float() or int() cannot become part of a formula; write the function of numpy",
    ),
    "a module that is not there": (
        FORMULA,
        "kernel_path / clock",
        "maths.log(kernel_path) / clock",
        "null_call: maths is not one of its inputs; its inputs are mode_switch, kernel_path and clock.",
    ),
    "a bare number": (
        INPUTS,
        "kernel_path=path",
        "kernel_path=550",
        "null_call: kernel_path must say where it comes from; write rk.given(550, unit, source)",
    ),
    "a string for an input": (
        INPUTS,
        "kernel_path=path",
        'kernel_path="550 cycle"',
        "null_call: kernel_path must say where it comes from",
    ),
    "a string in a formula": (
        FORMULA,
        "kernel_path / clock",
        '"550" + kernel_path',
        "null_call: '550' cannot become part of a formula; make it an input.",
    ),
    "a string times an input": (FORMULA, "kernel_path / clock", '"550" * kernel_path', "null_call"),
    "a string for a value": (
        INPUTS,
        "rk.guess(150,",
        'rk.guess("150",',
        "'stack, registers, table, mitigations; no source': the value is '150', not a number",
    ),
    "no low": (INPUTS, "low=50, high=1200", "high=1200", "lacks low; write rk.guess(150, 'cycle',"),
    "no interval": (
        INPUTS,
        ",\n                low=50, high=1200",
        "",
        "lacks low and high; write rk.guess(150, 'cycle',",
    ),
    "ends in the wrong order": (
        INPUTS,
        "low=50, high=1200",
        "low=1200, high=50",
        "needs low <= value <= high",
    ),
    "no return": (
        FORMULA,
        "    return hardware, software",
        "",
        "null_call returns nothing; end it with `return`",
    ),
    "one value too few": (
        FORMULA,
        "return hardware, software",
        "return hardware",
        "null_call returns 1 value(s); kind 'sum' needs (hardware, software).",
    ),
    "no decorator": (
        FORMULA,
        '@rk.predict("cpu/syscall/getpid", unit="ns")\n',
        "",
        'is used outside of a formula; is the line @rk.predict("PART/EXPERIMENT/QUANTITY", unit="ns") missing',
    ),
    "a field without its section": (
        INPUTS,
        "clock=clock)",
        'clock=rk.machine("clock"))',
        "The machine description has no field clock; did you mean processor.base_clock?",
    ),
    "a field without a guess": (
        INPUTS,
        "clock=clock)",
        'clock=rk.machine("processor.base_clock"))',
        'rk.machine("processor.base_clock", ...) needs a guess',
    ),
    "a misspelt quantity": (
        INPUTS,
        "cpu/clock/core",
        "cpu/clock/cor",
        "cpu/clock measures no cor; did you mean core?",
    ),
    "a misspelt experiment": (
        INPUTS,
        "cpu/clock/core",
        "cpu/clok/core",
        "there is no experiment cpu/clok; did you mean cpu/clock?",
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
    "a misspelt parameter of the probe": (
        MEASURE,
        "calls=1000",
        "cals=1000",
        "cpu/syscall/getpid has no parameter cals; did you mean calls?",
    ),
    "a parameter of the probe that is no number": (
        MEASURE,
        "calls=1000",
        'calls="many"',
        'calls must be a whole number, not "many".',
    ),
    "a parameter of the probe beyond its bounds": (
        MEASURE,
        "calls=1000",
        "calls=-1",
        "calls must be between 1 and 1000000000, not -1.",
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
        "The formula null_call is no prediction; measure takes what the function under @rk.predict returns.",
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

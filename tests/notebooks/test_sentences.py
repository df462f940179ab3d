"""Sentences with cases in notebooks: a cell is run with results made up for each case."""

import ast
import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import made_up
from helpers.project import ROOT

import reckon as rk
from reckon import units
from reckon.statistics import Interval

MISSING = made_up.nothing("test/missing", "no such instruction")


def displayed(page, markers, **names):
    """What the last of the page's cells with these texts displays, all run with these names."""
    cells = json.loads((ROOT / "notebooks" / f"{page}.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names |= {"rk": rk, "np": np}
    for marker in markers:
        [source] = [source for source in sources if marker in source]
        *statements, last = ast.parse(source).body
        if marker != markers[-1]:
            exec(source, names)
    exec(compile(ast.Module(statements, []), page, "exec"), names)
    return eval(compile(ast.Expression(last.value), page, "eval"), names).markdown


def result(value, unit="ns", apart=0, cycles=4.0):
    """A result of exactly that value; `apart` as it compares with any other."""
    return _Exact(value, unit, apart, cycles)


class _Exact:
    """What cells use of a measured result."""

    reason = None

    def __init__(self, value, unit, apart, cycles):
        self.median, self.unit, self._apart = units.to_base(value, unit), unit, apart
        self.summary = self
        self.medians = [self.median]
        self.minimum = self.p99 = self.maximum = self.mean = self.median
        self.interval = Interval(self.median, self.median, "median")
        self.core_cycles = SimpleNamespace(median=cycles)
        self.processes = 3

    def apart(self, other, more=0.0):
        return self._apart

    def why_not_apart(self, other):
        return "within their spread"

    def __format__(self, spec):
        return f"{self.core_cycles.median:g} cycles" if spec == "cycles" else self._amount()

    def _amount(self):
        return rk.amount(self.median, self.unit)


def curve(values, unit="ns"):
    """A curve of exactly these values, at 0, 1, 2 and so on."""
    return SimpleNamespace(
        points=values, medians=units.to_base(np.array(values, float), unit), has_samples=True
    )


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (1, "the ends work at the same time."),
        (0, "One CPU and two cannot be told apart, though"),
        (-1, "may cost more than that gains."),
    ],
)
def test_throughput_of_two_cpus(gain, words):
    n = {"tcp": result(8, "Gbit/s"), "tcp_across": result(9, "Gbit/s", gain)}
    assert words in displayed("network/throughput", ["gain = two_cpus.apart"], n=n)
    n["tcp_across"] = MISSING
    text = displayed("network/throughput", ["gain = two_cpus.apart"], n=n)
    assert text == "With two CPUs: no such instruction."

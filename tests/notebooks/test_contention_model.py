"""The rate that the page on contention names for a time: with it, the model has that time."""

import ast
import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.project import ROOT

FUNCTIONS = ("queue", "model_time", "rate_for")
VALUES = dict(block=4096, disk=3e9, rate=100_000, alone=50e-6, work=20e-6, cpus=2)


def page_functions(times):
    """The page's functions for these numbers of readers and the times that were measured with them."""
    cells = json.loads((ROOT / "notebooks/files/contention.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names = {"np": np, "values": VALUES}
    names["e"] = SimpleNamespace(
        medians=np.array(list(times.values())),
        point_index=lambda readers: list(times).index(readers) if readers in times else None,
    )
    for node in (node for cell in code for node in ast.parse(cell).body):
        if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS:
            exec(compile(ast.Module([node], []), node.name, "exec"), names)
    return names


def test_with_the_rate_that_is_named_the_model_has_the_measured_time():
    page = page_functions({8: 187e-6, 20: 450e-6})
    for readers, time in ((8, 187e-6), (20, 450e-6)):
        assert page["model_time"](readers, page["rate_for"](readers)) == pytest.approx(time)


def test_no_rate_is_named_where_none_gives_the_time():
    page = page_functions({2: 15e-6, 4: 30e-6})  # below the CPU's work, and below a reader alone
    assert np.isnan([page["rate_for"](readers) for readers in (2, 4, 8)]).all()

"""The rate that the chapter on contention names for a time: with it, the model has that time."""

import ast
import json
from types import SimpleNamespace

import numpy as np
import pytest

from reckon.book import contents

PAGE = "files/contention"
VALUES = dict(block=4096, disk=3e9, rate=100_000, alone=50e-6, work=20e-6, cpus=2)


@pytest.fixture(scope="module")
def queue():
    """The page's model."""
    cells = json.loads(contents.source(PAGE).read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names = {"np": np}
    for node in (node for cell in code for node in ast.parse(cell).body):
        if isinstance(node, ast.FunctionDef) and node.name == "queue":
            exec(compile(ast.Module([node], []), node.name, "exec"), names)
    return names["queue"]


def curve(times):
    """A curve of these numbers of readers and the times that were measured with them."""
    return SimpleNamespace(
        seal=SimpleNamespace(values=VALUES),
        medians=np.array(list(times.values())),
        point_index=lambda readers: list(times).index(readers) if readers in times else None,
    )


def test_with_the_rate_that_is_named_the_model_has_the_measured_time(queue):
    found, each = contents.findings_of(PAGE), curve({8: 187e-6, 20: 450e-6})
    for readers, time in ((8, 187e-6), (20, 450e-6)):
        rate = found.rate_for(queue, each, readers)
        assert found.model_time(queue, each, readers, rate) == pytest.approx(time)


def test_no_rate_is_named_where_none_gives_the_time(queue):
    # Below the CPU's work, and below a reader alone.
    found, each = contents.findings_of(PAGE), curve({2: 15e-6, 4: 30e-6})
    rates = [found.rate_for(queue, each, readers) for readers in (2, 4, 8)]
    assert np.isnan(rates).all()

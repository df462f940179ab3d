"""The notebooks, executed against the recorded run, give the expected outputs.

The expected copies are in tests/expected; `make expected` writes them anew.
"""

import json

import pytest

from conftest import ROOT
from reckon import pages

EXPECTED = ROOT / "tests" / "expected"


def code(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]


@pytest.mark.parametrize("page", pages.notebooks())
def test_outputs_follow_from_the_recorded_run(page, recorded, monkeypatch, nb_regression):
    expected = EXPECTED / f"{page}.ipynb"
    assert code(expected) == code(pages.source(page)), "run `make expected`"
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("RECKON_BOOK", "1")
    nb_regression.exec_cwd = str(ROOT)
    nb_regression.exec_timeout = 120
    nb_regression.diff_color_words = False
    nb_regression.diff_ignore = (
        "/metadata",
        "/cells/*/metadata",
        "/cells/*/execution_count",
        "/cells/*/outputs/*/execution_count",
        "/cells/*/outputs/*/data/text/plain",
    )
    before = {p: p.read_bytes() for p in recorded.rglob("*.json")}
    nb_regression.check(str(expected))
    # Nothing was measured, and no sample touched.
    for path, content in before.items():
        old, new = json.loads(content), json.loads(path.read_bytes())
        for name, quantity in old.get("quantities", {}).items():
            assert new["quantities"][name]["measurement"] == quantity["measurement"]

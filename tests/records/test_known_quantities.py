"""A misspelt quantity and one that is not measured yet are reported differently."""

import json

import pytest

from reckon.prediction.expression import PredictionError
from reckon.records import notebook_cells
from reckon.records.known_quantities import refuse_unknown
from reckon.records.quantities.lookup import all_results


def test_every_quantity_of_the_book_is_known_before_it_is_measured(recorded, folders):
    for result in all_results("recorded"):
        refuse_unknown("empty", result.quantity)


@pytest.mark.parametrize("run", ["recorded", "empty"])
def test_a_misspelt_one_is_refused_and_the_nearest_named(run, recorded):
    for quantity, nearest in (
        ("cpu/clock/cor", "core"),
        ("cpu/clok/core", "cpu/clock"),
        ("cpu/syscall/getpid_int", "getpid"),  # two words of the C source
    ):
        with pytest.raises(PredictionError, match=f"did you mean {nearest}"):
            refuse_unknown(run, quantity)
    with pytest.raises(PredictionError, match="cpu/syscall measures no return; "):
        refuse_unknown(run, "cpu/syscall/return")


def test_a_name_that_was_typed_a_moment_ago_is_no_quantity_of_the_notebook(folders, monkeypatch):
    """JupyterLab saves the notebook with the misspelt name."""
    monkeypatch.setattr(notebook_cells, "committed", lambda path: '"cpu/loop/o2"')
    refuse_unknown("empty", "cpu/loop/o2_across_lines")  # of the notebook as it is
    refuse_unknown("empty", "cpu/loop/o2", is_new=True)
    with pytest.raises(PredictionError, match="cpu/loop measures no measure; "):
        refuse_unknown("empty", "cpu/loop/measure", is_new=True)


def test_a_title_that_is_computed_leaves_the_others():
    titles = 'titles = {"a": "One", **more, "b": f"{2}"}\nsame = {"c": "Three"}'
    cell = {"cell_type": "code", "metadata": {"tags": ["titles"]}, "source": titles}
    heading = {"cell_type": "markdown", "metadata": {}, "source": "# A page"}
    found = notebook_cells.titles_in(json.dumps({"cells": [heading, cell]}))
    assert found == {"": "A page", "a": "One", "c": "Three"}

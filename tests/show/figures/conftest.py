"""Figures drawn into a folder of the test's own."""

import csv

import pytest


@pytest.fixture
def build(tmp_path, monkeypatch):
    """The _build folder of this test."""
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    return tmp_path


@pytest.fixture
def data(build):
    """`data(name)` is the table of numbers of a figure that was drawn."""

    def read(name):
        with open(build / "figures" / f"{name}.csv") as file:
            return list(csv.reader(file))

    return read

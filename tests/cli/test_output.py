"""What commands print fits the terminal, and no name is cut."""

import pytest
from helpers.project import ROOT, reckon

from reckon.cli.output import fitting, in_columns

COMMANDS = [
    ["results"],
    ["results", "cpu"],
    ["results", "cpu/syscall"],
    ["probes"],
    ["predict", "cpu/syscall/getpid"],
    ["predict", "memory/fault/major"],
    ["compare"],
    ["compare", "recorded", str(ROOT / "book/runs/example"), "--all"],
]


@pytest.fixture(params=[60, 80, 120])
def width(request, monkeypatch):
    """The columns of the terminal to which commands print."""
    monkeypatch.setattr("reckon.cli.output.terminal_width", lambda: request.param)
    return request.param


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_lines_fit_and_every_word_is_there(recorded, width, command, monkeypatch):
    fitted = reckon(*command).stdout
    assert max(map(len, fitted.splitlines())) <= width
    monkeypatch.setattr("reckon.cli.output.terminal_width", lambda: None)
    assert fitted.split() == reckon(*command).stdout.split()


def test_what_does_not_fit_uses_the_width(monkeypatch):
    monkeypatch.setattr("reckon.cli.output.terminal_width", lambda: 40)
    rows = [["name", "measured"], ["cpu", "one two three four five six seven eight"]]
    assert in_columns(rows) == [
        "name  measured",
        "cpu   one two three four five six seven",
        "      eight",
    ]
    assert fitting("a" * 50) == ["a" * 50]  # a word is whole

"""The machine's description where a program that it asks cannot be started."""

import errno
import os
import subprocess

import pytest

from reckon.computer import fields, system_files
from reckon.errors import ReckonError


def fails(error):
    def run(*_, **__):
        raise OSError(error, os.strerror(error))

    return run


def test_what_a_limit_keeps_from_starting_is_not_taken_for_missing(monkeypatch):
    """The run's identity and predictions depend on what it reports."""
    monkeypatch.setattr(subprocess, "run", fails(errno.EAGAIN))
    with pytest.raises(ReckonError, match="sh does not start .Resource temporarily unavailable"):
        system_files.run_command("sh", "-c", "echo")
    monkeypatch.setattr(subprocess, "run", fails(errno.EACCES))
    assert system_files.run_command("sh", "-c", "echo") is None


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ('"1.2.3 GHz"', "is not a unit"),
        ('"1e999 GHz"', "needs a number and a unit"),
        ('"3 GHz**999999999999"', "is not a unit"),
        ("9" * 400, "needs a number and a unit"),
        ("[" * 3000 + "]" * 3000, "cannot be read"),
    ],
)
def test_a_value_that_is_no_number_is_refused(tmp_path, value, says):
    path = tmp_path / "machine.toml"
    path.write_text(f"[processor]\nbase_clock = {value}\n")
    with pytest.raises(ReckonError, match=says):
        fields.from_toml(path)


@pytest.mark.parametrize("value", ["2", "2.0", '"2"'])
def test_a_count_may_be_a_plain_number(tmp_path, value):
    path = tmp_path / "machine.toml"
    path.write_text(f"[memory]\nchannels = {value}\n")
    if value == '"2"':
        with pytest.raises(ReckonError, match="channels needs a number, such as 3, not '2'"):
            fields.from_toml(path)
    else:
        assert fields.from_toml(path) == {"memory.channels": (2.0, "machine.toml")}

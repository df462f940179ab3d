"""What is said before measuring: time, and room on the disk."""

import re

import pytest
from helpers.project import RECORDED

from reckon import config, units
from reckon.computer import scratch
from reckon.measurement import costs
from reckon.measurement.probe import DataFiles


def test_files_of_one_probe_serve_the_others():
    files = [DataFiles(1, 500), DataFiles(3, 100), DataFiles(2, 200)]
    assert costs.written_bytes(files) == 500 + 200 + 100


def test_the_example_says_how_long_a_page_measures_in_its_profile():
    """What its own quantities took, and of the page on methods what all took by other methods."""
    latency, clock = (
        costs.measuring_s_of_example(page, "standard") for page in ("memory/latency", "cpu/clock")
    )
    assert latency > 10 * clock > 10
    assert costs.measuring_s_of_example("methods", "standard") > 20
    assert costs.measuring_s_of_example("memory/latency", "quick") == 0
    assert costs.measuring_s_of_example("summary", "standard") == 0


def _sentence(monkeypatch, seconds=100.0, **settings):
    monkeypatch.setattr(config, "_in_use", config.Settings(**settings))
    return costs.sentence("recorded", seconds)


def _amount(sentence):
    return units.to_base(*units.number_and_unit(re.search("at most (.*?) to /", sentence)[1]))


def test_the_time_and_the_largest_files_of_any_record_are_said(monkeypatch, tmp_path):
    sentence = _sentence(monkeypatch, runs_dir=RECORDED, scratch_dir=tmp_path, profile="quick")
    assert "about 2 min" in sentence and f"to {tmp_path}" in sentence
    assert 5e8 < _amount(sentence) < 2e9  # the example reads a file of 600 MiB


def test_never_more_than_a_quarter_of_the_free_space(monkeypatch, tmp_path):
    monkeypatch.setattr(scratch, "free_bytes", lambda: 4_000_000)
    sentence = _sentence(monkeypatch, runs_dir=RECORDED, scratch_dir=tmp_path)
    assert _amount(sentence) == pytest.approx(1e6, rel=0.01)


def test_a_longer_profile_than_any_record_may_write_a_quarter(monkeypatch, tmp_path):
    free = 4_000_000_000_000
    monkeypatch.setattr(scratch, "free_bytes", lambda: free)
    sentence = _sentence(monkeypatch, runs_dir=RECORDED, scratch_dir=tmp_path, profile="full")
    assert _amount(sentence) == pytest.approx(free / 4, rel=0.01)


def test_a_missing_scratch_folder_is_said(monkeypatch, tmp_path):
    sentence = _sentence(monkeypatch, runs_dir=RECORDED, scratch_dir=tmp_path / "missing")
    assert f"no file can be written in {tmp_path}/missing" in sentence

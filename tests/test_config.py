"""The settings: read from the environment, chosen on the command line and in a notebook."""

import re
from pathlib import Path

import pytest
from helpers.project import ROOT

import reckon as rk
from reckon.config import settings
from reckon.errors import ReckonError
from reckon.profiles import PROFILES


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    for name in ("PROFILE", "RUN", "FRESH", "PEER", "SCRATCH", "LINK_RTT"):
        monkeypatch.setenv(f"RECKON_{name}", "")
    assert settings().profile == PROFILES["standard"] and settings().run is None
    assert not settings().fresh and settings().link_rtt == "0.2 ms"
    assert settings().scratch_dir == Path("/var/tmp")


def test_a_changed_variable_acts_at_once(monkeypatch, tmp_path):
    monkeypatch.delenv("RECKON_LIB")
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    assert settings().library_dir == tmp_path / "lib"
    monkeypatch.setenv("RECKON_LIB", str(tmp_path / "other"))
    assert settings().library_dir == tmp_path / "other"


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("RECKON_PROFILE", "fast", "There is no profile 'fast'; choose quick, standard or full"),
        (
            "RECKON_FRESH",
            "perhaps",
            "In the environment, RECKON_FRESH: Input should be a valid boolean",
        ),
    ],
)
def test_a_value_that_is_not_valid_is_refused_in_a_sentence(monkeypatch, variable, value, says):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ReckonError, match=says):
        settings()


def test_a_notebooks_choices_precede_the_environment(monkeypatch):
    monkeypatch.setenv("RECKON_PROFILE", "quick")
    monkeypatch.setenv("RECKON_RUN", "before")
    rk.begin(profile=None, run=None)
    assert settings().profile.name == "quick" and settings().run == "before"
    rk.begin(profile="full", run="after")
    assert settings().profile.name == "full" and settings().run == "after"
    with pytest.raises(ReckonError, match="There is no profile 'fast'"):
        rk.begin(profile="fast")


def test_the_token_is_not_shown(monkeypatch):
    monkeypatch.setenv("RECKON_PEER_TOKEN", "a-secret-of-16-characters")
    assert "a-secret" not in repr(settings())


def test_no_other_module_reads_the_environment():
    readers = [
        str(path.relative_to(ROOT / "reckon"))
        for path in (ROOT / "reckon").rglob("*.py")
        if re.search(r"\b((os\.|import )environb?|getenvb?)\b", path.read_text())
    ]
    assert readers == ["config.py"]

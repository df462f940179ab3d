"""The lab host's settings and options, and its description."""

import json
import os
import subprocess

import pytest
from helpers.project import LIBRARY, finished

from reckon import config
from reckon.errors import ReckonError
from reckon.hosts import lab as labs

LAB = LIBRARY / "reckon-lab"


def test_values_out_of_bounds_are_refused():
    for rtt_s, rate in [(-0.001, 1e9), (2.1, 1e9), (0, 9e3), (0, 3e9), (float("nan"), 1e9)]:
        with pytest.raises(ReckonError, match="which the lab host cannot keep"):
            labs.Lab(rtt_s, rate, ["true"])
    with pytest.raises(
        labs.LabUnavailable, match="holds more than 64 MiB on the way; set a shorter"
    ):
        labs.Lab(2, 2.5e9, ["true"])


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--rtt-us", "5"],
        ["--rtt-us", "-1", "--rate-bit", "1000000"],
        ["--path", "pigeon"],
        ["--rtt-us", "5", "--rate-bit", "1e6"],
        ["--rtt-us", "", "--rate-bit", "1000000"],
        ["--nope"],
    ],
)
def test_wrong_options_print_the_usage(options):
    done = finished(LAB, *options, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and not done.stdout
    assert "usage: reckon-lab --rtt-us N --rate-bit N" in done.stderr.splitlines()[-1]


def test_its_description_and_facts_are_those_of_its_link():
    with labs.Lab(0.0002, 1e9, ["sleep", "1000"]) as lab:
        assert lab.describe() == (
            "a second host built into this machine, behind a link set to 0.2 ms and 1 Gbit/s"
        )
        facts = {name: value for name, (value, _) in lab.facts.items()}
        assert facts["link_rtt"] == 0.0002 and facts["link_rate"] == 1e9 / 8
        assert facts["congestion"] == lab.congestion and facts["address"] == lab.peer
        assert (facts["mtu"], facts["queue"]) == (1500, 4e6)
        assert all(source for _, source in lab.facts.values())
        json.dumps([lab.facts, lab.link])
    assert lab.locations["peer"] == "10.77.0.2:7325"
    assert lab.locations["peer_process"] == str(lab.pid)
    assert len(lab.locations["peer_token"]) == 32


def test_it_starts_with_the_settings(monkeypatch):
    monkeypatch.setenv("RECKON_LINK_RTT", "3 ms")
    monkeypatch.setenv("RECKON_LINK_RATE", "20 Mbit/s")
    with labs.start() as lab:
        assert lab.link["rtt_s"] == 0.003 and lab.link["rate_bit_per_s"] == 2e7


def test_a_missing_reckon_lab_is_reported_with_how_to_build_it(monkeypatch, tmp_path):
    monkeypatch.setenv("RECKON_LIB", str(tmp_path))
    assert config.settings().library_dir == tmp_path
    with pytest.raises(ReckonError, match="reckon-lab does not start .* run `make lib`"):
        labs.Lab(0, 1e9)
    assert os.listdir(tmp_path) == []

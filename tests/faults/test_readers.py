"""Records, samples, runs, machine.toml and another host's answers with random changes: each is read,
or refused in one sentence."""

import gzip
import itertools
import math
import os
import socket

import pytest
from helpers import made_up
from helpers.fuzz import changed, messages

from reckon import records
from reckon.computer import fields
from reckon.errors import ReckonError
from reckon.hosts import real_peer
from reckon.records.run_files import verify
from reckon.records.run_files.sample_files import samples_path

QUANTITY = "cpu/made/one"
VERIFIED = 20  # every 20th is also verified, which takes longer


def outcomes(read, texts):
    """How often something was read, and how often it was refused."""
    count = {"read": 0, "refused": 0}
    for text in texts:
        try:
            read(text)
        except ReckonError as error:
            assert str(error)
            count["refused"] += 1
        else:
            count["read"] += 1
    return count


@pytest.fixture
def run(folders):
    """A run with one quantity, of a curve with a point that failed, and its attempts."""
    result = made_up.curve(QUANTITY, [1, 2, 4], [3, 4, 5], missing=[1], processes=2)
    made_up.run("r", [result], machine={"processor": {"model": {"value": "x", "source": "y"}}})
    return records.run_dir("r")


def replaced(path):
    """A function that writes the file, each time at another time: readers keep what they parsed."""
    stamp = itertools.count(1)

    def write(content):
        path.write_bytes(content)
        os.utime(path, ns=(0, 1000 * next(stamp)))

    return write


@pytest.mark.parametrize("name", ["run.json", "cpu/made.json", "samples"])
def test_a_changed_file_of_a_run_is_read_or_refused(run, name):
    path = samples_path(run, QUANTITY, 1) if name == "samples" else run / name
    write, original = replaced(path), path.read_bytes()
    if name == "samples":
        original = gzip.decompress(original)
    turns = itertools.count(1)

    def read(content):
        write(gzip.compress(content, 1) if name == "samples" else content)
        if name == "run.json":
            records.runs()
            records.read_run("r")
        if next(turns) % VERIFIED == 0:
            verify.faults("r")
        records.digest(f"{path}#*")
        records.read_record("r", "cpu/made")

    count = outcomes(read, changed(original, messages(2000)))
    assert count["refused"] > count["read"] / 100 and count["read"], count


TOML = b"""
[processor]
base_clock = "3.5 GHz"
l1d = "32 KiB"
threads = 8
sharing = 'L1D: CPU 0'
[memory]
transfer_rate = "2.933 GT/s"
channels = 2
[disk]
devices = "a drive"
read_bandwidth = "3500 MB/s"
random_read_rate = "5e5 IO/s"
[peer]
distance = "25 km"
"""


def test_a_changed_machine_toml_is_read_or_refused(tmp_path):
    path = tmp_path / "machine.toml"
    write = replaced(path)

    def read(content):
        write(content)
        for value, _ in fields.from_toml(path).values():
            assert isinstance(value, str) or math.isfinite(value), value

    count = outcomes(read, changed(TOML, messages(2000)))
    assert min(count.values()) > messages(2000) / 50, count


ABOUT = (
    b'{"system": "Linux", "release": "6.1", "machine": "x86_64", "processor": "A CPU", '
    b'"threads": 8, "memory_bytes": 34359738368, "mtu_bytes": 1500, "speed_mbit_per_s": 1000, '
    b'"congestion_control": "cubic", "interface": "eth0", "driver": "e1000e", "guest": false}\n'
)


class Connection:
    """A peer that sends these bytes, a part at a time, and closes."""

    def __init__(self, answer):
        self._parts = [answer[:20], answer[20:4096]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def settimeout(self, seconds):
        assert seconds > 0

    def sendall(self, data):
        assert data.startswith(b"reckon-peer 1")

    def recv(self, _):
        return self._parts.pop(0) if self._parts else b""


def test_a_changed_answer_of_a_peer_is_taken_or_refused(monkeypatch):
    answer = b""
    monkeypatch.setattr(socket, "create_connection", lambda *_: Connection(answer))

    def read(changed_answer):
        nonlocal answer
        answer = changed_answer
        about = real_peer._ask_about(("192.0.2.1", 7325), "x" * 16)
        assert real_peer._sentence("192.0.2.1", about).isprintable()
        assert real_peer._machine_facts("192.0.2.1:7325", about)

    answers = changed(b"reckon-peer 1\nok\n" + ABOUT, messages(5000))
    count = outcomes(read, answers)
    assert min(count.values()) > messages(5000) / 20, count

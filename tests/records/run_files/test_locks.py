"""Two processes that work on one run or build: one waits, and names the other."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from helpers import made_up
from helpers.processes import until
from helpers.project import PROGRAMS, ROOT

from reckon import config, records
from reckon.errors import ReckonError
from reckon.records.run_files import locks
from reckon.records.run_files.locks import lock


@pytest.fixture
def holder(tmp_path):
    """Another process that holds a lock until it is ended."""
    script = (
        "import sys, time; from pathlib import Path; from reckon.records.run_files.locks import lock\n"
        "with lock(Path(sys.argv[1]), 'builds the book'):\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    path = tmp_path / "folder" / ".lock"
    command = [sys.executable, "-c", script, str(path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "held\n"
        yield process, path
        process.kill()
    path.unlink(missing_ok=True)


def test_a_waiting_process_names_the_holder_of_the_lock(holder):
    process, path = holder
    sentences = []

    def end_it(sentence):
        sentences.append(sentence)
        process.send_signal(signal.SIGINT)

    begin_s = time.monotonic()
    with lock(path, "waits", end_it):
        assert time.monotonic() - begin_s > 1
    assert sentences == [f"Waiting for process {process.pid}, which builds the book."]
    assert not path.exists()


def test_a_lock_ends_with_its_process_however_that_ends(holder):
    process, path = holder
    process.kill()
    process.wait()
    assert path.exists()  # the file stays; the lock does not
    with lock(path, "is next", lambda sentence: pytest.fail(sentence)):
        assert f"process {os.getpid()}, which is next" in path.read_text()
    assert not path.exists()


def test_a_process_does_not_wait_for_itself(tmp_path):
    path = tmp_path / ".lock"
    with lock(path, "works"):
        with lock(path, "works"):
            pass
        assert path.exists()
    assert not path.exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ReckonError, match="file/.lock cannot be locked"),
        lock(tmp_path / "file" / ".lock", "works"),
    ):
        pass


def test_two_processes_that_write_one_record_lose_nothing(folders):
    made_up.run("r", [])
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    writers = [
        subprocess.Popen([sys.executable, PROGRAMS / "updates.py", name], env=environment)
        for name in "ab"
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    quantities = records.read_record("r", "cpu/made", samples=False).quantities
    assert len(quantities) == 40 and all(quantity.has_samples for quantity in quantities.values())
    assert until(lambda: not list((folders / "runs/r").glob(".*")))


@pytest.fixture
def measuring(folders):
    """Another process that measures into another run, until it is ended."""
    made_up.run("other", [])
    script = (
        "import time; from reckon import records\n"
        "with records.measuring('other', print):\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def reporting(sentences, process, number):
    """What is called when a measurement waits for the process: keeps the sentence, and ends it."""

    def end_it(sentence):
        sentences.append(sentence)
        process.send_signal(number)

    return end_it


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_two_runs_are_not_measured_at_once(measuring, number):
    made_up.run("r", [])
    sentences = []
    end_it = reporting(sentences, measuring, number)
    with records.writing("r"):  # what does not measure does not wait
        pass
    with records.measuring("r", end_it), records.measuring("r", pytest.fail):
        assert measuring.wait(10)
    assert sentences == [f"Waiting for process {measuring.pid}, which measures on this machine."]


def test_another_user_keeps_nobody_from_measuring(measuring, monkeypatch):
    monkeypatch.setattr(locks, "_OTHER_USER_S", 1.5)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    made_up.run("r", [])
    sentences = []
    with records.measuring("r", sentences.append):
        assert measuring.poll() is None
    process = f"process {measuring.pid}"
    assert sentences == [
        f"Waiting for {process}, which measures on this machine.",
        f"Measuring beside {process} of another user, which does not end.",
    ]


def test_a_user_s_own_measurement_is_waited_for_however_long(measuring, monkeypatch):
    monkeypatch.setattr(locks, "_OTHER_USER_S", 0.1)
    monkeypatch.setattr(locks, "_POLL_S", 0.001)
    made_up.run("r", [])
    sentences = []
    with records.measuring("r", reporting(sentences, measuring, signal.SIGKILL)):
        assert measuring.wait(10)
    assert sentences == [f"Waiting for process {measuring.pid}, which measures on this machine."]


def test_the_wait_for_another_user_begins_again_with_each_process(folders, monkeypatch):
    monkeypatch.setattr(locks, "_OTHER_USER_S", 1.5)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    made_up.run("r", [])
    name = f"\0{config.settings().machine_lock}"
    with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:

        def take_over():
            first.close()
            second.bind(name)
            second.listen()

        first.bind(name)
        first.listen()
        threading.Timer(1, take_over).start()
        begin_s = time.monotonic()
        with records.measuring("r", print):
            assert time.monotonic() - begin_s > 2.4

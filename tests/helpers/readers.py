"""What the tests of readers on one disk share: files of their own, and who reads."""

import contextlib
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from helpers.rows import MIB, PARENT, STATE, children_of, processes_where, stat

NAME = "files/contention"
BARRIER = [f"{NAME}/{row}" for row in ("slowest", "each", "together", "work", "start")]
REPORTS = [
    f"{NAME}/{row}" for row in ("t470", "t470_written", "i7_10750h", "hpe_i7_860", "mbp2016")
]


@pytest.fixture
def files(tmp_path_factory, monkeypatch):
    """Makes so many files of real data where the rows look for the run's; returns their paths."""
    folder = Path("/var/tmp") / f"reckon-test-{os.getpid()}"

    def make(count, size_bytes):
        folder.mkdir(exist_ok=True)
        paths = [folder / f"data-{index}" for index in range(count)]
        for path in paths:
            with open(path, "wb") as file:
                file.write(np.random.default_rng().bytes(size_bytes))
                file.flush()
                os.fsync(file.fileno())
        monkeypatch.setenv("RECKON_FILES", str(folder))
        return paths

    yield make
    for path in folder.glob("*"):
        path.unlink()
    with contextlib.suppress(FileNotFoundError):
        folder.rmdir()


def readers_of(parent):
    """The living children of a process."""

    def is_one(path):
        return stat(path)[PARENT] == str(parent) and stat(path)[STATE] != "Z"

    return processes_where(is_one)


def await_readers(count, caller=None, seconds=10):
    """The probe of this process (or of `caller`) once it has so many readers, and those."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for probe in children_of(caller or os.getpid()):
            readers = readers_of(probe)
            if len(readers) == count:
                return probe, readers
        time.sleep(0.005)
    raise AssertionError(f"no {count} readers within {seconds} s")


@contextlib.contextmanager
def meanwhile(act):
    """Does `act` in a thread; what it raises is raised here."""
    found = []

    def run():
        try:
            act()
        except BaseException as error:  # noqa: BLE001
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        if found:
            raise found[0]


def gone(pids, seconds=3):
    """Whether none of the processes lives any more, after a moment."""
    end = time.monotonic() + seconds
    alive = pids
    while alive and time.monotonic() < end:
        alive = [pid for pid in alive if living(pid)]
        time.sleep(0.01)
    return not alive


def living(pid):
    try:
        return stat(f"/proc/{pid}")[STATE] not in "ZX"
    except OSError:
        return False


__all__ = [
    "BARRIER",
    "MIB",
    "NAME",
    "REPORTS",
    "await_readers",
    "files",
    "gone",
    "meanwhile",
    "readers_of",
]

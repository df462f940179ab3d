"""What the tests of readers on one disk share: files of their own, and who reads."""

import contextlib
import os
import threading
import time

from helpers.processes import PARENT, STATE, probes_of, processes_where, stat

NAME = "files/contention"
BARRIER = [f"{NAME}/{row}" for row in ("slowest", "each", "together", "work", "start")]
REPORTS = [
    f"{NAME}/{row}" for row in ("t470", "t470_written", "i7_10750h", "hpe_i7_860", "mbp2016")
]


def readers_of(parent):
    """The living children of a process."""

    def is_one(path):
        return stat(path)[PARENT] == str(parent) and stat(path)[STATE] != "Z"

    return processes_where(is_one)


def await_readers(count, caller=None, seconds=10):
    """The probe of this process (or of `caller`) once it has so many readers, and those."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for probe in probes_of(caller or os.getpid()):
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
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        if found:
            raise found[0]

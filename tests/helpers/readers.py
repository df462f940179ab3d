"""What the tests of readers on one disk share: files of their own, and who reads."""

import contextlib
import os
import threading

from helpers.processes import living_children, probes_of, until

NAME = "files/contention"
BARRIER = [f"{NAME}/{probe}" for probe in ("slowest", "each", "together", "work", "start")]
REPORTS = [
    f"{NAME}/{probe}" for probe in ("t470", "t470_written", "i7_10750h", "hpe_i7_860", "mbp2016")
]


def await_readers(count, caller=None):
    """The probe of this process (or of `caller`) once it has `count` readers, and these readers."""

    def both():
        for probe in probes_of(caller or os.getpid()):
            readers = living_children(probe)
            if len(readers) == count:
                return probe, readers
        return None

    seen = until(both, pause_s=0.005)
    assert seen, f"no {count} readers"
    return seen


@contextlib.contextmanager
def during_a_run(act):
    """Does `act` in a thread, while the block runs a probe; what it raises is raised here."""
    errors = []

    def run():
        try:
            act()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        if errors:
            raise errors[0]

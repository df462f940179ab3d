"""Readers on one disk where something goes wrong: reported in a sentence, no sample, nobody left."""

import os
import signal
import time

import pytest
from helpers.probes import MIB
from helpers.processes import pids_gone
from helpers.readers import NAME, await_readers, during_a_run

from reckon.measurement import library

# Some third of a second of reads for three readers.
LONG = {"files": 3, "blocks": 6000, "file_bytes": 24 * MIB}


# --- in the middle --------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("probe", ["together", "hpe_i7_860"])
def test_a_reader_that_is_killed_fails_the_probe(probe, which, files):
    files(3, 24 * MIB)

    def end_one():
        _, readers = await_readers(3)
        time.sleep(0.03)
        os.kill(sorted(readers)[which], signal.SIGKILL)

    message = f"reader {which + 1} of 3 died of signal 9 .Killed. before it was done"
    with during_a_run(end_one), pytest.raises(library.ProbeFailed, match=message):
        library.run(f"{NAME}/{probe}", LONG, samples=1, warmup=0)


@pytest.mark.parametrize("how", ["deadline", "interrupt"])
def test_a_deadline_or_an_interrupt_leaves_no_reader(how, files):
    files(3, 96 * MIB)  # which takes a second to read
    seen, deadline_s = [], 0.5 if how == "deadline" else 60

    def watch():
        seen.extend(await_readers(3)[1])
        if how == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)

    with during_a_run(watch), pytest.raises((library.ProbeFailed, KeyboardInterrupt)) as caught:
        longer = LONG | {"blocks": 24000, "file_bytes": 96 * MIB}
        library.run(f"{NAME}/slowest", longer, samples=1, warmup=0, deadline_s=deadline_s)
    assert (caught.type is KeyboardInterrupt) == (how == "interrupt")
    assert len(seen) == 3 and pids_gone(seen)

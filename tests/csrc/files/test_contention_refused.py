"""Readers on one disk where something goes wrong: reported in a sentence, no sample, nobody left."""

import os
import re
import signal
import time

import pytest
from helpers.capabilities import installed, other_users
from helpers.probes import MIB, NOBODY_ELSE, NOTHING, in_python, started
from helpers.processes import pids_gone, probes_of
from helpers.readers import BARRIER, NAME, REPORTS, await_readers, during_a_run

from reckon.measurement import library

PROBES = [*BARRIER, *REPORTS, f"{NAME}/fio"]
# Some third of a second of reads for three readers.
LONG = {"files": 3, "blocks": 6000, "file_bytes": 24 * MIB}


def test_more_blocks_than_a_file_has_or_more_readers_than_may_be():
    with pytest.raises(
        library.ProbeUnsupported,
        match="401 different blocks of 4096 bytes are requested of a file that "
        "has 256; request fewer trials or a larger file",
    ):
        library.run(f"{NAME}/slowest", {"file_bytes": MIB, "blocks": 100}, samples=4, warmup=0)
    with pytest.raises(library.ReckonError, match="files must be between 1 and 64, not 65"):
        library.run(f"{NAME}/slowest", {"files": 65})
    with pytest.raises(library.ReckonError, match="threads must be between 1 and 64, not 0"):
        library.run(f"{NAME}/mbp2016", {"threads": 0})
    with pytest.raises(library.ProbeUnsupported, match="fewer blocks than are to be read"):
        library.run(f"{NAME}/t470", {"size_bytes": MIB, "blocks": 1000})


def test_a_limit_on_processes_is_reported():
    other_users()
    few = {"files": 20, "blocks": 4, "file_bytes": 64 * 1024}
    requests = {probe: few for probe in [*BARRIER, f"{NAME}/hpe_i7_860"]}
    requests[f"{NAME}/t470"] = {"files": 20, "blocks": 4}
    # Long enough for all of them to be there at once.
    requests[f"{NAME}/mbp2016"] = {"threads": 64, "blocks": 256, "file_bytes": MIB}
    outcomes = in_python(
        f"become({NOBODY_ELSE})\nresource.setrlimit(resource.RLIMIT_NPROC, (12, 12))\n"
        "say([[attempt(probe, few), attempt(probe, few, isolated=False), left_behind()]\n"
        f"     for probe, few in {requests}.items()])"
    )
    for probe, (*sentence, left) in zip(requests, outcomes, strict=True):
        assert left == NOTHING, probe
        for outcome in sentence:
            assert re.match(
                "ProbeUnsupported: .* more processes or threads than the limit", outcome
            ), (
                probe,
                outcome,
            )


# --- in the middle --------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", ["slowest", "each", "together", "i7_10750h", "hpe_i7_860"])
def test_a_file_that_is_truncated_under_its_reader_fails_the_probe(probe, files):
    paths = files(3, 24 * MIB)

    def cut():
        await_readers(3)
        time.sleep(0.03)
        os.truncate(paths[1], 4096)

    with (
        during_a_run(cut),
        pytest.raises(library.ProbeFailed, match="the file became shorter while it was read"),
    ):
        library.run(f"{NAME}/{probe}", LONG, samples=1, warmup=0)


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


@pytest.mark.parametrize("probe", ["slowest", "hpe_i7_860", "fio"])
@pytest.mark.parametrize("victim", ["probe", "caller"])
def test_whoever_is_killed_no_reader_is_left(probe, victim, files):
    files(3, 24 * MIB)
    params = {"files": 3, "file_bytes": 24 * MIB, "span_ms": 1500} if probe == "fio" else LONG
    script = f"say(attempt('{NAME}/{probe}', {params}, samples=1))"
    with started(script) as caller:
        process, readers = await_readers(1 if probe == "fio" else 3, caller.pid)
        os.kill(process if victim == "probe" else caller.pid, signal.SIGKILL)
        output = caller.communicate(timeout=30)[0]
    if victim == "probe":
        assert "died of signal 9" in output
    assert pids_gone([process, *readers]) and probes_of(caller.pid) == []


@pytest.mark.parametrize("how", ["deadline", "interrupt"])
def test_a_deadline_or_an_interrupt_leaves_no_reader(how, files):
    files(3, 96 * MIB)  # which takes a second to read
    seen = []

    def watch():
        seen.extend(await_readers(3)[1])
        if how == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)

    with during_a_run(watch), pytest.raises((library.ProbeFailed, KeyboardInterrupt)) as caught:
        longer = LONG | {"blocks": 24000, "file_bytes": 96 * MIB}
        library.run(f"{NAME}/slowest", longer, samples=1, warmup=0, deadline_s=0.5)
    assert (caught.type is KeyboardInterrupt) == (how == "interrupt")
    assert len(seen) == 3 and pids_gone(seen)


def test_in_this_process_no_probe_leaves_anything_behind():
    installed("fio")
    outcome = in_python(
        f"say([[attempt(probe, {{}}, isolated=False), left_behind()] for probe in {PROBES}])"
    )
    assert outcome == [["ran", NOTHING]] * len(PROBES)


# --- fio -----------------------------------------------------------------------------------------

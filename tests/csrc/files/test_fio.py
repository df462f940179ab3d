"""The two probes that run fio: its output becomes the samples or a failure, and nothing is left."""

import os
import re
import signal
import tempfile
import time
from pathlib import Path

import pytest
from helpers.capabilities import other_users
from helpers.probes import MIB, NOBODY_ELSE, in_python, started
from helpers.processes import descendants_named, probes_of, until
from helpers.tools import CONTENTION, READ, outcome_of, outcomes_in_turn

from reckon.computer import scratch
from reckon.measurement import library

pytestmark = pytest.mark.usefixtures("fio")


# --- the samples -----------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [1, 7, 200])
def test_each_read_is_one_sample(samples, tmp_path):
    result = library.run(READ, {"dir": str(tmp_path)}, samples=samples, warmup=0)
    assert len(result.ticks) == samples
    assert (result.ops == 1).all() and (result.ticks > 0).all()
    assert result.ticks.sum() / library.tick_hz() < result.wall_ns / 1e9
    assert list(tmp_path.iterdir()) == []


def test_the_job_is_the_same_reads_as_reckons(pretend, tmp_path):
    job, paths = tmp_path / "job", tmp_path / "paths"
    client = (
        f'cat "$3" > {job}; readlink -f /proc/self/fd/* > {paths}; echo "$1" >> {paths}; '
        'exec "$REAL" "$@"'
    )
    params = {"file_bytes": MIB, "block_bytes": 8192}
    assert outcome_of(READ, pretend("fio", client), params=params, samples=3) == "ran"
    lines = job.read_text().splitlines()
    assert {
        "size=1048576",
        "bs=8192",
        "number_ios=3",
        "direct=1",
        "ioengine=psync",
        "rw=randread",
        "randrepeat=0",
        "thread",
    } <= set(lines)
    assert [line for line in lines if re.fullmatch(r"filename=/proc/self/fd/\d+", line)]
    assert paths.read_text().endswith("--readonly\n")
    folder = rf"^{os.environ['RECKON_SCRATCH']}/reckon-files-[0-9a-f]{{8}}\d+-\d+-(\d+)$"
    started = int(re.search(folder, paths.read_text(), re.M)[1])  # in ticks since boot
    assert 0 <= time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK") < 600


# --- the log of files/read/fio -----------------------------------------------------------------------

LOG = ["0, 81000, 0, 4096, 0, 0", "1, 92000, 0, 4096, 0, 0", "1, 73000, 0, 4096, 0, 0"]


@pytest.fixture
def logged(pretend, tmp_path):
    """(ns, operations) or the error of the probe, whose fio writes each of these logs in turn."""
    shown = tmp_path / "shown"
    # fio takes as long as the log says at least.
    log = 'sleep 0.02; cp {} "$(sed -n s/^write_lat_log=//p "$3")_lat.log"'
    prefix = pretend("fio", log.format(shown))

    def run(logs):
        texts = ["".join(f"{line}\n" for line in lines) for lines in logs]
        return outcomes_in_turn(
            READ, prefix, shown, [(text, {"samples": 3, "warmup": 0}) for text in texts]
        )

    return run


def test_the_logged_times_are_the_samples(logged):
    [[ns, ops]] = logged([LOG])
    assert ns == pytest.approx([81_000, 92_000, 73_000], rel=0.01) and ops == [1, 1, 1]


def test_a_wrong_log_is_a_failure(logged):
    wrong = [
        "nonsense",
        "1, 92000, 1, 4096, 0, 0",  # a write
        "1, 92000, 0, 8192, 0, 0",
        "1, 0, 0, 4096, 0, 0",
        "1, -5, 0, 4096, 0, 0",
        "1, 999999999999, 0, 4096, 0, 0",
    ]
    answers = logged([[LOG[0], line, LOG[2]] for line in wrong])
    assert answers == [f"ProbeFailed: fio logged an impossible read: {line}" for line in wrong]
    answers = logged([[], LOG[:2], [*LOG, LOG[0]]])
    assert answers == [f"ProbeFailed: fio logged {n} of 3 reads." for n in (0, 2, 4)]


# --- broken or refused -----------------------------------------------------------------------------------


def report(error, reads, took_ms):
    """A client that prints what fio prints, where it matters."""
    text = f'"read" : {{ "total_ios" : {reads}, "runtime" : {took_ms} }}'
    return f"""echo '"jobs" : [ "error" : {error}, {text}'"""


@pytest.mark.parametrize(
    ("probe", "client", "answer"),
    [
        (READ, "exit 0", "ProbeFailed: fio wrote no log: it printed nothing."),
        (CONTENTION, "echo nonsense", "ProbeFailed: fio did not print its number of reads"),
        *(
            (
                CONTENTION,
                report(*printed),
                "ProbeFailed: fio printed error {}, and {} reads in {} ms, which is impossible".format(
                    *printed
                ),
            )
            for printed in ((5, 9, 1), (0, 0, 100), (0, 9, 99000))
        ),
    ],
)
def test_a_broken_fio_gives_no_sample(pretend, probe, client, answer):
    assert outcome_of(probe, pretend("fio", client), params={}) == answer


def test_a_folder_without_permission_for_the_log_is_refused():
    other_users()
    # Not in tmp_path, whose parents other users may not enter.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        data = Path(folder) / "data-0"
        data.write_bytes(os.urandom(MIB))
        os.chmod(folder, 0o755)
        data.chmod(0o644)
        answer = in_python(
            f"become({NOBODY_ELSE})\nsay(attempt({READ!r}, {{'file_bytes': {MIB}}}))",
            RECKON_FILES=folder,
            RECKON_SCRATCH=folder,
        )
    assert re.fullmatch("ProbeUnsupported: no folder can be made in /.*: Permission denied", answer)


def test_the_next_run_removes_the_log_of_a_killed_probe(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    slow = {"file_bytes": 64 * MIB, "dir": str(tmp_path)}
    with started(f"attempt({READ!r}, {slow}, samples=16000)") as caller:
        assert until(lambda: descendants_named("--output-format=json"))
        (probe,) = probes_of(caller.pid)
        os.kill(probe, signal.SIGKILL)
        assert caller.wait(60) == 0
    assert until(lambda: not descendants_named("--output-format=json"))  # fio ends with the probe
    assert [path.name.startswith("reckon-files-") for path in tmp_path.iterdir()] == [True]
    scratch.sweep()
    assert list(tmp_path.iterdir()) == []

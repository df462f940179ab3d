"""fio as a probe of files/read: its log is read aright, nothing else is a sample, nothing is left."""

import os
import re
import shutil
import signal

import numpy as np
import pytest
from helpers.capabilities import other_users
from helpers.disks import shared_files
from helpers.probes import MIB, NOBODY_ELSE, in_python, started
from helpers.processes import descendants_named, probes_of, until
from helpers.tools import private, said_by

from reckon.computer import scratch
from reckon.measurement import library

FIO = "files/read/fio"
pytestmark = pytest.mark.usefixtures("fio")


# --- what it measures --------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [1, 7, 200])
def test_as_many_reads_as_asked(samples, tmp_path):
    one = library.run(FIO, {"dir": str(tmp_path)}, samples=samples, warmup=0)
    assert len(one.ticks) == samples and (one.ops == 1).all() and (one.ticks > 0).all()
    assert one.ticks.sum() / library.tick_hz() < one.wall_ns / 1e9
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timed
def test_its_figure_is_ours_within_a_factor():
    """Of the same file, in turn; on an idle machine they are some hundredths apart."""
    found = {FIO: [], "files/read/direct_random": []}
    with shared_files():
        scratch.prepare(1, 32 * MIB)
        for _ in range(3):
            for probe, medians in found.items():
                one = library.run(probe, {"file_bytes": 32 * MIB}, samples=100, warmup=0)
                medians.append(np.median(one.ticks))
    theirs, ours = (np.median(medians) for medians in found.values())
    assert 0.6 < ours / theirs < 1.7


def test_it_is_asked_for_the_same(pretend, tmp_path):
    note = f'printf "%s\\n" "$@" > {tmp_path}/said; readlink -f /proc/self/fd/* >> {tmp_path}/said; exec "$REAL" "$@"'
    assert (
        said_by(
            FIO, pretend("fio", note), params={"file_bytes": MIB, "block_bytes": 8192}, samples=3
        )
        == "ran"
    )
    said = (tmp_path / "said").read_text()
    for word in (
        "--size=1048576",
        "--bs=8192",
        "--number_ios=3",
        "--direct=1",
        "--ioengine=psync",
        "--readonly",
        "--rw=randread",
        "--randrepeat=0",
        "--thread",
    ):
        assert word in said.splitlines()
    assert re.search(
        r"^--write_lat_log=/var/tmp/reckon-files-[0-9a-f]{8}\d+-\d+-\d+/log$", said, re.M
    )
    assert re.search(r"^--filename=/proc/self/fd/\d+$", said, re.M)


# --- read aright, and nothing that cannot be -----------------------------------------------------------

LOG = ["0, 81000, 0, 4096, 0, 0", "1, 92000, 0, 4096, 0, 0", "1, 73000, 0, 4096, 0, 0"]
# The script that stands in for fio puts what is in `shown` where its log is wanted; a little slowly, so
# that the times can be.
WRITE = (
    'sleep 0.02; for word; do case "$word" in --write_lat_log=*) cp {shown} '
    '"${{word#--write_lat_log=}}_lat.log";; esac; done'
)


@pytest.fixture
def logging(pretend, tmp_path):
    """What the probe says, or its ns and operations, whose program logs these lines."""
    shown = tmp_path / "shown"
    prefix = pretend("fio", WRITE.format(shown=shown))

    def build(cases, samples=3):
        return in_python(
            f"said = []\nfor lines in {cases}:\n"
            f"    open({str(shown)!r}, 'w').write(''.join(line + '\\n' for line in lines))\n"
            "    try:\n"
            f"        one = library.run({FIO!r}, samples={samples}, warmup=0)\n"
            "        said.append([(one.ticks / library.tick_hz() * 1e9).tolist(), one.ops.tolist()])\n"
            "    except library.ReckonError as error:\n"
            "        said.append(f'{type(error).__name__}: {error}')\n"
            "say(said)",
            prefix=prefix,
        )

    return build


def test_the_log_is_read(logging):
    [[ns, ops]] = logging([LOG])
    assert ns == pytest.approx([81_000, 92_000, 73_000], rel=0.01) and ops == [1, 1, 1]


def test_what_it_may_log_wrongly_is_no_sample(logging):
    cannot_be = "ProbeFailed: fio logged a read that cannot be: "
    cases = {
        "nonsense": cannot_be + "nonsense",
        "1, 92000, 1, 4096, 0, 0": cannot_be + "1, 92000, 1, 4096",  # a write
        "1, 92000, 0, 8192, 0, 0": cannot_be,
        "1, 0, 0, 4096, 0, 0": cannot_be,
        "1, -5, 0, 4096, 0, 0": cannot_be,
        "1, 999999999999, 0, 4096, 0, 0": cannot_be,
    }
    said = logging([[LOG[0], line, LOG[2]] for line in cases])
    for what, told in zip(said, cases.values(), strict=True):
        assert isinstance(what, str) and what.startswith(told), what
    none, short, long = logging([[], LOG[:2], [*LOG, LOG[0]]])
    assert none == "ProbeFailed: fio logged 0 reads, and was to do 3."
    assert short == "ProbeFailed: fio logged 2 reads, and was to do 3."
    assert long == "ProbeFailed: fio logged 4 reads, and was to do 3."


# --- missing, refused or broken --------------------------------------------------------------------------


def test_without_it_the_probe_cannot():
    said = said_by(FIO, private(f"mount --bind /dev/null {os.path.realpath(shutil.which('fio'))}"))
    assert (
        said
        == "ProbeUnsupported: fio is not installed (the package fio of Debian and Ubuntu has it)"
    )


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("exit 0", "ProbeFailed: fio wrote no log: it said nothing."),
        (
            "echo fio: no such engine >&2; exit 1",
            "ProbeFailed: fio failed with exit status 1: fio: no such engine",
        ),
        (
            "echo fio: Operation not permitted >&2; exit 1",
            "ProbeUnsupported: fio is refused here: fio: Operation not permitted",
        ),
        ("kill -SEGV $$", "ProbeFailed: fio died of signal 11 (Segmentation fault)."),
    ],
)
def test_what_goes_wrong_is_told(pretend, does, told):
    assert said_by(FIO, pretend("fio", does)) == told


def test_where_its_log_cannot_be_is_told(tmp_path):
    with pytest.raises(library.ProbeUnsupported, match="/dev/shm lies in memory and not on a disk"):
        library.run(FIO, {"dir": "/dev/shm"}, samples=2)
    with pytest.raises(
        library.ProbeUnsupported, match="no block is read twice, and the file has only 1"
    ):
        library.run(FIO, {"file_bytes": 4096}, samples=2)
    other_users()
    (tmp_path / "data-0").write_bytes(os.urandom(MIB))
    for path in (tmp_path, *list(tmp_path.parents)[:2]):
        path.chmod(0o755)
    said = in_python(
        f"become({NOBODY_ELSE})\nsay(attempt({FIO!r}, {{'file_bytes': {MIB}}}))",
        RECKON_FILES=str(tmp_path),
        RECKON_SCRATCH=str(tmp_path),
    )
    assert re.match(
        "ProbeUnsupported: no (folder|file) can be made in /.*: Permission denied$|ProbeFailed: opening",
        said,
    )


def test_what_a_killed_probe_leaves_the_next_run_removes(pretend, tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    slow = {"file_bytes": 64 * MIB, "dir": str(tmp_path)}
    fio = f"--write_lat_log={tmp_path}/"
    with started(f"attempt({FIO!r}, {slow}, samples=16000)") as caller:
        assert until(lambda: descendants_named(fio))
        (probe,) = probes_of(caller.pid)
        os.kill(probe, signal.SIGKILL)
        assert caller.wait(60) == 0
    assert until(lambda: not descendants_named(fio))  # fio went with the probe
    assert [path.name.startswith("reckon-files-") for path in tmp_path.iterdir()] == [True]
    scratch.sweep()
    assert list(tmp_path.iterdir()) == []

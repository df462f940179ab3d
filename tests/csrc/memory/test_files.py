"""Probes of memory that need a file: folders without one, full disks, and nothing left behind."""

import contextlib
import os
import re
import signal
from pathlib import Path

import pytest
from helpers.capabilities import other_users, own_mounts
from helpers.everything import check_outcome
from helpers.probes import MEMORY, MIB, NOBODY_ELSE, NOTHING, in_python, started
from helpers.processes import probes_of, until

from reckon.measurement import library

FILES = [n for n in MEMORY if "dir" in {p.name for p in library.probe(n).parameters}]


def in_folder(path, before="", isolated=True):
    """{probe: what it says, given that folder}; the script runs after `before`."""
    return in_python(
        before
        + f"said = {{probe: attempt(probe, few(probe, dir={str(path)!r}), isolated={isolated})"
        f" for probe in {FILES}}}\nsay(said)"
    )


def check_all_unsupported(said, reason):
    assert len(said) == len(FILES) == 7
    for probe, outcome in said.items():
        assert outcome.startswith("ProbeUnsupported: ") and re.search(reason, outcome), (
            probe,
            outcome,
        )


@pytest.mark.parametrize("isolated", [True, False])
def test_a_missing_folder_is_reported(tmp_path, isolated):
    missing = tmp_path / "nope"
    check_all_unsupported(
        in_folder(missing, isolated=isolated), "no file can be made in /.*: No such file"
    )
    missing.write_text("a file")
    check_all_unsupported(
        in_folder(missing, isolated=isolated), "no file can be made in /.*: Not a directory"
    )


def test_a_folder_without_permission_is_reported():
    other_users()
    check_all_unsupported(
        in_folder("/root", f"become({NOBODY_ELSE})\n"), "made in /root: Permission denied"
    )
    check_all_unsupported(
        in_folder("/usr", f"become({NOBODY_ELSE})\n"), "made in /usr: Permission denied"
    )
    check_all_unsupported(in_folder("/proc"), "no file can be made in /proc")


def test_a_folder_in_memory_is_no_disk():
    check_all_unsupported(in_folder("/dev/shm"), "/dev/shm lies in memory and not on a disk")
    assert in_python("say(attempt('memory/fault/hpe_i7_860_memory'))") == "ran"


@pytest.mark.parametrize("isolated", [True, False])
def test_a_limit_on_the_size_of_files_is_reported(isolated):
    limit = (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
        "FEW.update(touches=64, stride_pages=64)\n"
    )
    check_all_unsupported(
        in_folder("/var/tmp", limit, isolated=isolated), "the limit allows .ulimit -f"
    )


def test_a_full_disk_is_reported_and_left_as_it_was(small_disk):
    free = os.statvfs(small_disk).f_bavail
    more = "FEW.update(size_bytes=64 << 20, touches=4096, stride_pages=4096)\n"
    check_all_unsupported(in_folder(small_disk, more), r"/.* has no room for a file of \d+ MiB")
    outcomes = in_folder(small_disk, "FEW.update(touches=2)\n")
    assert outcomes.pop("memory/fault/t470") == "ran" and set(outcomes.values()) == {"ran"}
    assert os.listdir(small_disk) == ["lost+found"] and os.statvfs(small_disk).f_bavail == free


def test_a_full_tmpfs_is_reported():
    """A /dev/shm of 1 MiB, which only the script sees; the disk's room is not checked there."""
    own_mounts()
    mount = 'mount -t tmpfs -o size=1m none /dev/shm && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", mount, "sh"]
    script = (
        "say([attempt('memory/fault/hpe_i7_860_memory', {'stride_pages': n}) for n in (512, 4)])"
    )
    full, some = in_python(script, prefix=prefix)
    assert full == "ProbeUnsupported: /dev/shm has no room for a file of 4 MiB" and some == "ran"


# --- nothing is left -----------------------------------------------------------------------------


def test_in_this_process_no_probe_leaves_anything_behind(tmp_path_factory):
    folder = Path("/var/tmp") / f"reckon-test-{os.getpid()}"
    folder.mkdir()
    try:
        outcomes = in_python(
            f"given = {{'dir': {str(folder)!r}, 'threads': 2}}\n"
            "say([[probe, attempt(probe, few(probe, **given), isolated=False), left_behind(),\n"
            f"      os.listdir(given['dir'])] for probe in {MEMORY}])"
        )
    finally:
        folder.rmdir()  # and so it is empty
    for probe, outcome, left, files in outcomes:
        assert left == NOTHING and files == [], probe
        check_outcome(probe, outcome)


@pytest.mark.parametrize("how", ["deadline", "killed"])
def test_an_ended_probe_leaves_no_file(tmp_path, how):
    """The file has no name (O_TMPFILE), so it goes with the last process that has it open."""
    params = {"size_bytes": 256 * MIB, "dir": str(tmp_path)}
    free = os.statvfs(tmp_path).f_bavail
    if how == "deadline":
        with pytest.raises(library.ProbeFailed, match="was still running"):
            library.run("memory/fault/major", params, samples=16_000, deadline_s=0.2)
    else:
        script = f"attempt('memory/fault/major', {params}, samples=16_000)"
        with started(script) as caller:
            (probe, *_) = until(lambda: list(filter(has_unnamed_file, probes_of(caller.pid))))
            assert list(tmp_path.iterdir()) == []
            os.kill(probe, signal.SIGKILL)
            assert caller.wait() == 0
    assert list(tmp_path.iterdir()) == []
    assert until(lambda: free - os.statvfs(tmp_path).f_bavail < 128 * MIB // 4096)


def has_unnamed_file(pid):
    with contextlib.suppress(OSError):
        return any("(deleted)" in os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir())
    return False

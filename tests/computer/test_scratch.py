"""The files that probes read: real data, made once, of no more than a share of the disk, gone at the end."""

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.capabilities import other_users
from helpers.project import ROOT

from reckon.computer import owners, scratch

KIB = 1024


@pytest.fixture
def disk(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    monkeypatch.delenv("RECKON_FILES", raising=False)
    # An earlier test of this process may have measured, with a folder that stays until its end.
    monkeypatch.setattr(scratch._State, "folder", None)
    return tmp_path


def start_python(text, folder, **more):
    return subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RECKON_SCRATCH": str(folder), **more},
    )


MAKE = """
from reckon.computer import scratch
paths = scratch.prepare_files(2, 100_000)
print(*paths, flush=True)
"""


def test_files_are_made_of_data_that_differ_and_are_on_the_disk(disk):
    with scratch.shared_folder():
        first, second = scratch.prepare_files(2, 3 << 20)
        assert (
            first.parent.parent == disk and first.stat().st_size == second.stat().st_size == 3 << 20
        )
        data = first.read_bytes()
        blocks = {data[at : at + 4096] for at in range(0, len(data), 4096)}
        assert len(blocks) == 3 * 256 and data != second.read_bytes()
        assert first.stat().st_blocks * 512 >= 3 << 20  # no holes
    assert list(disk.iterdir()) == []


def test_existing_files_are_kept_and_grown(disk):
    messages = []
    with scratch.shared_folder():
        (path,) = scratch.prepare_files(1, 8 * KIB, messages.append)
        before = path.read_bytes()
        scratch.prepare_files(1, 4 * KIB, messages.append)
        assert len(messages) == 1
        scratch.prepare_files(2, 16 * KIB, messages.append)
        assert path.read_bytes()[: 8 * KIB] == before and path.stat().st_size == 16 * KIB
    assert len(messages) == 3 and "8.00 KiB" in messages[0], messages


def test_a_notebook_uses_the_builders_folder_and_does_not_remove_it(disk):
    with scratch.shared_folder() as folder:
        paths = (
            start_python(MAKE, disk, RECKON_FILES=str(folder)).communicate(timeout=60)[0].split()
        )
        assert [Path(path).parent for path in paths] == [folder] * 2 and Path(paths[0]).exists()
    assert list(disk.iterdir()) == [] and scratch.folder_in_use() is None


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_what_an_ended_owner_leaves_is_removed_by_the_next(disk, end):
    process = start_python(MAKE + "import time; time.sleep(60)", disk)
    path = Path(process.stdout.readline().split()[0])
    assert path.exists()
    process.send_signal(end)
    process.wait(60)
    process.stdout.close()
    assert path.exists() == (end == signal.SIGKILL)
    start_python(MAKE, disk).communicate(timeout=60)
    assert list(disk.iterdir()) == []


def test_an_owner_that_was_not_waited_for_has_ended(disk):
    process = start_python(MAKE + "import time; time.sleep(60)", disk)
    assert process.stdout.readline()
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # from here on it is a zombie
    scratch.sweep()
    assert list(disk.iterdir()) == []
    process.communicate()


def test_files_of_a_living_owner_and_of_other_programs_stay(disk):
    process = start_python(MAKE + "import time; time.sleep(60)", disk)
    path = Path(process.stdout.readline().split()[0])
    others = disk / "reckon-files-1-2-3"
    others.mkdir()
    scratch.sweep()
    assert path.exists() and others.exists()
    process.terminate()
    process.wait(60)
    process.stdout.close()
    scratch.sweep()
    assert [path.name for path in disk.iterdir()] == [others.name]


def test_more_than_a_share_of_the_free_space_is_refused(disk):
    with scratch.shared_folder(), pytest.raises(scratch.ScratchUnavailable) as caught:
        about = os.statvfs(disk)
        scratch.prepare_files(1, int(0.3 * about.f_bavail * about.f_frsize))
    assert re.search(
        r"more than a quarter of the .* free in .*; choose another disk with SCRATCH=",
        str(caught.value),
    )
    assert list(disk.iterdir()) == []


def test_no_folder_or_one_that_cannot_be_written(disk, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(disk / "none"))
    with (
        scratch.shared_folder(),
        pytest.raises(scratch.ScratchUnavailable, match="No such file or directory"),
    ):
        scratch.prepare_files(1, KIB)
    monkeypatch.setenv("RECKON_SCRATCH", "/proc")
    with (
        scratch.shared_folder(),
        pytest.raises(scratch.ScratchUnavailable, match="No file can be written in /proc"),
    ):
        scratch.prepare_files(1, KIB)


def test_a_folder_that_another_user_put_there_is_not_used(disk):
    other_users()
    elsewhere = disk / "elsewhere"
    elsewhere.mkdir()
    with scratch.shared_folder() as trap:
        for make in (
            lambda: trap.symlink_to(elsewhere),
            lambda: trap.mkdir(0o755),
            lambda: trap.mkdir(0o700),
        ):
            make()
            if not trap.is_symlink():
                os.chown(trap, 54321 if trap.stat().st_mode & 0o077 == 0 else 0, -1)
            with pytest.raises(scratch.ScratchUnavailable, match="another user's; remove it"):
                scratch.prepare_files(1, KIB)
            trap.unlink() if trap.is_symlink() else trap.rmdir()
    assert list(elsewhere.iterdir()) == []


def test_sweeping_leaves_other_users_folders_and_odd_names(disk):
    other_users()
    name = f"reckon-files-{owners.process_name()}".rsplit("-", 2)[0]
    foreign, odd = disk / f"{name}-999999999-1", disk / f"{name}-\u00b2"
    for folder in (foreign, odd):
        folder.mkdir()
    os.chown(foreign, 54321, -1)
    scratch.sweep()
    assert foreign.exists() and odd.exists()


def test_files_that_were_not_finished_are_taken_back(disk, monkeypatch):
    with scratch.shared_folder():
        (path,) = scratch.prepare_files(1, 4 * KIB)

        def interrupted(file):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            scratch.prepare_files(1, 64 * KIB)
        assert path.stat().st_size == 4 * KIB


@pytest.mark.parametrize(
    ("error", "temporary"),
    [(errno.EIO, True), (errno.ENOSPC, True), (errno.EROFS, False), (errno.EDQUOT, False)],
)
def test_a_disk_that_refuses_is_reported_and_may_serve_the_next_time(
    disk, monkeypatch, error, temporary
):
    """As write(2) and fsync(2) report it; what was written until then is taken back."""

    def fsync(_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", fsync)
    why = f"No file can be written in .*: {os.strerror(error)}"
    with scratch.shared_folder() as folder:
        with pytest.raises(scratch.ScratchUnavailable, match=why) as caught:
            scratch.prepare_files(1, 64 * KIB)
        assert (folder / "data-0").stat().st_size == 0
    assert caught.value.temporary is temporary

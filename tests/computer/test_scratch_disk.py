"""What the scratch folder lies on."""

import os
from pathlib import Path

import pytest
from helpers.project import finished

from reckon.computer import scratch_disk


@pytest.fixture
def disk(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    return tmp_path


def test_what_the_folder_lies_on_is_reported(disk, monkeypatch):
    kind, source = finished("findmnt", "-T", disk, "-nvo", "FSTYPE,SOURCE").stdout.split()
    assert scratch_disk.facts()["filesystem"][0] == kind
    assert scratch_disk.identity().startswith(f"scratch {kind} {source} ")
    monkeypatch.setenv("RECKON_SCRATCH", "/dev/shm")
    assert scratch_disk.facts()["filesystem"][0] == "tmpfs"
    assert scratch_disk.facts()["lies_on"][0] == "in memory, not on a disk"


def test_what_is_read_ahead_is_the_disks_own(disk, monkeypatch):
    """A partition has no queue of its own; what lies in memory has none at all."""
    output = finished("findmnt", "-T", disk, "-no", "MAJ:MIN").stdout.strip()
    here = Path(f"/sys/dev/block/{output}").resolve()
    paths = [
        p for p in (here / "queue/read_ahead_kb", here.parent / "queue/read_ahead_kb") if p.exists()
    ]
    assert scratch_disk.facts()["read_ahead"][0] == (
        int(paths[0].read_text()) * 1024 if paths else None
    )
    monkeypatch.setenv("RECKON_SCRATCH", "/dev/shm")
    assert scratch_disk.facts()["read_ahead"] == (None, "")


@pytest.mark.parametrize(
    ("mount", "lies_on"),
    [
        ("ext4 /dev/vda1", "a file system on /dev/vda1"),
        ("fuseblk /dev/sdb1", "a file system on /dev/sdb1"),
        ("nfs4 host:/export", "on another host (host:/export), not on a disk of this machine"),
        ("9p share", "on another host (share), not on a disk of this machine"),
        ("fuse.sshfs me@host:", "a file system in user space (fuse.sshfs), which may need no disk"),
        ("zfs pool/data", "the ZFS pool/data, whose own cache answers reads"),
        ("tmpfs none", "in memory, not on a disk"),
    ],
)
def test_what_the_scratch_folder_lies_on(disk, tmp_path, monkeypatch, mount, lies_on):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "21 1 8:1 / / rw - ext4 /dev/root rw\n"
        f"22 21 0:30 / {os.path.realpath(disk)} rw,relatime shared:1 - {mount} rw\n"
    )
    monkeypatch.setattr(scratch_disk, "_MOUNTS", mounts)
    assert scratch_disk.facts()["lies_on"][0].startswith(lies_on)
    assert scratch_disk.facts()["filesystem"][0] == mount.split()[0]

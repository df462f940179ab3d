"""Where a file cannot be made or read, each probe that needs one refuses with the same sentence."""

import os
import re

import pytest
from helpers.capabilities import other_users, own_mounts
from helpers.disks import mounted
from helpers.probes import (
    MIB,
    NOBODY_ELSE,
    answers,
    assert_unsupported,
    in_python,
    preloaded,
)
from helpers.programs import attempts

from reckon.measurement import library

pytestmark = pytest.mark.usefixtures("fio")

# Of files/ and of memory/.
LOCAL = [
    name
    for name, probe in library.probes().items()
    if "dir" in (names := {parameter.name for parameter in probe.parameters})
    and "server" not in names
]
FILES = [name for name in LOCAL if name.startswith("files/")]
DIRECT = [
    *(f"files/read/{name}" for name in ("direct_random", "direct_sequential", "mbp2016_random")),
    *("files/read/hpe_i7_860_random", "files/contention/slowest", "files/contention/hpe_i7_860"),
]


def test_a_disk_without_room_is_refused_and_unchanged(small_disk):
    free = os.statvfs(small_disk).f_bavail
    size = dict.fromkeys(("file_bytes", "size_bytes"), 64 * MIB) | {"dir": str(small_disk)}
    many = {"touches": 4096, "stride_pages": 4096}
    assert_unsupported(answers(LOCAL, size | many), r"/.* has no room for a file of \d+ MiB")
    # The first files have room, a later one has not.
    size = {"files": 4, "file_bytes": 2 * MIB, "dir": str(small_disk), "blocks": 4}
    assert_unsupported(
        answers(["files/contention/slowest"], size), "/.* has no room for a file of 2 MiB"
    )
    assert os.listdir(small_disk) == ["lost+found"] and os.statvfs(small_disk).f_bavail == free
    little = {"file_bytes": MIB, "size_bytes": MIB, "touches": 2, "dir": str(small_disk)}
    for probe in ("files/read/direct_random", "memory/fault/major", "memory/fault/t470"):
        assert answers([probe], little) == [[probe, "ran"]] * 2


def test_a_full_tmpfs_is_reported():
    """A /dev/shm of 1 MiB, which only the program sees; the disk's room is not checked there."""
    own_mounts()
    probe = "memory/fault/hpe_i7_860_memory"
    full, some = in_python(
        attempts.outcomes,
        [[probe, {"stride_pages": pages}] for pages in (512, 4)],
        [True],
        prefix=mounted("mount -t tmpfs -o size=1m none /dev/shm"),
    )
    reason = "ProbeUnsupported: /dev/shm has no room for a file of 4 MiB"
    assert (full, some) == ([probe, reason], [probe, "ran"])


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    def check(folder, error, **how):
        outcomes = answers(LOCAL, {"dir": str(folder)}, **how)
        assert_unsupported(outcomes, f"no file can be made in /.*: {error}")

    missing, file = tmp_path / "none", tmp_path / "file"
    file.touch()
    check(missing, "No such file or directory")
    check(file, "Not a directory")
    read_only = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path}"
    check(tmp_path, "Read-only file system", prefix=mounted(read_only))
    other_users()
    check("/root", "Permission denied", before=f"become({NOBODY_ELSE})")


def test_a_limit_on_the_size_of_files_is_named():
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))"
    more = {"dir": "/var/tmp", "touches": 64, "stride_pages": 64}
    outcome = answers(LOCAL, more, before=limit)
    assert_unsupported(outcome, r"a file of \d+ MiB is more than the limit allows \(ulimit -f\)")


def test_a_folder_in_memory_is_refused():
    outcome = answers(LOCAL, {"dir": "/dev/shm"})
    assert_unsupported(outcome, "/dev/shm lies in memory and not on a disk")


@pytest.mark.parametrize("kind", ["tmpfs", "ramfs"])
def test_the_runs_files_in_memory_are_refused(kind, tmp_path):
    """ramfs takes no O_DIRECT, and tmpfs none before Linux 6.6; a probe without it is refused too."""
    fill = (
        f"head -c 13000000 /dev/zero >{tmp_path}/data-0 && cp {tmp_path}/data-0 {tmp_path}/data-1"
    )
    prefix = mounted(f"mount -t {kind} none {tmp_path} && {fill}")
    locations = {"RECKON_FILES": str(tmp_path), "RECKON_SCRATCH": str(tmp_path)}
    try_direct = f"os.open('{tmp_path}/data-0', os.O_RDONLY | os.O_DIRECT)"
    takes_direct = in_python(
        f"try:\n    {try_direct}; say(True)\nexcept OSError:\n    say(False)", prefix=prefix
    )
    assert kind != "ramfs" or not takes_direct
    reason = "lies in memory and not on a disk" if takes_direct else "refuses O_DIRECT"
    outcome = answers(DIRECT, prefix=prefix, **locations)
    folder = str(tmp_path)[:64]  # a reason has so much of it
    assert_unsupported(outcome, f"(the file system of )?{folder} {reason}")
    buffered = [name for name in FILES if re.search("buffered|cache/|local_|t470", name)]
    outcome = answers(buffered, prefix=prefix, **locations)
    assert_unsupported(outcome, f"{folder} lies in memory and not on a disk")


@pytest.fixture
def answer_on(tmp_path):
    """What a probe answers where the file system is of another kind, or keeps what it should drop."""
    hook = preloaded(tmp_path, "file_system")

    def run(probe, params, **environment):
        script = (
            f"say(attempt('files/read/{probe}', {params}, samples=4, warmup=0, isolated=False))"
        )
        return in_python(script, LD_PRELOAD=hook, RECKON_SCRATCH="/var/tmp", **environment)

    return run


@pytest.mark.parametrize(
    ("magic", "place"),
    [
        ("6969", "on another host (NFS) and not on a disk"),
        ("1021997", "on another host (9p) and not on a disk"),
        ("fe534d42", "on another host (SMB) and not on a disk"),
        ("2fc12fc1", "on ZFS, whose own cache answers reads"),
        ("858458f6", "in memory and not on a disk"),
    ],
)
def test_a_file_system_without_a_disk_is_refused(answer_on, magic, place):
    answer = answer_on("direct_random", {"file_bytes": MIB}, TYPE=magic)
    assert answer.startswith("ProbeUnsupported: /var/tmp lies " + place), answer


@pytest.mark.parametrize(
    ("drops", "pattern"),
    [(100, "ran"), (2, "ProbeUnsupported: .* of the file stays in the page cache, .*")],
)
def test_a_file_that_is_read_again_from_its_start_is_made_cold_again(answer_on, drops, pattern):
    """The page cache keeps the file after `drops` pieces of advice."""
    params = {"file_bytes": MIB, "blocks": 256}
    answer = answer_on("buffered_sequential", params, DROPS=str(drops))
    assert re.fullmatch(pattern, answer), answer

"""The probes of files/read where the disk, the file or a right is not as it should be: a sentence each."""

import mmap
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from helpers.capabilities import capable, own_mounts, x86_only
from helpers.probes import MIB, NOBODY_ELSE, in_python, started
from helpers.processes import probes_of, until
from helpers.project import ROOT

from reckon.computer import scratch
from reckon.measurement import library

READ = [name for name in library.probes() if name.startswith("files/read/")]
OURS = [name for name in READ if not name.endswith("/fio")]  # fio's are in test_files_read_tools.py
UNWRITTEN = [name for name in READ if "t470" in name]  # these make their file themselves
DROPPED = [name for name in READ if "dropped" in name]
REAL = [name for name in OURS if name not in UNWRITTEN]


def said(probes, params, before="", prefix=(), **environment):
    """What the probes say in a script of their own."""
    size = params.get("file_bytes", 8 * MIB)
    return in_python(
        f"{before}\nsaid = {{}}\nfor probe in {probes}:\n"
        "    names = {p.name for p in library.probe(probe).parameters}\n"
        f"    given = {{'size_bytes': {size}, **{params}}}\n"
        "    said[probe] = attempt(probe, {k: v for k, v in given.items() if k in names})\nsay(said)",
        prefix=prefix,
        **environment,
    )


def all_say(found, told):
    for probe, what in found.items():
        assert re.search(told, what), (probe, what)


# --- no file can be made ---------------------------------------------------------------------------


def test_a_disk_without_room_is_told_and_stays_as_it_was(small_disk):
    free = os.statvfs(small_disk).f_bavail
    found = said(OURS, {"dir": str(small_disk), "file_bytes": 64 * MIB})
    all_say(found, "^ProbeUnsupported: /.* has no room for a file of 64 MiB$")
    assert os.listdir(small_disk) == ["lost+found"] and os.statvfs(small_disk).f_bavail == free
    all_say(
        said(["files/read/direct_random"], {"dir": str(small_disk), "file_bytes": MIB}), "^ran$"
    )


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    own_mounts()
    read_only = (
        f'mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path} && exec "$@"'
    )
    found = said(
        OURS, {"dir": str(tmp_path)}, prefix=["unshare", "-m", "sh", "-c", read_only, "sh"]
    )
    all_say(found, "^ProbeUnsupported: no file can be made in /.*: Read-only file system$")
    all_say(said(OURS, {"dir": str(tmp_path / "none")}), "no file can be made in /.*: No such file")
    found = said(OURS, {"dir": "/root"}, f"become({NOBODY_ELSE})")
    all_say(found, "^ProbeUnsupported: no file can be made in /root: Permission denied$")


def test_a_limit_on_the_size_of_files_is_told():
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))"
    all_say(
        said(OURS, {}, limit),
        "^ProbeUnsupported: a file of . MiB is more than the limit allows .ulimit -f.$",
    )


def test_memory_is_no_disk(tmp_path):
    all_say(
        said(OURS, {"dir": "/dev/shm"}),
        "^ProbeUnsupported: /dev/shm lies in memory and not on a disk$",
    )
    own_mounts()
    run = f'mount -t tmpfs none {tmp_path} && head -c 9000000 /dev/zero >{tmp_path}/data-0 && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", run, "sh"]
    found = said(REAL, {}, prefix=prefix, RECKON_FILES=str(tmp_path), RECKON_SCRATCH=str(tmp_path))
    all_say(found, "^ProbeUnsupported: /.* lies in memory and not on a disk$")


# --- reads that cannot be ----------------------------------------------------------------------------

DIRECT = [
    f"files/read/{name}"
    for name in ("direct_random", "direct_sequential", "mbp2016_random", "hpe_i7_860_random")
]


def test_a_file_system_without_o_direct_is_told(tmp_path):
    """ramfs has none; it is the run's file, since a probe would not make one there."""
    own_mounts()
    run = f'mount -t ramfs none {tmp_path} && head -c 9000000 /dev/zero >{tmp_path}/data-0 && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", run, "sh"]
    found = said(
        DIRECT, {}, prefix=prefix, RECKON_FILES=str(tmp_path), RECKON_SCRATCH=str(tmp_path)
    )
    all_say(found, "^ProbeUnsupported: the file system of /.* refuses O_DIRECT$")


def test_a_block_that_is_not_aligned_is_told():
    told = "O_DIRECT reads multiples of .* bytes here, not 4100|refuses this read"
    all_say(said(DIRECT, {"block_bytes": 4100}), f"^ProbeUnsupported: .*({told})")
    assert (
        said(["files/read/buffered_random"], {"block_bytes": 4100})["files/read/buffered_random"]
        == "ran"
    )


@pytest.mark.parametrize(
    ("probe", "params", "told"),
    [
        ("direct_random", {"file_bytes": 4096}, "no block is read twice, and the file has only 1$"),
        ("buffered_random", {"file_bytes": 12287, "block_bytes": 8192}, "the file has only 1$"),
        (
            "direct_random",
            {"file_bytes": 4096, "block_bytes": 8192},
            "must have at least one block",
        ),
        ("buffered_sequential", {"advice": "none"}, "the advice is normal, random or sequential$"),
    ],
)
def test_what_makes_no_sense_is_told(probe, params, told):
    with pytest.raises(library.ProbeUnsupported, match=told):
        library.run(f"files/read/{probe}", params, samples=2)


def test_a_file_that_stays_in_the_page_cache_is_no_disk(tmp_path, monkeypatch):
    """Pages that somebody has mapped are not given back on advice, and not dropped."""
    path = tmp_path / "data-0"
    path.write_bytes(os.urandom(MIB))
    monkeypatch.setenv("RECKON_FILES", str(tmp_path))
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        assert sum(mapped[at] for at in range(0, MIB, 4096)) > 0
        for probe in ("buffered_random", "buffered_sequential"):
            with pytest.raises(
                library.ProbeUnsupported, match="100 % of the file stays in the page cache, so"
            ):
                library.run(f"files/read/{probe}", {"file_bytes": MIB}, samples=2)
        library.run("files/read/direct_random", {"file_bytes": MIB}, samples=2)


# --- dropping all caches ------------------------------------------------------------------------------


def test_caches_that_may_not_be_dropped_are_told():
    found = said(DROPPED, {"dir": "/var/tmp"}, f"become({NOBODY_ELSE})")
    all_say(
        found,
        r"^ProbeUnsupported: needs root to drop the page cache \(/proc/sys/vm/drop_caches: Permission denied\)$",
    )
    own_mounts()
    file = "/proc/sys/vm/drop_caches"
    read_only = f'mount --bind {file} {file} && mount -o remount,bind,ro {file} && exec "$@"'
    found = said(DROPPED, {}, prefix=["unshare", "-m", "sh", "-c", read_only, "sh"])
    all_say(
        found, "^ProbeUnsupported: needs root to drop the page cache .*: Read-only file system.$"
    )


def test_caches_are_dropped():
    capable("sys_admin", "dropping the page cache")
    found = said(DROPPED, {"file_bytes": MIB})
    all_say(found, "^ran$")


# --- a file that changes under the reader --------------------------------------------------------------


def truncate_while_reading(probe, params, samples, folder):
    """What the probe says whose file is made shorter once it has it open."""
    path = folder / "data-0"
    path.write_bytes(os.urandom(16 * MIB))
    with open(path) as file:
        os.fsync(file.fileno())
    script = f"say(attempt({probe!r}, {params}, samples={samples}))"
    with started(script, {"RECKON_FILES": str(folder)}) as caller:
        until(lambda: any(str(path) in where(process) for process in probes_of(caller.pid)))
        time.sleep(0.05)  # it has begun to read
        os.truncate(path, 4096)
        return caller.communicate(timeout=60)[0]


def where(pid):
    try:
        return [os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


@pytest.mark.parametrize(
    ("probe", "params", "samples"),
    [
        ("direct_random", {}, 4096),
        ("direct_sequential", {}, 16_384),
        ("buffered_random", {}, 4096),
        ("buffered_sequential", {"blocks": 1, "advice": "random"}, 16_384),
        ("cached", {}, 2_000_000),
        ("mbp2016_random", {"blocks": 1}, 16_384),
        ("hpe_i7_860_sequential", {}, 200),
        ("i7_10750h_random", {}, 100),
    ],
)
def test_a_file_that_becomes_shorter_is_a_failure(probe, params, samples, tmp_path):
    if "i7_" in probe:
        x86_only()
    said = truncate_while_reading(
        f"files/read/{probe}", {"file_bytes": 16 * MIB, **params}, samples, tmp_path
    )
    assert said == '"ProbeFailed: the file became shorter while it was read"\n'


# --- nothing is left ------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", ["files/read/direct_random", "files/read/t470_random"])
def test_what_is_killed_half_way_leaves_no_file(probe, tmp_path):
    """Its file has no name, so it goes with the process."""
    params = {"size_bytes" if "t470" in probe else "file_bytes": 256 * MIB, "dir": str(tmp_path)}

    def reading():
        return [p for p in probes_of(caller.pid) if any("(deleted)" in one for one in where(p))]

    with started(f"attempt({probe!r}, {params}, samples=9000)") as caller:
        (process,) = until(reading)
        os.kill(process, signal.SIGKILL)
        assert caller.wait(60) == 0 and list(tmp_path.iterdir()) == []


def test_a_sweep_goes_as_far_as_the_disk_has_room(folders, monkeypatch):
    """Of a curve over sizes, the points whose files can be made are measured; the others say why."""
    import reckon as rk

    def prepare(files, size_bytes, told):
        if size_bytes > 4 * MIB:
            raise scratch.ScratchUnavailable("Files would take more than there is.")
        made.append(size_bytes)
        return really_prepare(files, size_bytes, told)

    made, really_prepare = [], scratch.prepare
    monkeypatch.setattr(scratch, "prepare", prepare)

    @rk.predict("files/read/here", unit="µs", kind="plain")
    def here(size, figure):
        return figure

    made_up = here(size=rk.axis([1, 2, 4, 8, 16], "MiB", "x"), figure=rk.given(1, "µs", "x"))
    one = rk.measure(
        made_up,
        "files/read/direct_random",
        over="file_bytes",
        samples=2,
        until=rk.by_profile(quick=8 * MIB, standard=16 * MIB, full=16 * MIB),
    )
    assert made == [4 * MIB] and one.axis_told.tolist() == [1, 2, 4]
    assert [point.reason for point in one.missing] == [
        "Files would take more than there is",
        "the quick profile does not go so far",
    ]


# --- file systems and page caches of other kinds ------------------------------------------------


@pytest.fixture
def pretended(tmp_path):
    """What a probe says where the file system is of another kind, or keeps what it should drop."""
    hook = tmp_path / "file_system.so"
    source = ROOT / "tests/csrc/programs/file_system.c"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", hook], check=True)

    def run(probe, params, **environment):
        script = (
            f"say(attempt('files/read/{probe}', {params}, samples=4, warmup=0, isolated=False))"
        )
        return in_python(script, LD_PRELOAD=str(hook), RECKON_SCRATCH="/var/tmp", **environment)

    return run


@pytest.mark.parametrize(
    ("magic", "where"),
    [
        ("6969", "on another host (NFS) and not on a disk"),
        ("1021997", "on another host (9p) and not on a disk"),
        ("fe534d42", "on another host (SMB) and not on a disk"),
        ("2fc12fc1", "on ZFS, whose own cache answers reads"),
        ("858458f6", "in memory and not on a disk"),
    ],
)
def test_what_is_no_disk_is_refused(pretended, magic, where):
    said = pretended("direct_random", {"file_bytes": MIB}, TYPE=magic)
    assert said.startswith("ProbeUnsupported: /var/tmp lies " + where), said


@pytest.mark.parametrize("drops, ran", [(100, True), (2, False)])
def test_a_file_that_is_read_again_from_its_start_is_cold_again(pretended, drops, ran):
    """Seen to fail: the page cache keeps the file from the third advice on."""
    params = {"file_bytes": MIB, "blocks": 256}
    said = pretended("buffered_sequential", params, DROPS=str(drops))
    assert (said == "ran") == ran, said
    assert ran or "of the file stays in the page cache" in said

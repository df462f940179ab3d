"""Control groups of the file cache's probes: none left behind, versions 1 and 2, and what they cannot."""

import os
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import other_users
from helpers.disks import shared_files
from helpers.leaks import control_groups, groups_in_use
from helpers.probes import MIB, NOBODY_ELSE, control_group, in_python, started
from helpers.processes import descendants, descendants_named, name_of, probes_of, until
from helpers.project import ROOT

from reckon.computer import scratch
from reckon.measurement import library
from reckon.statistics import onset

pytestmark = pytest.mark.alone  # the page cache is the machine's

GROUPS = Path("/sys/fs/cgroup")
PROBES = [name for name in library.probes() if name.startswith("files/cache/")]
WITHIN = [
    name for name in PROBES if "limit_bytes" in {p.name for p in library.probe(name).parameters}
]


def disk(tmp_path):
    return {"dir": str(tmp_path)}


# --- what it measures ------------------------------------------------------------------------------


def slow_share(limit, share, **more):
    """Of 600 reads; slow ones take 25 µs or more: no copy of a block does."""
    given = {"file_bytes": int(limit * share) // 4096 * 4096, "limit_bytes": limit, **more}
    samples = library.run("files/cache/limited", given, samples=600)
    return float(np.mean(samples.ticks / library.tick_hz() > 25e-6))


@pytest.mark.timed
def test_the_limit_is_where_reads_become_slow(root):
    limit = 32 * MIB
    with shared_files():
        scratch.prepare(1, 2 * limit)
        fits = min(slow_share(limit, 0.9) for _ in range(3))
        over = [slow_share(limit, 2) for _ in range(3)]
    assert fits < 0.05
    assert np.median(over) == pytest.approx(1 - 0.97 / 2, abs=0.12)


@pytest.mark.timed
def test_the_size_is_found_within_a_few_percent_of_what_is_left(root):
    limit, shares = 32 * MIB, np.array([0.6, 0.9, 0.96, 1.02, 1.06, 1.12, 1.25])
    with shared_files():
        scratch.prepare(1, 2 * limit)
        slow = [np.median([slow_share(limit, share) for _ in range(3)]) for share in shares]
        left = library.run(
            "files/cache/left", {"file_bytes": 2 * limit, "limit_bytes": limit}, samples=4
        )
    result = onset.find(shares * limit, 1800 * np.array(slow), np.full(len(shares), 1800))
    true = np.median(left.ops)
    assert 0.93 * limit < true < limit
    assert result.capacity == pytest.approx(true, rel=0.08), (result, slow)


@pytest.mark.parametrize("probe", ["t470", "i7_10750h", "hpe_i7_860", "mbp2016"])
@pytest.mark.timed
def test_by_each_reports_method_a_file_past_the_limit_takes_longer(root, probe):
    def a_byte(size):
        given = {
            "file_bytes": size,
            "limit_bytes": 8 * MIB,
            **(
                {"passes": 1}
                if "passes" in {p.name for p in library.probe(f"files/cache/{probe}").parameters}
                else {}
            ),
        }
        samples = library.run(f"files/cache/{probe}", given, samples=3)
        return np.median(samples.ticks / samples.ops) / (size if probe == "i7_10750h" else 1)

    fits, over = (min(a_byte(size * MIB) for _ in range(3)) for size in (4, 12))
    assert over > 2 * fits


# --- what cannot be --------------------------------------------------------------------------------


def test_without_root_the_reason_is_reported():
    other_users()
    outcomes = in_python(
        f"become({NOBODY_ELSE})\nsay([attempt(probe, {{}}) for probe in {WITHIN}])"
    )
    for probe, outcome in zip(WITHIN, outcomes, strict=True):
        assert re.match(
            r"ProbeUnsupported: (no control group can be made in /\S+ \(Permission denied\); it needs "
            r"root|the control group takes no limit)",
            outcome,
        ), (probe, outcome)


def given(folder):
    return {"groups": str(folder)}


def test_a_missing_memory_controller_is_reported(tmp_path):
    with pytest.raises(
        library.ProbeUnsupported, match=f"no memory controller of control groups in {tmp_path}"
    ):
        library.run("files/cache/limited", given(tmp_path), samples=1)
    (tmp_path / "cgroup.controllers").write_text("cpu io memory\n")
    with pytest.raises(
        library.ProbeUnsupported,
        match="enables the memory controller for its children .cgroup.subtree_control",
    ):
        library.run("files/cache/limited", given(tmp_path), samples=1)


@pytest.mark.parametrize(("version", "name"), [(1, "memory.limit_in_bytes"), (2, "memory.max")])
def test_a_group_that_takes_no_limit_is_reported_and_removed(tmp_path, version, name):
    (tmp_path / "memory").mkdir()
    if version == 2:
        (tmp_path / "cgroup.controllers").write_text("cpu io memory\n")
        (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    before = sorted(tmp_path.rglob("*"))
    for isolated in (True, False):
        with pytest.raises(
            library.ProbeUnsupported, match=f"takes no limit of memory .{name}: No such file"
        ):
            library.run("files/cache/left", given(tmp_path), samples=1, isolated=isolated)
        assert sorted(tmp_path.rglob("*")) == before


def test_a_limit_that_is_too_small_is_reported(root):
    params = {"limit_bytes": 1 * MIB, "file_bytes": 64 * MIB, "block_bytes": 32 * MIB}
    with pytest.raises(
        library.ProbeUnsupported,
        match="a limit of 1024 KiB the kernel ended the reader for want of",
    ):
        library.run("files/cache/limited", params, samples=2)
    with pytest.raises(library.ProbeUnsupported, match="must be larger than the limit"):
        library.run("files/cache/left", {"file_bytes": 4 * MIB, "limit_bytes": 8 * MIB})
    with pytest.raises(library.ProbeUnsupported, match="do not fit into the"):
        library.run("files/cache/limited", {"limit_bytes": 1 << 42})


# --- version 2, by a made-up folder: this machine's memory controller may be of version 1 ----------


@pytest.fixture
def second(tmp_path):
    """A folder that behaves as a hierarchy of version 2, and a script in it."""
    hook, folder = tmp_path / "groups.so", tmp_path / "groups"
    build = [
        "gcc",
        "-O2",
        "-D_GNU_SOURCE",
        "-shared",
        "-fPIC",
        ROOT / "tests/csrc/programs/groups.c",
        "-o",
        hook,
    ]
    subprocess.run(build, check=True)
    own = (
        next(
            line.split(":", 2)[2]
            for line in Path("/proc/self/cgroup").read_text().splitlines()
            if line.startswith("0::")
        )
        if "0::" in Path("/proc/self/cgroup").read_text()
        else "/"
    )

    def make(base):
        base.mkdir(parents=True)
        (base / own.strip("/")).mkdir(parents=True, exist_ok=True)
        (base / "cgroup.controllers").write_text("cpu memory pids\n")
        (base / "cgroup.subtree_control").write_text("cpu memory\n")

    def run(script):
        return in_python(script, LD_PRELOAD=str(hook), GROUPS=str(folder))

    return folder, make, run


@pytest.mark.parametrize("below", ["", "unified"])
def test_version_2_is_found_limited_entered_and_left(second, below):
    folder, make, run = second
    make(folder / below)
    script = f"""
found = []
for probe in ("limited", "left"):
    params = {{"groups": {str(folder)!r}, "limit_bytes": 8 << 20}}
    if probe == "left":
        try:
            found.append(library.run("files/cache/left", params, samples=2, isolated=False).ops.tolist())
        except library.ReckonError as error:
            found.append(str(error))
    else:
        found.append(attempt("files/cache/limited", params, isolated=False))
say(found)
"""
    limited, left = run(script)
    assert limited == "ran"
    # 8 MiB of use of which 7 are page cache, under a limit of 8.
    assert left == [7 * MIB] * 2
    assert not list(folder.rglob("reckon-*"))
    assert (folder / "limit-of-the-last").read_text() == str(8 * MIB)


@pytest.fixture
def mounted_together(second, tmp_path):
    """A folder that behaves as version 1 with two controllers in one hierarchy."""
    folder, _, run = second
    (folder / "cpu,memory").mkdir(parents=True)
    (tmp_path / "cgroup").write_text("5:pids:/other\n4:cpu,memory:/\n")

    def in_it(script):
        return run(script.replace("GROUP_FILE", str(tmp_path / "cgroup")))

    return folder, in_it


def test_controllers_that_are_mounted_together_are_found(mounted_together):
    folder, run = mounted_together
    params = {"groups": str(folder), "limit_bytes": 8 << 20}
    script = (
        "os.environ['OWN_GROUP'] = 'GROUP_FILE'\n"
        f"say(attempt('files/cache/limited', {params}, isolated=False))"
    )
    assert run(script) == "ran"
    assert (folder / "limit-of-the-last").read_text() == str(8 * MIB)
    assert not list(folder.rglob("reckon-*"))


def test_what_such_a_group_leaves_is_available(mounted_together):
    folder, run = mounted_together
    group = folder / "cpu,memory"
    (group / "memory.limit_in_bytes").write_text(str(64 * MIB))
    (group / "memory.usage_in_bytes").write_text(str(16 * MIB))
    (group / "memory.stat").write_text(f"total_inactive_file {4 * MIB}\n")
    script = """
os.environ["OWN_GROUP"] = "GROUP_FILE"
say(library.run("files/cache/available", samples=1, isolated=False).ops.tolist())
"""
    assert run(script) == [52 * MIB]


# --- nothing is left -------------------------------------------------------------------------------


def removers():
    return [pid for pid in descendants() if name_of(pid) == "reckon-remover"]


@pytest.mark.parametrize("how", ["deadline", "killed", "caller"])
def test_what_is_ended_half_way_leaves_no_group_process_or_file(root, tmp_path, how):
    before = control_groups()
    params = {"file_bytes": 16 * MIB, "limit_bytes": 32 * MIB, "passes": 1000, **disk(tmp_path)}
    if how == "deadline":
        with pytest.raises(library.ProbeFailed, match="was still running"):
            library.run("files/cache/limited", params, samples=4, deadline_s=1)
    else:
        script = f"attempt('files/cache/limited', {params}, samples=4)"
        with started(script) as caller:
            assert until(groups_in_use)
            (probe, *_) = probes_of(caller.pid)
            os.kill(probe if how == "killed" else caller.pid, signal.SIGKILL)
    assert until(lambda: control_groups() == before and not removers())
    assert until(lambda: not probes_of(os.getpid()) and not descendants_named(str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_the_group_of_a_killed_remover_is_removed_by_the_next_probe(root, tmp_path):
    before = control_groups()
    params = {"file_bytes": 16 * MIB, "limit_bytes": 32 * MIB, "passes": 1000, **disk(tmp_path)}
    with started(f"attempt('files/cache/limited', {params}, samples=4)") as caller:
        assert until(groups_in_use)
        (probe, *_) = probes_of(caller.pid)
        for pid in (*removers(), probe):
            os.kill(pid, signal.SIGKILL)
    assert until(lambda: not probes_of(os.getpid()))
    (left,) = set(control_groups()) - set(before)
    library.run("files/cache/limited", samples=1)
    assert control_groups() == before, left


def test_no_read_of_a_forked_reader_holds_a_page_fault(root, tmp_path):
    """Its buffer is the maker's until it is written to: that is not to be a sample's."""
    hook, faults = tmp_path / "faults.so", tmp_path / "faults"
    source = ROOT / "tests/csrc/programs/faults.c"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", hook], check=True)
    faults.touch()
    params = {"file_bytes": 4 * MIB, "limit_bytes": 32 * MIB, **disk(tmp_path)}
    script = f"say(attempt('files/cache/limited', {params}, samples=4, isolated=False))"
    assert in_python(script, LD_PRELOAD=str(hook), FAULTS=str(faults)) == "ran"
    assert faults.stat().st_size == 0


def test_a_stop_leaves_no_group(root, tmp_path):
    """Ctrl-C, as a terminal sends it: to the caller's whole process group."""
    params = {"file_bytes": 16 * MIB, "limit_bytes": 32 * MIB, "passes": 1000, **disk(tmp_path)}
    before = control_groups()
    script = f"library.run('files/cache/limited', {params}, samples=4)"
    with started(script, start_new_session=True, stderr=subprocess.DEVNULL) as caller:
        assert until(groups_in_use)
        os.killpg(caller.pid, signal.SIGINT)
        assert caller.wait(60) != 0
    assert until(lambda: control_groups() == before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timed
def test_with_all_memory_the_cache_ends_where_the_surroundings_do(root):
    """The probe without a limit, run by a process that is in a group itself."""
    with control_group("memory", max=192 * MIB) as group, shared_files():
        scratch.prepare(1, 320 * MIB)
        script = """
import numpy as np
found = []
for size in (64 << 20, 320 << 20):
    one = library.run("files/cache/whole", {"file_bytes": size}, samples=300)
    found.append(float(np.mean(one.ticks / library.tick_hz() > 25e-6)))
say(found)
"""
        fits, over = in_python(script, group=group)
    assert fits < 0.2 and 0.4 < over < 0.75, (fits, over)

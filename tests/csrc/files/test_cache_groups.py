"""Control groups of the file cache's probes: none left behind, versions 1 and 2, and what they cannot."""

import functools
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.disks import shared_files
from helpers.leaks import control_groups, groups_in_use
from helpers.probe_script import known
from helpers.probes import MIB, in_python, preloaded, started
from helpers.processes import descendants, descendants_named, name_of, probes_of, until
from helpers.programs import attempts, files

from reckon.computer import owners, scratch
from reckon.measurement import library

SLOW_S = 25e-6  # what no copy of a block from memory takes
FULL = {"file_bytes": 96 * MIB, "limit_bytes": 192 * MIB, "passes": 1000}


# --- what it measures ------------------------------------------------------------------------------


def slow_share(limit, share, **more):
    """Of 600 reads, those that no copy of a block from memory is."""
    given = {"file_bytes": int(limit * share) // 4096 * 4096, "limit_bytes": limit, **more}
    samples = library.run("files/cache/limited", given, samples=600)
    return float(np.mean(samples.ticks / library.tick_hz() > SLOW_S))


@pytest.mark.timed
def test_the_limit_is_where_reads_become_slow(root):
    limit = 32 * MIB
    with shared_files():
        scratch.prepare_files(1, 2 * limit)
        fits = min(slow_share(limit, 0.9) for _ in range(3))  # other load only makes reads slow
        over = [slow_share(limit, 2) for _ in range(3)]
    assert fits < 0.05
    assert np.median(over) == pytest.approx(1 - 0.97 / 2, abs=0.12)


@pytest.mark.parametrize("probe", ["t470", "i7_10750h", "hpe_i7_860", "mbp2016"])
@pytest.mark.timed
def test_by_each_reports_method_a_file_past_the_limit_takes_longer(root, probe):
    def a_byte(size):
        given = {"file_bytes": size, "limit_bytes": 8 * MIB, "passes": 1}
        given = known(f"files/cache/{probe}", given)
        samples = library.run(f"files/cache/{probe}", given, samples=3)
        return np.median(samples.ticks / samples.ops) / (size if probe == "i7_10750h" else 1)

    # The fastest of three: other load only adds time.
    fits, over = (min(a_byte(size * MIB) for _ in range(3)) for size in (4, 12))
    assert over > 2 * fits


# --- what cannot be --------------------------------------------------------------------------------


def check_refused(folder, probe, reason, **how):
    with pytest.raises(library.ProbeUnsupported, match=reason):
        library.run(f"files/cache/{probe}", {"groups": str(folder)}, samples=1, **how)


def test_a_missing_memory_controller_is_reported(tmp_path):
    check_refused(tmp_path, "limited", f"no memory controller of control groups in {tmp_path}")
    (tmp_path / "cgroup.controllers").write_text("cpu io memory\n")
    enable = "enables the memory controller for its children .cgroup.subtree_control"
    check_refused(tmp_path, "limited", enable)


@pytest.mark.parametrize(("version", "name"), [(1, "memory.limit_in_bytes"), (2, "memory.max")])
def test_a_group_that_takes_no_limit_is_reported_and_removed(tmp_path, version, name):
    (tmp_path / "memory").mkdir()
    if version == 2:
        (tmp_path / "cgroup.controllers").write_text("cpu io memory\n")
        (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    before = sorted(tmp_path.rglob("*"))
    for isolated in (True, False):
        reason = f"takes no limit of memory .{name}: No such file"
        check_refused(tmp_path, "left", reason, isolated=isolated)
        assert sorted(tmp_path.rglob("*")) == before


def test_no_process_is_killed_that_a_file_outside_of_control_groups_lists(tmp_path):
    """The parameter `groups` may name any folder."""
    *space_and_number, _ = owners.process_name().split("-")
    left = tmp_path / "memory" / "-".join(["reckon", *space_and_number, "1"])
    left.mkdir(parents=True)
    with subprocess.Popen(["sleep", "60"]) as listed:
        (left / "cgroup.procs").write_text(f"{listed.pid}\n")
        check_refused(tmp_path, "left", "takes no limit of memory")
        assert listed.poll() is None
        listed.kill()


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
    hook, folder = preloaded(tmp_path, "groups"), tmp_path / "hierarchy"
    groups = Path("/proc/self/cgroup").read_text().splitlines()
    own = next((line.split(":", 2)[2] for line in groups if line.startswith("0::")), "/")

    def make(base):
        base.mkdir(parents=True)
        (base / own.strip("/")).mkdir(parents=True, exist_ok=True)
        (base / "cgroup.controllers").write_text("cpu memory pids\n")
        (base / "cgroup.subtree_control").write_text("cpu memory\n")

    def run(program, *arguments, **environment):
        return in_python(program, *arguments, LD_PRELOAD=hook, GROUPS=folder, **environment)

    return folder, make, run


@pytest.mark.parametrize("below", ["", "unified"])
def test_version_2_is_found_limited_entered_and_left(second, below):
    folder, make, run = second
    make(folder / below)
    limited, left = run(files.limited_and_left, str(folder))
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

    return folder, functools.partial(run, OWN_GROUP=tmp_path / "cgroup")


def test_controllers_that_are_mounted_together_are_found(mounted_together):
    folder, run = mounted_together
    params = {"groups": str(folder), "limit_bytes": 8 << 20}
    requests = [["files/cache/limited", params]]
    assert run(attempts.outcomes, requests, [False]) == [["files/cache/limited", "ran"]]
    assert (folder / "limit-of-the-last").read_text() == str(8 * MIB)
    assert not list(folder.rglob("reckon-*"))


def available(run):
    script = "say(library.run('files/cache/available', samples=1, isolated=False).ops.tolist())"
    return run(script)[0] // MIB


def write_stat(group, prefix):
    """12 MiB can be given back; what is locked or in tmpfs cannot."""
    lists = {"inactive_file": 4, "active_file": 8, "unevictable": 2, "shmem": 1}
    lines = [f"{prefix}{name} {mib * MIB}\n" for name, mib in lists.items()]
    (group / "memory.stat").write_text("".join(lines))


def test_what_such_a_group_leaves_is_available(mounted_together):
    folder, run = mounted_together
    group = folder / "cpu,memory"
    (group / "memory.limit_in_bytes").write_text(str(64 * MIB))
    (group / "memory.usage_in_bytes").write_text(str(16 * MIB))
    write_stat(group, "total_")
    assert available(run) == 60


def test_the_least_that_a_group_above_leaves_is_available(second, tmp_path):
    """As in a container of version 2: its own group has no limit, the one above it has."""
    folder, _, run = second
    own = folder / "pod" / "container"
    own.mkdir(parents=True)
    (tmp_path / "cgroup").write_text("0::/pod/container\n")
    (own / "memory.max").write_text("max\n")
    (own.parent / "memory.max").write_text(str(64 * MIB))
    (own.parent / "memory.current").write_text(str(16 * MIB))
    write_stat(own.parent, "")
    assert available(functools.partial(run, OWN_GROUP=tmp_path / "cgroup")) == 60


# --- nothing is left -------------------------------------------------------------------------------


ENDED = {
    "deadline": "was still running",
    "killed": "died of signal 9",
    "interrupt": "KeyboardInterrupt",
}


def removers():
    return [pid for pid in descendants() if name_of(pid) == "reckon-remover"]


@pytest.mark.parametrize("how", ["deadline", "killed", "caller", "interrupt"])
def test_what_is_ended_half_way_leaves_no_group_process_or_file(root, tmp_path, how):
    before = control_groups()
    params = {**FULL, "dir": str(tmp_path)}
    deadline_s = 3 if how == "deadline" else 60
    script = f"library.run('files/cache/limited', {params}, samples=4, deadline_s={deadline_s})"
    with started(script, start_new_session=True, stderr=subprocess.PIPE) as caller:
        assert until(groups_in_use)
        (probe, *_) = probes_of(caller.pid)
        if how == "interrupt":  # as a terminal sends it: to the whole process group
            os.killpg(caller.pid, signal.SIGINT)
        elif how != "deadline":
            os.kill(probe if how == "killed" else caller.pid, signal.SIGKILL)
        _, stderr = caller.communicate(timeout=60)
        assert caller.returncode != 0
    assert how == "caller" or ENDED[how] in stderr
    assert until(lambda: set(control_groups()) <= set(before) and not removers())
    assert until(lambda: not probes_of(os.getpid()) and not descendants_named(str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_a_remover_keeps_no_descriptor_of_its_callers(root, tmp_path):
    before = control_groups()
    inherited = "os.dup2(os.pipe()[1], 1500, inheritable=True)"
    params = {**FULL, "dir": str(tmp_path)}
    with started(f"import os\n{inherited}\nattempt('files/cache/limited', {params})") as caller:
        assert until(groups_in_use)
        (remover,) = removers()
        assert os.listdir(f"/proc/{remover}/fd") == ["0"]
        assert "1500" in os.listdir(f"/proc/{probes_of(caller.pid)[0]}/fd")
    assert until(lambda: set(control_groups()) <= set(before) and not removers())


@pytest.mark.alone  # or the next probe is another test's
def test_the_group_of_a_killed_remover_is_removed_by_the_next_probe(root, tmp_path):
    before = control_groups()
    params = {**FULL, "dir": str(tmp_path)}
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
    hook, faults = preloaded(tmp_path, "faults"), tmp_path / "noted"
    faults.touch()
    params = {"file_bytes": 4 * MIB, "limit_bytes": 32 * MIB, "dir": str(tmp_path)}
    script = f"say(attempt('files/cache/limited', {params}, samples=4, isolated=False))"
    assert in_python(script, LD_PRELOAD=hook, FAULTS=faults) == "ran"
    assert faults.stat().st_size == 0

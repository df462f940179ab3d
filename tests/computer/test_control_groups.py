"""Limits of control groups, on made-up trees: a container, version 1, version 2 and both."""

import math

import pytest

from reckon.computer import control_groups, description, fitness

MIB = 1 << 20
STAT = f"inactive_file {4 * MIB}\nactive_file {8 * MIB}\nunevictable {2 * MIB}\n"


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Makes the tree of these files, with this process in the group /pod/own."""

    def make(own, files):
        (tmp_path / "cgroup").write_text(own)
        for name, content in files.items():
            path = tmp_path / "mounted" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n")

    monkeypatch.setattr(control_groups, "OWN_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(control_groups, "MOUNTED_AT", tmp_path / "mounted")
    return make


V1 = "4:cpu,cpuacct:/pod/own\n5:memory:/pod/own\n"
V2 = "0::/pod/own\n"
QUOTA = {
    "cpu,cpuacct/pod/own/cpu.cfs_quota_us": -1,
    "cpu,cpuacct/pod/cpu.cfs_quota_us": 150_000,
    "cpu,cpuacct/pod/cpu.cfs_period_us": 100_000,
}
LIMIT = {
    "memory/pod/memory.limit_in_bytes": 64 * MIB,
    "memory/pod/memory.usage_in_bytes": 16 * MIB,
    "memory/pod/memory.stat": STAT.replace("inactive", "total_inactive").replace(
        "\nactive", "\ntotal_active"
    ),
}


@pytest.mark.parametrize(
    ("own", "files", "cpus", "left_mib"),
    [
        pytest.param("", {}, math.inf, math.inf, id="none"),
        pytest.param(V2, {}, math.inf, math.inf, id="no files"),
        pytest.param(
            V2,
            {"pod/own/cpu.max": "max 100000", "pod/own/memory.max": "max"},
            math.inf,
            math.inf,
            id="version 2 without limits",
        ),
        pytest.param(
            V2,
            {
                "pod/own/cpu.max": "200000 100000",
                "pod/cpu.max": "50000 100000",
                "pod/own/memory.max": 64 * MIB,
                "pod/own/memory.current": 16 * MIB,
                "pod/own/memory.stat": STAT,
            },
            0.5,
            60,
            id="version 2, the least of the groups",
        ),
        pytest.param(
            V2,
            {"cpu.max": "25000 100000", "memory.max": 8 * MIB},
            0.25,
            8,
            id="a container, which sees its own group as the topmost",
        ),
        pytest.param(V1, QUOTA | LIMIT, 1.5, 60, id="version 1"),
        pytest.param(f"{V1}{V2}", QUOTA | LIMIT, 1.5, 60, id="both"),
    ],
)
def test_the_least_that_a_group_leaves(groups, own, files, cpus, left_mib):
    groups(own, files)
    assert control_groups.cpus() == cpus
    assert control_groups.memory_left_bytes() == left_mib * MIB


def test_the_lowest_memory_limit_is_a_fact_of_the_machine(groups):
    groups(V2, {"pod/own/memory.max": 64 * MIB, "pod/memory.max": 32 * MIB})
    assert control_groups.memory_limit_bytes() == 32 * MIB
    assert description.describe().number("memory.limit") == 32 * MIB
    groups(V1, {"memory/memory.limit_in_bytes": 2**63 - 4096})  # no limit
    assert description.describe().number("memory.limit") is None


def test_fitness_warns_of_limits(groups):
    def check(name):
        return next(check for check in fitness.check_all() if check["name"] == name)

    groups(V2, {})
    assert check("limit on CPU time")["state"] == "pass"
    groups(V2, {"pod/cpu.max": "50000 100000", "pod/memory.max": 64 * MIB})
    assert check("limit on CPU time")["found"] == "that of 0.5 CPUs"
    assert check("limit on CPU time")["state"] == check("free memory")["state"] == "warn"
    assert check("free memory")["found"] == "0.1 GiB"

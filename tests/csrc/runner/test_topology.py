"""Which CPU measures and which is its partner, on made-up machines."""

import os

import pytest

from reckon.measurement import library


def write(sys, files):
    for name, content in files.items():
        path = sys / "devices" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")


def per_cpu(name, values):
    return {f"system/cpu/cpu{cpu}/{name}": value for cpu, value in enumerate(values)}


def siblings(pairs):
    return per_cpu("topology/thread_siblings_list", pairs)


def last_cache(groups):
    levels = per_cpu("cache/index3/level", [3] * len(groups))
    return levels | per_cpu("cache/index3/shared_cpu_list", groups)


def highest_khz(values):
    return per_cpu("cpufreq/cpuinfo_max_freq", values)


HYBRID = {"cpu_core/cpus": "0-3", "cpu_atom/cpus": "4-7"}  # two performance cores, two threads each
HYBRID |= siblings(["0-1", "0-1", "2-3", "2-3", 4, 5, 6, 7])
WEAK_AND_FAST = per_cpu("cpu_capacity", [1024, 800]) | highest_khz([3_000_000, 4_000_000])


@pytest.mark.parametrize(
    ("count", "files", "measuring_and_partner"),
    [
        pytest.param(4, {}, [3, 0], id="without any file the last CPU, and the first"),
        pytest.param(1, {}, [0, -1], id="one CPU has no partner"),
        pytest.param(8, HYBRID, [3, 0], id="a performance core of a hybrid x86 processor"),
        pytest.param(4, per_cpu("cpu_capacity", [1024, 1024, 446, 446]), [1, 0], id="a big core"),
        pytest.param(4, highest_khz([4700, 4700, 4900, 4700]), [2, 0], id="the favoured core"),
        pytest.param(2, WEAK_AND_FAST, [0, 1], id="capacity weighs more than frequency"),
        pytest.param(4, siblings(["0,3", "1,2", "1,2", "0,3"]), [3, 1], id="no sibling thread"),
        pytest.param(2, siblings(["0-1", "0-1"]), [1, 0], id="a sibling if there is no other core"),
        pytest.param(4, last_cache(["0-1", "0-1", "2-3", "2-3"]), [3, 2], id="the same last cache"),
    ],
)
def test_the_cpu_that_measures_and_its_partner(
    decided, tmp_path, count, files, measuring_and_partner
):
    write(tmp_path, files)
    assert decided("cpus", tmp_path, count) == measuring_and_partner


def test_the_library_chooses_among_the_cpus_that_it_may_use():
    assert library.default_cpu() in os.sched_getaffinity(0)

"""Which CPU measures and which is its partner, on made-up machines."""

import os
from typing import get_args

import pytest
from helpers.capabilities import two_cpus

from reckon.computer.measured_cpu import fastest_of
from reckon.measurement import library
from reckon.records.run_files.models import Relation


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
CORES_WITH_CACHES = siblings(["0-1", "0-1", "2-3", "2-3"])
CORES_WITH_CACHES |= last_cache(["0-1", "0-1", "2-3", "2-3"])


@pytest.mark.parametrize(
    ("count", "files", "fastest", "partner"),
    [
        pytest.param(4, {}, [0, 1, 2, 3], 0, id="without any file all, and the first"),
        pytest.param(1, {}, [0], -1, id="one CPU has no partner"),
        pytest.param(8, HYBRID, [0, 1, 2, 3], 0, id="performance cores of a hybrid x86 processor"),
        pytest.param(4, per_cpu("cpu_capacity", [1024, 1024, 446, 446]), [0, 1], 0, id="big cores"),
        pytest.param(4, highest_khz([4700, 4700, 4900, 4700]), [2], 0, id="the favoured core"),
        pytest.param(2, WEAK_AND_FAST, [0], 1, id="capacity weighs more than frequency"),
        pytest.param(
            4, siblings(["0,3", "1,2", "1,2", "0,3"]), [0, 1, 2, 3], 1, id="no sibling thread"
        ),
        pytest.param(4, CORES_WITH_CACHES, [0, 1, 2, 3], 0, id="no sibling, although the nearest"),
        pytest.param(2, siblings(["0-1", "0-1"]), [0, 1], 0, id="a sibling if no other core"),
        pytest.param(
            4, last_cache(["0-1", "0-1", "2-3", "2-3"]), [0, 1, 2, 3], 2, id="the same last cache"
        ),
    ],
)
def test_the_fastest_cpus_and_the_partner_of_the_last(
    decided, tmp_path, count, files, fastest, partner
):
    write(tmp_path, files)
    assert fastest_of(range(count), tmp_path) == fastest
    assert decided("partners", tmp_path, count, fastest[-1])[0] == partner


def test_cpus_past_the_1024_of_a_cpu_set_t_are_used(decided, tmp_path):
    write(tmp_path, highest_khz([4700] * 1500 + [4900]))
    assert fastest_of(range(1501), tmp_path) == [1500]
    assert decided("partners", tmp_path, 1501, 0)[0] == 1500


# Two sockets of two cores with two threads each, numbered as Linux does.
TWO_SOCKETS = siblings(["0,4", "1,5", "2,6", "3,7"] * 2)
TWO_SOCKETS |= per_cpu("topology/physical_package_id", [0, 0, 1, 1] * 2)
A_CACHE_EACH = last_cache(["0,4", "1,5", "2,6", "3,7"] * 2)
SHARED_CACHES = last_cache(["0-1,4-5", "0-1,4-5", "2-3,6-7", "2-3,6-7"] * 2)
ONE_SOCKET = per_cpu("topology/physical_package_id", [0] * 8)


@pytest.mark.parametrize(
    ("files", "partners"),
    [
        pytest.param({}, [-1, -1, -1, -1], id="nothing is reported"),
        pytest.param(TWO_SOCKETS | A_CACHE_EACH, [3, -1, 2, 0], id="two sockets, a cache a core"),
        pytest.param(TWO_SOCKETS | SHARED_CACHES, [3, 2, -1, 0], id="two sockets, a cache each"),
        pytest.param(HYBRID | ONE_SOCKET, [2, -1, 0, -1], id="a hybrid processor"),
        pytest.param(
            per_cpu("topology/physical_package_id", [-1] * 8), [-1] * 4, id="sockets unknown"
        ),
    ],
)
def test_the_partner_in_a_requested_relation(decided, tmp_path, files, partners):
    """Its sibling, then a core of the same cache, of the same socket, of another one."""
    write(tmp_path, files)
    chosen = fastest_of(range(8), tmp_path)[-1]
    default, *in_relation = decided("partners", tmp_path, 8, chosen)
    assert in_relation == partners
    assert default == next((cpu for cpu in partners[1:] if cpu >= 0), 0)


@pytest.mark.parametrize(
    ("files", "fewest"),
    [
        pytest.param({}, 8, id="not reported"),
        pytest.param(last_cache(["0-7"] * 8), 8, id="one cache"),
        pytest.param(SHARED_CACHES, 4, id="two caches"),
        pytest.param(last_cache(["0-5"] * 6 + ["6-7"] * 2), 2, id="two, unequally"),
        pytest.param(last_cache(["0-15"] * 8), 8, id="more CPUs below it"),
    ],
)
def test_the_fewest_cpus_that_share_a_last_cache(decided, tmp_path, files, fewest):
    """Each has so large a part of the array that no last cache holds a quarter of what goes by."""
    write(tmp_path, files)
    assert decided("caches", tmp_path, 8) == [fewest]


def test_the_samples_have_the_partner_of_the_default_or_the_requested_relation():
    two_cpus()
    alone, across = (
        library.run(f"cpu/switch/process{where}", {"turns": 2}, samples=1)
        for where in ("", "_across")
    )
    assert (alone.partner_cpu, alone.partner_relation) == (-1, "")
    assert across.partner_cpu in os.sched_getaffinity(0) - {across.cpu}
    reached = {}
    for relation in get_args(Relation)[:-1]:
        try:
            samples = library.run(
                "cpu/switch/process_across", {"turns": 2, "partner": relation}, samples=1
            )
            reached[samples.partner_relation] = samples.partner_cpu
        except library.ProbeUnsupported as reason:
            assert f"has no such partner ({relation})" in str(reason)
    assert reached.get(across.partner_relation, across.partner_cpu) == across.partner_cpu
    with pytest.raises(library.ProbeFailed, match="partner is sibling, .* not .other."):
        library.run("cpu/switch/process_across", {"partner": "other"}, samples=1)


def test_the_library_chooses_among_the_cpus_that_it_may_use():
    allowed = os.sched_getaffinity(0)
    usual = library.default_cpu()
    assert usual in allowed
    assert library.default_cpu(avoided=allowed - {usual}) == usual
    assert library.default_cpu(avoided=allowed) == usual, "where all are to be avoided"

"""Which CPU measures and which is its partner, on made-up machines."""

import os
import subprocess

import pytest
from helpers.probes import compiled

from reckon.measurement import library


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """The CPU and its partner of a tree of /sys files."""
    program = compiled(tmp_path_factory.mktemp("topology"), "topology")

    def run(sys, count):
        done = subprocess.run([program, sys, str(count)], capture_output=True, text=True)
        return tuple(map(int, done.stdout.split()))

    return run


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
    return per_cpu("cache/index3/level", [3] * len(groups)) | per_cpu(
        "cache/index3/shared_cpu_list", groups
    )


def test_without_any_file_the_last_cpu_measures_and_the_first_is_its_partner(chosen, tmp_path):
    assert chosen(tmp_path, 4) == (3, 0)


def test_one_cpu_has_no_partner(chosen, tmp_path):
    assert chosen(tmp_path, 1) == (0, -1)


def test_on_a_hybrid_x86_processor_a_performance_core_measures(chosen, tmp_path):
    """Four threads on two performance cores, then four efficiency cores."""
    write(tmp_path, {"cpu_core/cpus": "0-3", "cpu_atom/cpus": "4-7"})
    write(tmp_path, siblings(["0-1", "0-1", "2-3", "2-3", 4, 5, 6, 7]))
    assert chosen(tmp_path, 8) == (3, 0)


def test_on_big_little_a_big_core_measures(chosen, tmp_path):
    write(tmp_path, per_cpu("cpu_capacity", [1024, 1024, 446, 446]))
    assert chosen(tmp_path, 4) == (1, 0)


def test_the_favoured_core_measures(chosen, tmp_path):
    khz = [4_700_000, 4_700_000, 4_900_000, 4_700_000]
    write(tmp_path, per_cpu("cpufreq/cpuinfo_max_freq", khz))
    assert chosen(tmp_path, 4) == (2, 0)


def test_capacity_weighs_more_than_the_highest_frequency(chosen, tmp_path):
    write(tmp_path, per_cpu("cpu_capacity", [1024, 800]))
    write(tmp_path, per_cpu("cpufreq/cpuinfo_max_freq", [3_000_000, 4_000_000]))
    assert chosen(tmp_path, 2) == (0, 1)


def test_the_partner_is_no_sibling_thread(chosen, tmp_path):
    write(tmp_path, siblings(["0,3", "1,2", "1,2", "0,3"]))
    assert chosen(tmp_path, 4) == (3, 1)


def test_a_sibling_is_the_partner_where_there_is_no_other_core(chosen, tmp_path):
    write(tmp_path, siblings(["0-1", "0-1"]))
    assert chosen(tmp_path, 2) == (1, 0)


def test_the_partner_is_below_the_same_last_cache(chosen, tmp_path):
    """Two sockets."""
    write(tmp_path, last_cache(["0-1", "0-1", "2-3", "2-3"]))
    assert chosen(tmp_path, 4) == (3, 2)


def test_the_library_chooses_among_the_cpus_that_it_may_use():
    assert library.default_cpu() in os.sched_getaffinity(0)

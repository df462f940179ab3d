"""Which CPUs belong to a core that already works, on made-up machines."""

import pytest

from reckon.computer import busy_cores


def stat(busy_jiffies, passed_jiffies):
    """A text of /proc/stat: each CPU's busy time, and the rest of what passed as idle."""
    rows = [
        f"cpu{cpu} {busy} 0 0 {passed_jiffies - busy} 0 0 0 0 {busy} 0"
        for cpu, busy in enumerate(busy_jiffies)
    ]
    return "\n".join(["cpu 1 2 3 4 5 6 7 8 9 10", *rows, "intr 123 4 5", "ctxt 6"])


def test_siblings_are_the_other_threads_of_a_core(tmp_path):
    for cpu, siblings in enumerate(["0,2", "1,3-4", "0,2", "1,3-4", "1,3-4", ""]):
        folder = tmp_path / f"devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{siblings}\n")
    (tmp_path / "devices/system/cpu/cpufreq/topology").mkdir(parents=True)
    siblings = busy_cores.siblings_of(tmp_path)
    assert siblings == {0: {2}, 1: {3, 4}, 2: {0}, 3: {1, 4}, 4: {1, 3}, 5: set()}


def test_a_cpu_is_busy_that_works_for_more_than_a_fifth_of_the_time():
    before, after = stat([50, 60, 70, 80], 100), stat([75, 64, 80, 81], 125)
    assert busy_cores.busy_cpus(before, after) == {0, 2}
    assert busy_cores.busy_cpus(after, after) == set(), "no time has passed"
    assert busy_cores.busy_cpus(before, stat([75], 125)) == {0}, "three were taken away"
    assert busy_cores.busy_cpus("", "") == set()


@pytest.mark.parametrize(
    ("siblings", "avoided"),
    [
        pytest.param({0: {2}, 1: {3}, 2: {0}, 3: {1}}, [0, 2], id="two cores"),
        pytest.param({0: {1}, 1: {0}}, [0, 1], id="one core"),
        pytest.param({0: set(), 1: set()}, [], id="a thread a core"),
    ],
)
def test_both_threads_of_a_core_are_avoided_if_one_is_busy(monkeypatch, siblings, avoided):
    texts = [stat([0, 0, 0, 0], 0), stat([100, 0, 0, 4], 100)]
    monkeypatch.setattr(busy_cores, "siblings_of", lambda sys: siblings)
    monkeypatch.setattr(busy_cores, "_stat", lambda: texts.pop(0))
    assert busy_cores.cpus_of_busy_cores() == avoided

"""Which CPUs belong to a core that already works, on made-up machines."""

import psutil
import pytest

from reckon.computer import measured_cpu


def test_siblings_are_the_other_threads_of_a_core(tmp_path):
    for cpu, siblings in enumerate(["0,2", "1,3-4", "0,2", "1,3-4", "1,3-4", ""]):
        folder = tmp_path / f"devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{siblings}\n")
    (tmp_path / "devices/system/cpu/cpufreq/topology").mkdir(parents=True)
    siblings = measured_cpu.siblings_of(tmp_path)
    assert siblings == {0: {2}, 1: {3, 4}, 2: {0}, 3: {1, 4}, 4: {1, 3}, 5: set()}


@pytest.mark.parametrize(
    ("siblings", "avoided"),
    [
        pytest.param({0: {2}, 1: {3}, 2: {0}, 3: {1}}, [0, 2], id="two cores"),
        pytest.param({0: {1}, 1: {0}}, [0, 1], id="one core"),
        pytest.param({0: set(), 1: set()}, [], id="a thread a core"),
        pytest.param({2: {6}, 3: {7}, 6: {2}, 7: {3}}, [2, 6], id="others are offline"),
    ],
)
def test_both_threads_of_a_core_are_avoided_if_one_is_busy(monkeypatch, siblings, avoided):
    monkeypatch.setattr(measured_cpu, "siblings_of", lambda sys: siblings)
    monkeypatch.setattr(psutil, "cpu_percent", lambda *_, **__: [100.0, 0.0, 0.0, 4.0])
    assert measured_cpu.cpus_of_busy_cores() == avoided

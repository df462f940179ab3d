"""Batteries and heat, in a made-up /sys."""

import pytest

from reckon.computer import fitness, power


@pytest.fixture
def sysfs(tmp_path, monkeypatch):
    """Writes files below a folder that stands for /sys."""
    for name in ("_SUPPLIES", "_COOLING", "_CPUS"):
        monkeypatch.setattr(power, name, str(tmp_path / name))

    def write(place, **files):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(f"{text}\n")

    return write


def battery(status, **more):
    return {"_SUPPLIES/BAT0": dict(type="Battery", status=status, capacity=73, **more)}


def throttled(*counts):
    return {
        f"_CPUS/cpu{cpu}/thermal_throttle": dict(core_throttle_count=count)
        for cpu, count in enumerate(counts)
    }


def cooling(kind):
    return {"_COOLING/cooling_device0": dict(type=kind, cur_state=3)}


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (battery("Discharging"), "power", ("warn", "on battery (73 %)")),
        (battery("Charging"), "power", ("pass", "mains")),
        (battery("Full"), "power", ("pass", "mains")),
        (battery("Not charging"), "power", ("pass", "mains")),
        (battery("Unknown"), "power", ("pass", "mains")),
        (battery("Discharging", scope="Device"), "power", ("pass", "mains")),  # of a mouse
        (throttled(2, 5), "throttling", ("warn", "7 times since it was booted")),
        (throttled(0), "throttling", ("pass", "not since it was booted")),
        ({}, "throttling", ("unknown", "not reported")),
        (cooling("Processor"), "throttling", ("warn", "slowed down by heat now")),
        (cooling("Fan"), "throttling", ("unknown", "not reported")),
    ],
)
def test_what_sys_reports_is_a_state_of_the_machine(sysfs, files, name, expected):
    for place, contents in files.items():
        sysfs(place, **contents)
    [check] = [check for check in fitness.check_all() if check["name"] == name]
    assert (check["state"], check["found"]) == expected


def test_throttling_during_a_build_is_a_warning(sysfs):
    assert power.throttling_since(None) is None  # not reported
    for place, contents in throttled(5).items():
        sysfs(place, **contents)
    assert power.throttling_since(5) is None
    assert "down 3 times" in power.throttling_since(2)

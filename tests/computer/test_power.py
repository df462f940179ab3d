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


def state(name):
    [check] = [check for check in fitness.check_all() if check.name == name]
    return check.state, check.found


def test_a_laptop_on_its_battery(sysfs):
    sysfs("_SUPPLIES/AC", type="Mains", online=0)
    sysfs("_SUPPLIES/BAT0", type="Battery", status="Discharging", capacity=73)
    assert state("power") == ("warn", "on battery (73 %)")


@pytest.mark.parametrize("status", ["Charging", "Full", "Not charging", "Unknown"])
def test_a_laptop_on_mains(sysfs, status):
    sysfs("_SUPPLIES/BAT0", type="Battery", status=status, capacity=73)
    assert state("power") == ("pass", "mains")


def test_the_battery_of_a_mouse_does_not_count(sysfs):
    sysfs("_SUPPLIES/hid", type="Battery", status="Discharging", scope="Device")
    assert state("power") == ("pass", "mains")


def test_a_processor_that_was_throttled(sysfs):
    for cpu, count in enumerate((2, 5)):
        sysfs(f"_CPUS/cpu{cpu}/thermal_throttle", core_throttle_count=count)
    assert power.throttle_count() == 7
    assert state("throttling") == ("warn", "7 times since it was booted")


def test_throttling_during_a_build_is_a_warning(sysfs):
    assert power.throttling_since(None) is None  # not reported
    sysfs("_CPUS/cpu0/thermal_throttle", core_throttle_count=5)
    assert power.throttling_since(5) is None
    assert "down 3 times" in power.throttling_since(2)


def test_a_processor_that_was_never_throttled(sysfs):
    sysfs("_CPUS/cpu0/thermal_throttle", core_throttle_count=0, package_throttle_count=0)
    assert state("throttling") == ("pass", "not since it was booted")


def test_a_processor_that_does_not_report_throttling(sysfs):
    assert power.throttle_count() is None and state("throttling")[0] == "unknown"


@pytest.mark.parametrize(("kind", "now"), [("Processor", "warn"), ("Fan", "unknown")])
def test_a_cooling_device_at_work(sysfs, kind, now):
    sysfs("_COOLING/cooling_device0", type=kind, cur_state=3)
    assert state("throttling")[0] == now

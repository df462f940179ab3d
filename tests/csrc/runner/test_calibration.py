"""The calibrations of the counter and of the core's clock, on made-up clocks: within 0.1 %."""

import pytest
from helpers.probes import compiled
from helpers.project import output_of

# Of the runner the calibrations alone are linked: what else it calls is not there.
OPTIONS = ["-ffunction-sections", "-Wl,--gc-sections"]


@pytest.fixture(scope="module")
def calibration(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("calibration"), "calibration", *OPTIONS)


@pytest.mark.parametrize(
    ("tick_mhz", "step_ticks", "core_mhz"),
    [
        pytest.param(2600, 26, 4200, id="an x86 guest whose TSC advances in steps of 10 ns"),
        pytest.param(3000, 1, 800, id="an x86 core at its lowest clock"),
        pytest.param(24, 1, 3200, id="24 MHz, as on Apple's processors"),
        pytest.param(54, 1, 1500, id="54 MHz, as on a Raspberry Pi 4"),
        pytest.param(19.2, 1, 2800, id="19.2 MHz, as on a telephone"),
        pytest.param(1000, 1, 3300, id="1 GHz, as since Armv8.6"),
    ],
)
def test_a_calibration_is_right_within_a_thousandth(calibration, tick_mhz, step_ticks, core_mhz):
    printed = output_of(calibration, str(tick_mhz), str(step_ticks), str(core_mhz))
    cycles_per_tick, ticks_per_s = map(float, printed.split())
    assert cycles_per_tick == pytest.approx(core_mhz / tick_mhz, rel=1e-3)
    assert ticks_per_s == pytest.approx(tick_mhz * 1e6, rel=1e-3)

"""The reports as data: complete by a list made apart, whole by the schema."""

import math
import tomllib
from collections import Counter

import pytest
from helpers.project import ROOT
from helpers.report_example import example

from reckon import units
from reckon.comparison.reports import published

TABLES = tomllib.loads((ROOT / "tests/comparison/reports/tables.toml").read_text(encoding="utf-8"))
NAMES = sorted(TABLES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_no_fault(name):
    assert published.read(published.FOLDER / f"{name}.toml").faults() == []


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_every_table_is_in_the_data(name):
    """The list was read from the reports by itself. A number must stand in the data at the place of the
    table as often as the table prints it."""
    numbers = published.read(published.FOLDER / f"{name}.toml").numbers()
    missing = {}
    for place, printed in TABLES[name].items():
        expected = Counter(f"{float(v):.9g}" for v in printed)
        known = Counter(f"{float(v):.9g}" for v in numbers.get(place, []))
        if left := expected - known:
            missing[place] = sorted(left.elements(), key=float)
    assert not missing, missing


def test_the_documented_example_is_one(tmp_path):
    report = published.read(example(tmp_path))
    assert report.faults() == []
    assert report.values[0].base(221520, "s", "cycle") == pytest.approx(92.3e-6)


def test_every_value_of_a_quantity_is_in_its_unit():
    for value in published.reported_values():
        assert not value.quantity or value.measured is None or value.measured > 0, (
            value.report,
            value.label,
        )
        for unit in ("cycle", "s"):
            if units.dimension(value.unit) == units.dimension(unit):
                assert value.base(1, "cycle") > 0


def test_a_counter_of_another_rate_than_the_cores_is_no_core_clock(tmp_path):
    """Ticks become time by the counter, and time cycles of the core by the core."""
    [fault] = published.read(
        example(tmp_path, "clock_ghz = 2.4", "clock_ghz = 2.4\ncore_ghz = 3")
    ).values
    assert fault.base(240, "s", "cycle") == pytest.approx(100e-9)  # as printed
    in_us = fault.model_copy(update={"measured": 0.1})  # a microsecond is its unit
    assert in_us.core_cycles == pytest.approx(300)
    ticks = fault.model_copy(update={"unit": "cycle", "measured": 240})
    assert ticks.core_cycles == pytest.approx(300)
    [same] = published.read(example(tmp_path)).values
    assert same.model_copy(update={"measured": 0.1}).core_cycles == pytest.approx(240)
    assert math.isnan(same.model_copy(update={"measured": None}).core_cycles)
    [value] = [v for v in published.measured_values("cpu/task/x510uq_thread") if v.unit == "cycle"]
    assert value.core_cycles == pytest.approx(value.measured * 3.1 / 2.7)

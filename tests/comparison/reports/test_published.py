"""The reports as data: complete by a list made apart, whole by the schema."""

import math
import re
import tomllib
from collections import Counter

import pytest
from helpers.project import ROOT
from helpers.report_example import example

from reckon import units
from reckon.comparison.reports import published
from reckon.comparison.reports.reported_value import half_a_digit
from reckon.errors import ReckonError

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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('unit = "us"\nplace = "table 3"', 'unit = "us"', "value.0.place: Field required"),
        ("n = 100", "n = 100\nmean = 3", "value.0.mean: Extra inputs are not permitted"),
        (
            'cycles_are = "tick"',
            'cycles_are = "tock"',
            "cycles_are: Input should be 'tick' or 'cycle'",
        ),
        ('cite = "lmbench"', "cite = ", "line 3"),
    ],
)
def test_a_file_that_does_not_fit_the_schema_is_a_sentence(tmp_path, old, new, message):
    with pytest.raises(ReckonError, match=re.escape(message)):
        published.read(example(tmp_path, old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (', note = "contradicts table 3"', "", "1.029 of it, and its note has no 'contradicts'"),
        (
            'unit = "us"\nplace = "table 3"',
            'unit = "furlong"\nplace = "table 3"',
            "'furlong' is not a unit",
        ),
        ("measured = 92.3", 'measured = 92.3\nprinted_unit = "ms"', "printed_unit needs a note"),
        ("measured = 92.3", "measured = 92.3\naside = true", "aside needs a note"),
        ("measured = 92.3", "measured = 92.3\nat = 3", "at and at_unit belong together"),
        ('value = 500\nunit = "MB/s"', "value = 500.0", "a number needs a unit"),
    ],
)
def test_what_the_schema_cannot_see_is_a_fault(tmp_path, old, new, message):
    assert any(message in fault for fault in published.read(example(tmp_path, old, new)).faults())


@pytest.mark.parametrize(
    ("printed", "half"),
    [
        (0.004, 0.0005),
        (8.401, 0.0005),
        (237, 0.5),
        (400, 40),
        (20000, 2000),
        (70000, 5000),
        (8, 0.5),
        (1, 0.1),
        (0, 0),
    ],
)
def test_rounding_hides_half_of_the_last_digit_or_a_tenth_of_the_number(printed, half):
    assert half_a_digit(printed) == pytest.approx(half)


@pytest.mark.parametrize(
    ("summary", "differing"),
    [
        ("measured = 95", ["measured"]),  # 3 % more
        ("measured = 92", []),
        ("measured = 90", []),
        ("measured = 94", []),  # a digit less, and 2 %
        ('measured = 95, note = "contradicts"', []),
        ("measured = 92.3, sd = 4", []),
        ("measured = 92.3, sd = 5", ["sd"]),
        ("predicted = 8.7, measured = 92.3", []),
        ("predicted = 9", []),
        ("predicted = 9.1", ["predicted"]),
    ],
)
def test_what_rounding_explains_needs_no_note(tmp_path, summary, differing):
    path = example(
        tmp_path, 'predicted = 8.7, measured = 95, note = "contradicts table 3" }', summary + " }"
    )
    faults = published.read(path).faults()
    assert [re.search(r": (\w+) in summary is", fault)[1] for fault in faults] == differing


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

"""The reports as data: complete by a list made apart, whole by the schema, and run again."""

import math
import re
import tomllib
from collections import Counter

import pytest
from helpers.project import ROOT
from helpers.report_example import example

from reckon import units
from reckon.comparison.reports import derivations, published
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


@pytest.mark.parametrize("name", NAMES)
def test_every_derivation_runs_and_says_why_it_does_not_follow(name):
    report = published.read(published.FOLDER / f"{name}.toml")
    for derivation in report.derivations:
        again = derivations.recompute(report, derivation)
        assert again and all(r.recomputed > 0 or r.published == 0 for r in again), derivation.what
        assert derivation.note or all(r.follows for r in again), derivation.what


def test_every_derivation_has_a_reading_as_stated():
    for report in published.all_reports():
        stated = {
            derivation.what
            for derivation in report.derivations
            if derivation.reading == "as stated"
        }
        assert {derivation.what for derivation in report.derivations} == stated, report.name


def test_the_documented_example_is_one(tmp_path):
    report = published.read(example(tmp_path))
    assert report.faults() == []
    again = {value.part: value for value in derivations.recompute(report, report.derivations[0])}
    assert again["hardware"].recomputed == pytest.approx(8.192) and again["predicted"].follows
    assert report.values[0].base(221520, "s", "cycle") == pytest.approx(92.3e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('place = "4.3"\n', "", "derivation.0.place: Field required"),
        ("n = 100", "n = 100\nmean = 3", "value.0.mean: Extra inputs are not permitted"),
        (
            'kind = "sum"',
            'kind = "product"',
            "derivation.0.kind: Input should be 'sum', 'rate' or 'plain'",
        ),
        ('cite = "lmbench"', "cite = ", "line 3"),
        ("{ value = 500, unit", "{ value = 500, values = [1], unit", "give either value or values"),
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
    ("old", "new", "message"),
    [
        ("page / disk", "page + disk", "these cannot be added"),
        ("page / disk", "__import__('os')", "__import__ is not one of its inputs"),
        ("page / disk", "[page for page in 'x']", "arithmetic, np.functions and its inputs alone"),
        ("page / disk", "page / 'disk'", "is no number"),
        ("page / disk", f"page / 1{400 * '0'}", "A number of the formula is larger than"),
        ("page / disk", "np.minimum(page / disk)", "is no formula"),
        ("page / disk", "page(disk)", "is no formula"),
        ("page / disk", "1 / 0 * page / disk", "is no formula"),
        (
            "hardware = 8.2, software",
            "hardware = [8.2, 8.2], software",
            "2 published values of hardware for 1 positions",
        ),
        ('kind = "sum"', 'kind = "plain"', "needs a formula `predicted`"),
    ],
)
def test_a_formula_that_cannot_be_run_is_a_sentence(tmp_path, old, new, message):
    report = published.read(example(tmp_path, old, new))
    with pytest.raises(ReckonError, match=re.escape(message)):
        derivations.recompute(report, report.derivations[0])


def test_a_derivation_over_an_axis_gives_a_value_for_each_position(tmp_path):
    path = example(tmp_path, "page = { value = 4,", "page = { values = [4, 8],")
    path.write_text(
        path.read_text().replace(
            "hardware = 8.2, software = 0.5, predicted = 8.7 }", "hardware = [8.2, 20] }"
        )
    )
    report = published.read(path)
    first, second = derivations.recompute(report, report.derivations[0])
    assert (first.at, second.at) == ("4 KiB", "8 KiB")
    assert first.follows and not second.follows and second.ratio == pytest.approx(20 / 16.384)


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
    fault.measured = 0.1  # a microsecond is its unit
    assert fault.core_cycles == pytest.approx(300)
    ticks = fault.model_copy(update={"unit": "cycle", "measured": 240})
    ticks._report = fault._report
    assert ticks.core_cycles == pytest.approx(300)
    [same] = published.read(example(tmp_path)).values
    same.measured = 0.1
    assert same.core_cycles == pytest.approx(240)
    same.measured = None
    assert math.isnan(same.core_cycles)
    [value] = [v for v in published.measured_values("cpu/task/x510uq_thread") if v.unit == "cycle"]
    assert value.core_cycles == pytest.approx(value.measured * 3.1 / 2.7)

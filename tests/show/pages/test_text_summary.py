"""The main values of a run as one page of text, on the recorded run."""

import csv
import io
import json

import pytest
from helpers.project import reckon

from reckon import records
from reckon.records.quantities import export
from reckon.records.quantities.lookup import all_results
from reckon.show.pages import front_page, text_summary
from reckon.show.tables.headlines import main_results


@pytest.fixture
def results(recorded):
    return all_results("recorded")


@pytest.fixture
def text(results):
    return text_summary.text_summary(records.read_run("recorded"), results)


def test_the_page_is_narrow_and_short(text):
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 50
    assert lines[0].startswith("Intel(R) Xeon(R) Processor, 2 cores, 23.5 GiB, Linux 6.18")
    for part in ("Processor and kernel", "Memory", "Network", "Files"):
        assert part in lines


def test_the_command_prints_the_page_and_json(text, recorded):
    assert reckon("summary", "--run", "recorded").stdout == text
    page = json.loads(reckon("summary", "--run", "recorded", "--json").stdout)
    assert page["run"] == "recorded" and page["machine"]["cores"] == 2
    assert [each["quantity"] for each in page["results"]] == [
        each.quantity for each in main_results()
    ]
    [null] = [each for each in page["results"] if each["quantity"] == "cpu/syscall/getpid"]
    assert null["unit"] == "ns" and null["low"] <= null["measured"] <= null["high"]
    assert null["ratio"] == pytest.approx(null["measured"] / null["predicted"])
    assert reckon("summary", "--run", f"{recorded}/").returncode == 0
    assert reckon("summary", "--run", "nowhere").returncode == 2


def test_csv_has_a_row_for_each_quantity_and_each_point_of_a_curve(results):
    rows = list(csv.DictReader(io.StringIO(export.to_csv(results))))
    assert {row["quantity"] for row in rows} == {result.quantity for result in results}
    curve = next(result for result in results if result.is_curve and result.has_samples)
    points = [row for row in rows if row["quantity"] == curve.quantity]
    assert [float(row["axis"]) for row in points] == pytest.approx(list(curve.axis_in_unit))
    exported = export.to_json(curve)
    assert [float(row["median"]) for row in points] == pytest.approx(exported["median"])
    missing = next(result for result in results if not result.has_samples)
    [row] = [row for row in rows if row["quantity"] == missing.quantity]
    assert row["median"] == "" and row["reason"]


def test_the_l3_is_read_from_the_curve_and_marked_by_its_quantity(results):
    """Of the reported 480 MiB 11 MiB are usable: the ring for the L3, of 31 MiB, lies beyond them."""
    [l3] = [each for each in main_results() if each.cache == "l3"]
    page = text_summary.to_json(records.read_run("recorded"), results)
    [shown] = [each for each in page["results"] if each["quantity"] == l3.quantity]
    assert shown["read_from"] == "memory/latency/random_huge at 5.66 MiB"
    assert shown["measured"] == pytest.approx(42.6, rel=0.01)
    assert f'data-quantity="{l3.quantity}"' in front_page.headlines(results, [l3]).markdown

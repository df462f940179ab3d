"""Page faults, as the kernel counted them."""

import math

from helpers import made_up

from reckon.book import contents

FAULT = contents.findings_of("memory/fault")


def fault(op="fault", touches=4, major=0):
    """Eight processes of ten trials, each with 10,000 faults."""
    result = made_up.single("test/new_memory", 100, "ns")
    result.measurement.op = op
    result.measurement.params = {"touches": touches} if touches else {}
    for process in result.points[0].processes:
        process.major_faults = major
    return result


def test_faults_are_counted_for_each_page_touched():
    assert FAULT.faults_per_touch(fault()) == 10_000 / 4
    by_pages = fault(op="page")
    for process in by_pages.points[0].processes:  # of ten trials of 4 touches
        process.minor_faults, process.major_faults = 3, 2
    assert FAULT.faults_per_touch(by_pages) == 5 / 40
    assert math.isnan(FAULT.faults_per_touch(fault(touches=None)))
    assert math.isnan(FAULT.faults_per_touch(made_up.nothing("test/new_memory")))


def test_the_table_of_counts_has_dashes_for_what_is_unknown():
    rows = [fault(major=3), fault(op="page", touches=None)]
    shown = FAULT.fault_counts(rows, "Faults", "faults")
    text = shown.markdown
    assert "| new memory | 320 | 800000 | 0 | 24 |" in text
    assert "| new memory | – | – | 0 | 0 |" in text

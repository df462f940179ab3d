"""A quantity as text."""

import dataclasses
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from helpers import made_up
from helpers.findings import with_more_processes

from reckon import records
from reckon.records.run_files.models import Visit
from reckon.show import text


def test_a_cell_that_ends_with_a_quantity_shows_what_was_measured():
    single = made_up.single("cpu/made/one", 100, "ns")
    low, high = (1e9 * end for end in single.summary.interval.ends)
    ends = f"{low:.0f} to {high:.0f}"
    assert repr(single) == f"cpu/made/one measured: {1e9 * single.median:.0f} ns ({ends})"
    curve = made_up.curve("cpu/made/each", np.array([1.0, 2]), np.array([1.0, 2]))
    assert repr(curve) == "cpu/made/each measured: a curve"
    later = records.Attempt(at=records.now(), state="failed", reason="No room.", profile="quick")
    entry = single.entry.model_copy(update={"attempt": later})
    failed = repr(dataclasses.replace(single, entry=entry))
    assert failed.startswith(f"{single!r} (measured 2") and failed.endswith(", failed: No room)")
    unmeasured = single.entry.model_copy(update={"measurement": None})
    without = dataclasses.replace(single, entry=unmeasured, state="unsupported", reason="no disk")
    assert repr(without) == "cpu/made/one unsupported: no disk"


def rate_over_a_link(high, mbit_s=965.2):
    """A rate over a link of 1,000 Mbit/s, of which headers leave 965.3, in visits that drift."""
    result = made_up.single("network/made/rate", mbit_s, "Mbit/s", processes=12, seed=3)
    link = records.InputRecord(
        name="link", origin="machine", value=1e9 / 8, unit="Mbit/s", source="ethtool"
    )
    result.seal.kind, result.seal.inputs = "rate", [link]
    result.seal.hardware, result.seal.predicted = 1e9 / 8, 965.3e6 / 8
    result.seal.high = high
    for process in result.points[0].processes:  # a full link gives the same rate each time
        process.ticks = [round(np.median(process.ticks))] * len(process.ticks)
    return result


def test_the_interval_of_a_rate_ends_at_what_no_input_lets_it_exceed():
    assert rate_over_a_link(965.3e6 / 8).limits == [965.3e6 / 8]
    assert rate_over_a_link(980e6 / 8).limits == [1e9 / 8]


def test_the_interval_of_a_size_in_a_control_group_ends_at_its_limit():
    def size(params):
        result = made_up.single("files/made/size", 511, "MiB")
        for mib, process in enumerate(result.points[0].processes, 507):
            process.ops = mib * 2**20
        result.measurement.params |= params
        return [end / 2**20 for end in result.summary.interval.ends]

    assert size({}) == [507, 514]
    assert size({"limit_bytes": 512 * 2**20}) == [507, 512]


def test_an_interval_is_at_least_as_wide_as_a_step_of_the_counter():
    """26 ticks of 1 ns over the 10,000 operations of a trial; the medians are all alike."""
    result = made_up.single("cpu/made/call", 1, "ns")
    for process in result.points[0].processes:
        process.ticks = [10_010] * 8 + [10_036, 9_984]
    low, high = result.summary.interval.ends
    assert high - low == pytest.approx(2.6e-12) and low < result.median < high
    assert result.median == pytest.approx(1.001e-9)


def test_a_wider_interval_is_not_widened():
    result = made_up.single("cpu/made/call", 1, "ns")
    medians = [np.median(process.ticks) / made_up.OPS for process in result.points[0].processes]
    assert result.summary.interval.ends == pytest.approx([min(medians) * 1e-9, max(medians) * 1e-9])


def in_visits(quantity, *visits_ns, later_s=0):
    """A time measured in visits ten minutes apart, the first of which began that much later."""
    result = made_up.single(quantity, visits_ns[0], "ns", processes=0)
    opened = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=later_s)
    for number, ns in enumerate(visits_ns, 1):
        more = made_up.single(quantity, ns, "ns", processes=6, seed=1)
        with_more_processes(result, more, number)
        visit = Visit(
            number=number,
            started_at=opened + timedelta(minutes=10 * number),
            seconds=1,
            profile="quick",
            tick_hz=made_up.TICK_HZ,
            digest="",
        )
        result.measurement.visits.append(visit)
    return result


def test_two_quantities_of_the_same_visits_are_compared_visit_by_visit():
    getpid, getuid = in_visits("cpu/made/a", 120, 100, 110), in_visits("cpu/made/b", 114, 94, 104)
    assert getpid.summary.apart(getuid.summary) == 0  # what drifts makes the intervals overlap
    assert (getpid.apart(getuid), getuid.apart(getpid)) == (1, -1)
    assert getpid.indistinct_note(getuid) == ""
    assert getpid.apart(in_visits("cpu/made/b", 114, 94, 104, later_s=300)) == 0
    assert getpid.apart(in_visits("cpu/made/b", 114, 94)) == 0
    assert (
        getpid.difference_from(getuid)
        == "6.06 ns more, depending on the visit (the median of these differences is 6.06 ns)"
    )
    assert re.fullmatch(r"\S+ to \S+", getpid.times(getuid))
    apart = made_up.single("cpu/made/b", 50, "ns")
    longer = made_up.single("cpu/made/a", 100, "ns")
    assert longer.times(apart, 2) == "2.0"
    assert re.fullmatch(r"\S+ ns \(\S+ to \S+\) more", longer.difference_from(apart))
    assert apart.difference_from(longer) == longer.difference_from(apart).replace("more", "less")


@pytest.mark.parametrize(
    ("ns", "times", "as_long"),
    [
        ([0] * 8, "–", "– times as long"),
        ([-40, 20, *[35] * 4, 40, 90], "2.86", "2.9 times as long"),
    ],
)
def test_a_value_that_may_be_0_or_less_bounds_no_ratio(ns, times, as_long):
    """The value of a method that subtracts may."""
    one, other = made_up.single("cpu/made/a", 1, "ns"), made_up.single("cpu/made/b", 1, "ns")
    for process, value in zip(one.points[0].processes, [100] * 8, strict=True):
        process.ticks = [value * made_up.OPS] * 10
    for process, value in zip(other.points[0].processes, ns, strict=True):
        process.ticks = [value * made_up.OPS] * 10
    assert one.times(other) == times
    assert text.times_as_long(one, other) == as_long


def test_a_rate_without_hardware_has_no_share_of_software():
    result = rate_over_a_link(965.3e6 / 8)
    result.seal.hardware = 0.0
    assert np.isnan(result.software_share)


def test_a_sealed_input_is_the_one_that_the_scored_prediction_had():
    result = made_up.single("cpu/made/one", 100, "ns")
    clock = records.InputRecord(
        name="clock", origin="measured", value=3.8e9, unit="GHz", source="made up"
    )
    result.seal.inputs = [clock]
    assert result.sealed_input("clock") == 3.8e9 and np.isnan(result.sealed_input("path"))

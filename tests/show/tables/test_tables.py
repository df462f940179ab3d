"""Tables of results, and what a result says of itself."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import made_up
from helpers.tables import rows

import reckon as rk
from reckon import records, statistics
from reckon.book import contents
from reckon.records.run_files.unit_conversion import trial_times_s
from reckon.show.tables import tables


def test_neighbouring_points_that_failed_alike_are_one_line():
    curve = made_up.curve(
        "files/read/size", [1, 2, 4, 8], [1, 2, 3, 4], axis_unit="MiB", missing=(2, 3)
    )
    table = rows(rk.show.table([curve], "Caption", "name"))
    assert [row[0] for row in table[1:]] == ["size, 1 MiB", "size, 2 MiB", "size, 4 MiB to 8 MiB"]
    assert "unsupported: no memory for it" in table[-1]


def test_the_line_through_a_curve_is_compared_with_the_predicted_one():
    x = np.arange(1, 11)
    curve = made_up.curve("files/a/slowest", x, 12.6 + 7.4 * x, "µs", "1", predicted=20 * x)
    two = made_up.curve("files/a/two", x[:2], [1, 2], "µs", "1")
    _, row, short = rows(rk.show.fits([curve, two], "C", "n"))
    fitted, low, high = map(float, re.findall(r"[\d.]+", row[2]))
    assert row[1] == "20.0 µs" and low < 7.4 < high and low < fitted < high
    assert short[1] == "measured: 2 points, and a line needs three"


def test_a_line_that_begins_far_from_the_first_point_describes_no_curve():
    """The last point of a fork from bigger and bigger parents hides that the first is far off."""
    mib = [0, 16, 64, 256, 1024]
    fork = made_up.curve("cpu/a/fork", mib, [123, 500, 1800, 11200, 42000], "µs", "MiB")
    _, row = rows(rk.show.fits([fork], "C", "n", only_straight=True))
    assert row[2] == "not straight"


def test_impossible_places_of_a_curve_are_one_line():
    curve = made_up.curve("cpu/made", [0, 1, 2, 3], [0, 0, 10, 10], axis_unit="1")
    # Predicted as measured: nothing at two points.
    assert "not possible" not in contents.findings_of("summary").caveats([curve], []).markdown
    curve.seal.predicted = [0.0, 1e-9, 1e-8, 1e-8]
    for point in curve.points:
        for process in point.processes:
            process.ticks = [0] * len(process.ticks)
    text = contents.findings_of("summary").caveats([replace(curve)], []).markdown
    assert text.count("not possible") == 1


def cycles(*results, **arguments):
    """The last column of a table of results: its title, then its cells."""
    return [row[-1] for row in rows(rk.show.table([*results], "C", "n", **arguments))]


def test_a_wait_for_a_disk_or_another_host_has_no_core_cycles():
    busy, disk, host = (made_up.single(f"cpu/{name}", 100, "ns") for name in ("a", "b", "c"))
    assert cycles(busy, disk)[0] == "Core cycles"
    host.measurement.peer = "another host"
    assert [cell == "–" for cell in cycles(busy, disk, host, waits=[disk])[1:]] == [0, 1, 1]
    assert "Core cycles" not in cycles(disk, host, waits=[disk])  # without any the column goes


def test_a_mean_that_a_long_tail_moves_says_so():
    result = made_up.single("cpu/a", 100, "ns", processes=40)
    assert "tail" not in tables.mean_sd_cell(result)
    result.points[0].processes[3].ticks[5] *= 100
    assert "(long tail, up to 10." in tables.mean_sd_cell(replace(result))
    # Two levels are no tail.
    for process in result.points[0].processes[::3]:
        process.ticks = [tick * 3 for tick in process.ticks]
    result.points[0].processes[3].ticks[5] //= 100
    assert "tail" not in tables.mean_sd_cell(replace(result))


def rate(stated, origin="machine", most=1.0):
    """A rate of 0.9 GB/s in three visits that repeat, behind hardware of `stated` GB/s."""
    result = made_up.single("cpu/a", 0.9, "GB/s", processes=9)
    for number, process in enumerate(result.points[0].processes):
        process.visit = number // 3 + 1
    result.points[0].processes[0].ticks[0] /= most
    visit = SimpleNamespace(number=1, tick_hz=made_up.TICK_HZ, started_at=records.now())
    result.measurement.visits = [visit]
    result.seal.kind, result.seal.hardware = "rate", stated * 1e9
    result.seal.inputs = [
        records.InputRecord(
            name="link", origin=origin, value=stated * 1e9, unit="GB/s", source="stated"
        )
    ]
    vague = statistics.PooledVariance(variance=0.3**2, degrees=1e6, quantities=99)
    return replace(result, between_visits=vague)


def test_the_interval_of_a_rate_ends_at_the_stated_rate_of_its_hardware():
    limited, guessed, exceeded = rate(1.0), rate(1.0, "guess"), rate(1.0, most=1.3)
    assert limited.summary.interval.high == 1e9 and limited.summary.interval.low < 0.7e9
    assert guessed.summary.interval.high > 1.2e9 and exceeded.summary.interval.high > 1.2e9
    assert rate(3.0).summary.interval.high < 3e9
    table = rk.show.table([limited, guessed], "C", "n", {"cpu/a": "A"}).markdown
    assert "The interval of *A* is cut off at the stated rate" in table
    assert "stated rate" not in rk.show.table([guessed], "C", "n").markdown


# What a result says of itself.


def test_a_series_has_every_trial_at_its_own_time(folders):
    result = made_up.single("files/read/stream", 100, "µs")
    process = result.points[0].processes[3]
    process.ticks, process.started_s = [100_000] * 10, 3.0
    times_s = trial_times_s(process, result.measurement)
    assert times_s == pytest.approx(3 + 1e-4 * np.arange(10))
    seconds = rk.samples(result).query("process == 4")["second"]
    assert seconds.to_numpy() == pytest.approx(times_s)


def test_other_programs_are_compared_with_reckons_probes():
    probe, program = (
        made_up.single("network/rtt/tcp", 10, "µs"),
        made_up.single("network/rtt/sockperf", 20, "µs"),
    )
    missing = made_up.nothing("network/rtt/ping", "ping is not installed")
    cells = rows(
        rk.show.cross_check({"sockperf": (program, probe), "ping": (missing, probe)}, "C", "n")
    )
    assert cells[1][0] == "`sockperf`" and float(cells[1][-1].rstrip("×")) == pytest.approx(
        0.5, rel=0.05
    )
    assert cells[2][2] == "unsupported: ping is not installed" and cells[2][-1] == "–"

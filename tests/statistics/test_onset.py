"""Where a cache is full: found in made-up reads whose onset is known."""

import json

import numpy as np
import pytest
from helpers import made_up
from hypothesis import given, settings
from hypothesis import strategies as st

import reckon as rk
from reckon import records
from reckon.measurement.capacity import in_reads, in_times, measure_capacities
from reckon.presentation.capacities import interval
from reckon.records.result import Result
from reckon.statistics import onset

SHARES = np.array([0.6, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.2])
MIB = 1 << 20


def counts(capacity, reads=2400, background=0.0004, seed=1, shares=SHARES):
    n = np.full(len(shares), reads)
    return np.random.default_rng(seed).binomial(n, onset.rise(shares, capacity, background)), n


@settings(max_examples=60, deadline=None)
@given(st.floats(0.85, 1.1), st.floats(0, 0.01), st.integers(0, 10**6))
def test_a_known_onset_is_found_within_two_percent(capacity, background, seed):
    result = onset.find(SHARES, *counts(capacity, 2400, background, seed))
    assert result.capacity == pytest.approx(capacity, rel=0.02)
    assert result.low <= result.capacity <= result.high
    assert SHARES[result.fits] <= result.capacity < [*SHARES, np.inf][result.fits + 1]


def test_its_interval_holds_nineteen_times_of_twenty():
    results = [onset.find(SHARES, *counts(0.99, 400, seed=seed)) for seed in range(200)]
    assert np.mean([result.low <= 0.99 <= result.high for result in results]) >= 0.9
    assert np.median([result.high - result.low for result in results]) < 0.02


def test_without_an_onset_none_is_found():
    """But for chance, which makes one of some thousand look like one."""
    backgrounds = np.random.default_rng(7).uniform(0, 0.02, 500)
    results = [
        onset.find(SHARES, *counts(1e9, 2400, one, seed)) for seed, one in enumerate(backgrounds)
    ]
    none = [result.reason for result in results if result.capacity is None]
    assert len(none) >= 499 and set(none) == {"the cache was not filled: no jump was found"}


@pytest.mark.parametrize("capacity", [0.1, 0.3, 0.5])
def test_a_smallest_file_that_does_not_fit_is_reported(capacity):
    result = onset.find(SHARES, *counts(capacity))
    assert result.capacity is None and "already the smallest file does not fit" in result.reason


def test_whole_passes_in_order_rise_at_once():
    """They miss everywhere beyond the capacity, which random reads do not."""
    assert onset.step(SHARES, np.where(SHARES > 1, 40.0, 1.0)).capacity == 1


def test_odd_sizes_are_refused():
    for wrong in (onset.find, onset.step):
        with pytest.raises(ValueError, match="ascending"):
            wrong([3, 2, 1], *([[1, 1, 1]] * (2 if wrong is onset.find else 1)))
        with pytest.raises(ValueError, match="three sizes"):
            wrong([1, 2], *([[1, 1]] * (2 if wrong is onset.find else 1)))


def modes(fast, slow, share, n, seed=1):
    random = np.random.default_rng(seed)
    times = np.where(random.random(n) < share, slow, fast)
    return times * random.lognormal(0, 0.25, n)


@pytest.mark.parametrize("share", [0.002, 0.05, 0.5, 0.9])
def test_the_threshold_lies_between_the_two_modes(share):
    times = modes(0.8e-6, 80e-6, share, 5000)
    limit = onset.slow_from(times)
    assert 2e-6 < limit < 40e-6
    assert (times >= limit).mean() == pytest.approx(share, abs=0.01)


def test_cached_reads_that_move_a_batch_of_pages_are_not_slow():
    """One in 31, ten times as long: seen on Linux 6.18."""
    times = np.concatenate([modes(1.4e-6, 14e-6, 1 / 31, 5000), modes(1.4e-6, 80e-6, 1, 600)])
    assert 16e-6 < onset.slow_from(times) < 60e-6


def test_one_mode_has_no_slow_reads():
    assert onset.slow_from(modes(0.8e-6, 80e-6, 0, 5000)) is None
    assert onset.slow_from(modes(0.8e-6, 80e-6, 1, 5000)) is None
    assert onset.slow_from([]) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 15), st.floats(1.8, 60), st.floats(0, 0.08), st.integers(0, 10**6))
def test_a_step_of_times_is_found_at_its_size(place, times, noise, seed):
    sizes = np.arange(1.0, 18)
    y = np.where(np.arange(17) < place, 1.0, times) * np.random.default_rng(seed).lognormal(
        0, noise, 17
    )
    result = onset.step(sizes, y)
    assert (result.low, result.high) == (
        sizes[place - 1],
        sizes[place],
    ) and result.capacity == result.low


@pytest.mark.parametrize("noise", [0, 0.05, 0.1])
def test_without_a_step_none_is_found(noise):
    y = np.random.default_rng(3).lognormal(0, noise, 17)
    assert onset.step(np.arange(1.0, 18), y).capacity is None


def test_a_peak_is_no_step():
    y = np.ones(17)
    y[6] = 5
    assert onset.step(np.arange(1.0, 18), y).capacity is None


# --- as quantities --------------------------------------------------------------------------------


def reads(quantity="files/cache/limited", capacity=0.99, processes=6, n=400, miss=80e-6):
    """A curve of single reads of files around 100 MiB."""
    result = made_up.curve(
        quantity, 100 * SHARES, 1 + 0 * SHARES, unit="µs", axis_unit="MiB", processes=processes
    )
    seal = result.record.predictions[0].model_copy(update={"kind": "mean"})
    for k, point in enumerate(result.measurement.points):
        for i, process in enumerate(point.processes):
            share = onset.rise(SHARES, capacity)[k]
            process.ticks[:] = [round(1e9 * t) for t in modes(1e-6, miss, share, n, 100 * k + i)]
            process.ops = 1
    return Result(
        quantity, records.Quantity(predictions=[seal], measurement=result.measurement), "measured"
    )


def test_a_mean_is_over_all_reads_of_a_process():
    result = reads()
    expected = np.array(
        [np.mean([np.mean(p.ticks) for p in point.processes]) for point in result.points]
    )
    assert result.medians * 1e9 == pytest.approx(expected, rel=0.1)
    assert (
        result.medians[-1] > 10 * result.medians[0]
    )  # a fifth of the reads is slow: no median shows it
    assert result.summaries[-1].n == result.summaries[-1].processes == 6
    assert result.cycles[0].median == pytest.approx(3 * expected[0], rel=0.1)


def test_single_reads_tell_the_capacity_and_each_round_too():
    found, rounds, shares = in_reads(reads())
    assert found.capacity == pytest.approx(99 * MIB, rel=0.01) and len(rounds) == 6
    assert rounds == pytest.approx([99 * MIB] * 6, rel=0.03)
    assert shares[0] == 0 and shares[-1] == pytest.approx(1 - 0.99 / 1.2, abs=0.03)
    assert "every read was fast" in in_reads(reads(capacity=9))[0].reason


def test_times_of_whole_files_are_divided_by_their_size():
    x = np.arange(1.0, 13)
    result = made_up.curve("files/cache/i7_10750h", 1024 * x, x * np.where(x > 9, 5, 1), unit="ms")
    result.measurement.op = "file"
    assert in_times(result).capacity == 9 * MIB
    even = made_up.curve("files/cache/i7_10750h", 1024 * x, x, unit="ms")
    even.measurement.op = "file"  # twice the file, twice the time: no jump
    assert in_times(even).capacity is None


@pytest.fixture
def predicted(folders, monkeypatch):
    """A page that has made its predictions; the measuring is made up."""

    @rk.predict("files/cache/size", unit="MiB", kind="plain")
    def size(limit):
        return limit

    capacity = size(limit=rk.given(100, "MiB", "made up"))
    curve = size.of("files/cache/limited", limit=rk.given(100, "MiB", "made up"))

    def measured(result):
        monkeypatch.setattr(
            "reckon.measurement.capacity.measure_together", lambda plans: {curve.quantity: result}
        )
        return measure_capacities({capacity: curve}, {curve: {}})

    return measured


def record(folders):
    (path,) = (folders / "runs").glob("*/files/cache.json")
    return json.loads(path.read_text())["quantities"]["files/cache/size"]


def test_a_capacity_is_sealed_and_recorded_as_a_quantity(predicted, folders):
    predictions = predicted(reads())
    prediction = predictions["files/cache/size"]
    assert (
        prediction.median == pytest.approx(99 * MIB, rel=0.01) and prediction.summary.processes == 6
    )
    assert prediction.ratio == pytest.approx(0.99, rel=0.01) and "MiB" in f"{prediction:±}"
    stored = record(folders)
    assert stored["measurement"]["op"] == "byte" and len(stored["predictions"]) == 1
    assert rk.results("files/cache")[0].median == prediction.median


@pytest.mark.parametrize(
    "curve", [reads(capacity=9), made_up.unmeasured("files/cache/limited", reads())]
)
def test_what_was_not_found_says_why(predicted, folders, curve):
    predictions = predicted(curve)
    prediction = predictions["files/cache/size"]
    assert prediction.state == "unsupported" and prediction.summary is None
    assert prediction.reason in (
        "the cache was not filled: every read was fast up to 120 MiB",
        "needs huge pages",
    )
    assert "not measured" in f"{prediction}" and record(folders)["measurement"]["points"] == []


@pytest.mark.parametrize("processes", [1, 8])
def test_an_inferred_capacity_has_its_interval(folders, processes):
    """That of its rounds where they are enough, else by the likelihood of one round's reads."""
    result = reads(processes=processes)
    size, true = (
        made_up.single(f"files/cache/{name}", 99, "MiB", processes) for name in ("size", "left")
    )
    for process, ops in zip(size.measurement.points[0].processes, in_reads(result)[1], strict=True):
        process.ops = round(ops)
    for process in true.measurement.points[0].processes:
        process.ops = 99 * MIB
    low, high = interval(size, result)
    assert low <= size.median <= high < 1.03 * low and low <= 99 * MIB <= high
    text = rk.show.inferred_capacity(size, true, result, "There", "More.").markdown
    assert text.startswith("There the inferred capacity is 9")
    assert "kernel's 99.00 MiB is inside the interval. More." in text
    drawn = rk.draw.filling(result, "cache-interval", "Caption", true).markdown
    assert f"inferred capacity: {rk.amount(size.median, 'byte', 4)}" in drawn


def test_the_page_shows_inferred_and_true_capacities_and_the_filling(folders):
    one, true = reads(), made_up.single("files/cache/left", 99, "MiB")
    small = made_up.curve(
        "files/cache/t470", 1024 * np.arange(1.0, 9), [1, 1, 1, 1, 1, 1, 9, 9], unit="µs"
    )
    result = made_up.single("files/cache/t470_size", 6, "MiB")
    none = made_up.nothing("files/cache/size", "needs root")
    table = rk.show.inferred_capacities(
        [(result, true, small), (none, true, small)], "C", "t"
    ).markdown
    assert (
        "6.000 MiB to 7.000 MiB" in table
        and "unsupported: needs root" in table
        and "nan" not in table
    )
    assert (
        "not be inferred: needs root"
        in rk.show.inferred_capacity(none, true, one, "There").markdown
    )
    for curve in (one, reads(capacity=9), reads(processes=1)):
        block = rk.draw.filling(curve, "cache-test", "Caption", true)
        assert block.svg.startswith("<svg") and "nan" not in block.markdown
    assert "nothing to draw" in rk.draw.filling(none, "cache-none", "C", true).markdown.lower()


def made_of_reads(hits_us, misses_us):
    """A curve of two sizes whose prediction is 1 and 11 µs, and single reads that took so long."""
    result = made_up.curve("files/cache/made", [1, 2], [1, 1], "µs", "MiB", predicted=[1, 11])
    ticks = [1000 * us for us in [*hits_us, *misses_us]]
    points = [
        point.model_copy(
            update={
                "processes": [
                    p.model_copy(update={"ticks": ticks, "ops": 1}) for p in point.processes
                ]
            }
        )
        for point in result.points
    ]
    measured = result.measurement.model_copy(update={"points": points})
    return Result(
        result.quantity,
        records.Quantity(predictions=result.record.predictions, measurement=measured),
        "measured",
    )


def test_the_times_of_a_hit_and_a_miss_are_separated():
    text = rk.show.costs(made_of_reads([2] * 40, [80] * 10), 40e-6).markdown
    assert "takes 2.00 µs on average, predicted 1.00 µs (2.00×)" in text
    assert "takes 80.0 µs on average, predicted 41.0 µs (1.95×)" in text
    text = rk.show.costs(made_of_reads([2] * 50, []), 40e-6).markdown
    assert "2.00 µs" in text and "no other read was seen" in text
    missing = made_up.nothing("files/cache/made", "no control group")
    assert "no control group" in rk.show.costs(missing, 40e-6).markdown


def test_single_reads_tell_which_waited_and_their_median_is_the_processes():
    result = made_of_reads([2] * 40, [80] * 10)
    shown = rk.show.single_reads([result, made_up.nothing("files/read/made", "no disk")], 9e-6)
    assert shown.has_gap and 2e-6 < shown.limit < 80e-6 and list(shown.times) == [result.quantity]
    assert shown.waited(result.quantity) == pytest.approx(0.2)
    assert shown.time_waited(result.quantity) == pytest.approx(800 / 880)
    assert shown.median(result.quantity) == pytest.approx(2e-6)
    shown = rk.show.single_reads([made_of_reads([2] * 50, [])], 9e-6)
    assert not shown.has_gap and shown.limit == 9e-6 and shown.waited(result.quantity) == 0
    assert not rk.show.single_reads([], 9e-6).times


def test_trials_of_a_mean_are_still_single_reads(folders):
    result = made_of_reads([2] * 40, [80] * 10)
    seal = result.record.predictions[0].model_copy(update={"kind": "mean"})
    result = Result(
        result.quantity, result.record.model_copy(update={"predictions": [seal]}), "measured"
    )
    assert result.median == pytest.approx((40 * 2 + 10 * 80) / 50 * 1e-6)
    assert f"| {2 * 8 * 50} |" in rk.show.conditions([result], "Conditions", "made").markdown
    assert "with median 2.00 µs" in rk.draw.distribution([result], "made", "Made up").markdown

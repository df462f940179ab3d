"""From the seal to the record: sealing, reuse, adaptivity, trouble."""

import dataclasses
import json
import os
import sys
import types

import numpy as np
import pytest

import reckon as rk
from conftest import forget
from reckon import clib, records
from reckon.results import result, sample_values, to_row
from reckon.session import session


def predict_chain(cycles=6400.0, quantity="test/chain", axis=None):
    @rk.predict(quantity, unit="ns")
    def chain(cycles, clock):
        return cycles / clock, 0

    return chain(
        cycles=axis or rk.given(cycles, "cycle", "counted"),
        clock=rk.guess(3, "GHz", "a clock", low=1, high=6),
    )


def stored(quantity="test/chain"):
    return records.read_record(session().run.name, "test").quantities[quantity]


def test_measuring_without_a_prediction_is_refused(folders):
    with pytest.raises(rk.ReckonError, match="test/chain has no prediction; predict it"):
        rk.measure("test/chain")
    assert not (folders / "runs").exists()


def test_the_seal_is_on_disk_before_the_first_sample(folders, monkeypatch):
    predict_chain()
    seen = []

    def run(*args, **kwargs):
        seen.append(stored().predictions[0].predicted)
        raise KeyboardInterrupt

    monkeypatch.setattr(clib, "run", run)
    with pytest.raises(KeyboardInterrupt):
        rk.measure("test/chain")
    assert seen == [pytest.approx(6400 / 3e9)]
    assert stored().measurement is None  # nothing half measured


def test_measured_then_reused(folders):
    predict_chain()
    first = rk.measure("test/chain")
    assert first.state == "measured" and first.summary.processes >= 6
    text = records.record_path(session().run.name, "test").read_text()
    forget()
    predict_chain()
    again = rk.measure("test/chain")
    assert again.state == "reused" and again.median == first.median
    assert records.record_path(session().run.name, "test").read_text() == text


def test_all_raw_samples_are_kept(folders):
    predict_chain()
    one = rk.measure("test/chain", samples=20)
    for process in stored().measurement.points[0].processes:
        assert len(process.ticks) == 10 and process.ops == 20  # quick: half the trials
        assert process.cpu >= 0 and process.wall_ns > 0
    assert one.summary.n == 10 * one.summary.processes


def test_an_edited_prediction_measures_nothing_and_is_shown_beside_the_seal(folders, monkeypatch):
    predict_chain()
    first = rk.measure("test/chain")
    monkeypatch.setattr(clib, "run", lambda *a, **k: pytest.fail("measured again"))
    forget()
    predict_chain(cycles=7000)
    again = rk.measure("test/chain")
    assert again.state == "reused" and again.revisions == ["inputs revised: cycles"]
    assert again.seal.predicted == first.seal.predicted  # and the score keeps to it
    assert again.ratio == first.ratio
    row = to_row(again)
    assert row["predicted"] == pytest.approx(6400 / 3) and row["revised"] == pytest.approx(7000 / 3)
    forget()
    predict_chain()  # edited back
    assert rk.measure("test/chain").revisions == []
    assert len(stored().predictions) == 3


def test_measuring_afresh_adds_to_the_seal_and_never_overwrites_it(folders, monkeypatch):
    predict_chain()
    first = rk.measure("test/chain")
    monkeypatch.setenv("RECKON_FRESH", "1")
    forget()
    predict_chain(cycles=7000)
    again = rk.measure("test/chain")
    assert again.state == "measured"
    assert again.seal == first.seal and len(stored().predictions) == 2


def test_before_any_sample_the_seal_may_still_be_changed(folders, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(clib, "run", stop)
        predict_chain()
        with pytest.raises(KeyboardInterrupt):
            rk.measure("test/chain")
    predict_chain(cycles=7000)
    assert rk.measure("test/chain").revisions == []
    assert len(stored().predictions) == 1


@pytest.mark.parametrize(
    "change", ["parameters", "source", "warmup", "longer profile", "fresh"]
)
def test_what_makes_samples_unusable(folders, monkeypatch, change):
    predict_chain()
    rk.measure("test/chain")
    forget()
    predict_chain()
    arguments = {}
    if change == "parameters":
        arguments["instructions"] = 20480
    if change == "warmup":
        arguments["warmup"] = 2
    if change == "source":
        monkeypatch.setattr(clib, "source_key", lambda name: "edited")
    if change == "longer profile":
        monkeypatch.setenv("RECKON_PROFILE", "standard")
    if change == "fresh":
        monkeypatch.setenv("RECKON_FRESH", "1")
    assert rk.measure("test/chain", **arguments).state == "measured"


def test_a_longer_profile_serves_a_shorter_one(folders, monkeypatch):
    monkeypatch.setenv("RECKON_PROFILE", "standard")
    predict_chain()
    rk.measure("test/chain", chains=rk.by_profile(5, 6, 7))
    monkeypatch.setenv("RECKON_PROFILE", "quick")
    forget()
    predict_chain()
    again = rk.measure("test/chain", chains=rk.by_profile(5, 6, 7))
    assert again.state == "reused" and again.measurement.params["chains"] == 6


def test_a_sweep_measures_every_point_interleaved(folders):
    axis = rk.axis([5120, 10240, 20480], "cycle", "instructions")
    predict_chain(axis=axis)
    one = rk.measure("test/chain", over="instructions")
    assert one.is_curve and list(one.axis) == [5120, 10240, 20480]
    assert one.medians[2] / one.medians[0] == pytest.approx(4, rel=0.1)
    starts = [[p.started_s for p in point.processes] for point in one.measurement.points]
    # From the second round on; the first shows which rows can run at all.
    assert max(s[1] for s in starts) < min(s[-1] for s in starts)


def test_an_axis_and_over_belong_together(folders):
    predict_chain()
    with pytest.raises(rk.ReckonError, match="a prediction with an axis is measured with over="):
        rk.measure("test/chain", over="instructions")


def test_what_is_compared_is_interleaved(folders):
    predict_chain()
    predict_chain(quantity="test/other")
    found = rk.measure_together({"test/chain": {}, "test/other": dict(probe="test/chain")})
    a, b = ([p.started_s for p in one.measurement.points[0].processes] for one in found.values())
    assert a[1] < b[-1] and b[1] < a[-1]


def test_processes_are_spread_over_time(folders):
    """So that a burst of the machine's trouble cannot be the whole measurement."""
    predict_chain()
    starts = [p.started_s for p in rk.measure("test/chain").measurement.points[0].processes]
    assert starts[5] - starts[1] > 0.05  # quick: 0.1 s over six processes


def test_a_cannot_is_recorded_with_its_reason_and_does_not_stop_the_others(folders):
    predict_chain()
    predict_chain(quantity="test/cannot")
    found = rk.measure_together({"test/cannot": {}, "test/chain": {}})
    assert found["test/cannot"].state == "cannot" and found["test/chain"].state == "measured"
    assert stored("test/cannot").measurement.reason == "this row exists to say that it cannot"
    row = to_row(result(session().run.name, "test/cannot"))
    assert (row["state"], row["median"], row["n"]) == ("cannot", None, 0)


def test_a_crash_is_recorded_and_an_earlier_good_measurement_outlives_it(folders, monkeypatch):
    predict_chain(quantity="test/crash")
    crashed = rk.measure("test/crash")
    assert crashed.state == "failed" and "died of signal 11" in crashed.reason
    predict_chain()
    good = rk.measure("test/chain")
    monkeypatch.setenv("RECKON_FRESH", "1")

    def run(*args, **kwargs):
        raise clib.ProbeFailed("it broke")

    monkeypatch.setattr(clib, "run", run)
    again = rk.measure("test/chain")
    assert (again.state, again.reason) == ("failed", "it broke")
    assert stored().measurement.points[0].processes == good.measurement.points[0].processes


def test_measuring_stops_when_precise_or_when_time_is_up(folders, monkeypatch):
    predict_chain()
    steady = rk.measure("test/chain").measurement.points[0]
    assert steady.stopped in ("precise", "time", "processes")
    values = iter(np.random.default_rng(1).uniform(1, 100, 10_000))
    real = clib.run

    def noisy(*args, **kwargs):
        one = real(*args, **kwargs)
        one.ticks[:] = (one.ticks * next(values)).astype(np.int64)
        return one

    monkeypatch.setenv("RECKON_FRESH", "1")
    monkeypatch.setattr(clib, "run", noisy)
    point = rk.measure("test/chain").measurement.points[0]
    assert point.stopped in ("time", "processes") and len(point.processes) >= 6


@pytest.mark.parametrize(
    ("op", "unit", "expected"),
    [("call", "ns", 50.0), ("byte", "GB/s", 0.02), ("cycle", "GHz", 0.02), ("ns", "Gtick/s", 100.0),
     ("cycle", "ns/cycle", 50.0), ("byte", "ns/byte", 50.0), ("call", "1/s", 2e7)],
)  # fmt: skip
def test_samples_become_the_unit_of_the_prediction(op, unit, expected):
    from reckon import units

    value = sample_values([1000], [10], op, 2e9, unit)[0]
    assert units.from_base(value, unit) == pytest.approx(expected)


def test_a_unit_that_does_not_fit_the_samples_is_told():
    with pytest.raises(rk.ReckonError, match="time per call; they cannot be told in GB/s"):
        sample_values([1], [1], "call", 1e9, "GB/s")


def test_a_run_of_another_machine_is_read_and_never_measured(recorded, monkeypatch):
    monkeypatch.setattr(clib, "run", lambda *a, **k: pytest.fail("measured"))
    assert session().replay
    with pytest.raises(rk.ReckonError, match="recorded elsewhere and holds no samples of test/chain"):
        predict_chain()
        rk.measure("test/chain")
    monkeypatch.setenv("RECKON_FRESH", "1")
    forget()
    with pytest.raises(rk.ReckonError, match="recorded on another machine or kernel"):
        session()


def test_a_kernel_upgrade_is_a_new_run(folders, monkeypatch):
    first = session().run
    describe = session.__wrapped__.__globals__["describe"]

    def upgraded():
        machine = describe()
        machine["system"]["kernel"]["value"] = "9.9.9 #1"
        return machine

    monkeypatch.setitem(session.__wrapped__.__globals__, "describe", upgraded)
    forget()
    assert session().run.name != first.name and "9.9.9" in session().run.name
    assert len(os.listdir(folders / "runs")) == 2


def test_events_tell_the_builder_what_happened(folders, monkeypatch):
    monkeypatch.setenv("RECKON_EVENTS", str(folders / "events"))
    predict_chain()
    rk.measure("test/chain")
    events = [json.loads(line) for line in (folders / "events").read_text().splitlines()]
    assert [e["event"] for e in events] == ["measuring", "done"]
    assert events[-1]["state"] == "measured"


# --- curves -----------------------------------------------------------------------------------


def predict_curve(lengths=(5120, 10240, 20480)):
    @rk.predict("test/curve", unit="ns")
    def chain(instructions, clock):
        return instructions / clock, 0

    return chain(instructions=rk.axis(lengths, "cycle", "length of the chain"),
                 clock=rk.guess(3, "GHz", "a clock", low=1, high=6))  # fmt: skip


def refuse_at(monkeypatch, lengths, error=clib.ProbeCannot, after=0):
    """clib.run that refuses some lengths of the chain, once it has run so many times."""
    real, count = clib.run, {}

    def run(name, params=None, **kwargs):
        length = (params or {}).get("instructions")
        count[length] = count.get(length, 0) + 1
        if length in lengths and count[length] > after:
            raise error(f"no room for {length}")
        return real(name, params, **kwargs)

    monkeypatch.setattr(clib, "run", run)


def test_a_line_through_a_curve_gives_what_a_step_takes(folders, monkeypatch):
    """Each instruction a cycle of 2.5 GHz, and 1000 cycles to begin with. The ticks are made up: a real
    clock wanders between the points; that a chain runs at the clock is a test of clib's."""
    real = clib.run

    def run(name, params=None, **kwargs):
        one = real(name, params, **kwargs)
        seconds = one.ops * (params["instructions"] + 1000) / 2.5e9
        return dataclasses.replace(one, ticks=np.rint(seconds * clib.tick_hz()).astype(int))

    monkeypatch.setattr(clib, "run", run)
    predict_curve()
    one = rk.measure("test/curve", probe="test/chain", over="instructions")
    assert one.line.slope == pytest.approx(1 / 2.5e9, rel=0.001)
    assert one.line.intercept == pytest.approx(1000 / 2.5e9, rel=0.02)
    assert one.sealed_line.slope == pytest.approx(1 / 3e9)


@pytest.mark.parametrize(("budget_s", "dear_runs"), [(None, 1), (rk.by_profile(9, 9, 9), 6)])
def test_what_cheap_points_of_a_sweep_leave_a_dear_one_takes(
    folders, monkeypatch, budget_s, dear_runs
):
    """On a made-up clock a process of the dear point takes 2.1 s, of the others nothing. The quick
    profile's 0.4 s allow it one; of nine seconds it may take what the others leave."""
    now = [0.0]
    real = clib.run

    def run(name, params=None, **kwargs):
        now[0] += 2.1 if params["instructions"] == 20480 else 0
        return real(name, params, **kwargs)

    monkeypatch.setattr(clib, "run", run)
    clock = types.SimpleNamespace(monotonic=lambda: now[0], sleep=lambda _: None)
    monkeypatch.setattr(sys.modules["reckon.measure"], "time", clock)
    predict_curve()
    one = rk.measure("test/curve", probe="test/chain", over="instructions", budget_s=budget_s)
    ran = {point.x: len(point.processes) for point in one.points}
    assert ran[5120] >= 6 and ran[10240] >= 6 and ran[20480] == dear_runs
    assert one.points[-1].stopped == "time" or budget_s


@pytest.mark.parametrize("after", [0, 3])
def test_a_point_that_cannot_be_measured_says_why_and_the_others_stand(folders, monkeypatch, after):
    refuse_at(monkeypatch, {10240}, after=after)
    predict_curve()
    one = rk.measure("test/curve", probe="test/chain", over="instructions")
    assert one.state == "measured" and list(one.axis) == [5120, 20480]
    assert [(p.x, p.stopped, p.reason) for p in one.missing] == [
        (10240, "cannot", "no room for 10240")]  # fmt: skip
    assert one.sealed("predicted") == pytest.approx([5120 / 3e9, 20480 / 3e9])
    assert np.isfinite(one.ratio)
    assert "no room for 10240" in rk.show.verdict(one, "a chain").markdown
    assert "no room for 10240" in rk.show.table([one], "Chains", "chains").markdown
    assert "no room for 10240" in rk.overview.suspicions([one], []).markdown
    forget()
    monkeypatch.undo()


def test_a_curve_of_which_no_point_can_be_measured_cannot(folders, monkeypatch):
    refuse_at(monkeypatch, {5120, 10240, 20480})
    predict_curve()
    one = rk.measure("test/curve", probe="test/chain", over="instructions")
    assert one.state == "cannot" and one.reason == "no room for 5120"


def test_a_short_profile_leaves_what_takes_long_to_a_longer_one(folders, monkeypatch):
    """A quantity as a whole, or a curve's far end; the longer profile then measures it."""
    predict_chain()
    one = rk.measure("test/chain", least="standard")
    assert one.state == "cannot" and one.reason == "the quick profile has no time for it"
    predict_curve()
    plan = dict(probe="test/chain", over="instructions", until=rk.by_profile(10240, 20480, 20480))
    curve = rk.measure("test/curve", **plan)
    assert [p.reason for p in curve.missing] == ["the quick profile does not go so far"]
    assert curve.points[-1].x == 10240
    monkeypatch.setenv("RECKON_PROFILE", "standard")
    forget()
    predict_chain()
    predict_curve()
    assert rk.measure("test/chain", least="standard").state == "measured"
    assert not rk.measure("test/curve", **plan).missing


def test_a_row_that_fails_later_keeps_no_sample_and_stops_nobody_else(folders, monkeypatch):
    predict_chain(quantity="test/other")
    predict_chain()
    refuse_at(monkeypatch, {1024}, clib.ProbeFailed, after=4)
    found = rk.measure_together({
        "test/other": dict(probe="test/chain", instructions=1024), "test/chain": {}})  # fmt: skip
    assert found["test/other"].state == "failed" and not found["test/other"].has_samples
    assert found["test/chain"].state == "measured" and found["test/chain"].summary.processes >= 6


def test_a_page_depends_on_what_another_measured_and_not_on_what_it_predicted(folders):
    predict_chain()
    rk.measure("test/chain")
    what = f"{records.record_path(session().run.name, 'test')}#test/chain"
    before = records.digest(what)
    forget()
    predict_chain(cycles=7000)
    rk.measure("test/chain")
    assert records.digest(what) == before
    os.environ["RECKON_FRESH"] = "1"
    try:
        forget()
        predict_chain(cycles=7000)
        rk.measure("test/chain")
    finally:
        del os.environ["RECKON_FRESH"]
    assert records.digest(what) != before
    assert records.digest("/nowhere#test/chain") == "none"

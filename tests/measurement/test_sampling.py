"""Sampling: the points of a curve, those that cannot be measured, deadlines, and the line through them."""

import sys
import types

import numpy as np
import pytest
from helpers.chains import predict_chain, predict_curve
from helpers.project import forget

import reckon as rk
from reckon import statistics
from reckon.book import contents
from reckon.measurement import library
from reckon.measurement.sampling import ProbeRun


def refuse_at(monkeypatch, lengths, error=library.ProbeUnsupported, after=0):
    """library.run that refuses some lengths of the chain after a number of runs; no time passes."""
    clock = types.SimpleNamespace(monotonic=lambda: 0.0, sleep=lambda _: None)
    monkeypatch.setattr(sys.modules["reckon.measurement.sampling"], "time", clock)
    real, count = library.run, {}

    def run(name, params=None, **kwargs):
        length = (params or {}).get("instructions")
        count[length] = count.get(length, 0) + 1
        if length in lengths and count[length] > after:
            raise error(f"no room for {length}")
        return real(name, params, **kwargs)

    monkeypatch.setattr(library, "run", run)


def test_a_line_through_a_curve_gives_what_a_step_takes(folders, monkeypatch):
    """Each instruction a cycle of 2.5 GHz, and 1000 cycles to begin with. The ticks are made up: a real
    clock wanders between the points; that a chain runs at the clock is a test of library's."""
    real = library.run

    def run(name, params=None, **kwargs):
        samples = real(name, params, **kwargs)
        seconds = samples.ops * (params["instructions"] + 1000) / 2.5e9
        ticks = np.rint(seconds * library.tick_hz()).astype(int)
        return samples.model_copy(update={"ticks": ticks})

    monkeypatch.setattr(library, "run", run)
    predicted = predict_curve()
    result = rk.measure(predicted, probe="test/chain", over="instructions")
    assert result.line.slope == pytest.approx(1 / 2.5e9, rel=0.001)
    assert result.line.intercept == pytest.approx(1000 / 2.5e9, rel=0.02)
    assert result.sealed_line.slope == pytest.approx(1 / 3e9)


@pytest.mark.parametrize(
    ("budget_s", "processes"), [(None, 1), (rk.by_profile(quick=9, standard=9, full=9), 6)]
)
def test_an_expensive_point_takes_what_cheap_ones_of_its_sweep_leave(
    folders, monkeypatch, budget_s, processes
):
    """On a made-up clock a process of that point takes 2.1 s, of the others nothing. The quick
    profile's 0.4 s allow it one; of nine seconds it may take what the others leave."""
    now = [0.0]
    real = library.run

    def run(name, params=None, **kwargs):
        now[0] += 2.1 if params["instructions"] == 20480 else 0
        return real(name, params, **kwargs)

    monkeypatch.setattr(library, "run", run)
    monkeypatch.setattr(statistics, "median_interval", lambda _: (0.0, 1.0))  # never precise
    clock = types.SimpleNamespace(monotonic=lambda: now[0], sleep=lambda _: None)
    monkeypatch.setattr(sys.modules["reckon.measurement.sampling"], "time", clock)
    predicted = predict_curve()
    result = rk.measure(predicted, probe="test/chain", over="instructions", budget_s=budget_s)
    ran = {point.x: len(point.processes) for point in result.points}
    assert ran[5120] >= 6 and ran[10240] >= 6 and ran[20480] == processes
    assert result.points[-1].stopped == "time"


@pytest.mark.parametrize(("ticks", "is_precise"), [(0, False), (7, True)])
def test_a_time_below_a_step_of_the_counter_is_not_precise(folders, monkeypatch, ticks, is_precise):
    real = library.run

    def run(name, params=None, **kwargs):
        samples = real(name, params, **kwargs)
        return samples.model_copy(update={"ticks": np.full_like(samples.ticks, ticks)})

    monkeypatch.setattr(library, "run", run)
    (point,) = rk.measure(predict_chain()).points
    assert (point.stopped == "precise") == is_precise


@pytest.mark.parametrize("after", [0, 3])
def test_a_point_that_cannot_be_measured_says_why_and_the_others_stand(folders, monkeypatch, after):
    refuse_at(monkeypatch, {10240}, after=after)
    predicted = predict_curve()
    result = rk.measure(predicted, probe="test/chain", over="instructions")
    assert result.state == "measured" and list(result.axis) == [5120, 20480]
    assert [(p.x, p.stopped, p.reason) for p in result.missing_points] == [
        (10240, "unsupported", "no room for 10240")
    ]
    assert result.sealed("predicted") == pytest.approx([5120 / 3e9, 20480 / 3e9])
    assert np.isfinite(result.ratio)
    assert "no room for 10240" in rk.show.verdict(result, "a chain").markdown
    assert "no room for 10240" in rk.show.table([result], "Chains", "chains").markdown
    assert "no room for 10240" in contents.findings_of("summary").caveats([result], []).markdown
    forget()
    monkeypatch.undo()


def test_a_curve_without_a_supported_point_is_unsupported(folders, monkeypatch):
    refuse_at(monkeypatch, {5120, 10240, 20480})
    predicted = predict_curve()
    result = rk.measure(predicted, probe="test/chain", over="instructions")
    assert result.state == "unsupported" and result.reason == "no room for 5120"


def test_a_short_profile_leaves_what_takes_long_to_a_longer_one(folders, monkeypatch):
    """A quantity as a whole, or a curve's far end; the longer profile then measures it."""
    chain = predict_chain()
    result = rk.measure(chain, min_profile="standard")
    assert result.state == "unsupported" and result.reason == "the quick profile has no time for it"
    predicted = predict_curve()
    plan = dict(
        probe="test/chain",
        over="instructions",
        until=rk.by_profile(quick=10240, standard=20480, full=20480),
    )
    curve = rk.measure(predicted, **plan)
    assert [p.reason for p in curve.missing_points] == [
        "the quick profile does not include such large sizes or counts"
    ]
    assert curve.points[-1].x == 10240
    monkeypatch.setenv("RECKON_PROFILE", "standard")
    forget()
    chain = predict_chain()
    predicted = predict_curve()
    assert rk.measure(chain, min_profile="standard").state == "measured"
    assert not rk.measure(predicted, **plan).missing_points


def test_a_probe_that_fails_later_keeps_no_sample_and_stops_no_other(folders, monkeypatch):
    chain, other = predict_chain(), predict_chain(quantity="test/other")
    refuse_at(monkeypatch, {1024}, library.ProbeFailed, after=4)
    results = rk.measure_together({other: dict(probe="test/chain", instructions=1024), chain: {}})
    assert results["test/other"].state == "failed" and not results["test/other"].has_samples
    assert (
        results["test/chain"].state == "measured" and results["test/chain"].summary.processes >= 6
    )


def test_a_deadline_follows_the_bytes_and_the_waits_of_the_parameters():
    def deadline_s(probe, parameters, samples=3):
        return ProbeRun(
            library.probe(probe), parameters, library.RunOptions(samples=samples)
        ).deadline_s

    assert 60 <= deadline_s("cpu/syscall/getpid", {"calls": 1000}) < 61
    whole = deadline_s("files/cache/whole", {"file_bytes": 32 * 2**30})
    assert whole > 4 * 32 * 2**30 / 50e6  # a disk of 50 MB/s may read it in every trial
    idle = made_up_wait()
    assert deadline_s(*idle) >= 60 + 4 * 5


def made_up_wait():
    """A probe with a parameter in milliseconds, set to five seconds."""
    for probe in library.probes().values():
        for parameter in probe.parameters:
            if parameter.name.endswith("_ms"):
                return probe.name, {parameter.name: 5000}
    raise AssertionError("no probe waits")

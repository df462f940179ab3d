"""From the seal to the record: sealing, reuse, adaptivity, trouble."""

import json
import os

import numpy as np
import pytest
from helpers.capabilities import two_cpus
from helpers.chains import predict_chain, stored
from helpers.project import forget

import reckon as rk
from reckon import records
from reckon.computer import description, measured_cpu
from reckon.computer.facts import Fact
from reckon.measurement import library, reuse
from reckon.measurement.plan import Plan
from reckon.profiles import PROFILES
from reckon.records import session
from reckon.records.quantities.export import to_json
from reckon.records.quantities.lookup import read_result
from reckon.records.session import current_session


def test_measuring_without_a_prediction_is_refused(folders):
    with pytest.raises(
        rk.ReckonError, match="'test/chain' is no prediction; rk.measure takes what"
    ):
        rk.measure("test/chain")
    assert not (folders / "runs").exists()


def test_the_seal_is_on_disk_before_the_first_sample(folders, monkeypatch):
    chain = predict_chain()
    seen = []

    def run(*args, **kwargs):
        seen.append(stored().predictions[0].predicted)
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "run", run)
    with pytest.raises(KeyboardInterrupt):
        rk.measure(chain)
    assert seen == [pytest.approx(6400 / 3e9)]
    assert stored().measurement is None  # nothing half measured


def test_measured_then_reused(folders):
    chain = predict_chain()
    first = rk.measure(chain)
    assert first.state == "measured" and first.summary.processes >= 6
    text = records.record_path(current_session().run.name, "test").read_text()
    forget()
    chain = predict_chain()
    again = rk.measure(chain)
    assert again.state == "reused" and again.median == first.median
    assert records.record_path(current_session().run.name, "test").read_text() == text


def test_a_run_is_measured_on_a_core_that_was_not_busy(folders, monkeypatch):
    two_cpus()
    monkeypatch.setattr(measured_cpu, "fastest_of", sorted)  # one may be faster than the other
    *_, other, usual = sorted(os.sched_getaffinity(0))
    monkeypatch.setattr(session, "cpus_of_busy_cores", lambda: [usual])
    result = rk.measure(predict_chain())
    assert {process.cpu for process in result.points[0].processes} == {other}
    assert records.read_run(current_session().run.name).cpus_of_busy_cores == [usual]


def test_all_raw_samples_are_kept(folders):
    chain = predict_chain()
    result = rk.measure(chain, samples=20)
    for process in stored().measurement.points[0].processes:
        assert len(process.ticks) == 10 and process.ops == 20  # quick: half the trials
        assert process.cpu >= 0 and process.wall_ns > 0
        assert len(process.chain_ticks) == len(process.wide_ticks) == 10
        assert 0 < max(process.wide_ticks) < max(process.chain_ticks)
    assert result.summary.n == 10 * result.summary.processes


def test_an_edited_prediction_measures_nothing_and_is_shown_beside_the_seal(folders, monkeypatch):
    chain = predict_chain()
    first = rk.measure(chain)
    monkeypatch.setattr(library, "run", lambda *a, **k: pytest.fail("measured again"))
    forget()
    chain = predict_chain(cycles=7000)
    again = rk.measure(chain)
    assert again.state == "reused" and again.revisions == ["inputs revised: cycles"]
    assert again.seal.predicted == first.seal.predicted  # and the score keeps to it
    assert again.ratio == first.ratio
    row = to_json(again)
    assert row["predicted"] == pytest.approx(6400 / 3) and row["revised"] == pytest.approx(7000 / 3)
    forget()
    chain = predict_chain()  # edited back
    assert rk.measure(chain).revisions == []
    assert len(stored().predictions) == 3


def test_measuring_afresh_adds_to_the_seal_and_never_overwrites_it(folders, monkeypatch):
    chain = predict_chain()
    first = rk.measure(chain)
    monkeypatch.setenv("RECKON_FRESH", "1")
    forget()
    chain = predict_chain(cycles=7000)
    again = rk.measure(chain)
    assert again.state == "measured"
    assert again.seal == first.seal and len(stored().predictions) == 2


@pytest.mark.parametrize("change", ["parameters", "source", "warmup", "longer profile", "fresh"])
def test_what_makes_samples_unusable(folders, monkeypatch, change):
    chain = predict_chain()
    rk.measure(chain)
    forget()
    chain = predict_chain()
    arguments = {}
    if change == "parameters":
        arguments["instructions"] = 20480
    if change == "warmup":
        arguments["warmup"] = 2
    if change == "source":
        monkeypatch.setattr(reuse, "source_key", lambda name: "edited")
    if change == "longer profile":
        monkeypatch.setenv("RECKON_PROFILE", "standard")
    if change == "fresh":
        monkeypatch.setenv("RECKON_FRESH", "1")
    assert rk.measure(chain, **arguments).state == "measured"


def test_a_longer_profile_serves_a_shorter_one(folders, monkeypatch):
    monkeypatch.setenv("RECKON_PROFILE", "standard")
    chain = predict_chain()
    rk.measure(chain, chains=rk.by_profile(quick=5, standard=6, full=7))
    monkeypatch.setenv("RECKON_PROFILE", "quick")
    forget()
    chain = predict_chain()
    again = rk.measure(chain, chains=rk.by_profile(quick=5, standard=6, full=7))
    assert again.state == "reused" and again.measurement.params["chains"] == 6


@pytest.mark.timed
def test_a_sweep_measures_every_point_interleaved(folders):
    axis = rk.axis([5120, 10240, 20480], "cycle", "instructions")
    chain = predict_chain(axis=axis)
    result = rk.measure(chain, over="instructions")
    assert result.is_curve and list(result.axis) == [5120, 10240, 20480]
    # The fastest trials, because another's load only adds.
    fastest = [np.min(result.trials(point)) for point in result.points]
    assert fastest[2] / fastest[0] == pytest.approx(4, rel=0.1)
    starts = [[p.started_s for p in point.processes] for point in result.measurement.points]
    # From the second round on; the first shows which rows can run at all.
    assert max(s[1] for s in starts) < min(s[-1] for s in starts)


def test_an_axis_and_over_belong_together(folders):
    chain = predict_chain()
    with pytest.raises(rk.ReckonError, match="a prediction with an axis is measured with over="):
        rk.measure(chain, over="instructions")


@pytest.mark.parametrize(
    ("parameter", "values", "unit", "reason"),
    [
        ("calls", [1, 2], "us", "calls cannot take an axis in us: .* must be one of bytes, ns, us"),
        ("instructions", [1, 2], "KiB", "instructions cannot take an axis in KiB: the unit"),
        ("size_bytes", [1, 2], "ms", "size_bytes cannot take an axis in ms, which is no byte"),
        ("size_bytes", [0.2, 2], "B", "takes whole numbers; 0.2 would be sent as 0"),
    ],
)
def test_a_swept_parameter_takes_whole_numbers_of_its_own_unit(
    folders, parameter, values, unit, reason
):
    @rk.predict("test/chain", unit="ns", kind="plain")
    def chain(x, time):
        return time

    swept = chain(x=rk.axis(values, unit, "x"), time=rk.given(1, "ns", "counted"))
    with pytest.raises(rk.ReckonError, match=reason):
        rk.measure(swept, over=parameter)


@pytest.mark.parametrize("parameter", ["hold_ns", "hold_us", "hold_ms"])
def test_an_axis_of_time_sweeps_a_parameter_in_the_parameter_s_unit(folders, parameter):
    @rk.predict("test/chain", unit="ns", kind="plain")
    def chain(hold, time):
        return time

    unit = parameter.removeprefix("hold_")
    swept = chain(hold=rk.axis([1, 2], unit, "x"), time=rk.given(1, "ns", "counted"))
    plan = Plan(
        swept,
        {"over": parameter},
        session=current_session(),
        profile=PROFILES["quick"],
    )
    assert plan.swept_values == [1, 2]


def test_a_quantity_is_measured_once_in_a_call(folders):
    with pytest.raises(rk.ReckonError, match="Two predictions of test/chain cannot be measured"):
        rk.measure_together([predict_chain(), predict_chain()])


def test_what_is_compared_is_interleaved(folders):
    chain = predict_chain()
    other = predict_chain(quantity="test/other")
    results = rk.measure_together([chain, other], probe="test/chain")
    a, b = (
        [p.started_s for p in result.measurement.points[0].processes] for result in results.values()
    )
    assert a[1] < b[-1] and b[1] < a[-1]


def test_processes_are_spread_over_time(folders):
    """So that a burst of the machine's trouble cannot be the whole measurement."""
    chain = predict_chain()
    starts = [p.started_s for p in rk.measure(chain).measurement.points[0].processes]
    assert starts[5] - starts[1] > 0.05  # quick: 0.1 s over six processes


def test_an_unsupported_probe_is_recorded_with_its_reason_and_stops_no_other(folders):
    chain = predict_chain()
    cannot = predict_chain(quantity="test/unsupported")
    results = rk.measure_together([cannot, chain])
    assert (
        results["test/unsupported"].state == "unsupported"
        and results["test/chain"].state == "measured"
    )
    assert stored("test/unsupported").measurement.reason == "this probe is unsupported everywhere"
    row = to_json(read_result(current_session().run.name, "test/unsupported"))
    assert (row["state"], row["median"], row["n"]) == ("unsupported", None, 0)


def test_a_crash_is_recorded_and_an_earlier_good_measurement_outlives_it(folders, monkeypatch):
    crash = predict_chain(quantity="test/crash")
    crashed = rk.measure(crash)
    assert crashed.state == "failed" and "died of signal 11" in crashed.reason
    chain = predict_chain()
    good = rk.measure(chain)
    monkeypatch.setenv("RECKON_FRESH", "1")

    def run(*args, **kwargs):
        raise library.ProbeFailed("it broke")

    monkeypatch.setattr(library, "run", run)
    again = rk.measure(chain)
    assert (again.state, again.reason) == ("failed", "it broke")
    assert stored().measurement.points[0].processes == good.measurement.points[0].processes


@pytest.mark.timed
@pytest.mark.parametrize(
    ("most", "reasons"), [(1, {"precise"}), (100, {"time", "processes"})], ids=["steady", "noisy"]
)
def test_measuring_stops_when_precise_or_when_time_is_up(folders, monkeypatch, most, reasons):
    values, real = np.random.default_rng(1), library.run

    def made_up(*args, **kwargs):
        samples = real(*args, **kwargs)
        samples.ticks[:] = int(10_000 * values.uniform(1, most))
        return samples

    monkeypatch.setattr(library, "run", made_up)
    point = rk.measure(predict_chain()).measurement.points[0]
    assert point.stopped in reasons and len(point.processes) >= 6


def test_a_run_of_another_machine_is_read_and_never_measured(recorded, monkeypatch):
    monkeypatch.setattr(library, "run", lambda *a, **k: pytest.fail("measured"))
    assert current_session().is_replay
    older = rk.measure(predict_chain())
    assert older.state == "predicted" and "recorded elsewhere, without this" in older.reason
    unknown = predict_chain(quantity="cpu/loop/chain")
    with pytest.raises(rk.ReckonError, match="elsewhere and holds no samples of cpu/loop/chain"):
        rk.measure(unknown, probe="test/chain")
    monkeypatch.setenv("RECKON_FRESH", "1")
    forget()
    with pytest.raises(rk.ReckonError, match="recorded on another machine or kernel"):
        current_session()


def test_a_kernel_upgrade_is_a_new_run(folders, monkeypatch):
    first = current_session().run
    describe = description.describe

    def upgraded(*cpu):
        return describe(*cpu).with_facts("system", {"kernel": Fact(value="9.9.9 #1")})

    monkeypatch.setattr("reckon.records.session.describe", upgraded)
    forget()
    assert current_session().run.name != first.name and "9.9.9" in current_session().run.name
    assert len(os.listdir(folders / "runs")) == 2


def test_the_compilers_description_has_no_check_sum(folders, monkeypatch):
    """The last line of compiler.txt is a check sum, which only the keys of records need."""
    (folders / "lib").mkdir()
    (folders / "lib" / "compiler.txt").write_text("gcc 12\n-O2\n1816640063 127\n")
    monkeypatch.setenv("RECKON_LIB", str(folders / "lib"))
    assert description.describe().value("system.compiler") == "gcc 12 · -O2"


def test_the_build_is_told_what_happened(build_context):
    chain = predict_chain()
    rk.measure(chain)
    events = [json.loads(line) for line in build_context.events.read_text().splitlines()]
    assert [e["event"] for e in events] == ["measuring", "done"]
    assert events[-1]["state"] == "measured"


def test_a_page_depends_on_what_another_measured_and_not_on_what_it_predicted(folders):
    chain = predict_chain()
    rk.measure(chain)
    what = f"{records.record_path(current_session().run.name, 'test')}#test/chain"
    before = records.digest(what)
    forget()
    chain = predict_chain(cycles=7000)
    rk.measure(chain)
    assert records.digest(what) == before
    os.environ["RECKON_FRESH"] = "1"
    try:
        forget()
        chain = predict_chain(cycles=7000)
        rk.measure(chain)
    finally:
        del os.environ["RECKON_FRESH"]
    assert records.digest(what) != before
    assert records.digest("/nowhere#test/chain") == "none"

"""Later visits to a quantity: what they add to its record, and what they leave as it is."""

import re

import numpy as np
import pytest
from helpers.chains import predict_chain, predict_curve, stored
from helpers.project import forget

import reckon as rk
from reckon import build_context, records, statistics
from reckon.measurement import library, reuse, revisit
from reckon.measurement.sampling import ProbeRun
from reckon.profiles import PROFILES
from reckon.records.quantities.lookup import read_result
from reckon.records.run_files import verify
from reckon.records.session import current_session

CHAINS = ["test/chain", "test/other"]


@pytest.fixture
def build(folders, monkeypatch):
    """As in a page that is executed for a book whose quantities are visited three times.

    Called, it changes what the build hands to the process."""
    monkeypatch.setenv("RECKON_PROFILE", "standard")

    def hand_over(**more):
        files = folders / "events", folders / "reads"
        build_context.set_current(build_context.BuildContext(*files, **more))
        forget()

    hand_over(visits=3)
    return hand_over


def measure():
    """The first visit: two scalars and a curve."""
    forget()
    plans = {predict_chain(quantity=name): {"instructions": 5120} for name in CHAINS}
    curve = {predict_curve(): {"over": "instructions"}}
    return rk.measure_together(plans | curve, probe="test/chain", samples=4)


def numbers(quantity):
    return [visit.number for visit in stored(quantity).measurement.visits]


def faults():
    return verify.faults(current_session().run.name)


def experiments_to_visit(visit):
    return revisit.experiments_to_visit(current_session().run.name, visit)


def visit_again(visit):
    return revisit.visit_again(current_session(), "test", visit)


_run = library.run


def set_ticks(monkeypatch, ticks):
    """From now on each trial takes that number of ticks."""

    def run(*arguments, **options):
        samples = _run(*arguments, **options)
        return samples.model_copy(update={"ticks": np.full_like(samples.ticks, ticks)})

    monkeypatch.setattr(library, "run", run)


@pytest.mark.parametrize(
    ("ticks", "source"),
    [
        ((6000, 6060, 6120), r"3 visits over \d+ (s|min)"),
        ((6000, 6000, 6000), r"\d+ processes of 3 visits"),
    ],
)
def test_visits_are_added_to_the_measurement_and_leave_the_curve(build, monkeypatch, ticks, source):
    set_ticks(monkeypatch, ticks[0])
    measure()
    first = stored().measurement
    assert experiments_to_visit(1) == {} and [*experiments_to_visit(2)] == ["test"]
    for visit in (2, 3):
        set_ticks(monkeypatch, ticks[visit - 1])
        assert visit_again(visit) == 2
    whole = stored().measurement
    assert numbers("test/chain") == [1, 2, 3] and numbers("test/curve") == [1]
    assert whole.started_at == first.started_at and whole.key == first.key
    processes = whole.points[0].processes
    visits = [process.visit for process in processes]
    assert visits == sorted(visits) and all(visits.count(visit) >= 4 for visit in (1, 2, 3))
    assert processes[: visits.count(1)] == first.points[0].processes
    assert len(whole.points[0].summary.visit_medians) == 3
    assert experiments_to_visit(3) == {} and faults() == []
    interval_from = read_result(current_session().run.name, "test/chain").interval_from
    assert re.fullmatch(source, interval_from), interval_from
    assert [result.state for result in measure().values()] == ["reused"] * 3


def test_the_visits_share_the_time_of_the_quantity(build, monkeypatch):
    """No visit runs more processes than its share, nor a later one more than the first."""
    monkeypatch.setattr(statistics, "median_interval", lambda _: (0.0, 1.0))  # never precise
    measure()
    most = PROFILES["standard"].max_processes
    first = stored().measurement.points[0].processes
    assert 6 <= len(first) <= most / 3
    visit_again(2)
    assert 4 <= len(stored().measurement.points[0].processes) - len(first) <= len(first)
    build(visits=1)
    alone = rk.measure(predict_chain(quantity="test/alone"), probe="test/chain", samples=4)
    assert alone.summary.processes > 1.5 * len(first) and numbers("test/alone") == [1]


def test_a_visit_that_fails_is_an_attempt_and_the_samples_stay(build, monkeypatch):
    measure()
    before = stored().measurement

    def run(name, params=None, **how):
        raise library.ProbeFailed("it broke")

    with monkeypatch.context() as patch:
        patch.setattr(library, "run", run)
        assert visit_again(2) == 2
    after = stored()
    assert after.measurement == before and after.attempt.state == "failed"
    assert "it broke" in read_result(current_session().run.name, "test/chain").attempt_note
    assert faults() == [] and experiments_to_visit(2) == {}  # not tried at every build


def test_ctrl_c_during_a_visit_loses_nothing_and_the_next_visit_goes_on(build, monkeypatch):
    measure()
    before, real, ran = stored().measurement, ProbeRun.start, []

    def stop_after_three(self):
        ran.append(1)
        if len(ran) > 3:
            raise KeyboardInterrupt
        return real(self)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ProbeRun, "start", stop_after_three)
        visit_again(2)
    assert stored().measurement == before and faults() == []
    assert [*experiments_to_visit(2)] == ["test"]
    assert [visit_again(visit) for visit in (2, 3)] == [2, 2]
    assert numbers("test/chain") == [1, 2, 3] and faults() == []


def test_samples_of_changed_sources_are_not_added(build, monkeypatch):
    measure()
    monkeypatch.setattr(reuse, "source_key", lambda probe: "of changed sources")
    assert visit_again(2) == 0 and numbers("test/chain") == [1]


@pytest.mark.parametrize(("seconds", "is_visited"), [(0.0, False), (11.9, True), (12.1, False)])
def test_neither_derived_nor_slow_quantities_are_visited(build, seconds, is_visited):
    """Four times the budget of 3 s is what a quantity may take."""
    measure()
    with records.updating(current_session().run.name, "test") as record:
        for name, quantity in record.quantities.items():
            (visit,) = quantity.measurement.visits
            lasted = {"seconds": seconds}
            visits = [visit.model_copy(update=lasted)]
            measurement = quantity.measurement.model_copy(update={**lasted, "visits": visits})
            record.quantities[name] = quantity.model_copy(update={"measurement": measurement})
    assert bool(experiments_to_visit(2)) == is_visited


def test_a_page_that_is_rendered_measures_nothing_again(build, monkeypatch):
    """Not even what is unsupported, or what FRESH=1 has just measured."""
    measure()
    unsupported = predict_chain(quantity="test/none")
    with monkeypatch.context() as patch:
        patch.setattr(reuse, "reused_result", lambda plan, quantity: None)
        patch.setattr(ProbeRun, "start", lambda self: raise_unsupported())
        rk.measure(unsupported, probe="test/chain", instructions=5120, samples=4)
    build(renders=True)
    monkeypatch.setenv("RECKON_FRESH", "1")
    monkeypatch.setattr(ProbeRun, "start", lambda self: pytest.fail("measured again"))
    assert [result.state for result in measure().values()] == ["measured"] * 3
    forget()
    again = rk.measure(unsupported, probe="test/chain", instructions=5120, samples=4)
    assert (again.state, again.reason) == ("unsupported", "no such thing")


def raise_unsupported():
    raise library.ProbeUnsupported("no such thing")


def test_the_run_keeps_the_pooled_variance_of_its_quantities(build, monkeypatch):
    monkeypatch.setattr(statistics.visits, "_MIN_QUANTITIES", 2)
    measure()
    for visit in (2, 3):
        visit_again(visit)
    revisit.write_pooled_variance(current_session().run.name)
    run = records.read_run(current_session().run.name)
    summaries = [stored(name).measurement.points[0].summary for name in CHAINS]
    assert run.between_visits == statistics.pooled_variance(
        [summary.visit_medians for summary in summaries],
        [summary.visit_spread for summary in summaries],
    )
    assert read_result(run.name, "test/chain").between_visits == run.between_visits
    written = records.run_dir(run.name) / "run.json"
    before = written.stat().st_ino
    revisit.write_pooled_variance(current_session().run.name)
    assert written.stat().st_ino == before  # unchanged: no page is out of date
    assert faults() == []

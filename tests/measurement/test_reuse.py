"""What of a record is kept and what is measured again, revised or an attempt that gave nothing."""

import contextlib
from types import SimpleNamespace

import pytest
from helpers.chains import predict_chain, predict_curve, stored
from helpers.project import forget

import reckon as rk
from reckon import config, records
from reckon.book import contents
from reckon.measurement import library, reuse
from reckon.measurement.sampling import PointSampler
from reckon.records.quantities.export import to_json
from reckon.records.quantities.lookup import read_result
from reckon.records.run_files import verify
from reckon.records.session import current_session
from reckon.show.tables import tables


@pytest.fixture
def failed_again(folders, monkeypatch):
    """A measured quantity whose last attempt to be measured again was not possible."""
    rk.measure(predict_chain())
    monkeypatch.setenv("RECKON_FRESH", "1")
    forget()

    def run(*args, **kwargs):
        raise library.ProbeUnsupported("no peer.")

    with monkeypatch.context() as patch:
        patch.setattr(library, "run", run)
        rk.measure(predict_chain())
    monkeypatch.delenv("RECKON_FRESH")
    forget()
    return read_result(current_session().run.name, "test/chain")


def test_an_attempt_that_gave_nothing_is_said_wherever_the_figure_is_shown(failed_again):
    date = f"{stored().measurement.started_at:%Y-%m-%d}"
    note = f"measured {date}; the last attempt, {date}, was not possible: no peer"
    assert failed_again.state == "measured" and failed_again.attempt_note == note
    assert to_json(failed_again)["reason"] == note
    assert note in rk.show.verdict(failed_again, "a chain").markdown
    assert note in tables.measured_cell(failed_again)
    assert note in contents.findings_of("summary").caveats([failed_again], []).markdown
    assert verify.faults(current_session().run.name) == []


def test_a_success_ends_the_attempt(failed_again, monkeypatch):
    monkeypatch.setenv("RECKON_FRESH", "1")
    assert rk.measure(predict_chain()).attempt_note == "" and stored().attempt is None
    assert verify.faults(current_session().run.name) == []


def test_an_attempt_puts_pages_that_show_the_figure_out_of_date(failed_again):
    path = records.record_path(current_session().run.name, "test")
    before = records.digest(f"{path}#test/chain")
    with records.updating(current_session().run.name, "test") as record:
        quantity = record.quantities["test/chain"]
        record.quantities["test/chain"] = quantity.model_copy(update={"attempt": None})
    assert records.digest(f"{path}#test/chain") != before


def test_nothing_is_revised_after_measuring_before_anything_was_measured(folders):
    rk.measure(predict_chain(), min_profile="standard")
    forget()
    again = rk.measure(predict_chain(cycles=7000), min_profile="standard")
    assert again.state == "unsupported" and again.revisions == []
    assert "Revised" not in rk.show.verdict(again, "a chain").markdown
    assert [prediction.role for prediction in stored().predictions] == ["seal"]


def predict_from(clock):
    """A prediction by an earlier measurement of the clock, or by a guess that stands in for it."""

    @rk.predict("test/chain", unit="ns")
    def chain(cycles, clock):
        return cycles / clock, 0

    return chain(cycles=rk.given(6400, "cycle", "counted"), clock=clock)


def clock(value, **more):
    given = rk.guess(value, "GHz", "a clock", low=0.1, high=9)
    return given.__class__(**{**vars(given), "reference": "cpu/clock/core", **more})


def test_only_an_input_that_a_person_changed_makes_a_revision(folders):
    stand_in = clock(3, instead_of="has not been measured yet")
    rk.measure(predict_from(stand_in))
    for moved in (2.0, 2.5):
        forget()
        now = clock(moved, origin="measured", source="measured in this run")
        again = rk.measure(predict_from(now))
        assert again.revisions == [] and len(stored().predictions) == 1
    forget()
    other = clock(2.5, origin="measured", source="measured in this run", reference="cpu/clock/x")
    assert rk.measure(predict_from(other)).revisions == ["inputs revised: clock"]


def test_what_the_machine_reports_is_no_revision_when_it_moves_or_is_first_reported(folders):
    stand_in = clock(3, reference="turbo_clock", instead_of="the machine does not report it")
    rk.measure(predict_from(stand_in))
    for moved, source in ((2.0, "cpufreq"), (2.5, "cpuid")):
        forget()
        now = clock(moved, origin="machine", source=source, reference="turbo_clock")
        assert rk.measure(predict_from(now)).revisions == []
    forget()
    other = clock(2.5, origin="machine", source="cpuid", reference="base_clock")
    assert rk.measure(predict_from(other)).revisions == ["inputs revised: clock"]


def test_before_any_sample_a_measured_input_that_moved_is_sealed_as_it_is_now(folders):
    for value in (2.0, 2.5):
        forget()
        now = clock(value, origin="measured", source="measured in this run")
        rk.measure(predict_from(now), min_profile="standard")
    assert stored().seal.predicted == pytest.approx(6400 / 2.5e9)


def test_a_stop_keeps_what_was_complete_of_a_group(folders, monkeypatch):
    """Ctrl-C while the last of a group still runs; the next call measures that alone."""
    real, why_stop, ran = library.run, PointSampler._why_stop, []

    def run(name, params=None, **how):
        ran.append(params["instructions"])
        if ran.count(20480) > 14:  # the other one is complete after 12 processes at the latest
            raise KeyboardInterrupt
        return real(name, params, **how)

    def never_if_slow(self):
        is_slow = self.run.parameters["instructions"] == 20480
        return None if is_slow else why_stop(self)

    def measure_group():
        forget()
        group = {
            predict_chain(quantity="test/fast"): {"instructions": 5120},
            predict_chain(quantity="test/slow"): {"instructions": 20480},
        }
        return rk.measure_together(group, probe="test/chain", samples=4)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(library, "run", run)
        patch.setattr(PointSampler, "_why_stop", never_if_slow)
        measure_group()
    assert stored("test/fast").has_samples and stored("test/slow").measurement is None
    assert [result.state for result in measure_group().values()] == ["reused", "measured"]
    assert verify.faults(current_session().run.name) == []


def test_only_the_failed_points_of_a_curve_are_measured_again(folders, monkeypatch):
    real, ran = library.run, []

    def run(name, params=None, *, fail=10240, **how):
        ran.append(params["instructions"])
        if params["instructions"] == fail:
            raise library.ProbeFailed("it broke")
        return real(name, params, **how)

    def curve():
        forget()
        return rk.measure(predict_curve(), probe="test/chain", over="instructions")

    monkeypatch.setattr(library, "run", run)
    first = curve()
    assert list(first.axis) == [5120, 20480] and verify.faults(current_session().run.name) == []
    ran.clear()
    with monkeypatch.context() as later:  # as in another process, which calibrates again
        later.setattr(library, "tick_hz", lambda: 1.001 * first.measurement.tick_hz)
        again = curve()  # it still fails: nothing is lost
    assert set(ran) == {10240} and list(again.axis) == [5120, 20480]
    assert verify.faults(current_session().run.name) == []
    assert again.measurement.started_at == first.measurement.started_at
    monkeypatch.setattr(library, "run", lambda *a, **how: run(*a, fail=None, **how))
    ran.clear()
    whole = curve()
    assert set(ran) == {10240} and list(whole.axis) == [5120, 10240, 20480]
    assert [visit.number for visit in whole.measurement.visits] == [1, 2]
    assert whole.medians[0] == first.medians[0] and whole.medians[2] == first.medians[1]
    assert curve().state == "reused" and verify.faults(current_session().run.name) == []


def test_a_shorter_profile_keeps_a_longer_one_s_curve_with_a_failed_point(folders, monkeypatch):
    real = library.run

    def run(name, params=None, **how):
        if params["instructions"] == 10240:
            raise library.ProbeFailed("it broke")
        return real(name, params, **how)

    def curve(profile):
        monkeypatch.setenv("RECKON_PROFILE", profile)
        forget()
        short = dict(samples=4, budget_s=rk.by_profile(quick=0.1, standard=0.1, full=0.1))
        return rk.measure(predict_curve(), probe="test/chain", over="instructions", **short)

    monkeypatch.setattr(library, "run", run)
    before = curve("standard").measurement
    after = curve("quick")
    assert after.state == "reused" and after.measurement.profile == "standard"
    assert after.measurement.visits == before.visits and list(after.axis) == [5120, 20480]


def test_what_another_process_measured_meanwhile_is_not_measured_again(folders, monkeypatch):
    """Played by a lock that measures before it is given; too short a wait to be reported."""
    measuring = records.measuring

    @contextlib.contextmanager
    def busy(run, on_wait):
        monkeypatch.setattr(records, "measuring", measuring)
        rk.measure(predict_chain())
        with measuring(run, on_wait):
            yield

    monkeypatch.setattr(records, "measuring", busy)
    assert rk.measure(predict_chain()).state == "reused"


def test_an_edited_call_of_what_was_unsupported_has_no_other_settings():
    """On the example's machine: its kernel has no client of NFS."""
    record = records.read_record(config.ROOT / "book/runs/example", "files/remote")
    measurement = record.quantities["files/remote/kernel"].measurement
    assert measurement.state == "unsupported" and not measurement.points
    assert reuse.other_settings(SimpleNamespace(swept_values=[None]), measurement) == ""

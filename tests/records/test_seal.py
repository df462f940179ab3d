"""A prediction with a mistake is sealed again: the first seal stays, and the reason is stated."""

import pytest
from helpers.chains import predict_chain, stored
from helpers.project import reckon

import reckon as rk
from reckon import ReckonError, config, records
from reckon.records import seal
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.revisions import Variants
from reckon.records.run_files import verify
from reckon.records.session import current_session

REASON = "6400 was typed for 64000"


@pytest.fixture
def mended(folders):
    """A quantity that was measured with a typing error in its prediction, then sealed again."""
    rk.measure(predict_chain())
    rk.reseal(predict_chain(cycles=64000.0), REASON)
    (result,) = all_results(current_session().run.name, "test")
    return result


def test_the_first_seal_stays_and_the_new_one_is_scored(mended):
    first, sealed = stored().predictions
    assert mended.seal == sealed and mended.first_seal == first
    assert mended.ratio == pytest.approx(mended.median / float(sealed.predicted))
    events = [event.event for event in stored().chain]
    assert events == ["seal", "visit", "reseal"]
    assert verify.faults(current_session().run.name) == []


def test_once_measured_a_reason_is_asked_for(folders):
    rk.measure(predict_chain())
    with pytest.raises(ReckonError, match="has been measured; add the reason"):
        rk.reseal(predict_chain(cycles=64000.0))
    assert len(stored().predictions) == 1


def test_what_is_sealed_is_not_sealed_again(folders):
    with pytest.raises(ReckonError, match="is not sealed yet"):
        rk.reseal(predict_chain(), REASON)
    rk.measure(predict_chain())
    with pytest.raises(ReckonError, match="is this one already"):
        rk.reseal(predict_chain(), REASON)


def test_what_is_revised_later_is_a_revision_of_the_new_seal(mended):
    revised = rk.measure(predict_chain(cycles=7000.0))
    assert [p.role for p in revised.entry.predictions] == ["seal", "reseal", "revision"]
    assert revised.revisions == ["inputs revised: cycles"]
    assert rk.measure(predict_chain(cycles=64000.0)).revisions == []


def test_another_kind_is_a_revision_that_can_be_sealed(folders):
    assert rk.measure(predict_chain()).revisions == []
    assert rk.measure(predict_chain(kind="mean")).revisions == ["kind sum revised to mean"]
    rk.reseal(predict_chain(kind="mean"), REASON)
    assert stored().seal.kind == "mean"
    assert rk.measure(predict_chain(kind="mean")).revisions == []


def test_a_corrected_source_is_recorded_and_moves_no_prediction(folders):
    rk.measure(predict_chain())
    result = rk.measure(predict_chain(source="the manual", cite="intel"))
    (_, revision), cycles = stored().predictions, stored().predictions[-1].inputs[0]
    assert (cycles.source, cycles.cite) == ("the manual", "intel")
    assert revision.role == "revision" and result.revisions == []
    rk.measure(predict_chain(source="the manual", cite="intel"))
    assert len(stored().predictions) == 2
    corrected = rk.measure(predict_chain(7000.0)).revisions
    assert corrected == ["inputs revised: cycles"]


def test_a_seal_without_a_reason_is_named(mended):
    run = current_session().run.name
    path = verify.run_dir(run) / "test.json"
    path.write_text(path.read_text().replace(REASON, ""))
    assert "test/chain: it was sealed again without a reason" in verify.faults(run)


def test_the_command_line_seals_the_last_prediction(folders):
    rk.measure(predict_chain())
    rk.measure(predict_chain(cycles=64000.0))
    done = reckon("reseal", "test/chain", "--run", current_session().run.name)
    assert done.returncode == 2 and "add the reason" in done.stderr
    done = reckon("reseal", "test/chain", "--reason", REASON)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Sealed again: test/chain, ")
    assert stored().seal.role == "reseal" and stored().seal.reason == REASON


def test_what_was_kept_is_taken_back_until_something_follows(folders):
    rk.measure(predict_chain())
    session = current_session()
    session.variants = Variants()
    for number, is_followed in enumerate((False, False, True)):
        # Another each time: the same one is one event, if it comes again within a second.
        rk.measure(predict_chain(cycles=7000.0 + number))
        assert seal.keep(session) == ["test/chain"]
        if is_followed:
            seal.reseal("test/chain", None, REASON, session)
        assert seal.take_back(session) == ([] if is_followed else ["test/chain"])
        assert seal.take_back(session) == []
        assert len(stored().predictions) == (3 if is_followed else 1)
    events = [event.event for event in stored().chain]
    taken_back = ["revision", "discard"]
    assert events == ["seal", "visit", *taken_back, *taken_back, "revision", "reseal"]
    assert verify.faults(session.run.name) == []


def test_what_was_kept_stays_where_its_quantity_was_measured_since(folders):
    rk.measure(predict_chain())
    session = current_session()
    session.variants = Variants()
    revised = rk.measure(predict_chain(cycles=7000.0))
    assert seal.keep(session) == [revised.quantity]
    config.use(config.settings().with_choices(fresh=True))
    rk.measure(predict_chain(cycles=7000.0))
    assert seal.take_back(session) == [] and len(stored().predictions) == 2


def test_what_cannot_be_written_can_be_kept_later(folders, monkeypatch):
    rk.measure(predict_chain())
    session = current_session()
    session.variants = Variants()
    rk.measure(predict_chain(cycles=7000.0))

    def fail(*_):
        raise ReckonError("test.json cannot be written (No space left on device).")

    with monkeypatch.context() as full, pytest.raises(ReckonError, match="No space"):
        full.setattr(records, "updating", fail)
        seal.keep(session)
    assert seal.keep(session) == ["test/chain"]


def test_beside_a_run_that_is_only_read_an_earlier_session_s_revision_stays(folders):
    rk.measure(predict_chain())
    session = current_session()
    session.read_only_reason = "The run is marked as read_only"
    for cycles in (7000.0, 8000.0):
        session.variants = Variants()
        rk.measure(predict_chain(cycles=cycles))
        seal.keep(session)
    seal.take_back(session)
    (result,) = all_results(session.run.name, "test")
    inputs = {input_.name: input_.value for input_ in result.entry.predictions[-1].inputs}
    assert inputs["cycles"] == 7000.0

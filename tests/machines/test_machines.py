"""The made-up machines are what they are declared to be, and pages that are right about some stay so.

What pages still get wrong is no test's matter: `make machines` prints it."""

import dataclasses
import json

import pytest

from machines import DECLARED, KEPT
from machines.judgement import judge
from machines.run import RECORDED_RUN, is_rate, write_run
from reckon import records
from reckon.book import contents
from reckon.records.quantities.lookup import all_results, read_result
from reckon.show.tables.headlines import main_results, result_of

ALL = [*DECLARED, *KEPT]
# Pages state all that they must of these, and nothing false.
UNDERSTOOD = ("textbook_core", "pipelined_divider", "c_library_answers_getpid")


def source_of(page):
    """The code of a page: of its notebook, and of the modules beside it."""
    cells = json.loads(contents.source(page).read_text("utf-8"))["cells"]
    beside = [path.read_text("utf-8") for path in contents.modules_of(page)]
    return "\n".join(["".join(cell["source"]) for cell in cells] + beside)


def test_there_are_thirty_machines_and_six_kept_apart():
    assert len(DECLARED) >= 30
    assert len(KEPT) == 6
    assert len({machine.name for machine in ALL}) == len(ALL)


@pytest.mark.parametrize("machine", ALL, ids=lambda machine: machine.name)
def test_a_machine_speaks_of_what_there_is(machine):
    recorded = records.read_run(RECORDED_RUN).machine
    assert {*machine.facts} <= {*recorded.fields()}
    for quantity in [*machine.models, *machine.unsupported]:
        entry = records.read_measured(RECORDED_RUN, quantity)
        assert entry and entry.has_samples, quantity
    assert machine.true
    new = {conclusion for other in ALL for conclusion in other.true}  # maybe of no page yet
    for conclusion in machine.false:
        known = f'"{conclusion.name}"' in source_of(conclusion.page)
        assert known or conclusion in new, conclusion
    assert not {*machine.true} & {*machine.false}


def one_of_each_kind():
    """The first machines that have a kind of model, or none, as no machine before."""
    known = set()
    for machine in ALL:
        kinds = {("facts", bool(machine.facts)), ("unsupported", bool(machine.unsupported))}
        for model in machine.models.values():
            kinds |= {
                (field.name, getattr(model, field.name) != field.default)
                for field in dataclasses.fields(model)
                if field.default is not dataclasses.MISSING
            }
        if not kinds <= known:
            known |= kinds
            yield machine


@pytest.mark.parametrize("machine", one_of_each_kind(), ids=lambda machine: machine.name)
def test_the_run_of_a_machine_has_the_values_of_its_models(machine, tmp_path, monkeypatch):
    # The summaries of a page's curves take seconds; what is checked here are the samples.
    monkeypatch.setattr("machines.run.summarise_points", lambda measurement, *_: measurement)
    only_declared = dataclasses.replace(machine, true=[], false=[])
    run = write_run(only_declared, tmp_path)
    for fact, value in machine.facts.items():
        assert records.read_run(run).machine.value(fact) == value
    for quantity, model in machine.models.items():
        assert_follows(model, read_result(RECORDED_RUN, quantity), read_result(run, quantity))
    for quantity in machine.unsupported:
        assert not read_result(run, quantity).has_samples


def assert_follows(model, recorded, made):
    expected = [model.curve(x, y) for x, y in zip(recorded.axis, recorded.medians, strict=True)]
    expected = [value for value in expected if value is not None]
    assert len(made.measurement.visits) == model.visits
    for point, value in zip(made.points, expected, strict=True):
        medians = made.process_medians(point)
        slow = value / model.slow if is_rate(made) else value * model.slow
        step = model.step_s * 1.01
        assert medians.min() == pytest.approx(min(value, slow), rel=0.15, abs=step), made.quantity
        assert medians.max() == pytest.approx(max(value, slow), rel=0.15, abs=step), made.quantity


def test_pages_stay_right_about_machines_that_they_understand(tmp_path):
    machines = [machine for machine in ALL if machine.name in UNDERSTOOD]
    judgements = [each for of_machine in judge(machines, tmp_path) for each in of_machine]
    assert {each.machine for each in judgements} == {*UNDERSTOOD}
    for judgement in judgements:
        assert not judgement.missing and not judgement.false and not judgement.error, judgement


def test_the_main_results_have_the_latency_of_the_l3_that_is_usable(tmp_path):
    [machine] = [each for each in ALL if each.name == "small_share_of_the_l3"]
    results = all_results(write_run(machine, tmp_path), "memory/latency")
    by_quantity = {result.quantity: result for result in results}
    assert by_quantity["memory/latency/l3"].median == pytest.approx(95e-9, rel=0.1)  # beyond it
    [headline] = [each for each in main_results() if each.cache == "l3"]
    assert result_of(headline, by_quantity).median == pytest.approx(12.2e-9, rel=0.1)

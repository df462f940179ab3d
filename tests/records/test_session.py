"""Whose run it is: this machine's may be written, another's is only read."""

import contextlib
import json
import os
import re
from pathlib import Path

import pytest
from helpers.capabilities import two_cpus
from helpers.chains import predict_chain
from helpers.project import forget, reckon

import reckon as rk
from reckon import config, records
from reckon.computer import description, identity
from reckon.computer.facts import Fact
from reckon.measurement import library
from reckon.records import seal
from reckon.records.quantities.lookup import all_results
from reckon.records.session import current_session
from reckon.statistics import PooledVariance


def content(folder):
    """Every file of a folder with its content and the time it was written."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def machine_id(monkeypatch, folders, text):
    path = folders / "machine-id"
    path.write_text(text)
    monkeypatch.setattr(identity, "_MACHINE_ID", str(path))
    forget()


def test_two_machines_that_are_alike_have_runs_of_their_own(folders, monkeypatch):
    machine_id(monkeypatch, folders, "a" * 32)
    first = current_session().run
    machine_id(monkeypatch, folders, "b" * 32)
    second = current_session().run
    assert first.identity != second.identity and first.name != second.name
    assert first.id != second.id and len(first.id) == 32
    assert "a" * 32 not in (folders / "runs" / first.name / "run.json").read_text()


def test_a_run_copied_from_a_machine_that_is_alike_is_only_read(folders, monkeypatch):
    machine_id(monkeypatch, folders, "a" * 32)
    rk.measure(predict_chain())
    name = current_session().run.name
    before = content(folders / "runs" / name)
    machine_id(monkeypatch, folders, "b" * 32)
    monkeypatch.setenv("RECKON_RUN", name)
    monkeypatch.setattr(library, "run", lambda *a, **k: pytest.fail("measured"))
    assert current_session().is_replay and rk.measure(predict_chain(cycles=7000)).has_samples
    assert content(folders / "runs" / name) == before


def test_a_run_marked_as_read_only_is_only_read_on_its_own_machine(folders, monkeypatch):
    rk.measure(predict_chain())
    name = current_session().run.name
    described = folders / "runs" / name / "run.json"
    described.write_text(json.dumps(json.loads(described.read_text()) | {"read_only": True}))
    forget()
    before = content(folders / "runs" / name)
    monkeypatch.setattr(library, "run", lambda *a, **k: pytest.fail("measured"))
    assert (
        current_session().read_only_reason
        == f"The run {name} is marked as read_only in its run.json"
    )
    assert rk.measure(predict_chain(cycles=7000)).has_samples
    assert content(folders / "runs" / name) == before


def test_without_a_machine_id_the_configuration_is_the_identity(folders, monkeypatch):
    machine_id(monkeypatch, folders, "")
    described = description.describe()
    assert identity.identity(described) == identity.configuration(described)


def test_reading_a_run_of_another_machine_never_writes_into_it(recorded):
    before = content(recorded)
    assert current_session().is_replay
    result = rk.results("cpu/syscall")[0]
    prediction = repeated(result, 1.5)
    sealed = seal.seal([prediction], current_session())
    assert sealed[result.quantity].predictions[-1].role == "revision"
    shown = {result.quantity: result for result in all_results("recorded", "cpu/syscall")}
    assert shown[result.quantity].revisions and shown[result.quantity].seal == result.seal
    assert content(recorded) == before
    assert (config.settings().build_dir / "replay/recorded/cpu/syscall.json").exists()


def repeated(result, factor):
    """A prediction of the same quantity by another formula."""

    @rk.predict(unit=result.unit, kind="plain")
    def edited(value):
        return value

    value = float(result.seal.predicted) * factor * 1e9
    return edited.of(result.quantity, value=rk.given(value, "ns", "edited"))


def test_an_edit_that_is_taken_back_is_forgotten(folders, monkeypatch):
    machine_id(monkeypatch, folders, "a" * 32)
    rk.measure(predict_chain())
    name = current_session().run.name
    machine_id(monkeypatch, folders, "b" * 32)
    monkeypatch.setenv("RECKON_RUN", name)
    assert rk.measure(predict_chain(cycles=7000)).revisions == ["inputs revised: cycles"]
    assert rk.measure(predict_chain()).revisions == []
    assert rk.measure(predict_chain(cycles=8000)).revisions and rk.results()[0].revisions
    machine_id(monkeypatch, folders, "a" * 32)  # on its own machine it is written as usual
    assert rk.measure(predict_chain()).revisions == [] and not rk.results()[0].revisions


def test_listing_results_makes_no_run(folders):
    done = reckon("results")
    assert done.returncode == 2
    assert done.stderr == "reckon: This machine has no run yet; `make book` measures one.\n"
    assert not (folders / "runs").exists()


def test_a_machine_with_new_facts_is_written_and_keeps_its_id(folders, monkeypatch):
    first = current_session().run
    described = first.machine.with_facts("memory", {"channels": Fact(value=7)})
    monkeypatch.setattr("reckon.records.session.describe", lambda: described)
    forget()
    assert current_session().run.id == first.id and current_session().run.machine != first.machine
    assert records.read_run(first.name) == current_session().run


def test_what_another_process_wrote_into_the_run_outlives_an_update(folders, monkeypatch):
    """A process that updates the run's machine waits for another one that has just done so."""
    rk.measure(predict_chain())
    described = current_session().run.machine.with_facts("memory", {"channels": Fact(value=7)})
    monkeypatch.setattr("reckon.records.session.describe", lambda: described)
    writing = records.writing
    pooled = PooledVariance(variance=1e-4, degrees=3.0, quantities=9)

    @contextlib.contextmanager
    def after_another(name):
        monkeypatch.setattr(records, "writing", writing)
        current_session.cache_clear()
        other = current_session().run
        machine = other.machine.with_facts("nfs", {"kind": Fact(value="an export")})
        records.write_run(other.model_copy(update={"between_visits": pooled, "machine": machine}))
        with writing(name):
            yield

    monkeypatch.setattr(records, "writing", after_another)
    forget()
    run = current_session().run
    assert run.between_visits == pooled and records.read_run(run.name) == run
    assert run.machine.value("nfs.kind") == "an export"
    current_session.cache_clear()
    assert current_session().run.id == run.id


# --- the state of a machine -----------------------------------------------------------------------


def described_with(monkeypatch, **facts):
    """The machine with these facts from now on, by fields whose point is written as two _."""
    describe = description.describe

    def changed(*cpu):
        machine = describe(*cpu)
        for field, value in facts.items():
            section, key = field.split("__")
            machine = machine.with_facts(section, {key: Fact(value=value)})
        return machine

    monkeypatch.setattr("reckon.records.session.describe", changed)
    forget()
    return changed()


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("memory__huge_pages", "never", r"Transparent huge pages \(\w+, now never\)"),
        ("memory__reserved_huge_pages", 512, r"Reserved huge pages \(\d+, now 512\)"),
        ("memory__limit", 2**30, r"Limit for this process \(.*, now 1.00 GiB\)"),
        ("processor__time_limit", 1.5, r"CPUs' time for this process \(.*, now 1.50\)"),
        ("system__clocksource", "made-up", r"Clock source \(\S+, now made-up\)"),
    ],
)
def test_another_state_is_a_run_of_its_own_and_named(folders, monkeypatch, field, value, named):
    machine_id(monkeypatch, folders, "a" * 32)
    rk.measure(predict_chain())
    first = current_session().run
    described_with(monkeypatch, **{field: value})
    assert current_session().run.name != first.name and not current_session().is_replay
    assert not rk.results()
    monkeypatch.setenv("RECKON_RUN", first.name)
    forget()
    reason = current_session().read_only_reason
    assert re.search(f"recorded in another state of this machine: {named}$", reason)
    assert rk.measure(predict_chain()).has_samples, "what was measured in the former state"


def test_cpus_that_are_offline_are_no_other_machine(folders, monkeypatch):
    """Nor is what the kernel adds to the mitigations for siblings that are offline."""
    on = described_with(
        monkeypatch, system__mitigations="mds: Clear CPU buffers; SMT vulnerable; meltdown: PTI"
    )
    monkeypatch.undo()
    off = described_with(
        monkeypatch, system__mitigations="mds: Clear CPU buffers; SMT disabled; meltdown: PTI"
    )
    assert on != off and identity.configuration(on) == identity.configuration(off)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert description.describe().number("processor.threads") == len(
        list(Path("/sys/devices/system/cpu").glob("cpu[0-9]*"))
    )


def test_a_run_whose_cpu_may_not_be_used_is_only_read(folders, monkeypatch):
    two_cpus()
    rk.measure(predict_chain())
    run = current_session().run
    assert {process.cpu for process in rk.results()[0].points[0].processes} == {run.measured_cpu}
    others = os.sched_getaffinity(0) - {run.measured_cpu}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: others)
    forget()
    assert current_session().run.name == run.name, "no other machine"
    assert current_session().read_only_reason == (
        f"The run {run.name} measures CPU {run.measured_cpu}, which this process may not use now"
    )

"""Writes the run of a made-up machine: the recorded one, with the samples that its models make."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import math
import os
import shutil
import zlib
from datetime import timedelta
from pathlib import Path

import numpy as np
from helpers.project import RECORDED

from machines.machine import Machine, Model
from reckon import records, statistics, units
from reckon.computer.facts import Fact
from reckon.prediction.inputs import Input
from reckon.records.quantities.lookup import from_entry, read_result
from reckon.records.quantities.recorded_predictions import prediction_record, to_prediction
from reckon.records.quantities.result import Result
from reckon.records.run_files.models import (
    Measurement,
    Point,
    Process,
    Quantity,
    SamplesFile,
    Visit,
)
from reckon.records.run_files.sample_files import samples_path
from reckon.records.run_files.unit_conversion import summarise_points

RECORDED_RUN = RECORDED / "recorded"
BETWEEN_VISITS = timedelta(minutes=5)
# What 272 quantities of a standard run say of the variance between visits: 1.3 %.
POOLED = statistics.PooledVariance(
    variance=1.66e-4, degrees=8.0, quantities=272, slope=0.95, typical_spread=0.037
)
# What a record leaves out, because it is in the samples files.
_PROCESSES = {"quantities": {"__all__": {"measurement": {"points": {"__all__": {"processes"}}}}}}
# Of processes, relative: some of the recorded ones were few, and a neighbour disturbed them.
_MOST_SCATTER, _LEAST_SCATTER = 0.03, 0.0001
_MOST_DRIFT = 0.01


def write_run(machine: Machine, folder: Path) -> Path:
    """The run of that machine, written into a new folder of its name in this folder."""
    run = Path(shutil.copytree(RECORDED_RUN, folder / machine.name, copy_function=_link_samples))
    described = records.read_run(run)
    description = described.machine
    for name, value in machine.facts.items():
        section, key = name.split(".")
        description = description.with_facts(section, {key: Fact(value=value, source="made up")})
    update = {"machine": description, "name": machine.name, "between_visits": POOLED}
    records.write_whole(run / "run.json", described.model_copy(update=update).model_dump_json())
    changed = {*machine.facts}  # what predictions may be made from
    for experiment in _changed_experiments(machine):
        record = records.read_record(run, experiment)
        quantities = {
            name: _measured(machine, run, name, quantity)
            for name, quantity in record.quantities.items()
        }
        _store(run, record, quantities)
        changed |= {name for name in quantities if quantities[name] is not record.quantities[name]}
    for experiment in records.experiments(run):
        record = records.read_record(run, experiment, samples=False)
        quantities = {
            name: _predicted(machine, run, name, quantity, changed)
            for name, quantity in record.quantities.items()
        }
        _store(run, record, quantities)
    return run


def _link_samples(source: str, target: str) -> None:
    """Copies a record, and links one of 500 files of samples, which are replaced whole."""
    if source.endswith(".gz"):
        os.symlink(source, target)
    else:
        shutil.copy2(source, target)


def _changed_experiments(machine: Machine) -> set[str]:
    declared = {records.experiment_of(name) for name in [*machine.models, *machine.unsupported]}
    return declared | {page for page in machine.pages if (RECORDED_RUN / f"{page}.json").exists()}


def _store(run: Path, record: records.Record, quantities: dict[str, Quantity]) -> None:
    """Writes the record with these quantities, if any is changed."""
    if all(quantities[name] is quantity for name, quantity in record.quantities.items()):
        return
    stored = record.model_copy(update={"quantities": quantities})
    path = records.record_path(run, record.experiment)
    records.write_whole(path, stored.model_dump_json(exclude=_PROCESSES))


def models(machine: Machine, experiment: str, quantities: dict[str, Quantity]) -> dict[str, Model]:
    """The models of an experiment's quantities by name: those that are declared, and on the pages
    that are judged those of all single values, which a page may compare with them."""
    declared = {name: model for name, model in machine.models.items() if name in quantities}
    if experiment not in machine.pages:
        return declared
    single = [name for name, each in quantities.items() if _is_single(each)]
    return {name: Model() for name in single} | declared


def _is_single(quantity: Quantity) -> bool:
    """Whether it is one value that was timed."""
    measurement = quantity.measurement
    return bool(
        quantity.has_samples
        and not measurement.is_derived
        and len(measurement.points) == 1
        and measurement.points[0].x is None
        and quantity.seal.kind != "mean"
        and units.dimension(quantity.seal.unit) != units.dimension("byte")
    )


def _measured(machine: Machine, run: Path, name: str, quantity: Quantity) -> Quantity:
    """The quantity with the samples of its model, if it has one."""
    if name in machine.unsupported:
        missing = {"state": "unsupported", "reason": machine.unsupported[name], "points": []}
        measurement = quantity.measurement.model_copy(update={**missing, "visits": []})
        return quantity.model_copy(update={"measurement": measurement})
    model = models(machine, records.experiment_of(name), {name: quantity}).get(name)
    if model is None:
        return quantity
    random = np.random.default_rng(zlib.crc32(f"{machine.name} {name}".encode()))
    measurement = _with_visits(run, name, quantity, model, random)
    return quantity.model_copy(update={"measurement": measurement})


def _with_visits(
    run: Path, name: str, quantity: Quantity, model: Model, random: np.random.Generator
) -> Measurement:
    recorded = from_entry(name, quantity)
    visits, points = [], {}
    scatter = _scatter(recorded.process_medians(recorded.points[0]))
    spread = min(scatter, _MOST_DRIFT) if model.drift is None else model.drift
    for number in range(1, model.visits + 1):
        started_at = recorded.measurement.started_at + (number - 1) * BETWEEN_VISITS
        drift = math.exp(random.normal(0, spread))
        made = [
            point.model_copy(
                update={
                    "processes": _processes(recorded, point, value * drift, number, model, random)
                }
            )
            for point, value in _values(recorded, model)
        ]
        visits.append(_written(run, name, recorded.measurement, number, started_at, made))
        for point in made:
            points.setdefault(point.x, []).extend(_as_read(point.processes, number))
    measurement = recorded.measurement.model_copy(
        update={
            "visits": visits,
            "points": [
                point.model_copy(update={"processes": points[point.x], "summary": None})
                for point, _ in _values(recorded, model)
            ],
        }
    )
    return summarise_points(measurement, quantity.predictions[-1].unit, quantity.seal.kind)


def _values(recorded: Result, model: Model) -> list[tuple[Point, float]]:
    """The points that are measured on the made-up machine, each with its value in base units."""
    values = [
        (point, model.curve(point.x, summary.median))  # also of two groups, which have no one value
        for point, summary in zip(recorded.points, recorded.summaries, strict=True)
    ]
    return [(point, value) for point, value in values if value is not None]


def _processes(
    recorded: Result,
    point: Point,
    value: float,
    visit: int,
    model: Model,
    random: np.random.Generator,
) -> list[Process]:
    """The processes of one visit: the trials of recorded ones, moved so that their medians scatter
    around the value as theirs did around their own."""
    medians = recorded.process_medians(point)
    scatter = _scatter(medians)
    count = model.first_processes if visit == 1 and model.first_processes else model.processes
    is_slow = random.permutation(count) < round(model.slow_share * count)
    made = []
    for index in range(count):
        source = random.integers(len(medians))
        slower = model.slow if visit in model.slow_visits or is_slow[index] else 1.0
        target = value * math.exp(random.normal(0, scatter))
        target = target / slower if is_rate(recorded) else target * slower
        times = target / medians[source]
        made.append(_process(recorded, point.processes[source], times, slower, model))
    return made


def _scatter(medians: np.ndarray) -> float:
    """How far the processes' medians scatter, relative: as in a normal distribution of the same
    quartiles."""
    if len(medians) < 3 or np.min(medians) <= 0:
        return _LEAST_SCATTER
    quartiles = np.subtract(*np.percentile(np.log(medians), [75, 25]))
    return float(np.clip(quartiles / 1.349, _LEAST_SCATTER, _MOST_SCATTER))


def _process(
    recorded: Result, source: Process, times: float, slower: float, model: Model
) -> Process:
    """The process with its value multiplied, or with its clock slower by that factor."""
    update: dict = {"visit": 0}
    if model.slow_is_clock and slower != 1:
        for name in ("cycles_per_tick_before", "cycles_per_tick_after"):
            update[name] = getattr(source, name) / slower
    ticks = np.asarray(source.ticks, float) * (1 / times if is_rate(recorded) else times)
    step = max(model.step_s * recorded.measurement.tick_hz_of(source), 1.0)
    return source.model_copy(
        update=update | {"ticks": [round(step * round(tick / step)) for tick in ticks]}
    )


def is_rate(recorded: Result) -> bool:
    """Whether more time means a smaller value."""
    return units.dimension(recorded.unit)["[time]"] < 0 and recorded.measurement.op != "ns"


def _as_read(processes: list[Process], visit: int) -> list[Process]:
    after_s = (visit - 1) * BETWEEN_VISITS.total_seconds()
    return [
        process.model_copy(update={"visit": visit, "started_s": process.started_s + after_s})
        for process in processes
    ]


def _written(run, name, recorded: Measurement, number, started_at, points: list[Point]) -> Visit:
    """The visit whose samples have been written."""
    of_visit = {"points": points, "visits": [], "started_at": started_at}
    of_visit |= {"unit": None, "kind": None, "statistics": None}
    content = SamplesFile(
        quantity=name, visit=number, measurement=recorded.model_copy(update=of_visit)
    )
    data = gzip.compress(content.model_dump_json().encode(), compresslevel=1, mtime=0)
    records.write_whole(samples_path(run, name, number), data)
    return Visit(
        number=number,
        started_at=started_at,
        seconds=recorded.seconds,
        profile=recorded.profile,
        tick_hz=recorded.tick_hz,
        digest=hashlib.sha256(data).hexdigest(),
    )


def _predicted(
    machine: Machine, run: Path, name: str, quantity: Quantity, changed: set[str]
) -> Quantity:
    """The quantity with the prediction that this machine's pages make: from its own measurements
    and facts."""
    latest = quantity.predictions[-1]
    if not any(input_.reference in changed for input_ in latest.inputs):
        return quantity
    prediction = to_prediction(name, latest)
    inputs = {key: _input(machine, run, input_) for key, input_ in prediction.inputs.items()}
    sealed = prediction_record(dataclasses.replace(prediction, inputs=inputs))
    update = {"made_at": quantity.seal.made_at, "role": "seal"}
    return quantity.model_copy(update={"predictions": [sealed.model_copy(update=update)]})


def _input(machine: Machine, run: Path, input_: Input) -> Input:
    if input_.origin == "machine" and machine.facts.get(input_.reference) is not None:
        return dataclasses.replace(input_, value=float(machine.facts[input_.reference]))
    if input_.origin != "measured":
        return input_
    result = read_result(run, input_.reference)
    summary = result and (result.at_end if input_.at_end else result.summary)
    if not summary:
        return input_
    ends = summary.interval.ends if summary.interval.is_known else (None, None)
    return dataclasses.replace(input_, value=summary.median, low=ends[0], high=ends[1])

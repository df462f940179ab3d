"""`reckon probes` and `reckon probe`: what can be measured, and one probe without a prediction."""

from __future__ import annotations

import math
import time

from reckon import config, statistics, units
from reckon.cli.output import print_json
from reckon.computer import scratch
from reckon.config import ReckonError
from reckon.hosts import nfs
from reckon.measurement import library
from reckon.measurement.library import Needs
from reckon.records.values import sample_values
from reckon.text import did_you_mean
from reckon.units import number


def list_probes(arguments) -> int:
    """Prints the probes with their parameters; of one experiment if it is given."""
    every = library.probes().values()
    chosen = arguments.experiment
    probes = [probe for probe in every if chosen in (None, probe.experiment)]
    if not probes:
        experiments = sorted({probe.experiment for probe in every})
        hint = did_you_mean(chosen, experiments, f"there are {', '.join(experiments)}.")
        raise ReckonError(f"There is no experiment {chosen}: {hint}")
    if arguments.json:
        print_json([_probe_to_dict(probe) for probe in probes])
        return 0
    for probe in probes:
        reports = f"  [{', '.join(probe.reports)}]" if probe.reports else ""
        print(f"{probe.name}{reports}\n    times {probe.timed}; per {probe.op}")
        for parameter in probe.parameters:
            print(f"    {parameter.name}={parameter.default}: {parameter.help}")
    return 0


def _probe_to_dict(probe) -> dict:
    parameters = []
    for parameter in probe.parameters:
        entry = {"name": parameter.name, "default": parameter.default, "help": parameter.help}
        if not parameter.text:
            entry |= {"minimum": parameter.minimum, "maximum": parameter.maximum}
        parameters.append(entry)
    return {
        "name": probe.name,
        "op": probe.op,
        "timed": probe.timed,
        "reports": list(probe.reports),
        "parameters": parameters,
    }


# What a fresh process reports of itself, besides its samples.
_OF_A_PROCESS = (
    "cpu",
    "nice",
    "minor_faults",
    "major_faults",
    "voluntary_switches",
    "involuntary_switches",
    "migrations",
    "steal_ms",
)
# Samples are time per operation, but for probes that count in one of these.
_UNIT_OF_OP = {"ns": "Gtick/s", "cycle": "ns/cycle", "byte": "ns/byte"}


def run_probe(arguments) -> int:
    """Runs one probe and prints its samples and their summary."""
    params = _parameters(arguments.parameters)
    probe = library.probe(arguments.name)
    places = _start_server(probe, params)
    unit = _UNIT_OF_OP.get(probe.op, "ns")
    outcomes = []
    begin_s = time.monotonic()
    for place in range(arguments.processes):
        due_s = begin_s + place * arguments.span / arguments.processes
        time.sleep(max(0.0, due_s - time.monotonic()))
        outcomes.append(
            library.run(
                probe.name,
                params,
                places=places,
                samples=arguments.samples,
                cpu=arguments.cpu,
                priority=arguments.priority,
                deadline_s=arguments.deadline,
                isolated=not arguments.in_process,
            )
        )
    values = [
        units.from_base(sample_values(o.ticks, o.ops, probe.op, library.tick_hz(), unit), unit)
        for o in outcomes
    ]
    summary = statistics.summarise(values)
    conditions = {name: [getattr(one, name) for one in outcomes] for name in _OF_A_PROCESS}
    if arguments.json:
        description = {
            "probe": probe.name,
            "timed": probe.timed,
            "unit": f"ns/{probe.op}" if unit == "ns" else unit,
            "params": params,
        }
        print_json(description | _summary_to_dict(summary, values, conditions))
        return 0
    print(f"{probe.name}: {probe.timed}")
    _print_summary(f"ns/{probe.op}" if unit == "ns" else units.spoken(unit), summary, values)
    print(
        "during the measurement: "
        + ", ".join(_condition(*condition) for condition in conditions.items())
    )
    return 0


def _parameters(texts: list[str]) -> dict[str, int | str]:
    params: dict[str, int | str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ReckonError(f"{text!r} is not key=value; `reckon probes` lists the parameters.")
        params[key] = value
    return params


def _summary_to_dict(summary, values: list, conditions: dict) -> dict:
    def known(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {
        "median": summary.median,
        "low": known(summary.low),
        "high": known(summary.high),
        "mean": summary.mean,
        "sd": known(summary.sd),
        "n": summary.n,
        "processes": summary.processes,
        "warnings": list(summary.warnings),
        "happened": conditions,
        "samples": [one.tolist() for one in values],
    }


def _print_summary(unit: str, summary, values: list) -> None:
    for place, samples in enumerate(values, 1):
        print(f"process {place} [{unit}]: " + " ".join(f"{v:.6g}" for v in samples))
    if math.isnan(summary.low):
        few = statistics.PROCESSES_FOR_AN_INTERVAL
        interval = f"interval not known from fewer than {few} processes"
    else:
        interval = f"95 % interval {number(summary.low, 4)} to {number(summary.high, 4)}"
    print(f"median {number(summary.median, 4)} {unit}, {interval}")
    print(
        f"mean {number(summary.mean, 4)}, minimum {number(summary.minimum, 4)}, "
        f"99th percentile {number(summary.p99, 4)}, {summary.n} trials"
    )
    for warning in summary.warnings:
        print(f"note: {warning}")


def _condition(name: str, values: list[int]) -> str:
    """What the processes report of one kind, as its range."""
    label = name.replace("_", " ")
    if min(values) < max(values):
        return f"{label} {min(values)} to {max(values)}"
    return f"{label} not known" if values[0] == -1 else f"{label} {values[0]}"


def _start_server(probe, params: dict) -> dict[str, str]:
    """The places of the NFS server that the probe reads from, once it runs, and of its files.

    None are needed where the environment names a server."""
    if Needs.SERVER not in probe.needs or "nfs" in config.places():
        return {}
    values = probe.defaults | params
    try:
        files = scratch.prepare(1, int(values.get("file_bytes", 4096)))
        server = nfs.connect(values["server"], files[0].parent)
    except (nfs.NfsUnavailable, scratch.ScratchUnavailable) as error:
        raise ReckonError(str(error)) from None
    return {"files": str(files[0].parent)} | server.places

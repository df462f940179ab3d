"""`reckon probes` and `reckon probe`: what can be measured, and one probe without a prediction."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import click

from reckon import statistics, units
from reckon.cli.commands import SECONDS, command
from reckon.cli.output import fitting, print_json
from reckon.computer import scratch
from reckon.computer.locations import named_locations
from reckon.computer.measured_cpu import cpus_of_busy_cores, default_cpu
from reckon.errors import ReckonError
from reckon.hosts import nfs
from reckon.measurement import library
from reckon.measurement.library import ProcessSamples, RunOptions
from reckon.measurement.probe import DataFiles, Parameter, Probe
from reckon.messages import did_you_mean
from reckon.records.run_files.unit_conversion import sample_values
from reckon.show.sentences import warning_sentences
from reckon.units import number, number_and_interval

_AT_LEAST_1 = click.IntRange(min=1)


@command(
    "probes",
    "                           all probes",
    "memory                     those of a part of the book",
    "cpu/syscall --json         those of an experiment, as JSON",
)
@click.argument(
    "place", required=False, help="a part, an experiment or a probe, such as cpu/syscall"
)
def list_probes(*, place: str | None, as_json: bool) -> int:
    """List the probes, their parameters and what they time."""
    return _print_probes(place, as_json=as_json)


def _print_probes(place: str | None, *, as_json: bool) -> int:
    chosen = _probes_at(place)
    if as_json:
        print_json([_probe_to_dict(probe) for probe in chosen])
        return 0
    for probe in chosen:
        reports = f"  [{', '.join(probe.reports)}]" if probe.reports else ""
        lines = fitting(f"{probe.name}{reports}")
        lines += fitting(f"times {probe.timed}; per {probe.op}", first=4, others=6)
        for parameter in probe.parameters:
            text = f"{parameter.name}={parameter.default}: {parameter.help}"
            lines += fitting(text, first=4, others=6)
        print("\n".join(lines))
    return 0


def _probes_at(place: str | None) -> list[Probe]:
    """The probes of a part or an experiment, or the probe of that name. Raises ReckonError."""
    probes = list(library.probes().values())
    if place is None:
        return probes
    chosen = [probe for probe in probes if f"{probe.name}/".startswith(f"{place}/")]
    if not chosen:
        experiments = sorted({probe.experiment for probe in probes})
        parts = {name.partition("/")[0] for name in experiments}
        known = [*parts, *experiments, *(probe.name for probe in probes)]
        hint = did_you_mean(place, known, f"there are {', '.join(experiments)}.")
        raise ReckonError(f"There is no part, experiment or probe {place}; {hint}")
    return chosen


def _probe_to_dict(probe: Probe) -> dict:
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


@command(
    "probe",
    "cpu/syscall/getpid",
    "cpu/syscall/getpid --samples 5 calls=1e4",
    "memory/bandwidth/read size=64KiB --cpu 1   size_bytes; its unit may be left out",
)
@click.argument(
    "name", help="the probe, such as cpu/syscall/getpid; its experiment alone lists its probes"
)
@click.argument("parameters", nargs=-1, metavar="[name=value]...", help="its parameters")
@click.option(
    "--samples", type=_AT_LEAST_1, default=RunOptions.samples, help="Samples of each process."
)
@click.option("--processes", type=click.IntRange(1, 10**6), default=20, help="Fresh processes.")
@click.option(
    "--span",
    "span_s",
    type=SECONDS,
    default=1.0,
    metavar="SECONDS",
    help="Spread the processes over this time: disturbances come in bursts.",
)
@click.option("--cpu", type=int, help="The CPU to pin to; default: a fast, undisturbed one.")
@click.option(
    "--priority",
    type=click.Choice(list(library.PRIORITIES)),
    default=RunOptions.priority,
    help="Of the processes.",
)
@click.option(
    "--deadline",
    "deadline_s",
    default=60.0,
    metavar="SECONDS",
    help="Stop a process after this time.",
)
@click.option("--in-process", is_flag=True, help="No fresh process, no pinning.")
def run_probe(*, name: str, parameters: tuple[str, ...], as_json: bool, **options) -> int:
    """Run one probe and print its samples; of a folder of probes, list them."""
    if not parameters and any(each.startswith(f"{name}/") for each in library.probes()):
        return _print_probes(name, as_json=as_json)
    probe = library.probe(name)
    values_of_parameters = _parameters(probe, parameters)
    runs = _run_processes(probe, values_of_parameters, **options)
    unit = _UNIT_OF_OP.get(probe.op, "ns")
    values = [
        units.from_base(sample_values(run.ticks, run.ops, probe.op, library.tick_hz(), unit), unit)
        for run in runs
    ]
    summary = statistics.summarise(values)
    has_partner = any(run.partner_cpu >= 0 for run in runs)
    names = [*_OF_A_PROCESS, *(["partner_cpu", "partner_relation"] if has_partner else [])]
    conditions = {name: [getattr(run, name) for run in runs] for name in names}
    if as_json:
        description = {
            "probe": probe.name,
            "timed": probe.timed,
            "unit": f"ns/{probe.op}" if unit == "ns" else unit,
            "params": values_of_parameters,
        }
        print_json(description | _summary_to_dict(summary, values, conditions))
        return 0
    print(f"{probe.name}: {probe.timed}")
    _print_summary(f"ns/{probe.op}" if unit == "ns" else units.symbol(unit), summary, values)
    texts = [_condition(name, reports) for name, reports in conditions.items()]
    print(f"during the measurement: {', '.join(texts)}")
    return 0


def _run_processes(
    probe: Probe,
    parameters: dict,
    *,
    processes: int,
    span_s: float,
    cpu: int | None,
    in_process: bool,
    **options,
) -> list[ProcessSamples]:
    """The samples of the requested number of processes, which start at even distances."""
    locations = _start_server(probe, parameters)
    if cpu is None and not in_process:
        cpu = default_cpu(cpus_of_busy_cores())
    runs = []
    begin_s = time.monotonic()
    for index in range(processes):
        due_s = begin_s + index * span_s / processes
        time.sleep(max(0.0, due_s - time.monotonic()))
        isolated = not in_process
        runs.append(
            library.run(
                probe.name, parameters, locations=locations, cpu=cpu, isolated=isolated, **options
            )
        )
    return runs


# --- parameters -------------------------------------------------------------------------------


def _parameters(probe: Probe, texts: Iterable[str]) -> dict[str, int | str]:
    """The parameters that the texts "name=value" state. Raises ReckonError."""
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ReckonError(f"{text!r} is not name=value; {_takes(probe)}.")
        parameter = _parameter(probe, name)
        values[parameter.name] = value if parameter.text else _integer(parameter.name, value)
    return values


def _parameter(probe: Probe, name: str) -> Parameter:
    """The parameter of that name; the unit at its end may be left out. Raises ReckonError."""
    for parameter in probe.parameters:
        if name in (parameter.name, _without_unit(parameter.name)):
            return parameter
    known = [each for full in probe.defaults for each in (full, _without_unit(full))]
    hint = did_you_mean(name, known, f"{_takes(probe)}.")
    raise ReckonError(f"{probe.name} has no parameter {name}; {hint}")


def _without_unit(name: str) -> str:
    return name.rpartition("_")[0] if units.unit_of_parameter(name) else name


def _takes(probe: Probe) -> str:
    defaults = [f"{name}={value}" for name, value in probe.defaults.items()]
    return f"it takes {', '.join(defaults)}" if defaults else "it takes none"


def _integer(name: str, text: str) -> int | str:
    """The value that a text states, in the unit of the parameter: 65536 for "64KiB", in bytes.

    A text that is no amount stays as it is: the library says what the parameter takes. Raises
    ReckonError for another dimension and a fraction.
    """
    amount = units.number_and_unit(text)
    if amount is None or text.isdigit():
        return text
    number, stated_unit = amount
    unit = units.unit_of_parameter(name) or "1"
    if stated_unit and units.dimension(stated_unit) != units.dimension(unit):
        raise ReckonError(
            f"{name} is {units.dimension_name(units.dimension(unit))}, and {text} is none."
        )
    if stated_unit:
        number = units.from_base(units.to_base(number, stated_unit), unit)
    if not units.is_whole(number):
        raise ReckonError(f"{name} takes whole numbers, and {text} is none.")
    return round(number)


# --- what is printed --------------------------------------------------------------------------


def _summary_to_dict(summary, values: list, conditions: dict) -> dict:
    def known(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {
        "median": summary.median,
        "low": known(summary.interval.low),
        "high": known(summary.interval.high),
        "mean": summary.mean,
        "sd": known(summary.sd),
        "n": summary.n,
        "processes": summary.processes,
        "warnings": [warning_sentences.plain_note(warning) for warning in summary.warnings],
        "happened": conditions,
        "samples": [samples.tolist() for samples in values],
    }


def _print_summary(unit: str, summary, values: list) -> None:
    for number_of_process, samples in enumerate(values, 1):
        texts = [f"{value:.6g}" for value in samples]
        print(f"process {number_of_process} [{unit}]: {' '.join(texts)}")
    median, ends = number_and_interval(summary.median, *summary.interval.ends)
    interval = f"95 % interval {ends}"
    if not summary.interval.is_known:
        few = statistics.PROCESSES_FOR_AN_INTERVAL
        interval = f"interval not known from fewer than {few} processes"
    print(f"median {median} {unit}, {interval}")
    print(
        f"mean {number(summary.mean, 4)}, minimum {number(summary.minimum, 4)}, "
        f"99th percentile {number(summary.p99, 4)}, {summary.n} samples"
    )
    for warning in summary.warnings:
        print(f"note: {warning_sentences.plain_note(warning)}")


def _condition(name: str, values: list[int]) -> str:
    """What the processes report of one kind, as its range."""
    label = name.replace("_", " ")
    if min(values) < max(values):
        return f"{label} {min(values)} to {max(values)}"
    return f"{label} not known" if values[0] == -1 else f"{label} {values[0]}"


def _start_server(probe: Probe, parameters: dict) -> dict[str, str]:
    """The locations of the NFS server that the probe reads from, once it runs, and of its files.

    None are needed where the environment names a server."""
    server = probe.server(parameters)
    if server is None or "nfs" in named_locations():
        return {}
    files = probe.files(parameters) or DataFiles(1, scratch.SMALLEST_FILE_BYTES)
    folder = scratch.prepare_files(1, files.bytes_each)[0].parent
    return {"files": str(folder)} | nfs.connect(server, folder).locations

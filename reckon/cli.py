"""The command line: `reckon COMMAND`. A user's mistake is one sentence and status 2."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from reckon.config import PROFILES, ReckonError

_EXAMPLES = """\
examples:
  reckon doctor                       is this machine fit to be measured?
  reckon probe cpu/syscall/getpid     run one probe, without a prediction
  reckon measure cpu/syscall          measure one experiment
  reckon build --html                 execute the notebooks and make the site
  reckon results cpu/syscall --json   what was predicted and measured
  reckon compare before after         what a kernel upgrade changed
  reckon verify before                was anything changed after it was written?
"""
_RUN_HELP = "a run: its name, or its folder with a / in it"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reckon",
        description="Predict what this computer should do, then measure it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = importlib.metadata.version("reckon")
    parser.add_argument("--version", action="version", version=f"reckon {version}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Callable, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        return added

    _add_json(command("probes", _probes, "list the probes, their parameters and what they time"))
    _add_probe(command("probe", _probe, "run one probe and print its samples"))
    _add_json(command("doctor", _doctor, "say whether this machine is fit to be measured"))

    measure = command("measure", _measure, "measure one experiment again, without making the book")
    measure.add_argument("experiment", help="such as cpu/syscall")
    _add_run_options(measure)

    build = command("build", _build, "execute the notebooks and make the site and the PDF")
    build.add_argument("--html", action="store_true", help="make the site alone")
    build.add_argument("--pdf", action="store_true", help="make the PDF alone")
    build.add_argument("--fresh", action="store_true", help="measure again what is recorded")
    _add_run_options(build)

    results = command("results", _results, "print every quantity of a run")
    results.add_argument("experiment", nargs="?", help="such as cpu/syscall; default: all")
    results.add_argument("--run", metavar="NAME", help=f"{_RUN_HELP}; default: this machine's")
    _add_json(results)

    verify = command("verify", _verify, "check a run's chains of hashes, samples and summaries")
    verify.add_argument(
        "run", metavar="RUN", nargs="?", help=f"{_RUN_HELP}; default: this machine's"
    )
    verify.add_argument("--root", metavar="HASH", help="the root hash that the run had")
    _add_compare(
        command(
            "compare",
            _compare,
            "print what changed between two runs, as after a kernel upgrade; without runs, "
            "list them",
        )
    )
    reports = command("reports", _reports, "check a report's file, and run its derivations again")
    reports.add_argument("name", help="the file's name in book/reports")
    return parser


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", choices=list(PROFILES), help="how long to measure")
    parser.add_argument("--run", metavar="NAME", help="the run to work on; default: this machine's")


def _add_probe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the probe, such as cpu/syscall/getpid")
    parser.add_argument("parameters", nargs="*", metavar="key=value", help="its parameters")
    parser.add_argument("--samples", type=_positive, default=20, help="trials in each process (20)")
    parser.add_argument("--processes", type=_positive, default=20, help="fresh processes (20)")
    parser.add_argument(
        "--span",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="spread the processes over this time: disturbances come in bursts (1)",
    )
    parser.add_argument("--cpu", type=int, help="the CPU to pin to; default: the fastest")
    parser.add_argument("--priority", choices=["none", "nice", "rr"], default="nice")
    parser.add_argument("--deadline", type=float, default=60.0, metavar="SECONDS", help="(60)")
    parser.add_argument("--in-process", action="store_true", help="no fresh process, no pinning")
    _add_json(parser)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", nargs="?", help=_RUN_HELP)
    parser.add_argument("b", metavar="B", nargs="?", help="the run that is compared with it")
    parser.add_argument(
        "--control", metavar="RUN", help="a second run of A's machine: B has to differ from both"
    )
    parser.add_argument(
        "--least",
        type=_percent,
        metavar="PERCENT",
        help="the smallest change that is reported (5)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="list quantities too that did not change or could not be compared",
    )
    _add_json(parser)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _percent(text: str) -> float:
    try:
        value = float(text.rstrip(" %"))
    except ValueError:
        value = -1.0
    if not 0 <= value < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage between 0 and 1000")
    return value


def _probes(arguments) -> int:
    from reckon.measurement import library

    probes = library.probes().values()
    if arguments.json:
        print(json.dumps([_probe_to_dict(probe) for probe in probes], indent=1))
        return 0
    for probe in probes:
        reports = f"  [{', '.join(probe.reports)}]" if probe.reports else ""
        print(f"{probe.name}{reports}\n    times {probe.timed}; per {probe.op}")
        for parameter in probe.parameters:
            print(f"    {parameter.name}={parameter.preset}: {parameter.help}")
    return 0


def _probe_to_dict(probe) -> dict:
    parameters = []
    for parameter in probe.parameters:
        entry = {"name": parameter.name, "default": parameter.preset, "help": parameter.help}
        if not parameter.text:
            entry |= {"least": parameter.least, "most": parameter.most}
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


def _probe(arguments) -> int:
    from reckon import statistics, units
    from reckon.measurement import library
    from reckon.records.values import sample_values

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
        print(json.dumps(description | _summary_to_dict(summary, values, conditions)))
        return 0
    print(f"{probe.name}: {probe.timed}")
    _print_summary(f"ns/{probe.op}" if unit == "ns" else units.spoken(unit), summary, values)
    print("meanwhile: " + ", ".join(_condition(*condition) for condition in conditions.items()))
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
    from reckon import statistics
    from reckon.units import number

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
    from reckon import config
    from reckon.computer import scratch
    from reckon.hosts import nfs
    from reckon.measurement.library import Needs

    if Needs.SERVER not in probe.needs or "nfs" in config.places():
        return {}
    settings = {one.name: one.preset for one in probe.parameters} | params
    try:
        files = scratch.prepare(1, int(settings.get("file_bytes", 4096)))
        server = nfs.connect(settings["server"], files[0].parent)
    except (nfs.NfsUnavailable, scratch.ScratchUnavailable) as error:
        raise ReckonError(str(error)) from None
    return {"files": str(files[0].parent)} | server.places


def _requested_run(arguments) -> str | Path:
    """The requested run, by name or as a folder. Raises ReckonError if there is none."""
    from reckon import records
    from reckon.records.session import requested_run

    if arguments.run:
        folder = records.find(arguments.run)
        return folder if "/" in arguments.run else arguments.run
    return requested_run()


def _results(arguments) -> int:
    from reckon import records
    from reckon.records.result import all_results, to_row

    run = _requested_run(arguments)
    states = _last_states(run)
    rows = []
    for result in all_results(run, arguments.experiment):
        state, reason = states.get(result.quantity, (result.state, result.reason))
        rows.append(
            {**to_row(result, state), "reason": result.attempt_note or reason or result.reason}
        )
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return 0
    if not rows:
        print(f"The run {run} in {records.run_dir(run)} holds no quantity yet.")
    for row in rows:
        predicted, measured = _predicted_and_measured(row)
        print(
            f"{row['quantity']:42} {row['state']:11} predicted {predicted:>16}  measured {measured}"
        )
    return 0


def _last_states(run: str | Path) -> dict[str, list]:
    """What the last build did with each quantity, if it worked on this run."""
    from reckon import config, records

    path = config.settings().build_dir / "last.json"
    if not path.exists():
        return {}
    last = json.loads(path.read_text(encoding="utf-8"))
    return last["states"] if records.run_dir(last["run"]) == records.run_dir(run) else {}


def _predicted_and_measured(row: dict) -> tuple[str, str]:
    """A line's two figures: of a curve its ends, of a single measured quantity its interval."""
    from reckon import units

    unit = units.spoken(row["unit"])

    def number(value: float | None) -> str:
        return "–" if value is None else units.number(value)

    def ends(values: list) -> str:
        return f"{number(values[0])} to {number(values[-1])} {unit}"

    is_curve = isinstance(row["predicted"], list)
    predicted = ends(row["predicted"]) if is_curve else f"{number(row['predicted'])} {unit}"
    if row["median"] is None:
        return predicted, row["reason"]
    note = f"; {row['reason']}" if row["reason"] else ""
    if is_curve:
        return predicted, ends(row["median"]) + note
    interval = f"{number(row['low'])} to {number(row['high'])}"
    return predicted, f"{number(row['median'])} ({interval}) {unit}{note}"


def _verify(arguments) -> int:
    from reckon.records import verify

    run = _requested_run(arguments)
    faults = verify.faults(run)
    root = verify.root_hash(run)
    if arguments.root and arguments.root != root:
        faults.append(f"its root hash is {root or 'not known'}, not {arguments.root}")
    for fault in faults:
        print(fault, file=sys.stderr)
    if root:
        print(f"Root hash: {root}")
        if not faults:
            print("Nothing was changed after it was written.")
    else:
        print(f"The run {run} was recorded before hashes were chained.")
    return 1 if faults else 0


def _compare(arguments) -> int:
    from reckon.comparison.two_runs import LEAST, compare
    from reckon.presentation import changes

    if not (arguments.a or arguments.b or arguments.control):
        return _list_runs(arguments)
    if not (arguments.a and arguments.b):
        raise ReckonError("A comparison takes two runs, A and B; `reckon compare` lists the runs.")
    least = LEAST if arguments.least is None else arguments.least / 100
    comparison = compare(arguments.a, arguments.b, arguments.control, least)
    if arguments.json:
        print(json.dumps(changes.to_dict(comparison), indent=1))
    else:
        print(changes.text(comparison, every=arguments.all))
    return 0


def _list_runs(arguments) -> int:
    from reckon.presentation import changes

    runs, unreadable = changes.runs()
    print(json.dumps(runs, indent=1) if arguments.json else changes.runs_text(runs))
    for reason in unreadable:
        print(reason, file=sys.stderr)
    return 0


def _reports(arguments) -> int:
    from reckon.reports import derivations, published

    report = published.read(published.FOLDER / f"{arguments.name}.toml")
    for place, numbers in report.numbers().items():
        print(f"{place}: {len(numbers)} numbers")
    faults = [f"{arguments.name}.toml: {fault}" for fault in report.faults()]
    for derivation in report.derivation:
        print(f"{derivation.what} ({derivation.place}), {derivation.reading}, in {derivation.unit}")
        try:
            for again in derivations.recomputed(report, derivation):
                agreement = "follows" if again.follows else f"{again.ratio:.3f} of it"
                print(
                    f"  {again.side:9} {again.at:9} published {again.published:<10g} recomputed "
                    f"{again.recomputed:<10.5g} {agreement}"
                )
        except ReckonError as error:
            faults.append(str(error))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _doctor(arguments) -> int:
    from reckon.computer import fitness

    checks = fitness.check_all()
    if arguments.json:
        print(json.dumps([check.to_dict() for check in checks], indent=1))
        return 0
    sign = {"pass": "pass   ", "warn": "WARNING", "unknown": "unknown"}
    for check in checks:
        print(f"{sign[check.state]}  {check.name}: {check.found}")
        if check.advice and check.state != "pass":
            print(f"         {check.advice}")
    return 0


def _print_outcome(outcome, run: str) -> None:
    """Prints what was measured, reused, skipped and why; `reckon results` reads it later."""
    from reckon import config, records

    last = config.settings().build_dir / "last.json"
    records.write_whole(last, json.dumps({"run": run, "states": outcome.states}, indent=1) + "\n")
    by_state: dict[str, list[str]] = {}
    for quantity, (state, _) in outcome.states.items():
        by_state.setdefault(state, []).append(quantity)
    counts = [f"{len(names)} {state}" for state, names in sorted(by_state.items())]
    if counts:
        print(f"Quantities: {', '.join(counts)}.")
    for state in ("unsupported", "failed"):
        for quantity in by_state.get(state, []):
            print(f"  {quantity} {state}: {outcome.states[quantity][1]}")


def _exit_status(outcome) -> int:
    """1 if a page or a quantity failed; names the pages."""
    for page, error in outcome.failed.items():
        print(f"Failed: notebooks/{page}.ipynb, {error}", file=sys.stderr)
    return 1 if outcome.failed or "failed" in {s for s, _ in outcome.states.values()} else 0


def _building():
    """Holds the lock on what is generated: two builds would write the same files."""
    from reckon import config
    from reckon.records.locks import lock

    return lock(config.settings().build_dir / ".building", "builds the book")


def _measure(arguments) -> int:
    from reckon import config
    from reckon.book import contents
    from reckon.book.execute import execute
    from reckon.records.session import session

    config.use(
        config.settings().with_choices(profile=arguments.profile, run=arguments.run, fresh=True)
    )
    page = contents.find(arguments.experiment)
    with _building():
        outcome = execute([page])
    _print_outcome(outcome, session().run.name)
    return _exit_status(outcome)


def _build(arguments) -> int:
    from reckon import config

    fresh = arguments.fresh or None
    config.use(
        config.settings().with_choices(profile=arguments.profile, run=arguments.run, fresh=fresh)
    )
    with _building():
        return _build_alone(arguments)


def _build_alone(arguments) -> int:
    from reckon import records
    from reckon.book import contents, sphinx
    from reckon.book.execute import execute
    from reckon.book.stage import stage
    from reckon.records import verify
    from reckon.records.session import session

    want_html = arguments.html or not arguments.pdf
    want_pdf = arguments.pdf or not arguments.html
    run = session()
    if run.replay:
        print(
            f"The run {run.run.name} was recorded on another machine or kernel: it is read, and "
            "nothing is measured."
        )
    outcome = execute(contents.notebooks())
    make_pdf = want_pdf and sphinx.have_tex()
    staged = stage(pdf_link=make_pdf or sphinx.pdf_path().exists())
    fresh_html = want_html and sphinx.html(staged)
    fresh_pdf = make_pdf and sphinx.pdf(staged)
    print(
        f"Pages: {len(outcome.executed)} executed, "
        f"{len(contents.notebooks()) - len(outcome.executed)} unchanged."
    )
    _print_outcome(outcome, run.run.name)
    print(f"Records: {records.run_dir(run.run.name)}")
    if root := verify.root_hash(run.run.name):
        print(f"Root hash: {root} (`reckon verify` checks the run)")
    if want_html:
        print(f"Site: {sphinx.site_dir() / 'index.html'}{'' if fresh_html else ' (unchanged)'}")
    if make_pdf:
        print(f"PDF:  {sphinx.pdf_path()}{'' if fresh_pdf else ' (unchanged)'}")
    elif want_pdf:
        print(sphinx.TEX_HINT)
    return _exit_status(outcome)


def main(argv: list[str] | None = None) -> int:
    """The exit status: 0, 1 if something failed, 2 for a user's mistake, 130 after Ctrl-C."""
    arguments = _parser().parse_args(argv)
    try:
        from reckon.measurement.compilation import compile_library

        compile_library()
        return arguments.function(arguments)
    except ReckonError as error:
        print(f"reckon: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\nStopped; complete records are kept, and the next run goes on from there.",
            file=sys.stderr,
        )
        return 130
    except BrokenPipeError:  # `reckon probes | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0

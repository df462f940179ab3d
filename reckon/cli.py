"""The command line: python -m reckon COMMAND. A user's mistake is one sentence and status 2."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from reckon.config import PROFILES, ReckonError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reckon", description="Predict what this computer should do, then measure it."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, function, text: str, json_too: bool = False):
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(function=function)
        if json_too:
            one.add_argument("--json", action="store_true", help="print JSON")
        return one

    def run_options(one):
        one.add_argument("--profile", choices=list(PROFILES), help="how long to measure")
        one.add_argument(
            "--run", metavar="NAME", help="the run to work on; default: this machine's"
        )

    command(
        "probes", _probes, "list the C library's rows, their parameters and what is timed", True
    )

    one = command("probe", _probe, "run one row of the C library and print its samples", True)
    one.add_argument("name", help="the row, such as cpu/syscall/getpid")
    one.add_argument("parameters", nargs="*", metavar="key=value", help="the row's parameters")
    one.add_argument("--samples", type=_positive, default=20, help="trials in each process (20)")
    one.add_argument("--processes", type=_positive, default=6, help="fresh processes (6)")
    one.add_argument("--cpu", type=int, help="the CPU to pin to; default: the last one allowed")
    one.add_argument("--priority", choices=["none", "nice", "rr"], default="nice")
    one.add_argument("--deadline", type=float, default=60.0, metavar="SECONDS", help="(60)")
    one.add_argument("--in-process", action="store_true", help="no fresh process, no pinning")

    one = command("results", _results, "print every quantity of a run", True)
    one.add_argument("experiment", nargs="?", help="such as cpu/syscall; default: all")
    one.add_argument(
        "--run",
        metavar="NAME",
        help="the run to read, or its folder with a / in it; default: this machine's",
    )

    one = command(
        "compare",
        _compare,
        "print what changed between two runs, as after a kernel upgrade; without runs, list them",
        True,
    )
    one.add_argument(
        "a", metavar="A", nargs="?", help="a run: its name, or its folder with a / in it"
    )
    one.add_argument("b", metavar="B", nargs="?", help="the run that is held against it")
    one.add_argument(
        "--control", metavar="RUN", help="a second run of A's machine: B has to differ from both"
    )
    one.add_argument(
        "--least",
        type=_percent,
        default=5.0,
        metavar="PERCENT",
        help="least effect worth naming (5)",
    )
    one.add_argument(
        "--all", action="store_true", help="list what did not change and what was not judged too"
    )

    one = command("reports", _reports, "check a report's file, and run its derivations again")
    one.add_argument("name", help="the file's name in book/reports, such as t470")

    command("doctor", _doctor, "say whether this machine is fit to be measured", True)

    one = command("measure", _measure, "measure one experiment afresh, without building the book")
    one.add_argument("experiment", help="such as cpu/syscall")
    run_options(one)

    one = command("build", _build, "execute the notebooks and make the site and the PDF")
    one.add_argument("--html", action="store_true", help="make the site")
    one.add_argument("--pdf", action="store_true", help="make the PDF")
    one.add_argument("--fresh", action="store_true", help="measure again what is recorded")
    run_options(one)
    return parser


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

    rows = [
        {
            "name": one.name,
            "op": one.op,
            "timed": one.timed,
            "reports": list(one.reports),
            "parameters": [
                {
                    "name": p.name,
                    "default": p.preset,
                    "help": p.help,
                    **({} if p.text else {"least": p.least, "most": p.most}),
                }
                for p in one.parameters
            ],
        }
        for one in library.probes().values()
    ]
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        by = f"  [{', '.join(row['reports'])}]" if row["reports"] else ""
        print(f"{row['name']}{by}\n    times {row['timed']}; per {row['op']}")
        for p in row["parameters"]:
            print(f"    {p['name']}={p['default']}: {p['help']}")
    return 0


def _probe(arguments) -> int:
    from reckon import statistics, units
    from reckon.measurement import library
    from reckon.records.result import sample_values

    params = {}
    for text in arguments.parameters:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ReckonError(f"{text!r} is not key=value; `reckon probes` lists the parameters.")
        params[key] = value
    row = library.probe(arguments.name)
    _serve(row, params)
    # Time per operation; a row that counts nanoseconds tells ticks per second instead.
    unit = {"ns": "Gtick/s", "cycle": "ns/cycle", "byte": "ns/byte"}.get(row.op, "ns")
    found, values = [], []
    for _ in range(arguments.processes):
        one = library.run(
            row.name,
            params,
            samples=arguments.samples,
            cpu=arguments.cpu,
            priority=arguments.priority,
            deadline_s=arguments.deadline,
            isolated=not arguments.in_process,
        )
        found.append(one)
        base = sample_values(one.ticks, one.ops, row.op, library.tick_hz(), unit)
        values.append(units.from_base(base, unit))
    summary = statistics.summarise(values)
    happened = {
        name: [getattr(one, name) for one in found]
        for name in (
            "cpu",
            "nice",
            "minor_faults",
            "major_faults",
            "voluntary_switches",
            "involuntary_switches",
            "migrations",
            "steal_ms",
        )
    }
    if arguments.json:
        finite = lambda v: v if v == v else None  # noqa: E731
        print(
            json.dumps(
                {
                    "probe": row.name,
                    "timed": row.timed,
                    "unit": f"{unit}" if unit != "ns" else f"ns/{row.op}",
                    "params": params,
                    "median": summary.median,
                    "low": finite(summary.low),
                    "high": finite(summary.high),
                    "mean": summary.mean,
                    "sd": finite(summary.sd),
                    "n": summary.n,
                    "processes": summary.processes,
                    "warnings": list(summary.warnings),
                    "happened": happened,
                    "samples": [one.tolist() for one in values],
                }
            )
        )
        return 0
    spoken = units.spoken(unit) if unit != "ns" else f"ns/{row.op}"
    print(f"{row.name}: {row.timed}")
    for number, one in enumerate(values):
        print(f"process {number + 1} [{spoken}]: " + " ".join(f"{v:.6g}" for v in one))
    interval = (
        f"95 % interval {units.number(summary.low, 4)} to {units.number(summary.high, 4)}"
        if summary.low == summary.low
        else f"interval not known from fewer than {statistics.PROCESSES_FOR_AN_INTERVAL} processes"
    )
    print(f"median {units.number(summary.median, 4)} {spoken}, {interval}")
    print(
        f"mean {units.number(summary.mean, 4)}, minimum {units.number(summary.minimum, 4)}, "
        f"99th percentile {units.number(summary.p99, 4)}, {summary.n} trials"
    )
    for warning in summary.warnings:
        print(f"note: {warning}")
    print(
        "meanwhile: "
        + ", ".join(
            f"{name.replace('_', ' ')} {_told(values_)}" for name, values_ in happened.items()
        )
    )
    return 0


def _serve(row, params: dict) -> None:
    """The NFS server that the row reads from, unless the environment already names one."""
    from reckon.computer import scratch
    from reckon.hosts import nfs

    wanted = {one.name: one.preset for one in row.parameters} | params
    if "server" not in wanted or "RECKON_NFS_AT" in os.environ:
        return
    try:
        files = scratch.prepare(1, int(wanted.get("file_bytes", 4096)))
        nfs.chosen(wanted["server"], files[0].parent)
    except (nfs.NfsCannot, scratch.ScratchCannot) as error:
        raise ReckonError(str(error)) from None


def _told(values: list[int]) -> str:
    if min(values) == max(values):
        return "not known" if values[0] == -1 else str(values[0])
    return f"{min(values)} to {max(values)}"


def _run_asked(arguments) -> str | Path:
    """The run asked for, by name or as a folder; it must exist."""
    from reckon import records
    from reckon.records.session import session

    if arguments.run:
        folder = records.find(arguments.run)
        return folder if "/" in arguments.run else arguments.run
    return session().run.name


def _results(arguments) -> int:
    from reckon import config, records, units
    from reckon.records.result import all_results, to_row

    name = _run_asked(arguments)
    states = {}
    last = config.build_dir() / "last.json"
    if last.exists():
        data = json.loads(last.read_text(encoding="utf-8"))
        states = data["states"] if records.run_dir(data["run"]) == records.run_dir(name) else {}
    rows = []
    for one in all_results(name, arguments.experiment):
        state, reason = states.get(one.quantity, (one.state, one.reason))
        rows.append({**to_row(one, state), "reason": reason or one.reason})
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return 0
    if not rows:
        print(f"The run {name} in {records.run_dir(name)} holds no quantity yet.")
    for row in rows:
        unit = units.spoken(row["unit"])
        curve = isinstance(row["predicted"], list)
        told = lambda v: "–" if v is None else units.number(v)  # noqa: E731
        ends = lambda values: f"{told(values[0])} to {told(values[-1])} {unit}"  # noqa: E731, B023
        if row["median"] is None:
            text = row["reason"]
        elif curve:
            text = ends(row["median"])
        else:
            text = f"{told(row['median'])} ({told(row['low'])} to {told(row['high'])}) {unit}"
        predicted = ends(row["predicted"]) if curve else f"{told(row['predicted'])} {unit}"
        print(f"{row['quantity']:42} {row['state']:9} predicted {predicted:>16}  measured {text}")
    return 0


def _compare(arguments) -> int:
    from reckon.comparison.two_runs import compare
    from reckon.presentation import changes

    if not (arguments.a or arguments.b or arguments.control):
        return _list_runs(arguments.json)
    if not (arguments.a and arguments.b):
        raise ReckonError(
            "It takes two runs, A and B, to compare them; `reckon compare` lists those that there are."
        )
    found = compare(arguments.a, arguments.b, arguments.control, arguments.least / 100)
    if arguments.json:
        print(json.dumps(changes.to_dict(found), indent=1))
    else:
        print(changes.text(found, arguments.all))
    return 0


def _list_runs(as_json: bool) -> int:
    from reckon.presentation import changes

    found, troubles = changes.runs()
    print(json.dumps(found, indent=1) if as_json else changes.runs_text(found))
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 0


def _reports(arguments) -> int:
    from reckon.reports import derivations, published

    found = published.read(published.FOLDER / f"{arguments.name}.toml")
    for place, numbers in found.numbers().items():
        print(f"{place}: {len(numbers)} numbers")
    faults = [f"{arguments.name}.toml: {fault}" for fault in found.faults()]
    for one in found.derivation:
        print(f"{one.what} ({one.place}), {one.reading}, in {one.unit}")
        try:
            for again in derivations.recomputed(found, one):
                print(
                    f"  {again.side:9} {again.at:9} published {again.published:<10g} recomputed "
                    f"{again.recomputed:<10.5g} {'follows' if again.follows else f'{again.ratio:.3f} of it'}"
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


def _set(arguments) -> None:
    """The command line's options are the environment's: the notebooks' kernels inherit it."""
    from reckon import config

    if arguments.profile:
        os.environ["RECKON_PROFILE"] = arguments.profile
    if arguments.run:
        os.environ["RECKON_RUN"] = arguments.run
    config.profile()


def _report(outcome, run: str) -> None:
    """What was measured, reused, skipped and why; and for `results`, what became of each."""
    from reckon import config, records

    last = config.build_dir() / "last.json"
    records.write_whole(last, json.dumps({"run": run, "states": outcome.states}, indent=1) + "\n")
    by_state: dict[str, list[str]] = {}
    for quantity, (state, _) in outcome.states.items():
        by_state.setdefault(state, []).append(quantity)
    if by_state:
        print(
            "Quantities: " + ", ".join(f"{len(v)} {k}" for k, v in sorted(by_state.items())) + "."
        )
    for state in ("cannot", "failed"):
        for quantity in by_state.get(state, []):
            print(f"  {quantity} {state}: {outcome.states[quantity][1]}")


def _failed(outcome) -> int:
    for page, error in outcome.failed.items():
        print(f"Failed: notebooks/{page}.ipynb, {error}", file=sys.stderr)
    return 1 if outcome.failed or "failed" in {s for s, _ in outcome.states.values()} else 0


def _measure(arguments) -> int:
    from reckon.book import execution
    from reckon.records.session import session

    _set(arguments)
    os.environ["RECKON_FRESH"] = "1"
    page = execution.find(arguments.experiment)
    outcome = execution.execute([page])
    _report(outcome, session().run.name)
    return _failed(outcome)


def _build(arguments) -> int:
    from reckon import records
    from reckon.book import build, execution
    from reckon.records.session import session

    _set(arguments)
    if arguments.fresh:
        os.environ["RECKON_FRESH"] = "1"
    both = arguments.html == arguments.pdf
    want_html, want_pdf = both or arguments.html, both or arguments.pdf
    run = session()
    if run.replay:
        print(
            f"The run {run.run.name} was recorded on another machine or kernel: it is read, and "
            "nothing is measured."
        )
    outcome = execution.execute(execution.notebooks())
    make_pdf = want_pdf and build.have_tex()
    base = build.stage(with_pdf=make_pdf or build.pdf_path().exists())
    fresh_html = want_html and build.html(base)
    fresh_pdf = make_pdf and build.pdf(base)
    print(
        f"Pages: {len(outcome.executed)} executed, "
        f"{len(execution.notebooks()) - len(outcome.executed)} unchanged."
    )
    _report(outcome, run.run.name)
    print(f"Records: {records.run_dir(run.run.name)}")
    if want_html:
        print(f"Site: {build.site_dir() / 'index.html'}{'' if fresh_html else ' (unchanged)'}")
    if make_pdf:
        print(f"PDF:  {build.pdf_path()}{'' if fresh_pdf else ' (unchanged)'}")
    elif want_pdf:
        print(build.TEX_HINT)
    return _failed(outcome)


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
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

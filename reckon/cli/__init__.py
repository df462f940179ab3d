"""The command line: `reckon COMMAND`. A user's mistake is one sentence and status 2."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from reckon.cli import book, checks, compare, probes, runs, what_if
from reckon.config import PROFILES, ReckonError
from reckon.measurement.compilation import compile_library

_EXAMPLES = """\
examples:
  reckon doctor                       is this machine fit to be measured?
  reckon probe cpu/syscall/getpid     run one probe, without a prediction
  reckon measure cpu/syscall          measure one experiment
  reckon build --html                 execute the notebooks and make the site
  reckon results cpu/syscall --json   what was predicted and measured
  reckon predict cpu/syscall/getpid kernel_path="550 cycle"
                                      what would it be with another input?
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

    listing = command(
        "probes", probes.list_probes, "list the probes, their parameters and what they time"
    )
    _add_experiment(listing)
    _add_json(listing)
    _add_probe(command("probe", probes.run_probe, "run one probe and print its samples"))
    _add_json(command("doctor", checks.doctor, "say whether this machine is fit to be measured"))

    measure = command(
        "measure", book.measure, "measure one experiment again, without making the book"
    )
    measure.add_argument("experiment", help="such as cpu/syscall")
    _add_run_options(measure)

    build = command("build", book.build, "execute the notebooks and make the site and the PDF")
    build.add_argument("--html", action="store_true", help="make the site alone")
    build.add_argument("--pdf", action="store_true", help="make the PDF alone")
    build.add_argument("--fresh", action="store_true", help="measure again what is recorded")
    _add_run_options(build)

    results = command("results", runs.results, "print every quantity of a run")
    _add_experiment(results)
    results.add_argument("--run", metavar="NAME", help=f"{_RUN_HELP}; default: this machine's")
    _add_json(results)

    _add_predict(
        command(
            "predict",
            what_if.predict,
            "print a recorded prediction with other inputs, and what each guess would have to be",
        )
    )

    verify = command("verify", runs.verify, "check a run's chains of hashes, samples and summaries")
    verify.add_argument(
        "run", metavar="RUN", nargs="?", help=f"{_RUN_HELP}; default: this machine's"
    )
    verify.add_argument("--root", metavar="HASH", help="the root hash that the run had")
    _add_compare(
        command(
            "compare",
            compare.compare,
            "print what changed between two runs, as after a kernel upgrade; without runs, "
            "list them",
        )
    )
    reports = command(
        "reports", checks.reports, "check a report's file, and run its derivations again"
    )
    reports.add_argument("name", help="the file's name in book/reports")
    return parser


def _add_experiment(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", nargs="?", help="such as cpu/syscall; default: all")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", choices=list(PROFILES), help="how long to measure")
    parser.add_argument("--run", metavar="NAME", help="the run to work on; default: this machine's")


def _add_probe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the probe, such as cpu/syscall/getpid")
    parser.add_argument("parameters", nargs="*", metavar="key=value", help="its parameters")
    parser.add_argument(
        "--samples", type=_positive, default=20, help="trials in each process; default: 20"
    )
    parser.add_argument(
        "--processes", type=_positive, default=20, help="fresh processes; default: 20"
    )
    parser.add_argument(
        "--span",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="spread the processes over this time: disturbances come in bursts; default: 1",
    )
    parser.add_argument("--cpu", type=int, help="the CPU to pin to; default: the fastest")
    parser.add_argument("--priority", choices=["none", "nice", "rr"], default="nice")
    parser.add_argument(
        "--deadline",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="stop a process after this time; default: 60",
    )
    parser.add_argument("--in-process", action="store_true", help="no fresh process, no pinning")
    _add_json(parser)


def _add_predict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("quantity", nargs="?", help="such as cpu/syscall/getpid")
    parser.add_argument(
        "inputs", nargs="*", metavar="input=value", help='such as kernel_path="550 cycle"'
    )
    parser.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        help="a predictions.toml that the site's What if? panels gave, instead of a quantity",
    )
    parser.add_argument("--run", metavar="NAME", help=f"{_RUN_HELP}; default: this machine's")
    _add_json(parser)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", nargs="?", help=_RUN_HELP)
    parser.add_argument("b", metavar="B", nargs="?", help="the run that is compared with it")
    parser.add_argument(
        "--control", metavar="RUN", help="a second run of A's machine: B has to differ from both"
    )
    parser.add_argument(
        "--minimum-change",
        type=_percent,
        metavar="PERCENT",
        help="the smallest change that is reported; default: 5",
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


def main(argv: list[str] | None = None) -> int:
    """The exit status: 0, 1 if something failed, 2 for a user's mistake, 130 after Ctrl-C."""
    arguments = _parser().parse_args(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: nothing is left behind
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
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

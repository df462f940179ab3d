"""The command line: `reckon COMMAND`. A user's mistake is one sentence and status 2."""

from __future__ import annotations

import importlib.metadata
import os
import signal
import sys

from reckon.cli import (
    book,
    checks,
    compare,
    edit,
    pack,
    probes,
    runs,
    what_if,
)
from reckon.cli.commands import Commands
from reckon.errors import ReckonError
from reckon.measurement.compilation import compile_library

_EXAMPLES = """\
  reckon doctor                       is this machine fit to be measured?
  reckon probe cpu/syscall/getpid     run one probe, without a prediction
  reckon measure cpu/syscall          measure one experiment
  reckon build --html                 execute the notebooks and make the site
  reckon summary                      the machine and its main results on one page
  reckon results cpu/syscall          what was predicted and measured
  reckon predict cpu/syscall/getpid kernel_path="550 cycles"
                                      what would it be with another input?
  reckon class handed-in              what a class predicted, as one page
  reckon compare before after         what a kernel upgrade changed
  reckon collect handed-in            a site of the runs of many machines
  reckon fleet --scheduler tcp://10.0.0.1:8786
                                      measure every host of a Dask cluster
  reckon export                       runs as tables, for DuckDB or pandas
  reckon pack                         a run as one file, with names hidden
  reckon verify before                was anything changed after it was written?
`reckon COMMAND --help` has more of each."""


def _commands() -> Commands:
    description = "Predict what this computer should do, then measure it."
    commands = Commands("reckon", description, _EXAMPLES)
    for module in (probes, book, edit, runs, what_if, compare, pack, checks):
        module.add_commands(commands)
    for entry in importlib.metadata.entry_points(group="reckon.commands"):
        entry.load()(commands)
    return commands


def main(argv: list[str] | None = None) -> int:
    """The exit status: 0, 1 if something failed, 2 for a user's mistake, 130 after Ctrl-C.

    argv: the arguments after the program's name; None: those of this process.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: nothing is left behind
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        arguments = _commands().parse(sys.argv[1:] if argv is None else argv)
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
    except OSError as error:  # a disk that fails, a limit: no module has a better sentence
        what = f"{error.filename}: " if error.filename else ""
        print(
            f"reckon: {what}{error.strerror or error}; complete records are kept, and the next "
            "run goes on from there.",
            file=sys.stderr,
        )
        return 2

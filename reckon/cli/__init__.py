"""The command line: `reckon COMMAND`. A user's mistake is one sentence and status 2."""

from __future__ import annotations

import io
import os
import signal
import sys

import click

from reckon.cli.commands import Commands, version_option
from reckon.errors import ReckonError

_COMMANDS = {
    "doctor": "reckon.cli.checks:doctor",
    "probes": "reckon.cli.probes:list_probes",
    "probe": "reckon.cli.probes:run_probe",
    "measure": "reckon.cli.book:measure",
    "build": "reckon.cli.book:build",
    "edit": "reckon.cli.edit:edit",
    "summary": "reckon.cli.summary:summary",
    "results": "reckon.cli.runs:results",
    "verify": "reckon.cli.runs:verify",
    "predict": "reckon.cli.what_if:predict",
    "reseal": "reckon.cli.what_if:reseal",
    "compare": "reckon.cli.compare:compare",
    "pack": "reckon.cli.pack:pack",
    "reports": "reckon.cli.checks:reports",
    "help": "reckon.cli:print_help",
    "version": "reckon.cli:print_version",
}
_EPILOG = """\b
Examples:
  reckon doctor                       is this machine fit to be measured?
  reckon probe cpu/syscall/getpid     run one probe, without a prediction
  reckon measure cpu/syscall          measure one experiment
  reckon build --html                 execute the notebooks and make the site
  reckon results cpu/syscall          what was predicted and measured
  reckon predict cpu/syscall/getpid kernel_path="550 cycles"
                                      what would it be with another input?
  reckon compare before after         what a kernel upgrade changed
  reckon verify --run before          was anything changed after it was written?
`reckon COMMAND --help` says more about each."""
_CONTINUES = "complete records are kept, and the next run goes on from there."

_reckon = version_option(
    Commands(
        name="reckon",
        own=_COMMANDS,
        help="Predict what this computer should do, then measure it.",
        epilog=_EPILOG,
        no_args_is_help=False,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "max_content_width": 100,
            "show_default": True,
        },
    )
)


@click.command("help")
@click.argument("command", required=False, help="one of the commands; default: all")
@click.pass_context
def print_help(context: click.Context, command: str | None) -> int:
    """Print the help of a command."""
    parent = context.parent
    assert parent
    if command:
        parent = click.Context(_reckon.get_command(parent, command), parent, command)
    click.echo(parent.get_help())
    return 0


@click.command("version")
@version_option
def print_version() -> int:
    """Print the version."""
    return main(["--version"])


def main(argv: list[str] | None = None) -> int:
    """The exit status: 0, 1 if something failed, 2 for a user's mistake, 130 after Ctrl-C.

    argv: the arguments after the program's name; None: those of this process.
    """
    try:
        _prepare_process()
        with _reckon.make_context("reckon", sys.argv[1:] if argv is None else [*argv]) as context:
            return _reckon.invoke(context)
    except click.exceptions.Exit as end:  # after --help and --version
        return end.exit_code
    except click.UsageError as error:
        return _refuse(_sentence(error))
    except ReckonError as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        print(f"\nStopped; {_CONTINUES}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `reckon probes | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a disk that fails, a limit: no module has a better sentence
        return _refuse(_system_fault(error))


def _prepare_process() -> None:
    # As Ctrl-C: nothing is left behind.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # ? where a terminal has no ×; a file has each line when it is printed.
            stream.reconfigure(errors="replace", line_buffering=True)


def _refuse(sentence: str) -> int:
    print(f"reckon: {sentence}", file=sys.stderr)
    return 2


def _system_fault(error: OSError) -> str:
    """What failed, and what to do."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return "The working folder was removed; change to another one."
    place = f"{error.filename}: " if error.filename else ""
    for mounted in ("/proc", "/sys"):
        if place.startswith(f"{mounted}/"):
            return f"{place}{error.strerror}; Reckon needs {mounted} mounted."
    return f"{place}{error.strerror or error}; {_CONTINUES}"


def _sentence(error: click.UsageError) -> str:
    """What click says of a user's mistake, with where to read on unless it names the nearest."""
    message = error.format_message()
    if not message.endswith("."):
        return message
    command = error.ctx.command_path if error.ctx else "reckon"
    return f"{message[:-1]}; `{command} --help` says more."

"""The parser of the command line: its commands, and the arguments that several of them share."""

from __future__ import annotations

import argparse
import importlib.metadata
from collections.abc import Callable, Sequence

from reckon.config import PROFILES, ReckonError
from reckon.messages import did_you_mean

RUN_HELP = "a run: its name, or its folder with a / in it"


class CommandParser(argparse.ArgumentParser):
    """The parser of a command, whose options may stand anywhere among its other arguments."""

    _is_inside = False

    def parse_known_args(self, args=None, namespace=None):  # argparse calls it for a command
        """The arguments, and those that are not known."""
        if self._is_inside:  # parse_known_intermixed_args() calls it too
            return super().parse_known_args(args, namespace)
        self._is_inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_inside = False

    def add_run(self) -> None:
        """Add --run, of a command that reads a run."""
        self.add_argument("--run", metavar="NAME", help=f"{RUN_HELP}; default: this machine's")

    def add_measuring(self) -> None:
        """Add --profile and --run, of a command that measures."""
        self.add_argument("--profile", choices=list(PROFILES), help="how long to measure")
        self.add_argument(
            "--run", metavar="NAME", help="the run to work on; default: this machine's"
        )


class Commands:
    """The commands of a program, and its parser."""

    def __init__(self, program: str, description: str, examples: str):
        self._version = f"{program} {importlib.metadata.version(program)}"
        self._parser = argparse.ArgumentParser(
            prog=program,
            description=description,
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self._parser.add_argument("--version", action="version", version=self._version)
        self._commands = self._parser.add_subparsers(
            required=True, metavar="COMMAND", parser_class=CommandParser
        )

    def add(
        self, name: str, function: Callable[..., int], description: str, *examples: str
    ) -> CommandParser:
        """The parser of a new command, which calls the function and has --json and --version.

        examples: the arguments of calls, each with what it does after two spaces.
        """
        lines = "\n".join(f"  {self._parser.prog} {name} {example}" for example in examples)
        command = self._commands.add_parser(
            name,
            help=description,
            description=description,
            epilog=f"examples:\n{lines}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(function=function)
        command.add_argument("--json", action="store_true", help="print JSON")
        command.add_argument("--version", action="version", version=self._version)
        return command

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The arguments with the `function` of their command. Raises ReckonError for an unknown
        command; argparse ends the program for other mistakes.
        """
        names = self._commands.choices
        if arguments and not arguments[0].startswith("-") and arguments[0] not in names:
            hint = did_you_mean(arguments[0], names, f"`{self._parser.prog} --help` lists them.")
            raise ReckonError(f"There is no command {arguments[0]}; {hint}")
        return self._parser.parse_args(arguments)

"""The parser of the command line: its commands, and the arguments that several of them share."""

from __future__ import annotations

import argparse
import importlib.metadata
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words
from reckon.profiles import PROFILES

RUN_HELP = "a run: its name, or its folder with a / in it"
# argparse's words for a mistake, and the sentence in their place.
_FAULTS = (
    (r"argument (.+): invalid int value: (.+)", "{} takes a whole number, and {} is none."),
    (r"argument (.+): invalid float value: (.+)", "{} takes a number, and {} is none."),
    (r"argument (.+): expected one argument", "{} needs a value behind it."),
    (r"argument (.+): ignored explicit argument (.+)", "{} takes no value, such as {}."),
    (r"ambiguous option: (\S+) could match (.+)", "{} may be {}; write it in full."),
    (r"argument (.+): (.+)", "{}: {}."),
)
_CHOICE = re.compile(r"argument (.+): invalid choice: '(.*)' \(choose from (.*)\)")
_REQUIRED = re.compile(r"the following arguments are required: ([^,]+)")


class Parser(argparse.ArgumentParser):
    """A parser whose user's mistakes are one sentence each, as a ReckonError."""

    def error(self, message: str) -> NoReturn:
        """Raise the sentence for what argparse says."""
        raise ReckonError(self._sentence(message))

    def _sentence(self, message: str) -> str:
        if choice := _CHOICE.fullmatch(message):
            option, stated, names = choice[1], choice[2], re.findall(r"[\w-]+", choice[3])
            hint = did_you_mean(stated, names, f"choose {join_words(names, 'or')}.")
            return f"{option} has no choice {stated!r}; {hint}"
        if required := _REQUIRED.match(message):
            return f"`{self.prog}` needs {self._described(required[1])}; {self._see_help}"
        for pattern, sentence in _FAULTS:
            if fault := re.fullmatch(pattern, message):
                return sentence.format(*fault.groups())
        return f"{message}; {self._see_help}"

    @property
    def _see_help(self) -> str:
        return f"`{self.prog} --help` has examples."

    def _described(self, name: str) -> str:
        """An argument with what it is: "name (the probe, such as cpu/syscall/getpid)"."""
        texts = [
            each.help for each in self._actions if each.help and name in (each.dest, each.metavar)
        ]
        return f"{name} ({'; '.join(texts)})" if texts else name

    def refuse_unknown(self, argument: str) -> NoReturn:
        """Raise ReckonError for an argument that it does not have, naming the nearest option."""
        if not argument.startswith("-"):
            extra = f"`{self.prog}` has an argument too many, {argument!r}"
            raise ReckonError(f"{extra}; {self._see_help}")
        option, known = argument.partition("=")[0], sorted(self._option_string_actions)
        long_ones = [name for name in known if name.startswith("--")]
        hint = did_you_mean(option, long_ones, f"it has {join_words(long_ones)}.")
        raise ReckonError(f"`{self.prog}` has no option {option}; {hint}")


class CommandParser(Parser):
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
        self._parser = Parser(
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
        """The arguments with the `function` of their command. Raises ReckonError for a user's
        mistake.
        """
        names, see_help = self._commands.choices, f"`{self._parser.prog} --help` lists them."
        if not arguments:
            raise ReckonError(f"Say which command; {see_help}")
        first = arguments[0]
        if first.startswith("-") and first not in self._parser._option_string_actions:
            options = {option for name in names.values() for option in name._option_string_actions}
            if first.partition("=")[0] in options:
                raise ReckonError(f"{first} comes behind the command; {see_help}")
            self._parser.refuse_unknown(first)
        if not first.startswith("-") and first not in names:
            raise ReckonError(
                f"There is no command {first}; {did_you_mean(first, names, see_help)}"
            )
        parsed, unknown = self._parser.parse_known_args(arguments)
        if unknown:
            names[first].refuse_unknown(unknown[0])
        return parsed

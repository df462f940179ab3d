"""How a command is declared: its examples, and the options that several commands share."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.util
import inspect
import math
from collections.abc import Callable
from pathlib import Path

import click

from reckon.profiles import PROFILES

RUN_HELP = "a run: its name, or its folder with a / in it"
_VERSION = f"reckon {importlib.metadata.version('reckon')}"

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
version_option = click.version_option(
    None, "-v", "--version", package_name="reckon", message=_VERSION, help="Print the version."
)
run_option = click.option(
    "--run",
    metavar="NAME",
    help=f"{RUN_HELP[0].upper()}{RUN_HELP[1:]}; default: this machine's, else the one built last, "
    "else the only one.",
)
own_run_option = click.option(
    "--run",
    metavar="NAME",
    help="A run's name; default: this machine's. While the site is edited: the site's run.",
)
profile_option = click.option(
    "--profile", type=click.Choice(list(PROFILES)), help="How long to measure."
)
pages_option = click.option(
    "--pages", metavar="PATTERNS", help='Only the notebooks that match: "cpu/* summary".'
)
fresh_option = click.option("--fresh", is_flag=True, help="Measure again what is recorded.")


class Number(click.FloatRange):
    """A number in a range. No range excludes nan, which is refused too."""

    def convert(self, value, param, ctx):
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number


SECONDS = Number(0, 1e9)


class Command(click.Command):
    """A command of `reckon`; its function returns the exit status."""

    def invoke(self, ctx: click.Context) -> int:
        """The exit status; the C library is up to date before the command begins."""
        from reckon.measurement.compilation import compile_library  # --help does without

        compile_library()
        return super().invoke(ctx)


class Commands(click.Group):
    """The commands of this package, each imported when it is called, and those of others: the
    entry points of the group `reckon.commands`."""

    def __init__(self, *, own: dict[str, str], **settings):
        """own: of each command, the module and its function, "module:function"."""
        super().__init__(**settings)
        self._own = own

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names: its own in their order, then the others'."""
        return [*self._own, *(entry.name for entry in _entry_points())]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists all commands without importing one, which takes four times as long."""
        places = self._own | {entry.name: entry.value for entry in _entry_points()}
        with formatter.section("Commands"):
            formatter.write_dl([(name, _short_help(place)) for name, place in places.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The command of that name. Raises click.UsageError, which names the nearest."""
        if cmd_name in self._own:
            module, _, function = self._own[cmd_name].partition(":")
            return getattr(importlib.import_module(module), function)
        for entry in _entry_points():
            if entry.name == cmd_name:
                return entry.load()
        raise click.exceptions.NoSuchCommand(
            cmd_name, possibilities=self.list_commands(ctx), ctx=ctx
        )


def _short_help(place: str) -> str:
    """The first sentence of the docstring of "module:function", read from its source."""
    module, _, name = place.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec and spec.origin
    for each in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(each, ast.FunctionDef) and each.name == name:
            return (ast.get_docstring(each) or "").partition("\n\n")[0]
    return ""


def _entry_points() -> importlib.metadata.EntryPoints:
    return importlib.metadata.entry_points(group="reckon.commands")


def command(name: str, *examples: str) -> Callable[[Callable[..., int]], Command]:
    """A decorator that makes a command of a function, whose docstring is its help; with --json
    and --version.

    examples: the arguments of calls, each with what it does after two spaces.
    """

    def declare(function: Callable[..., int]) -> Command:
        lines = [f"  reckon {name} {example}".rstrip() for example in examples]
        return click.command(
            name,
            cls=Command,
            help=inspect.getdoc(function),
            epilog="\n".join(["\b", "Examples:", *lines]),
        )(version_option(json_option(function)))

    return declare

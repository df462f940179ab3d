"""`reckon edit`: the site, made again and reloaded in the browser whenever a file is saved."""

from __future__ import annotations

from reckon.cli import book
from reckon.cli.commands import Commands

_PORT = 8000


def add_commands(commands: Commands) -> None:
    """Adds `edit`."""
    command = commands.add(
        "edit",
        edit,
        "serve the site, and make it again whenever a notebook, prose, a style or data is saved",
        "",
        "--run before --port 8080",
    )
    command.add_argument("--port", type=int, default=_PORT, help=f"default: {_PORT}")
    command.add_measuring()
    command.set_defaults(html=True, pdf=False, fresh=False, predictions=None)


def edit(arguments) -> int:
    """Builds and serves until Ctrl-C."""
    from reckon.book import watch  # no other command needs its packages

    watch.edit(lambda: book.build(arguments), arguments.port)
    return 0

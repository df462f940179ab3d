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
    book.add_choices(command)
    command.set_defaults(html=True, pdf=False, fresh=False, publish=None)


def edit(arguments) -> int:
    """Builds and serves until Ctrl-C."""
    from reckon.book import sphinx, warm_kernels, watch  # no other command needs its packages

    def build_edited() -> bool:
        return book.build_edited(arguments)

    def build_all() -> bool:
        sphinx.prepare("html")
        book.build(arguments)
        return True

    warm_kernels.prepare(summarises=True)
    watch.edit([build_edited, build_all], arguments.port)
    return 0

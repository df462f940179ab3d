"""`reckon edit`: the site, made again and reloaded in the browser whenever a file is saved."""

from __future__ import annotations

import click

from reckon.cli import book
from reckon.cli.commands import command


@command("edit", "", "--run before --port 8080")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, help="Of the local server.")
@click.option("--as-it-is", is_flag=True, help="Only serve the site that there is.")
@book.book_options
def edit(*, port: int, as_it_is: bool, as_json: bool, **choices) -> int:
    """Serve the site, and make it again whenever a notebook, prose, a style or data is saved."""
    from reckon.book import sphinx, watch  # no other command needs its packages
    from reckon.book.execution import warm_kernels

    book.use_choices(**choices)
    if as_it_is:
        watch.edit([], port)
        return 0

    def build_all() -> bool:
        sphinx.prepare("html")
        book.build_book(book.Outputs(), as_json=as_json)
        return True

    warm_kernels.prepare(summarises=True)
    watch.edit([lambda: book.build_edited(as_json=as_json), build_all], port)
    return 0

"""`reckon edit`: the site, made again and reloaded in the browser whenever a file is saved."""

from __future__ import annotations

import click

from reckon import config
from reckon.cli import book
from reckon.cli.commands import command
from reckon.cli.run_choice import run_of_site
from reckon.errors import ReckonError


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
    config.use(config.settings().with_choices(run=_run_to_edit()))

    def build_all() -> bool:
        outputs = book.Outputs(keeps_site=True)
        sphinx.prepare("html")
        try:
            book.build_book(outputs, as_json=as_json)
        finally:
            sphinx.prepare("html")  # of the next edit, which then waits for no import
        for fault in outputs.faults.values():
            raise fault
        return bool(outputs.new)

    warm_kernels.prepare(summarises=True)
    watch.edit([lambda: book.build_edited(as_json=as_json), build_all], port)
    return 0


def _run_to_edit() -> str:
    """The requested run, or that of the site in _build.

    Raises ReckonError without either: this machine would be measured."""
    run = config.settings().run or run_of_site()
    if run:
        return run
    raise ReckonError(
        "There is no site to edit yet; name a run, as in `make edit RUN=example`, or run "
        "`make book`, which measures this machine."
    )

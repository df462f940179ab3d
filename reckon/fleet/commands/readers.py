"""`reckon class`: one page of what many readers of the book predicted."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reckon import records
from reckon.cli.commands import command, run_option
from reckon.cli.output import print_json
from reckon.cli.run_choice import chosen_run
from reckon.edits.guesses import Guess
from reckon.errors import ReckonError
from reckon.fleet.pages import class_page
from reckon.fleet.readers import QuantityGuesses, ReadersPredictions, read_folder
from reckon.messages import did_you_mean
from reckon.records.quantities.lookup import all_results

_PATH = click.Path(path_type=Path)


@command("class", "handed-in", "handed-in --out monday.html --no-names")
@click.argument(
    "folder", type=click.Path(path_type=Path), help="it has a .toml file of each reader"
)
@click.option(
    "--out", type=click.Path(path_type=Path), default="class.html", metavar="FILE", help="The page."
)
@click.option(
    "--csv",
    "table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also every prediction as a line of a table, for a learning-management system.",
)
@click.option("--no-names", is_flag=True, help="Leave out who predicted what.")
@click.option(
    "--no-answer",
    is_flag=True,
    help="The first votes, without what was measured: for the discussion before the second.",
)
@run_option
def of_class(
    *,
    folder: Path,
    out: Path,
    table: Path | None,
    no_names: bool,
    no_answer: bool,
    run: str | None,
    as_json: bool,
) -> int:
    """Make a page of what many readers predicted, from a folder of their predictions.toml."""
    if not folder.is_dir():
        beside = [path.name for path in folder.parent.glob("*/")]
        hint = did_you_mean(folder.name, beside, "it has a .toml file of each reader.")
        raise ReckonError(f"There is no folder {folder}; {hint}")
    chosen = chosen_run(run)
    name = Path(chosen).name
    group = read_folder(folder, all_results(chosen))
    with_names = not no_names
    for fault in group.skipped:
        print(f"Skipped: {fault}", file=sys.stderr)
    if not (group.quantities or group.seen):
        raise ReckonError(
            f"No prediction in {folder} is of the run {name}, so {out} is not written; choose "
            "another with --run."
        )
    page = class_page.page(group, name, with_names=with_names, with_answer=not no_answer)
    records.write_whole(out, page)
    if table:
        records.write_whole(table, class_page.table(group, with_names=with_names))
    if as_json:
        print_json(_to_json(group, with_names=with_names))
    else:
        print(f"{class_page.summary(group, with_answer=not no_answer)}\nPage: {out}")
    return 0


def _to_json(group: ReadersPredictions, *, with_names: bool) -> list[dict]:
    return [_quantity(each, with_names=with_names) for each in group.quantities]


def _quantity(quantity: QuantityGuesses, *, with_names: bool) -> dict:
    """Values are in base units."""
    return {
        "quantity": quantity.result.quantity,
        "measured": quantity.last_votes[0].measured,
        "everyone_was_wrong": quantity.were_all_wrong,
        "predictions": [
            _vote(guess, with_names=with_names)
            | {"first": guess.first and _vote(guess.first, with_names=with_names)}
            for guess in quantity.guesses
        ],
        "not_voted_again": [_vote(guess, with_names=with_names) for guess in quantity.not_again],
    }


def _vote(vote: Guess, *, with_names: bool) -> dict:
    value = {
        "predicted": vote.predicted,
        "interval": vote.interval,
        "ratio": vote.ratio,
        "inside_interval": vote.is_inside,
    }
    return value | ({"reader": vote.reader, "reason": vote.reason} if with_names else {})

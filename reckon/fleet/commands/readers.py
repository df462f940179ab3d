"""`reckon class`: one page of what many readers of the book predicted."""

from __future__ import annotations

import sys
from pathlib import Path

from reckon import records
from reckon.cli.commands import Commands
from reckon.cli.output import print_json
from reckon.cli.runs import chosen_run
from reckon.errors import ReckonError
from reckon.fleet.pages import class_page
from reckon.fleet.readers import QuantityGuesses, ReadersPredictions, read_folder
from reckon.messages import did_you_mean
from reckon.records.lookup import all_results


def add_commands(commands: Commands) -> None:
    """Adds `class`."""
    command = commands.add(
        "class",
        of_class,
        "make a page of what many readers predicted, from a folder of their predictions.toml",
        "handed-in",
        "handed-in --out monday.html --no-names",
    )
    command.add_argument("folder", type=Path, help="it has a .toml file of each reader")
    command.add_argument("--out", type=Path, metavar="FILE", help="the page; default: class.html")
    command.add_argument("--no-names", action="store_true", help="leave out who predicted what")
    command.add_run()


def of_class(arguments) -> int:
    """Writes the page, names what was passed over, and prints a sentence."""
    if not arguments.folder.is_dir():
        beside = [path.name for path in arguments.folder.parent.glob("*/")]
        hint = did_you_mean(arguments.folder.name, beside, "it has a .toml file of each reader.")
        raise ReckonError(f"There is no folder {arguments.folder}; {hint}")
    run = chosen_run(arguments)
    group = read_folder(arguments.folder, all_results(run))
    with_names = not arguments.no_names
    out = arguments.out or Path("class.html")
    records.write_whole(out, class_page.page(group, Path(run).name, with_names=with_names))
    for fault in group.passed_over:
        print(f"Passed over: {fault}", file=sys.stderr)
    if arguments.json:
        print_json(_to_json(group, with_names=with_names))
    else:
        print(f"{class_page.summary(group)}\nPage: {out}")
    return 0


def _to_json(group: ReadersPredictions, *, with_names: bool) -> list[dict]:
    return [_quantity(each, with_names=with_names) for each in group.quantities]


def _quantity(quantity: QuantityGuesses, *, with_names: bool) -> dict:
    """Values are in base units."""
    return {
        "quantity": quantity.result.quantity,
        "measured": quantity.guesses[0].measured,
        "everyone_was_wrong": quantity.were_all_wrong,
        "predictions": [
            {
                "predicted": guess.predicted,
                "ratio": guess.ratio,
                "inside_interval": guess.is_inside,
            }
            | ({"reader": guess.reader} if with_names else {})
            for guess in quantity.guesses
        ],
    }

"""`reckon results` and `reckon verify`: what a run holds, and whether it was changed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reckon import records, units
from reckon.cli.commands import command, run_option
from reckon.cli.output import fitting, in_columns, print_json
from reckon.cli.run_choice import chosen_run, last_build, results_at
from reckon.measurement.same_quantity import Shown, disagreements
from reckon.records.quantities.export import to_json
from reckon.records.quantities.lookup import results_of
from reckon.records.quantities.result import Result, summary_text
from reckon.records.run_files import verify as seals
from reckon.show.text import counted_position, ratio_text


@command(
    "results",
    "                          all",
    "cpu                       those of a part of the book",
    "cpu/syscall --json        those of an experiment, as JSON",
    "cpu/syscall/getpid --run before",
)
@click.argument(
    "place", required=False, help="a part, an experiment or a quantity, such as cpu/syscall"
)
@run_option
def results(*, place: str | None, run: str | None, as_json: bool) -> int:
    """Print every quantity of a run: predicted, measured, and how far apart they are."""
    chosen = chosen_run(run)
    last_states = _last_states(chosen)
    found = []
    for result in results_at(chosen, place):
        state, reason = last_states.get(result.quantity, (result.state, result.reason))
        found.append((result, state, result.attempt_note or reason or result.reason))
    if as_json:
        print_json([{**to_json(result, state), "reason": why} for result, state, why in found])
    elif found:
        rows = [_row(*each) for each in found]
        for line in in_columns([["quantity", "predicted", "ratio", "measured"], *rows]):
            print(line)
        if place is None:
            _print_apart(chosen, [result for result, *_ in found])
    else:
        print(f"The run {chosen} in {records.run_dir(chosen)} holds no quantity yet.")
    return 0


def _print_apart(run: str | Path, results: list[Result]) -> None:
    """Names the values of one quantity that do not agree, where nothing known explains it."""
    again = [name for name in records.experiments(run) if name.startswith(records.METHODS_PREFIX)]
    everything = [*results, *results_of(run, again, samples=False)]
    pairs = [pair for pair in disagreements(everything) if not pair.is_explained]
    if pairs:
        title = "Values of one quantity that do not agree, and it is not known why:"
        print("", *fitting(title), sep="\n")
    for pair in pairs:
        both = ", ".join(map(_shown, (pair.first, pair.second)))
        print(*fitting(both, first=2), sep="\n")


def _shown(shown: Shown) -> str:
    """The value with its interval, behind the quantity's name in the records."""
    result, position = shown.result, counted_position(shown.result, shown.point.x)
    where = f" at {position}" if position else ""
    return f"{result.quantity}{where} {summary_text(shown.summary, result.unit)}"


def _last_states(run: str | Path) -> dict[str, list]:
    """What the last build did with each quantity, if it worked on this run."""
    last = last_build()
    is_this = last and records.run_dir(last["run"]) == records.run_dir(run)
    return last["states"] if is_this else {}


def _row(result: Result, state: str, reason: str | None) -> list[str]:
    """What a line says: of a curve the ends, of a single measured quantity its interval."""
    predicted = units.span(result.seal.predicted, result.unit)
    ratio = ratio_text(result.ratio)
    if result.revisions:
        predicted += f", now {units.span(result.current.predicted, result.unit)}"
        ratio += f", now {ratio_text(result.current_ratio)}"
    if not result.has_samples:
        return [result.quantity, predicted, "", f"{state}: {reason}" if reason else state]
    measured = result.medians_text if result.is_curve else f"{result:interval}"
    note = f"; {reason}" if reason else ""
    return [result.quantity, predicted, ratio, measured + note]


@command(
    "verify",
    "                           this machine's run",
    "--run before --root HASH   and that its root hash is the one that was noted down",
)
@run_option
@click.option("--root", "noted", metavar="HASH", help="The root hash that the run had.")
def verify(*, run: str | None, noted: str | None, as_json: bool) -> int:
    """Check a run's chains of hashes, samples and summaries; the status is 1 for any fault."""
    chosen = chosen_run(run)
    faults = seals.faults(chosen)
    root = seals.root_hash(chosen)
    if noted and noted != root:
        faults.append(f"its root hash is {root}, not {noted}")
    if as_json:
        print_json({"run": str(chosen), "root_hash": root, "faults": faults})
        return 1 if faults else 0
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"Root hash: {root}")
    if not faults:
        print("Nothing was changed after it was written.")
    return 1 if faults else 0

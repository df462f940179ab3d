"""`reckon summary`, `reckon results` and `reckon verify`: what a run holds, and whether it was
changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from reckon import config, records, units
from reckon.cli.commands import command, run_option
from reckon.cli.output import fitting, in_columns, print_json
from reckon.errors import ReckonError
from reckon.measurement.same_quantity import Shown, disagreements
from reckon.messages import did_you_mean, join_words
from reckon.records.quantities.export import to_json
from reckon.records.quantities.lookup import all_results, results_of
from reckon.records.quantities.result import Result, summary_text
from reckon.records.run_files import verify as seals
from reckon.records.session import requested_run
from reckon.show import text_summary
from reckon.show.text import counted_position, ratio_text
from reckon.statistics import cache


def chosen_run(run: str | None) -> str | Path:
    """The requested run, by name or as a folder; else this machine's, else the one that was built
    last, else the only one, which standard error names. Raises ReckonError if there is none."""
    requested = run or config.settings().run
    if requested:
        folder = records.find(requested)
        return folder if "/" in requested else requested
    names = records.run_names()
    own, built = requested_run(), last_build().get("run")
    if own in names:
        return own
    if built in names or len(names) == 1:
        name, why = (built, "built last") if built in names else (names[0], "the only one")
        print(f"This machine has no run; this is {name}, {why}.", file=sys.stderr)
        return name
    known = f", or name one with --run: {join_words(names)}" if names else ""
    raise ReckonError(f"This machine has no run yet; `make book` measures one{known}.")


def results_at(run: str | Path, place: str | None) -> list[Result]:
    """The results of a part, of an experiment, or of one quantity; None: all of the run.

    Raises ReckonError, naming the nearest, where the run has nothing of that name.
    """
    cache.store_in(config.settings().build_dir / "cache")
    experiments = records.experiments(run)
    if place is None or place in experiments:
        return all_results(run, place, samples=False)
    below = [name for name in experiments if name.startswith(f"{place}/")]
    if below:
        return results_of(run, below, samples=False)
    experiment = records.experiment_of(place)
    if experiment in experiments:
        for result in all_results(run, experiment, samples=False):
            if result.quantity == place:
                return [result]
    parts = {name.partition("/")[0] for name in experiments}
    known = [*parts, *experiments, *(each.quantity for each in all_results(run, samples=False))]
    hint = did_you_mean(place, known, "`reckon results` lists all.")
    raise ReckonError(f"The run {run} has no record of {place}; {hint}")


@command("summary", "", "--run before --json")
@run_option
def summary(*, run: str | None, as_json: bool) -> int:
    """Print the main results of a run on one page."""
    name = chosen_run(run)
    description = records.read_run(name)
    assert description  # of a run that there is
    quantities = results_at(name, None)
    if as_json:
        print_json(text_summary.to_json(description, quantities))
    else:
        print(text_summary.text_summary(description, quantities), end="")
    return 0


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
    objects, rows = [], []
    for result in results_at(chosen, place):
        state, reason = last_states.get(result.quantity, (result.state, result.reason))
        reason = result.attempt_note or reason or result.reason
        objects.append({**to_json(result, state), "reason": reason})
        rows.append(_row(result, state, reason))
    if as_json:
        print_json(objects)
    elif rows:
        for line in in_columns([["quantity", "predicted", "ratio", "measured"], *rows]):
            print(line)
        if place is None:
            _print_apart(chosen)
    else:
        print(f"The run {chosen} in {records.run_dir(chosen)} holds no quantity yet.")
    return 0


def _print_apart(run: str | Path) -> None:
    """Names the values of one quantity that do not agree, where nothing known explains it."""
    everything = results_of(run, records.experiments(run), samples=False)
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


def last_build() -> dict[str, Any]:
    """The run of the last build and what it did with each quantity; {} if nothing was built."""
    path = config.settings().build_dir / "last.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def run_of_site() -> str | None:
    """The run of the site in _build, which is printed; None without a site."""
    run = last_build().get("run")
    if not (
        run and records.read_run(run) and (config.settings().build_dir / "html/index.html").exists()
    ):
        return None
    print(f"The site's run is {run}; RUN= names another.", flush=True)
    return run


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

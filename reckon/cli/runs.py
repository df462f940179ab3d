"""`reckon results` and `reckon verify`: what a run holds, and whether it was changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from reckon import config, records, units
from reckon.cli.output import print_json
from reckon.records import verify as seals
from reckon.records.export import to_json
from reckon.records.lookup import all_results
from reckon.records.session import requested_run


def chosen_run(arguments) -> str | Path:
    """The requested run, by name or as a folder. Raises ReckonError if there is none."""
    if arguments.run:
        folder = records.find(arguments.run)
        return folder if "/" in arguments.run else arguments.run
    return requested_run()


def results(arguments) -> int:
    """Prints what was predicted and measured of every quantity."""
    run = chosen_run(arguments)
    states = _last_states(run)
    rows = []
    for result in all_results(run, arguments.experiment):
        state, reason = states.get(result.quantity, (result.state, result.reason))
        rows.append(
            {**to_json(result, state), "reason": result.attempt_note or reason or result.reason}
        )
    if arguments.json:
        print_json(rows)
        return 0
    if not rows:
        print(f"The run {run} in {records.run_dir(run)} holds no quantity yet.")
    for row in rows:
        predicted, measured = _predicted_and_measured(row)
        print(
            f"{row['quantity']:42} {row['state']:11} predicted {predicted:>16}  measured {measured}"
        )
    return 0


def _last_states(run: str | Path) -> dict[str, list]:
    """What the last build did with each quantity, if it worked on this run."""
    path = config.settings().build_dir / "last.json"
    if not path.exists():
        return {}
    last = json.loads(path.read_text(encoding="utf-8"))
    return last["states"] if records.run_dir(last["run"]) == records.run_dir(run) else {}


def _predicted_and_measured(row: dict) -> tuple[str, str]:
    """A line's two figures: of a curve its ends, of a single measured quantity its interval."""
    unit = units.spoken(row["unit"])

    def number(value: float | None) -> str:
        return "–" if value is None else units.number(value)

    def ends(values: list) -> str:
        return f"{number(values[0])} to {number(values[-1])} {unit}"

    is_curve = isinstance(row["predicted"], list)
    predicted = ends(row["predicted"]) if is_curve else f"{number(row['predicted'])} {unit}"
    if row["median"] is None:
        return predicted, row["reason"]
    note = f"; {row['reason']}" if row["reason"] else ""
    if is_curve:
        return predicted, ends(row["median"]) + note
    interval = f"{number(row['low'])} to {number(row['high'])}"
    return predicted, f"{number(row['median'])} ({interval}) {unit}{note}"


def verify(arguments) -> int:
    """Prints the root hash, and what was changed after it was written."""
    run = chosen_run(arguments)
    faults = seals.faults(run)
    root = seals.root_hash(run)
    if arguments.root and arguments.root != root:
        faults.append(f"its root hash is {root or 'not known'}, not {arguments.root}")
    for fault in faults:
        print(fault, file=sys.stderr)
    if root:
        print(f"Root hash: {root}")
        if not faults:
            print("Nothing was changed after it was written.")
    else:
        print(f"The run {run} was recorded before hashes were chained.")
    return 1 if faults else 0

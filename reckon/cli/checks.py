"""`reckon doctor` and `reckon reports`: is the machine, is a report's file as it should be?"""

from __future__ import annotations

import sys

import click

from reckon.cli.commands import command
from reckon.cli.output import print_json
from reckon.comparison.reports import derivations, published
from reckon.comparison.reports.report import Derivation
from reckon.computer import fitness
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words


@command("doctor", "", "--json")
def doctor(*, as_json: bool) -> int:
    """Say whether this machine is fit to be measured, and what to do."""
    checks = fitness.check_all()
    if as_json:
        print_json([check.to_dict() for check in checks])
        return 0
    sign = {"pass": "pass   ", "warn": "WARNING", "unknown": "unknown"}
    for check in checks:
        print(f"{sign[check.state]}  {check.name}: {check.found}")
        if check.advice and check.state != "pass":
            print(f"         {check.advice}")
    return 0


@command("reports", "laptop")
@click.argument("name", help="the file's name in book/reports")
def reports(*, name: str, as_json: bool) -> int:
    """Check a report's file, and run its derivations again."""
    names = sorted(path.stem for path in published.FOLDER.glob("*.toml"))
    if name not in names:
        hint = did_you_mean(name, names, f"there are {join_words(names)}.")
        raise ReckonError(f"There is no report {name}; {hint}")
    report = published.read(published.FOLDER / f"{name}.toml")
    faults = [f"{name}.toml: {fault}" for fault in report.faults()]
    recomputed = []  # each derivation with its values
    for derivation in report.derivations:
        values = []
        try:
            values = derivations.recompute(report, derivation)
        except ReckonError as error:
            faults.append(str(error))
        recomputed.append((derivation, values))
    counts = {place: len(numbers) for place, numbers in report.numbers().items()}
    if as_json:
        objects = [_to_dict(derivation, values) for derivation, values in recomputed]
        print_json({"numbers": counts, "derivations": objects, "faults": faults})
        return 1 if faults else 0
    for place, count in counts.items():
        print(f"{place}: {count} numbers")
    for derivation, values in recomputed:
        print(f"{derivation.what} ({derivation.place}), {derivation.reading}, in {derivation.unit}")
        for value in values:
            agreement = "follows" if value.follows else f"{value.ratio:.3f} of it"
            print(
                f"  {value.part:9} {value.at:9} published {value.published:<10g} recomputed "
                f"{value.recomputed:<10.5g} {agreement}"
            )
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _to_dict(derivation: Derivation, values: list[derivations.Recomputed]) -> dict:
    """A derivation for `--json`; the values are in its unit."""
    return {
        "what": derivation.what,
        "place": derivation.place,
        "unit": derivation.unit,
        "values": [
            {
                "part": value.part,
                "at": value.at,
                "published": value.published,
                "recomputed": value.recomputed,
                "follows": value.follows,
            }
            for value in values
        ],
    }

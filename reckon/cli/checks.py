"""`reckon doctor` and `reckon reports`: is the machine, is a report's file as it should be?"""

from __future__ import annotations

import sys

import click

from reckon.cli.commands import command
from reckon.cli.output import print_json
from reckon.comparison.reports import published
from reckon.computer import fitness
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words


@command("doctor", "", "--json")
def doctor(*, as_json: bool) -> int:
    """Say whether this machine is fit to be measured, and what to do."""
    checks = fitness.check_all()
    if as_json:
        print_json(checks)
        return 0
    sign = {"pass": "pass   ", "warn": "WARNING", "unknown": "unknown"}
    for check in checks:
        print(f"{sign[check['state']]}  {check['name']}: {check['found']}")
        if check["advice"] and check["state"] != "pass":
            print(f"         {check['advice']}")
    return 0


@command("reports", "laptop")
@click.argument("name", help="the file's name in book/reports")
def reports(*, name: str, as_json: bool) -> int:
    """Check a report's file, and count the numbers of each place."""
    names = sorted(path.stem for path in published.FOLDER.glob("*.toml"))
    if name not in names:
        hint = did_you_mean(name, names, f"there are {join_words(names)}.")
        raise ReckonError(f"There is no report {name}; {hint}")
    report = published.read(published.FOLDER / f"{name}.toml")
    faults = [f"{name}.toml: {fault}" for fault in report.faults()]
    counts = {place: len(numbers) for place, numbers in report.numbers().items()}
    if as_json:
        print_json({"numbers": counts, "faults": faults})
        return 1 if faults else 0
    for place, count in counts.items():
        print(f"{place}: {count} numbers")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0

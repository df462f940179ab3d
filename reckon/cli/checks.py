"""`reckon doctor` and `reckon reports`: is the machine, is a report's file as it should be?"""

from __future__ import annotations

import sys

from reckon.cli.output import print_json
from reckon.computer import fitness
from reckon.config import ReckonError
from reckon.reports import derivations, published


def doctor(arguments) -> int:
    """Prints every check of the machine's fitness, with what to do."""
    checks = fitness.check_all()
    if arguments.json:
        print_json([check.to_dict() for check in checks])
        return 0
    sign = {"pass": "pass   ", "warn": "WARNING", "unknown": "unknown"}
    for check in checks:
        print(f"{sign[check.state]}  {check.name}: {check.found}")
        if check.advice and check.state != "pass":
            print(f"         {check.advice}")
    return 0


def reports(arguments) -> int:
    """Prints what a report's file holds, its derivations run again, and its faults."""
    report = published.read(published.FOLDER / f"{arguments.name}.toml")
    for place, numbers in report.numbers().items():
        print(f"{place}: {len(numbers)} numbers")
    faults = [f"{arguments.name}.toml: {fault}" for fault in report.faults()]
    for derivation in report.derivation:
        print(f"{derivation.what} ({derivation.place}), {derivation.reading}, in {derivation.unit}")
        try:
            for again in derivations.recomputed(report, derivation):
                agreement = "follows" if again.follows else f"{again.ratio:.3f} of it"
                print(
                    f"  {again.side:9} {again.at:9} published {again.published:<10g} recomputed "
                    f"{again.recomputed:<10.5g} {agreement}"
                )
        except ReckonError as error:
            faults.append(str(error))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0

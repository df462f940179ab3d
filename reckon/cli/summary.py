"""`reckon summary`: the main results of a run on one page of text."""

from __future__ import annotations

from reckon import records
from reckon.cli.commands import command, run_option
from reckon.cli.output import print_json
from reckon.cli.run_choice import chosen_run, results_at
from reckon.show import text_summary


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

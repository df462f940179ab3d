"""Which run a command means, and the results that it asks for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from reckon import config, records
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words
from reckon.records.quantities.lookup import all_results, results_of
from reckon.records.quantities.result import Result
from reckon.records.session import requested_run
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
    if own in names and records.experiments(own):  # one that was only begun holds nothing
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
    print(f"The site's run is {run}; RUN= names another.")
    return run

"""Results read back from a run's records."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from reckon import records, statistics
from reckon.errors import ReckonError
from reckon.messages import did_you_mean
from reckon.records.quantities import revisions
from reckon.records.quantities.result import Result


def read_result(run: str | Path, quantity: str, *, samples: bool = True) -> Result | None:
    """The quantity as the run's record has it, read for its measurement; None if it has none.

    Without `samples` its file is opened only where the record lacks summaries."""
    entry = records.read_measured(run, quantity, samples=samples)
    if entry is None:
        return None
    result = from_entry(quantity, entry, between_visits=_between_visits(run))
    return result if samples or result.has_summaries else read_result(run, quantity)


def _between_visits(run: str | Path) -> statistics.PooledVariance | None:
    description = records.read_run(run)
    return description.between_visits if description else None


def from_entry(
    quantity: str,
    entry: records.Quantity,
    state: str | None = None,
    between_visits: statistics.PooledVariance | None = None,
) -> Result:
    """The result of a quantity as its record has it; `state` instead of the record's."""
    measurement = entry.measurement
    if measurement is None:
        return Result(quantity, entry, "predicted", "not measured yet", between_visits)
    return Result(quantity, entry, state or measurement.state, measurement.reason, between_visits)


def first_predicted(quantities: dict[str, records.Quantity]) -> float:
    """When the first prediction of a record was made, which measuring again leaves as it was."""
    made_at = [entry.predictions[0].made_at.timestamp() for entry in quantities.values()]
    return min(made_at, default=math.inf)


def by_name(results: Iterable) -> dict:
    """The results (or predictions), each under the last part of its quantity's name."""
    return {result.quantity.rsplit("/", 1)[1]: result for result in results}


def all_results(
    run: str | Path,
    experiment: str | None = None,
    *,
    only_measured: bool = False,
    samples: bool = True,
) -> list[Result]:
    """Every quantity of a run, experiment by experiment in the order in which they were predicted;
    those of `methods/` only by name.

    For `only_measured` see records.read_record(), for `samples` results_of(). Raises ReckonError
    for an unknown experiment.
    """
    if experiment and experiment not in (experiments := records.experiments(run)):
        recorded = f"it has {', '.join(experiments) or 'none'}."
        hint = did_you_mean(experiment, experiments, recorded)
        raise ReckonError(f"The run {run} has no record of {experiment}; {hint}")
    chosen = [experiment] if experiment else records.own_experiments(run)
    return results_of(run, chosen, only_measured=only_measured, samples=samples)


def results_of(
    run: str | Path,
    experiments: Iterable[str],
    *,
    only_measured: bool = False,
    samples: bool = True,
) -> list[Result]:
    """Every quantity of these experiments of a run, in the order in which they were predicted.

    Without `samples` points have their summaries alone, and no samples file is opened unless a
    record has none by these statistics.
    """
    # A run that is given as a folder is shown by its own predictions alone.
    named_run = run if isinstance(run, str) and not only_measured else None
    by_experiment: dict[str, dict[str, records.Quantity]] = {}
    for name in experiments:
        record = records.read_record(run, name, only_measured=only_measured, samples=samples)
        of_experiment = record.quantities
        if named_run:
            of_experiment = revisions.with_overlay(named_run, name, of_experiment)
        by_experiment[name] = of_experiment
    quantities: dict[str, records.Quantity] = {}
    for of_experiment in sorted(by_experiment.values(), key=first_predicted):
        quantities |= of_experiment
    if named_run:
        quantities = revisions.with_file(quantities)
    between_visits = _between_visits(run)
    results = [
        from_entry(quantity, entry, between_visits=between_visits)
        for quantity, entry in quantities.items()
    ]
    if samples or all(result.has_summaries for result in results):
        return results
    return results_of(run, by_experiment, only_measured=only_measured)

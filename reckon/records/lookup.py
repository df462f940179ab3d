"""Results read back from a run's records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reckon import records, statistics
from reckon.config import ReckonError
from reckon.records import overlay
from reckon.records.result import Result


def read_result(run: str, quantity: str) -> Result | None:
    """The quantity as the run's record has it, read for its measurement; None if it has none."""
    record = records.read_measured(run, quantity)
    return from_record(quantity, record, between_visits=_between_visits(run)) if record else None


def _between_visits(run: str | Path) -> statistics.PooledVariance | None:
    """What the run's quantities say of the variance between visits."""
    described = records.read_run(run)
    return described.between_visits if described else None


def from_record(
    quantity: str,
    record: records.Quantity,
    state: str | None = None,
    between_visits: statistics.PooledVariance | None = None,
) -> Result:
    """The result of a quantity as its record has it; `state` instead of the record's."""
    measurement = record.measurement
    if measurement is None:
        return Result(quantity, record, "predicted", "not measured yet", between_visits)
    return Result(quantity, record, state or measurement.state, measurement.reason, between_visits)


def by_name(results: Iterable) -> dict:
    """The results (or predictions), each under the last part of its quantity's name."""
    return {result.quantity.rsplit("/", 1)[1]: result for result in results}


def all_results(
    run: str | Path, experiment: str | None = None, *, only_measured: bool = False
) -> list[Result]:
    """Every quantity of a run, experiment by experiment; those of `methods/` only by name.

    For `only_measured` see records.read_record(). Raises ReckonError for an unknown experiment.
    """
    known = records.experiments(run)
    if experiment and experiment not in known:
        raise ReckonError(
            f"The run {run} has no record of {experiment}; it has {', '.join(known) or 'none'}."
        )
    chosen = [name for name in known if not name.startswith(records.METHODS_PREFIX)]
    results, between_visits = [], _between_visits(run)
    for name in [experiment] if experiment else chosen:
        quantities = records.read_record(run, name, only_measured=only_measured).quantities
        if isinstance(run, str) and not only_measured:
            quantities = overlay.laid_over(run, name, quantities)
        results += [
            from_record(name, quantity, between_visits=between_visits)
            for name, quantity in quantities.items()
        ]
    return results

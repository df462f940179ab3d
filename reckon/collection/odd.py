"""The odd machines of a collection: which of their quantities lie far from those of the others.

Of each quantity, the logarithms of the machines' medians are compared with their middle, in robust
standard deviations (1.4826 times the median absolute deviation: Rousseeuw and Croux, Alternatives
to the median absolute deviation, 1993). How precisely each was measured counts too. Among thousands
of comparisons some would be far by chance, so the tail probabilities, by Student's t, are corrected
for the share of false finds (Benjamini and Hochberg, Controlling the false discovery rate, 1995).
That deviation of few values is less certain than their standard deviation, so it is taken to have
half the degrees of freedom. In simulations of normal values of 8 to 100 machines, probabilities of
1e-2 to 1e-4 are then met within 0.45 and 1.7 times; with all of them, up to 16 times.

A curve counts once: its median deviation over its points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from reckon.collection.database import Collection

FEWEST_MACHINES = 8  # of three, none can be called the odd one
FALSE_SHARE = 0.01  # of what is named
LEAST_FACTOR = 1.1  # what is closer to the middle is not odd, however alike the others are
_MAD_TO_SD = 1.4826
INTERVAL_SDS = 2 * 1.96  # the width of a 95 % interval

# Each machine's deviation from the middle of all machines at each point, and the points' median.
_DEVIATIONS = """
WITH points AS (
    SELECT run_id, quantity, unit, shown_unit, x, ln(median) AS log_median,
           ln(high / low) / ? AS error
    FROM quantities JOIN newest USING (run_id)
    WHERE median > 0 AND reports = [] AND quantity = ?
), middles AS (
    SELECT *, log_median - median(log_median) OVER same AS deviation, count(*) OVER same AS machines
    FROM points WINDOW same AS (PARTITION BY quantity, x)
)
SELECT quantity, run_id, median(deviation) AS deviation, median(coalesce(error, 0)) AS error,
       max(machines) AS machines
FROM middles WHERE machines >= ? GROUP BY ALL ORDER BY quantity, run_id
"""


@dataclass(frozen=True)
class Odd:
    """A quantity of one machine that lies far from those of the others."""

    run_id: str
    quantity: str
    factor: float  # times the middle of all machines
    score: float  # robust standard deviations from it
    probability: float  # corrected for many comparisons
    machines: int


def odd_ones(collection: Collection) -> list[Odd]:
    """All that is odd, the farthest first; nothing where there are too few machines."""
    found = _deviations(collection)
    deviations = np.asarray(found["deviation"], float)
    if not len(deviations):
        return []
    names, which = np.unique(np.asarray(found["quantity"], str), return_inverse=True)
    spreads = np.empty(len(names))
    for k in range(len(names)):
        of_quantity = deviations[which == k]
        spreads[k] = _MAD_TO_SD * np.median(np.abs(of_quantity - np.median(of_quantity)))
    errors = np.nan_to_num(np.asarray(found["error"], float))
    scale = np.hypot(spreads[which], errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(deviations == 0, 0.0, deviations / scale)
    machines = np.asarray(found["machines"], int)
    probabilities = stats.false_discovery_control(tail_probability(scores, machines))
    is_odd = (probabilities < FALSE_SHARE) & (np.abs(deviations) > math.log(LEAST_FACTOR))
    odd = [
        Odd(
            run_id=str(found["run_id"][k]),
            quantity=str(found["quantity"][k]),
            factor=math.exp(deviations[k]),
            score=float(scores[k]),
            probability=float(probabilities[k]),
            machines=int(machines[k]),
        )
        for k in np.flatnonzero(is_odd)
    ]
    return sorted(odd, key=lambda each: -abs(each.score))


def _deviations(collection: Collection) -> dict[str, np.ndarray]:
    """The columns of _DEVIATIONS, asked quantity by quantity: the medians of all quantities of
    ten thousand machines at once would take more memory than DuckDB may have."""
    quantities = collection.rows("SELECT DISTINCT quantity FROM quantities ORDER BY quantity")
    parts = [
        collection.columns(_DEVIATIONS, INTERVAL_SDS, each["quantity"], FEWEST_MACHINES)
        for each in quantities
    ]
    names = ("run_id", "quantity", "deviation", "error", "machines")
    return {
        name: np.ma.concatenate([part[name] for part in parts]).filled() if parts else np.empty(0)
        for name in names
    }


def tail_probability(scores, machines):
    """How often chance gives a machine such a score or a larger one, of either sign; elementwise.

    scores: robust standard deviations from the median of that many machines."""
    return 2 * stats.t.sf(np.abs(scores), (np.asarray(machines) - 1) / 2)


@dataclass(frozen=True)
class Difference:
    """A fact by which a machine differs from most of the others."""

    fact: str
    here: str
    others: str
    share: float  # of the others that have that


_FACTS = (
    "model",
    "kernel",
    "microcode",
    "firmware",
    "mitigations",
    "hypervisor",
    "memory",
    "memory_limit",
    "cores",
)
_MOST = 0.7  # of the others have to agree


def differences(runs: list[dict], run_id: str) -> list[Difference]:
    """The facts of a run's machine that set it apart from most of the others."""
    here = next(run for run in runs if run["run_id"] == run_id)
    others = [run for run in runs if run["run_id"] != run_id]
    found = []
    for fact in _FACTS:
        values = [run[fact] for run in others]
        common = max(set(values), key=values.count, default=None)
        share = values.count(common) / len(values) if values else 0.0
        if share >= _MOST and here[fact] != common:
            name = fact.replace("_", " ")
            found.append(Difference(name, _text(here[fact]), _text(common), share))
    return found


def _text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value / 2**30:.3g} GiB" if isinstance(value, float) else str(value)

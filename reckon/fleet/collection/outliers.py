"""The outliers of a collection: quantities of machines that lie far from those of the others.

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
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy import stats

from reckon.fleet.collection.database import Collection

FEWEST_MACHINES = 8  # of three, none can be called an outlier
FALSE_SHARE = 0.01  # of what is named
LEAST_FACTOR = 1.1  # what is closer to the middle is no outlier, however alike the others are
_MAD_TO_SD = 1.4826
INTERVAL_SDS = 2 * 1.96  # the width of a 95 % interval

# Each machine's deviation from the middle of all machines at each point, and the points' median. An
# interval that is not known is taken to be as wide as those of the others.
_DEVIATIONS = """
WITH points AS (
    SELECT newest.rowid AS machine, x, ln(median) AS log_median, ln(high / low) / ? AS error
    FROM quantities JOIN newest USING (run_id)
    WHERE quantity = ? AND median > 0 AND (low > 0 OR low IS NULL) AND reports = []
), middles AS (
    SELECT machine, log_median - median(log_median) OVER same AS deviation,
           coalesce(error, median(error) OVER same, 0) AS error, count(*) OVER same AS machines
    FROM points WINDOW same AS (PARTITION BY x)
)
SELECT machine, median(deviation) AS deviation, median(error) AS error, max(machines) AS machines
FROM middles WHERE machines >= ? GROUP BY machine ORDER BY machine
"""


@dataclass(frozen=True)
class Outlier:
    """A quantity of one machine that lies far from those of the others."""

    run_id: str
    quantity: str
    factor: float  # times the middle of all machines
    score: float  # robust standard deviations from it
    probability: float  # corrected for many comparisons
    machines: int


def outliers(collection: Collection) -> list[Outlier]:
    """All outliers, the farthest first; nothing where there are too few machines."""
    rows = collection.rows("SELECT DISTINCT quantity FROM quantities ORDER BY quantity")
    quantities = [row["quantity"] for row in rows]
    scores = [_scores(collection, quantity) for quantity in quantities]
    together = {name: np.concatenate([each[name] for each in scores]) for name in _SCORES}
    if not len(together["machine"]):
        return []
    of_quantity = np.repeat(np.arange(len(quantities)), [len(each["machine"]) for each in scores])
    probabilities = stats.false_discovery_control(
        tail_probability(together["score"], together["machines"])
    )
    is_far = np.abs(together["deviation"]) > math.log(LEAST_FACTOR)
    run_ids = [row["run_id"] for row in collection.rows("SELECT run_id FROM newest ORDER BY rowid")]
    found = [
        Outlier(
            run_id=run_ids[together["machine"][k]],
            quantity=quantities[of_quantity[k]],
            factor=math.exp(together["deviation"][k]),
            score=float(together["score"][k]),
            probability=float(probabilities[k]),
            machines=int(together["machines"][k]),
        )
        for k in np.flatnonzero((probabilities < FALSE_SHARE) & is_far)
    ]
    return sorted(found, key=lambda each: -abs(each.score))


_SCORES = {"machine": np.int32, "deviation": float, "score": float, "machines": np.int32}


def _scores(collection: Collection, quantity: str) -> dict[str, np.ndarray]:
    """How far each machine lies from the middle of all; arrays of numbers alone, because there are
    millions of them where there are thousands of machines."""
    found = collection.columns(_DEVIATIONS, INTERVAL_SDS, quantity, FEWEST_MACHINES)
    deviation = np.asarray(found["deviation"], float)
    if not len(deviation):
        return {name: np.empty(0, type_) for name, type_ in _SCORES.items()}
    spread = _MAD_TO_SD * np.median(np.abs(deviation - np.median(deviation)))
    scale = np.hypot(spread, np.asarray(found["error"], float))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(deviation == 0, 0.0, deviation / scale)
    columns = {**found, "deviation": deviation, "score": score}
    return {name: np.asarray(columns[name], type_) for name, type_ in _SCORES.items()}


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
        own, counts = _text(here[fact]), Counter(_text(run[fact]) for run in others)
        for common, count in counts.most_common(1):
            share = count / len(others)
            if share >= _MOST and own != common:
                found.append(Difference(fact.replace("_", " "), own, common, share))
    return found


def _text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value / 2**30:.3g} GiB" if isinstance(value, float) else str(value)

"""What a change of kernel, microcode, mitigations or firmware did, over all machines that had it.

Two runs of one machine that follow one another and differ in such a fact are a pair. Of each
quantity, the logarithms of the ratios of all pairs with the same change are averaged; the interval
follows from how much they differ from machine to machine (Student's t) or from the intervals of
what was measured, whichever standard error is larger. Probabilities are corrected as for outliers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from scipy import stats

from reckon.fleet.collection.database import Collection
from reckon.fleet.collection.outliers import FALSE_SHARE, INTERVAL_SDS

FACTS = ("kernel", "microcode", "mitigations", "firmware")
LEAST_CHANGE = 0.05
_CONFIDENCE = 0.975

# The logarithm of after / before of each quantity of each pair; of a curve the median over points.
_RATIOS = """
WITH pairs AS (SELECT unnest($before) AS before, unnest($after) AS after),
points AS (
    SELECT run_id, quantity, x, params, version, ln(median) AS log_median,
           ln(high / low) / $interval_sds AS error
    FROM quantities
    WHERE run_id IN (SELECT unnest($before || $after)) AND median > 0 AND low > 0 AND reports = []
)
SELECT a.quantity, pairs.after AS run_id, median(b.log_median - a.log_median) AS ratio,
       median(sqrt(a.error * a.error + b.error * b.error)) AS error
FROM pairs JOIN points a ON a.run_id = before
JOIN points b ON b.run_id = after AND a.quantity = b.quantity AND a.params = b.params
    AND a.x IS NOT DISTINCT FROM b.x AND a.version IS NOT DISTINCT FROM b.version
GROUP BY ALL ORDER BY a.quantity, pairs.after
"""


@dataclass(frozen=True)
class Pair:
    """Two runs of one machine that follow one another, and the facts that differ between them."""

    before: dict
    after: dict

    @property
    def changed(self) -> dict[str, tuple[str, str]]:
        """Before and after, by fact, of those that both runs know."""
        values = {fact: (self.before[fact], self.after[fact]) for fact in FACTS}
        return {fact: (a, b) for fact, (a, b) in values.items() if a != b and a and b}


@dataclass(frozen=True)
class Effect:
    """What the change did to a quantity."""

    quantity: str
    ratio: float  # after / before, the geometric mean over the machines
    low: float  # its 95 % interval
    high: float
    machines: int
    is_named: bool  # beyond chance and by at least 5 %


@dataclass(frozen=True)
class Change:
    """One change, the pairs of runs that had it, and its effects, the largest first."""

    facts: dict[str, tuple[str, str]]
    pairs: list[Pair]
    effects: list[Effect]

    @property
    def named(self) -> list[Effect]:
        """The effects that are beyond chance."""
        return [effect for effect in self.effects if effect.is_named]


def pairs_of(runs: list[dict]) -> list[Pair]:
    """Each two runs of a machine that follow one another. `runs`: see database.runs_of()."""
    of_hosts: dict[str, list[dict]] = defaultdict(list)
    for run in runs:
        if run["host"]:
            of_hosts[run["host"]].append(run)
    return [
        Pair(before, after)
        for of_host in of_hosts.values()
        for before, after in zip(of_host, of_host[1:], strict=False)
    ]


def changes_of(collection: Collection, runs: list[dict]) -> list[Change]:
    """Every change that a machine had between two runs, those of most machines first."""
    groups: dict[tuple, list[Pair]] = defaultdict(list)
    for pair in pairs_of(runs):
        if pair.changed:
            groups[tuple(pair.changed.items())].append(pair)
    found = [
        Change(dict(facts), pairs, _effects(collection, pairs)) for facts, pairs in groups.items()
    ]
    return sorted(found, key=lambda change: -len(change.pairs))


def _effects(collection: Collection, pairs: list[Pair]) -> list[Effect]:
    before = [pair.before["run_id"] for pair in pairs]
    after = [pair.after["run_id"] for pair in pairs]
    by_quantity: dict[str, list[tuple[float, float]]] = defaultdict(list)
    rows = collection.rows(_RATIOS, before=before, after=after, interval_sds=INTERVAL_SDS)
    for row in rows:
        by_quantity[row["quantity"]].append((row["ratio"], row["error"]))
    found = []
    for quantity, values in by_quantity.items():
        ratios, errors = np.array(values, float).T
        found.append((quantity, *_mean_and_error(ratios, errors), len(ratios)))
    if not found:
        return []
    scores = np.array([mean / error if error else math.inf for _, mean, error, _, _ in found])
    freedoms = np.array([freedom for *_, freedom, _ in found])
    probabilities = stats.false_discovery_control(2 * stats.t.sf(np.abs(scores), freedoms))
    effects = [
        Effect(
            quantity,
            ratio=math.exp(mean),
            low=math.exp(mean - error * stats.t.ppf(_CONFIDENCE, freedom)),
            high=math.exp(mean + error * stats.t.ppf(_CONFIDENCE, freedom)),
            machines=machines,
            is_named=bool(p < FALSE_SHARE and abs(mean) > math.log1p(LEAST_CHANGE)),
        )
        for (quantity, mean, error, freedom, machines), p in zip(found, probabilities, strict=True)
    ]
    return sorted(effects, key=lambda effect: -abs(math.log(effect.ratio)))


def _mean_and_error(ratios: np.ndarray, errors: np.ndarray) -> tuple[float, float, float]:
    """The mean, its standard error, and the degrees of freedom of that."""
    n = len(ratios)
    of_measuring = float(np.sqrt(np.sum(errors**2)) / n)
    if n == 1:
        return float(ratios[0]), of_measuring, math.inf
    across = float(np.std(ratios, ddof=1) / np.sqrt(n))
    mean = float(np.mean(ratios))
    return (mean, across, n - 1) if across > of_measuring else (mean, of_measuring, math.inf)

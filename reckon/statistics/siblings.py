"""Whether another hardware thread of the core computed while a trial ran, by its witnesses.

A witness is the time of an add among independent ones over that of one in a chain. The chain shows
the core's clock, so the ratio is the clock's no longer; it rises by up to twice when the threads of
the core share its adders (Tullsen, Eggers and Levy, Simultaneous multithreading, ISCA 1995; 1.74
times on an EPYC guest).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

VISITS_ALONE = 3  # with samples of an unshared core: what fewer visits hold may be chance
# The ratio of an unshared core: a tenth of the trials lies below, so a core that is shared for up
# to nine tenths of the time is noticed, and a single read that came out short is not the measure.
_LOWER_MODE_PERCENTILE = 10
_BUSY = 1.1  # times that ratio: the steps of a coarse counter leave 2 % of either time uncertain


def unshared_ratio(of_processes: Iterable[np.ndarray]) -> float:
    """The ratio while the core was unshared, by the ratios of all processes' trials; nan without
    any that is known."""
    ratios = np.concatenate([np.empty(0), *of_processes])
    known = ratios[np.isfinite(ratios)]
    return float(np.percentile(known, _LOWER_MODE_PERCENTILE)) if len(known) else float("nan")


def is_busy(ratios: Sequence[float] | np.ndarray, unshared: float) -> np.ndarray:
    return np.asarray(ratios, dtype=float) > _BUSY * unshared

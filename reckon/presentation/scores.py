"""How far predictions were off, in the same measures on every page."""

from __future__ import annotations

import numpy as np

from reckon import units

NEAR = 1.25  # a prediction is met within this factor
WITHIN = (NEAR, 2, 10)  # factors off; the share of predictions within each is printed


def typical_factor(factors_off: np.ndarray) -> str:
    """The geometric mean of factors of at least 1."""
    return units.number(float(np.exp(np.mean(np.log(factors_off)))))


def shares_within(factors_off: np.ndarray) -> dict[float, str]:
    """The share of factors within each limit."""
    return {limit: f"{100 * np.mean(factors_off <= limit):.0f} %" for limit in WITHIN}

"""Measured over predicted: the ratio of a value or a curve, and which ratios are good."""

from __future__ import annotations

import math

import numpy as np

# A prediction that is off by less than AS_PREDICTED, up or down, came out as predicted: its inputs
# are not known better. Off by less than NEAR it is met, and counted so in scores. Off by more than
# MISS it is a miss, which its page explains.
AS_PREDICTED = 1.05
NEAR = 1.25
MISS = 2.0


def median_ratio(measured: np.ndarray, predicted: np.ndarray) -> float:
    """The median of measured over predicted where that is finite; nan if it is nowhere."""
    with np.errstate(all="ignore"):
        ratios = measured / predicted
    finite = ratios[np.isfinite(ratios)]
    return float(np.median(finite)) if len(finite) else math.nan


def is_comparable(ratio: float) -> bool:
    """Whether the ratio says how far off the prediction was: it is above 0 and finite."""
    return 0 < ratio < math.inf


def factor_off(ratio):
    """By what factor a prediction was off, up or down; at least 1. Of a ratio, or of an array."""
    return np.maximum(ratio, 1 / ratio)


def is_near(ratio: float) -> bool:
    return 1 / NEAR < ratio < NEAR


def is_miss(ratio: float) -> bool:
    """Whether the prediction is off by more than MISS, up or down; False for an unknown ratio."""
    return ratio > MISS or ratio < 1 / MISS

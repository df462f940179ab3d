"""Change points of the mean of a series, and the noise that says how many there are.

ruptures takes a second to import (it brings scipy along), so it is imported where it is used.
"""

from __future__ import annotations

import numpy as np

_MIN_NOISE = 0.05  # a finer structure than 5 % is none, however quiet the measurement


def noise(logarithms: np.ndarray) -> float:
    """The standard deviation of single points of a series of logarithms, at least 5 %.

    The median absolute deviation of the differences of neighbours, which a few jumps do not touch.
    """
    differences = np.diff(logarithms)
    deviation = 1.4826 * np.median(np.abs(differences - np.median(differences)))
    # The noise of a difference of two points is that of a point times the root of two.
    return max(float(deviation / np.sqrt(2)), _MIN_NOISE)


def penalty(noise: float, points: int) -> float:
    """What one more change point costs: 3 s² log n, the modified BIC (Zhang and Siegmund 2007)."""
    return float(3 * noise**2 * np.log(points))


def pieces(series: np.ndarray, penalty: float) -> list[int]:
    """The bounds of the pieces of constant mean, 0 and the series' length among them.

    By PELT (Killick, Fearnhead and Eckley 2012; ruptures, Truong, Oudre and Vayatis 2020).
    """
    import ruptures

    # The C kernel of ruptures.Pelt(model="l2"): the same answer, a hundred times faster.
    search = ruptures.KernelCPD(kernel="linear", min_size=1)
    return [0, *map(int, search.fit_predict(series[:, None], pen=penalty))]

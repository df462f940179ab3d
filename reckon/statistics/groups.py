"""Two groups of fresh processes, such as those that had the core alone and those that shared it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_GAP = 1.2  # of two neighbours: processes scatter by a few per cent
_LEAST_SHARE = 0.1  # of the processes, and two of them: fewer are outliers


def two_groups(medians: Sequence[float]) -> tuple[np.ndarray, np.ndarray] | None:
    """The lower and the upper of the processes' medians, if a gap divides them; else None.

    The gap is its upper end over its lower end, at least 1.2.
    """
    ordered = np.sort(medians)
    least = max(2, int(np.ceil(_LEAST_SHARE * len(ordered))))
    if len(ordered) < 2 * least or ordered[0] <= 0:
        return None
    gaps = ordered[least : len(ordered) - least + 1] / ordered[least - 1 : len(ordered) - least]
    if gaps.max() < _GAP:
        return None
    return ordered[: least + gaps.argmax()], ordered[least + gaps.argmax() :]

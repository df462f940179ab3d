"""Whether rounding explains that two published numbers differ."""

from __future__ import annotations

from decimal import Decimal


def half_a_digit(value: float) -> float:
    """The rounding error of a printed value: half of its last digit that is not 0.

    All digits of a whole number may be meant, so its error is at most a tenth of it.
    """
    if not value:
        return 0.0
    exponent = int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
    half = 0.5 * 10.0**exponent
    return min(half, 0.1 * abs(value)) if exponent >= 0 else half


def rounding_explains(
    printed: float, other: float, share: float, half: float | None = None
) -> bool:
    """Whether the two differ by no more than `half` (of the last printed digit) or that share."""
    half = half_a_digit(printed) if half is None else half
    return abs(printed - other) <= max(share * abs(other), 1.001 * half)

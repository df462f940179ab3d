"""The link to the lab host: the round trip and the rate that LINK_RTT and LINK_RATE set."""

from __future__ import annotations

from collections.abc import Callable

from reckon import config, units
from reckon.errors import ReckonError

MIN_RTT_S, MAX_RTT_S = 0.0, 2.0
MIN_RATE_BIT_PER_S, MAX_RATE_BIT_PER_S = 10e3, 2.5e9


def rtt_s() -> float:
    """The round trip that LINK_RTT sets, in seconds. Raises ReckonError for another text."""
    value = _in_base_units("LINK_RTT", config.settings().link_rtt, "s", "0.2 ms")
    check_rtt("LINK_RTT", value)
    return value


def rate_bit_per_s() -> float:
    """The rate that LINK_RATE sets, in bit/s. Raises ReckonError for another text."""
    value = 8 * _in_base_units("LINK_RATE", config.settings().link_rate, "bit/s", "1 Gbit/s")
    check_rate("LINK_RATE", value)
    return value


def check_rtt(name: str, seconds: float) -> None:
    """Raises ReckonError, which calls the round trip by that name, if no lab host keeps it."""
    _check(name, seconds, (MIN_RTT_S, MAX_RTT_S), rtt_text)


def check_rate(name: str, bit_per_s: float) -> None:
    """Raises ReckonError, which calls the rate by that name, if no lab host keeps it."""
    _check(name, bit_per_s, (MIN_RATE_BIT_PER_S, MAX_RATE_BIT_PER_S), rate_text)


def rtt_text(seconds: float) -> str:
    """ "0.2 ms", as one writes it in LINK_RTT."""
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:g} ms"


def rate_text(bit_per_s: float) -> str:
    """ "1 Gbit/s", as one writes it in LINK_RATE."""
    return units.size(bit_per_s / 8, "bit/s")


def _in_base_units(name: str, text: str, unit: str, example: str) -> float:
    """The amount that a setting states. Raises ReckonError for a text that is none."""
    number, stated_unit = units.number_and_unit(text) or (-1.0, "")
    try:
        if number >= 0 and units.dimension(stated_unit) == units.dimension(unit):
            return units.to_base(number, stated_unit)
    except ReckonError:  # an unknown unit
        pass
    raise ReckonError(
        f"{name}={text!r} is not {units.dimension_name(units.dimension(unit))} with its unit; "
        f"write for example {name}='{example}'."
    )


def _check(
    name: str, value: float, bounds: tuple[float, float], text: Callable[[float], str]
) -> None:
    low, high = bounds
    if not low <= value <= high:
        raise ReckonError(
            f"{name} is {text(value)}, which the lab host cannot keep; choose from {text(low)} to "
            f"{text(high)}."
        )

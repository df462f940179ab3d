"""Words and numbers of a page's sentences and table cells."""

from __future__ import annotations

import math

from reckon import units
from reckon.text import joined as joined

NONE = "–"  # in a table: nothing to print here


def first_case(*cases: tuple[bool, str]) -> str:
    """The text of the first case whose condition holds; "" if none does."""
    return next((text for holds, text in cases if holds), "")


def verb(count: int, singular: str, plural: str) -> str:
    """The form of a word that goes with a count."""
    return singular if count == 1 else plural


def amount(value: float | None, unit: str) -> str:
    """A value in base units with its unit; a dash for an unknown one."""
    return NONE if value is None or math.isnan(value) else units.amount(value, unit)


def ratio(value: float) -> str:
    """ "2.91×"; a dash for an unknown ratio."""
    return NONE if math.isnan(value) else f"{units.number(value)}×"


def in_unit(value: float, unit: str, digits: int = 3) -> str:
    """A value in base units as a number of `unit`, without the unit."""
    return units.number(units.from_base(value, unit), digits)


def between(low: float, high: float, unit: str) -> str:
    """ "92.1 to 94.0": two values in base units as numbers of `unit`."""
    return f"{in_unit(low, unit)} to {in_unit(high, unit)}"


def with_interval(middle: float, low: float, high: float, unit: str) -> str:
    """ "93.1 ns (92.1 to 94.0)"; the value alone if its interval is unknown."""
    text = units.amount(middle, unit)
    if math.isnan(low):
        return text
    return f"{text} ({between(low, high, units.readable(middle, unit))})"


def machine_value(value: float | str | None, unit: str, unknown: str = "not reported") -> str:
    """A value of a machine's description, in base units of `unit`."""
    if value is None:
        return unknown
    if isinstance(value, str) or unit in ("", "count"):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return units.amount(value, unit)


def described(machine: dict, section: str, key: str):
    """The value of one field of a machine's description; None if it is unknown."""
    return machine.get(section, {}).get(key, {}).get("value")

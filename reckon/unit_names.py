"""The units of this book by name: how many base units each is, and its dimension.

The base units are s, cycle, tick and byte, and what is counted has none. (In pint, which takes as
long to import as numpy, `cycle` is 2*pi, `MT/s` megatesla and a bit has no dimension.)
book/static/numbers.js follows the same rule.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Dimension:
    """A product of powers of "time", "information", "cycle", "tick" and "length"."""

    powers: tuple[tuple[str, float], ...] = ()  # by name; none is 0

    def __mul__(self, other: Dimension) -> Dimension:
        powers = {name: self.power(name) + power for name, power in other.powers}
        return _dimension({**dict(self.powers), **powers})

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, exponent: float) -> Dimension:
        return _dimension({name: power * exponent for name, power in self.powers})

    def power(self, name: str) -> float:
        return dict(self.powers).get(name, 0)


def _dimension(powers: dict[str, float]) -> Dimension:
    return Dimension(tuple(sorted((name, power) for name, power in powers.items() if power)))


@dataclass(frozen=True)
class Unit:
    factor: float  # how many base units it is
    dimension: Dimension = Dimension()


_TIME, _INFORMATION = Dimension((("time", 1),)), Dimension((("information", 1),))
_CYCLE = Dimension((("cycle", 1),))
PREFIXES = {
    "": 1,
    **dict.fromkeys(("pico", "p"), 1e-12),
    **dict.fromkeys(("nano", "n"), 1e-9),
    **dict.fromkeys(("micro", "µ", "μ", "u"), 1e-6),
    **dict.fromkeys(("milli", "m"), 1e-3),
    **dict.fromkeys(("kilo", "k", "K"), 1e3),
    **dict.fromkeys(("mega", "M"), 1e6),
    **dict.fromkeys(("giga", "G"), 1e9),
    **dict.fromkeys(("tera", "T"), 1e12),
    **dict.fromkeys(("kibi", "Ki"), 2**10),
    **dict.fromkeys(("mebi", "Mi"), 2**20),
    **dict.fromkeys(("gibi", "Gi"), 2**30),
    **dict.fromkeys(("tebi", "Ti"), 2**40),
}
UNITS = {
    **dict.fromkeys(("second", "s", "sec"), Unit(1, _TIME)),
    **dict.fromkeys(("minute", "min"), Unit(60, _TIME)),
    **dict.fromkeys(("hour", "h"), Unit(3600, _TIME)),
    **dict.fromkeys(("byte", "B"), Unit(1, _INFORMATION)),
    **dict.fromkeys(("bit", "b"), Unit(1 / 8, _INFORMATION)),
    "cycle": Unit(1, _CYCLE),
    "tick": Unit(1, Dimension((("tick", 1),))),
    **dict.fromkeys(("hertz", "Hz"), Unit(1, _CYCLE / _TIME)),
    **dict.fromkeys(("meter", "m"), Unit(1, Dimension((("length", 1),)))),
    **dict.fromkeys(("percent", "%"), Unit(0.01)),
    **dict.fromkeys(("1", "count"), Unit(1)),
    **dict.fromkeys(("op", "call", "read", "pair", "instruction", "round", "switch"), Unit(1)),
    **dict.fromkeys(("page", "block", "packet", "IO", "transfer", "T"), Unit(1)),
}
# Of each dimension, as a unit is written.
BASE_UNITS = {
    "time": "s",
    "information": "byte",
    "cycle": "cycle",
    "tick": "tick",
    "length": "meter",
}
_NEVER_CHANGED = ("1", "%")  # they have neither a prefix nor a plural
_FACTOR = re.compile(r"\s*([*/]|)\s*([^\s*/]+)")
MAX_POWER = 10  # of a base unit in a unit: none of the book's comes near


@functools.cache
def unit_of(text: str) -> Unit | None:
    """The unit of a text such as "ns/byte"; None if it is none."""
    product, end = Unit(1), 0
    for factor in _FACTOR.finditer(text):
        sign, name = factor.groups()
        unit = _named(name)
        if unit is None or factor.start() != end or bool(sign) == (end == 0):
            return None
        end = factor.end()
        power = -1 if sign == "/" else 1
        dimension = product.dimension * unit.dimension**power
        product = Unit(product.factor * unit.factor**power, dimension)
    is_whole = end == len(text.rstrip()) > 0
    is_usual = all(abs(power) < MAX_POWER for _, power in product.dimension.powers)
    return product if is_whole and is_usual else None


def _named(name: str) -> Unit | None:
    """The unit of that name, which may have a prefix, be plural, or both; None if there is none."""
    if name in UNITS:
        return UNITS[name]
    for ending in ("", "s"):
        for prefix, factor in PREFIXES.items():
            if not (name.startswith(prefix) and name.endswith(ending)):
                continue
            rest = name[len(prefix) : len(name) - len(ending)]
            is_plural_letter = bool(ending) and len(rest) == 1
            if rest in UNITS and rest not in _NEVER_CHANGED and not is_plural_letter:
                return Unit(factor * UNITS[rest].factor, UNITS[rest].dimension)
    return None

"""Units and the printing of numbers.

A registry of our own, because pint's default one is wrong for this book: there `cycle` is 2*pi,
`MT/s` megatesla, `Mb/s` megabarn, `KB` unknown and bits have no dimension. Here the base units are
s, cycle, tick and byte, and what is counted has none.
"""

from __future__ import annotations

import functools
import math
import re

import pint

from reckon.config import ReckonError

_DEFINITIONS = """
pico- = 1e-12 = p-
nano- = 1e-9 = n-
micro- = 1e-6 = µ- = μ- = u-
milli- = 1e-3 = m-
kilo- = 1e3 = k- = K-
mega- = 1e6 = M-
giga- = 1e9 = G-
tera- = 1e12 = T-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
tebi- = 1099511627776 = Ti-
second = [time] = s = sec
minute = 60 * second = min
hour = 60 * minute = h
byte = [information] = B
bit = byte / 8 = b
cycle = [cycle]
tick = [tick]
count = []
percent = 0.01 * count = %
op = count
call = count
read = count
pair = count
instruction = count
round = count
page = count
block = count
switch = count
packet = count
IO = count
transfer = count = T
meter = [length] = m
hertz = cycle / second = Hz
"""


@functools.cache
def registry() -> pint.UnitRegistry:
    # As a list: pint reads one line at a time, and no default registry is parsed (4 ms, not 105).
    units: pint.UnitRegistry = pint.UnitRegistry(None)
    units.load_definitions(_DEFINITIONS.strip().splitlines())
    return units


@functools.cache
def parse(unit: str) -> pint.Unit:
    """The unit of that name. Raises ReckonError with what to write instead."""
    text = "dimensionless" if unit in ("", "1") else unit
    try:
        return registry().parse_units(re.sub(r"(?<!\w)%", "percent", text))
    except Exception:
        raise ReckonError(
            f"{unit!r} is not a unit of this book; write for example ns, cycle, Gcycle/s, KiB, "
            "GB/s, Mbit/s, 1."
        ) from None


@functools.cache
def factor(unit: str) -> float:
    """How many base units (s, byte, cycle, tick, 1) one `unit` is."""
    return float(registry().Quantity(1.0, parse(unit)).to_base_units().magnitude)


# The unit of a probe's parameter is the suffix of its name; without one it is a count.
UNIT_OF_SUFFIX = {"bytes": "byte", "ns": "ns", "us": "us", "ms": "ms", "percent": "%"}


def unit_of_parameter(name: str) -> str | None:
    """The unit that the name ends in: "ns" of interval_ns; None of a count."""
    return UNIT_OF_SUFFIX.get(name.rpartition("_")[2])


def to_base(value, unit: str):
    """A value in `unit` as a plain float (or array) in base units."""
    return value * factor(unit)


def from_base(value, unit: str):
    """A value in base units as a plain float (or array) in `unit`."""
    # A division by the exact power of ten rather than a product with its rounded inverse.
    return value / factor(unit)


@functools.cache
def dimension(unit: str) -> pint.util.UnitsContainer:
    """The dimension of a unit, such as [time]; two that are equal can be added."""
    return parse(unit).dimensionality


_KINDS = {
    (): "a plain number",
    (("[time]", 1),): "a time",
    (("[information]", 1),): "an amount of data",
    (("[cycle]", 1),): "a number of cycles",
    (("[tick]", 1),): "a number of ticks",
    (("[information]", 1), ("[time]", -1)): "a data rate",
    (("[cycle]", 1), ("[time]", -1)): "a clock rate",
    (("[tick]", 1), ("[time]", -1)): "a tick rate",
    (("[time]", -1),): "a rate of events",
    (("[length]", 1),): "a length",
    (("[information]", -1), ("[time]", 1)): "a time per amount of data",
}


def kind(dimensionality) -> str:
    """A dimension in words: "a time", "an amount of data"."""
    key = tuple(sorted((name, int(power)) for name, power in dimensionality.items()))
    return _KINDS.get(key, f"a quantity of dimension {dimensionality}")


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """A number in three significant digits, in exponent form only if very small or large."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")  # 99.96 is 100, not 100.0
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    if rounded and abs(rounded) < 1e-4 or abs(rounded) >= 1e15:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}·10{str(int(power)).translate(_SUPERSCRIPT)}".replace("-", "−")
    text = f"{rounded:,.{max(places, 0)}f}".replace(",", " ")
    return text.replace("-", "−")


def plain(value: float) -> str:
    """A number as it was given: a whole one in full (1 024), another in three digits."""
    whole = abs(value) < 1e12 and abs(value - round(value)) <= 1e-9 * abs(value)
    return f"{round(value):,}".replace(",", " ").replace("-", "−") if whole else number(value)


# Steps a person would choose for each first unit; anything else is printed as it stands.
_LADDERS = (
    ("ns", "µs", "ms", "s"),
    ("byte/s", "kB/s", "MB/s", "GB/s"),
    ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),  # what is stated in bits, as networks are, stays so
    ("byte", "KiB", "MiB", "GiB", "TiB"),
    ("Mcycle/s", "Gcycle/s"),
)


# A value this far below a step is printed in it: 0.9996 µs is 1.00 µs, not 1 000 ns.
ALMOST_A_STEP = 0.9995


@functools.cache
def ladder(unit: str) -> tuple[str, ...]:
    """The units in which a value of `unit` may be printed, the smallest first."""
    for steps in _LADDERS:
        if dimension(steps[0]) == dimension(unit) and ("bit" in steps[0]) == ("bit" in unit):
            return steps
    return (unit,)


def readable(base_value: float, unit: str) -> str:
    """The step of `unit`'s ladder that prints `base_value` with one to four digits before the
    point; `unit` itself where it has no ladder."""
    best, *larger = ladder(unit)
    for step in larger:
        if abs(base_value) >= factor(step) * ALMOST_A_STEP:
            best = step
    return best


_SPOKEN = {"Gcycle/s": "GHz", "Mcycle/s": "MHz", "cycle/s": "Hz", "1": "", "count": ""}


def spoken(unit: str) -> str:
    """The unit as the field writes it: GHz for Gcycle/s, µs for us."""
    return _SPOKEN.get(unit, re.sub(r"\bus\b", "µs", unit))


def span(values, unit: str) -> str:
    """The first and last value of a curve; one value if all are printed alike."""
    amounts = [amount(float(value), unit) for value in values]
    return amounts[0] if len(set(amounts)) == 1 else f"{amounts[0]} to {amounts[-1]}"


def amount(base_value: float, unit: str, digits: int = 3, *, fixed: bool = False) -> str:
    """A value in base units, printed in `unit` or, unless fixed, in the readable step of it."""
    shown = unit if fixed or not math.isfinite(base_value) else readable(base_value, unit)
    return f"{number(from_base(base_value, shown), digits)} {spoken(shown)}".strip()


def between(low: float, high: float, unit: str) -> str:
    """ "92.1 to 94.0": two values in base units as numbers of `unit`."""
    return f"{number(from_base(low, unit))} to {number(from_base(high, unit))}"


def with_interval(middle: float, low: float, high: float, unit: str) -> str:
    """ "93.1 ns (92.1 to 94.0)"; the value alone if its interval is unknown."""
    text = amount(middle, unit)
    return text if math.isnan(low) else f"{text} ({between(low, high, readable(middle, unit))})"


def size(base_value: float, unit: str) -> str:
    """An amount as one writes sizes: 32 KiB and 6.73 MiB, not 32.0 KiB."""
    shown = readable(base_value, unit)
    return f"{float(f'{from_base(base_value, shown):.3g}'):g} {spoken(shown)}".strip()


def place(base_value: float, unit: str) -> str:
    """A place on an axis: 2 MiB, not 2048 KiB; any other unit as its author gave it."""
    if dimension(unit) == dimension("byte"):
        return size(base_value, unit)
    return f"{from_base(base_value, unit):g} {spoken(unit)}".strip()

"""Units and the printing of numbers.

A registry of our own, because pint's default one is wrong for this book: there `cycle` is 2*pi,
`MT/s` megatesla, `Mb/s` megabarn, `KB` unknown and bits have no dimension. Here the base units are
s, cycle, tick and byte, and what is counted has none.
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
import sys
from collections.abc import Iterator

import numpy as np

from reckon.errors import ReckonError


@contextlib.contextmanager
def _hidden(module: str) -> Iterator[None]:
    """What is imported meanwhile does not find the module."""
    known = {name: sys.modules[name] for name in [module] if name in sys.modules}
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[module]
        sys.modules.update(known)


# Where Dask is installed, pint imports it too, for half the time that `reckon` takes to start.
with _hidden("dask"):
    import pint

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


MAX_POWER = 10  # of a base unit in a unit: none of the book's comes near


@functools.cache
def registry() -> pint.UnitRegistry:
    # As a list: pint reads one line at a time, and no default registry is parsed (4 ms, not 105).
    units: pint.UnitRegistry = pint.UnitRegistry(None)
    units.load_definitions(_DEFINITIONS.strip().splitlines())
    return units


def defined_names() -> tuple[list[str], list[str]]:
    """The names of all prefixes, without one the first, and of all units."""
    prefixes: list[str] = [""]
    names: list[str] = []
    for line in _DEFINITIONS.strip().splitlines():
        name, _, *others = line.split(" = ")
        each = [text.removesuffix("-") for text in (name, *others)]
        (prefixes if name.endswith("-") else names).extend(each)
    return prefixes, names


@functools.cache
def parse(unit: str) -> pint.Unit:
    """The unit of that name. Raises ReckonError with what to write instead."""
    text = "dimensionless" if unit in ("", "1") else unit
    try:
        parsed = registry().parse_units(re.sub(r"(?<!\w)%", "percent", text))
        powers = map(float, parsed.dimensionality.values())  # type: ignore[arg-type]
        if not all(abs(power) < MAX_POWER for power in powers):
            raise ValueError
        return parsed
    except Exception:
        meant = next((each for each in COMMON if each.lower() == unit.lower()), None)
        hint = f"did you mean {meant}?" if meant else f"write for example {EXAMPLES}."
        raise ReckonError(UNKNOWN.format(unit=repr(unit), hint=hint)) from None


UNKNOWN = "{unit} is not a unit of this book; {hint}"
EXAMPLES = "ns, cycle, Gcycle/s, KiB, GB/s, Mbit/s, 1"
# Those whose small and capital letters are mixed up.
COMMON = ["ns", "us", "ms", "s", "cycle", "cycles", "byte", "bytes", "KiB", "MiB", "GiB"]
COMMON += ["GHz", "MHz", "MB/s", "GB/s", "Mbit/s", "Gbit/s"]


def is_unit(text: str) -> bool:
    try:
        parse(text)
    except ReckonError:
        return False
    return True


@functools.cache
def factor(unit: str) -> float:
    """How many base units (s, byte, cycle, tick, 1) one `unit` is."""
    return float(registry().Quantity(1.0, parse(unit)).to_base_units().magnitude)


# The unit of a probe's parameter is the suffix of its name; without one it is a count.
UNIT_OF_SUFFIX = {"bytes": "byte", "ns": "ns", "us": "us", "ms": "ms", "percent": "%"}


def unit_of_parameter(name: str) -> str | None:
    """The unit that the name ends in: "ns" of interval_ns; None of a count."""
    return UNIT_OF_SUFFIX.get(name.rpartition("_")[2])


# What follows the number is a unit, and not the rest of a number: "1.234,5 ns" is no amount.
_NAME = r"(?:[^\W\d_]+|%|1(?![\w.]))"
_AMOUNT = re.compile(
    r"\s*([-+−]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+−]?[0-9]+)?)"
    rf"\s*({_NAME}(?:\s*[*/]\s*{_NAME})*|)\s*"
)
# Thousands or three decimals; those after a point end in 0, in which no text of Reckon's ends.
_THOUSANDS = re.compile(r"[-+−]?[1-9][0-9]{0,2}(?:,[0-9]{3}|\.[0-9]{2}0)")
_GROUPS = re.compile(r"[0-9][\s,.'’_][0-9]{3}(?![0-9])")
# What is said of an amount that cannot be meant; the what-if panels have these sentences as data.
AMOUNT_FAULTS = {
    "number": "This is no number; write one such as {example}.",
    "thousands": "This is no number; write it with nothing between thousands, as 1234.5.",
    "unclear": "{text} may be {whole} or {decimal}; write the one that is meant.",
    "large": "This is too large for a number; write a smaller one.",
    "dimension": "This is {wanted}, but {text} is {stated}; write for example {example}.",
}


def number_and_unit(text: str) -> tuple[float, str] | None:
    """The parts of an amount as a person writes it, "0.2 ms" or "64KiB"; the unit may be empty.

    A single comma is a decimal one. None for another text than a number and a unit. Raises
    ReckonError for 1,234 and 1.230, which may be thousands. book/static/numbers.js follows the
    same rule.
    """
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    number = match[1]
    decimal = number.replace(",", ".")
    if _THOUSANDS.fullmatch(number):
        whole, shortest = decimal.replace(".", ""), decimal.rstrip("0").rstrip(".")
        raise ReckonError(
            AMOUNT_FAULTS["unclear"].format(text=number, whole=whole, decimal=shortest)
        )
    return float(decimal.replace("−", "-")), match[2]


def amount_in_base(text: str, unit: str, example: str) -> float:
    """An amount such as "550 cycles" in base units; without a unit, it has this one.

    example: an amount that a sentence may show. Raises ReckonError with what to write instead.
    """
    parts = number_and_unit(text)
    if parts is None:
        fault = "thousands" if _GROUPS.search(text) else "number"
        raise ReckonError(AMOUNT_FAULTS[fault].format(example=example))
    number, stated = parts[0], parts[1] or unit
    if dimension(stated) != dimension(unit):
        raise ReckonError(wrong_dimension(text.strip(), stated, unit, example))
    value = float(to_base(number, stated))
    if not math.isfinite(value):
        raise ReckonError(AMOUNT_FAULTS["large"])
    return value


def wrong_dimension(text: str, stated: str, unit: str, example: str) -> str:
    """The sentence on an amount of another dimension than this unit's."""
    wanted, given = (dimension_name(dimension(each)) for each in (unit, stated))
    return AMOUNT_FAULTS["dimension"].format(
        wanted=wanted, text=text, stated=given, example=example
    )


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


# In words: each dimension as its powers, sorted by base.
DIMENSION_NAMES: dict[tuple[tuple[str, float], ...], str] = {
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


def dimension_name(dimensionality) -> str:
    """A dimension in words: "a time", "an amount of data"."""
    key = tuple(sorted((name, float(power)) for name, power in dimensionality.items()))
    powers = [name.strip("[]") + ("" if power == 1 else f"^{power:g}") for name, power in key]
    return DIMENSION_NAMES.get(key, f"a quantity of dimension {' · '.join(powers)}")


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """A number in three significant digits, in exponent form only if very small or large."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    rounded = f"{value:.{digits - 1}e}"  # 99.96 is 100, not 100.0
    mantissa, _, exponent = rounded.partition("e")
    power = int(exponent)
    if not -4 <= power < 15:
        return f"{mantissa}·10{str(power).translate(_SUPERSCRIPT)}".replace("-", "−")
    decimals = max(digits - 1 - power, 0)
    return f"{float(rounded):,.{decimals}f}".replace("-", "−")


_WHOLE = 1e-9  # nearer to a whole number than this share of it, a number is one


def is_whole(value: float) -> bool:
    """Whether it is a whole number, but for what conversions of its unit have rounded."""
    return math.isfinite(value) and abs(value - round(value)) <= _WHOLE * abs(value)


def plain(value: float) -> str:
    """A number as it was given: a whole one in full (1,024), another in three digits."""
    if abs(value) < 1e12 and is_whole(value):
        return f"{round(value):,}".replace("-", "−")
    return number(value)


def as_given(value: float) -> str:
    """A whole number in full (1,234,567), another in up to six digits (0.25)."""
    if is_whole(value) or not 1e-4 <= abs(value) < 1e6:
        return plain(value)
    return f"{value:,g}".replace("-", "−")


# Steps a person would choose for each first unit; anything else is printed as it stands.
_UNIT_STEPS = (
    ("ns", "µs", "ms", "s"),
    ("byte/s", "kB/s", "MB/s", "GB/s"),
    ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),  # what is stated in bits, as networks are, stays so
    ("byte", "KiB", "MiB", "GiB", "TiB"),
    ("Mcycle/s", "Gcycle/s"),
)


# A value this far below a step is printed in it: 0.9996 µs is 1.00 µs, not 1,000 ns.
ALMOST_A_STEP = 0.9995


@functools.cache
def unit_steps(unit: str) -> tuple[str, ...]:
    """The units in which a value of `unit` may be printed, the smallest first."""
    for steps in _UNIT_STEPS:
        if dimension(steps[0]) == dimension(unit) and ("bit" in steps[0]) == ("bit" in unit):
            return steps
    return (unit,)


def readable_unit(base_value: float, unit: str) -> str:
    """The one of unit_steps() that prints `base_value` with one to four digits before the point."""
    readable, *larger = unit_steps(unit)
    for step in larger:
        if abs(base_value) >= factor(step) * ALMOST_A_STEP:
            readable = step
    return readable


_SYMBOLS = {"Gcycle/s": "GHz", "Mcycle/s": "MHz", "cycle/s": "Hz", "1": "", "count": ""}


# Units that are words: 2 bytes, 3 cycles/byte. A rate keeps its symbol: byte/s.
_WORD = re.compile(
    r"^(byte|bit|cycle|tick|call|read|pair|instruction|round|page|block|packet|transfer)(?!\w|/s\b)"
)


def symbol(unit: str, number_text: str = "") -> str:
    """The unit as the field writes it: GHz for Gcycle/s, µs for us; byte behind "1", else bytes."""
    return _symbol(unit, is_plural=number_text not in ("1", "−1"))


@functools.cache
def _symbol(unit: str, *, is_plural: bool) -> str:
    if is_plural:
        return _WORD.sub(r"\1s", _symbol(unit, is_plural=False))
    return _SYMBOLS.get(unit, re.sub(r"\bus\b", "µs", unit))


@functools.cache
def base_symbol(unit: str) -> str:
    """The base unit of a unit's dimension: "s", "byte/s", "cycle", or "1" of a plain number."""
    base = registry().get_base_units(parse(unit))[1]
    return f"{base:C}".replace("dimensionless", "1").replace("second", "s")


def with_unit(number_text: str, unit: str) -> str:
    """A printed number and its unit: "1 byte", "64 bytes", "3 GHz"."""
    return f"{number_text} {symbol(unit, number_text)}".strip()


def span(values, unit: str) -> str:
    """A value, or the first and last of a curve, in base units; one if all are printed alike."""
    amounts = [amount(float(value), unit) for value in np.atleast_1d(values)]
    return amounts[0] if len(set(amounts)) == 1 else f"{amounts[0]} to {amounts[-1]}"


def amount(base_value: float, unit: str, digits: int = 3) -> str:
    """A value in base units, printed in its readable unit."""
    printed_unit = readable_unit(base_value, unit) if math.isfinite(base_value) else unit
    value = from_base(base_value, printed_unit)
    is_count = _WORD.match(printed_unit) and is_whole(value)
    return with_unit(plain(value) if is_count else number(value, digits), printed_unit)


def range_text(low: float, high: float, unit: str) -> str:
    """ "92.1 to 94.0": two values in base units as numbers of `unit`."""
    return f"{number(from_base(low, unit))} to {number(from_base(high, unit))}"


def _power(value: float, digits: int) -> int:
    """The power of ten of a number that is rounded to that many significant digits."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def _last_place(middle: float, low: float, high: float) -> int | None:
    """The power of ten of the last digit that a value and the ends of its interval have.

    That of the second significant digit of the interval's half width (GUM 7.2.6), where the value
    has one to three digits then; a fourth if three would print the value and an end alike. None
    without an interval, or of one that has no width.
    """
    half_width = (high - low) / 2
    if not (0 < half_width < math.inf and math.isfinite(middle)):
        return None
    place = _power(half_width, 2) - 1
    if middle == 0:
        return place
    one, three, four = (_power(middle, digits) - digits + 1 for digits in (1, 3, 4))
    place = max(min(place, one), four)
    values = {low, middle, high}
    are_apart = len({_to_place(value, three) for value in values}) == len(values)
    return max(place, three) if are_apart else place


def _to_place(value: float, place: int) -> str:
    """A number whose last digit is at that power of ten; one digit of what is smaller."""
    if value == 0 or not math.isfinite(value):
        return number(value)
    digits = max(_power(value, 17) - place + 1, 1)
    rounded = float(f"{value:.{digits - 1}e}")
    return number(rounded, max(_power(rounded, 17) - place + 1, 1))


def number_and_interval(middle: float, low: float, high: float) -> tuple[str, str]:
    """ "4.2" and "1.2 to 9.8": a value and its interval, whose width decides the digits of both;
    "" if it is unknown."""
    if math.isnan(low):
        return number(middle), ""
    place = _last_place(middle, low, high)
    values = (middle, low, high)
    texts = [number(v) if place is None else _to_place(v, place) for v in values]
    return texts[0], f"{texts[1]} to {texts[2]}"


def amount_and_interval(middle: float, low: float, high: float, unit: str) -> tuple[str, str]:
    """ "93.1 ns" and "92.1 to 94.0": the same of values in base units."""
    step = readable_unit(middle, unit) if math.isfinite(middle) else unit
    text, ends = number_and_interval(*(from_base(value, step) for value in (middle, low, high)))
    return with_unit(text, step) if low < high else amount(middle, unit), ends


def amount_with_interval(middle: float, low: float, high: float, unit: str) -> str:
    """ "93.1 ns (92.1 to 94.0)"; the value alone if its interval is unknown."""
    text, ends = amount_and_interval(middle, low, high, unit)
    return f"{text} ({ends})" if ends else text


_NEXT_SIZE = 1024  # of a unit of bytes are one of the next


def size(base_value: float, unit: str) -> str:
    """An amount as one writes sizes: 32 KiB and 6.73 MiB, not 32.0 KiB."""
    printed_unit = readable_unit(base_value, unit)
    value = from_base(base_value, printed_unit)
    if not (is_whole(value) and value < _NEXT_SIZE):
        value = float(f"{value:.3g}")
    return with_unit(as_given(value), printed_unit)


def position(base_value: float, unit: str) -> str:
    """A position on an axis: 2 MiB, not 2048 KiB; any other unit as its author gave it."""
    if dimension(unit) == dimension("byte"):
        return size(base_value, unit)
    return with_unit(as_given(from_base(base_value, unit)), unit)


def duration(seconds: float) -> str:
    """ "0.8 s", "48 s", "12 min", "1 h 5 min": to be read by a waiting person."""
    minutes = round(seconds / 60)
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

"""Words and numbers of a page's sentences and table cells."""

from __future__ import annotations

import math
import re
import textwrap

from reckon import units
from reckon.comparison.reports.report import Report
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.computer.facts import Machine
from reckon.messages import join_words as join_words
from reckon.records.quantities.result import Result

NONE = "–"  # in a table: nothing to print here

_CODE = re.compile(r"((?<!`)`[^`\s](?:[^`]*[^`\s])?`(?!`))")
# What begins markup of Markdown, MyST, HTML or a formula; an underscore within a word does not,
# and block.grid() escapes the bars.
_MARKUP = re.compile(r"[\\`*$~{}\[\]#]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")
_AT_START = re.compile(r"^[:%+>-]")


def literal(text: object) -> str:
    """Text from outside, such as a host's name or a reason, as it is and on one line: no markup.

    Code between two backticks stays code, in which nothing is markup.
    """
    parts = _CODE.split(" ".join(str(text).split()))
    escaped = (
        part if index % 2 else _MARKUP.sub(r"\\\g<0>", part) for index, part in enumerate(parts)
    )
    return _AT_START.sub(r"\\\g<0>", "".join(escaped))


def brief(name: object) -> str:
    """A name that a machine gives itself, of at most 120 characters and no word of more than 40:
    what is longer would run off a title page or a phone."""
    words = (word if len(word) <= 40 else f"{word[:39]}…" for word in str(name).split())
    return textwrap.shorten(" ".join(words), 120, placeholder=" …")


def processor(machine: Machine) -> str:
    """ "Intel Xeon, 4 cores"; what the machine does not report is left out."""
    model, cores = machine.value("processor.model"), machine.number("processor.cores")
    counted = f"{cores:g} {plural(int(cores), 'core', 'cores')}" if cores else ""
    return ", ".join(filter(None, [brief(model or ""), counted])) or "not reported"


def why(*results: Result) -> str:
    """Why the first of these results without a value has none, as it is: no markup."""
    return literal(next((result.reason for result in results if result.reason), ""))


def code(text: object) -> str:
    return f"`{' '.join(str(text).replace('`', chr(39)).split())}`"


def cited_machine(source: Report | ReportedValue) -> str:
    return f"{source.machine} {{cite}}`{source.cite}`"


def first_case(*cases: tuple[bool, str]) -> str:
    """The text of the first case whose condition holds; "" if none does."""
    return next((text for holds, text in cases if holds), "")


def percent(share: float, digits: int = 2) -> str:
    """ "12 %": a share of one."""
    return f"{units.number(100 * share, digits)} %"


def more_or_less(difference: float, unit: str) -> str:
    """ "1.20 µs more" or "1.20 µs less": a difference in base units."""
    return f"{units.amount(abs(difference), unit)} {'more' if difference > 0 else 'less'}"


def times_as_long(one: Result, other: Result) -> str:
    """ "16 times (13 to 21) as long": by the medians, and by the ends of the intervals."""
    times = units.number(one.ratio_of_medians(other), 2)
    ends = [units.number(end, 2) for end in one.ratio_ends(other) or ()]
    interval = f" ({' to '.join(ends)})" if ends else ""
    return f"{times} times{interval} as long"


def percent_more_or_less(ratio: float) -> str:
    """ "12 % more" or "12 % less": how far a ratio lies from one."""
    return f"{percent(abs(ratio - 1))} {'more' if ratio > 1 else 'less'}"


def capitalised(text: str) -> str:
    """The text as the beginning of a sentence; names within it keep their capitals."""
    return f"{text[0].upper()}{text[1:]}"


def plural(count: int, word: str, plural_word: str) -> str:
    """The form of a word that goes with a count: "1 point", "2 points"."""
    return word if count == 1 else plural_word


def amount_or_dash(value: float | list[float] | None, unit: str) -> str:
    """A value in base units with its unit, or the ends of a curve; a dash for an unknown value."""
    is_unknown = value is None or (isinstance(value, float) and math.isnan(value))
    return NONE if is_unknown else units.span(value, unit)


def position_text(result: Result, x: float | None) -> str:
    """ "32 KiB": a position on the axis of a curve; "" for a single quantity."""
    return "" if x is None else units.position(float(x), result.axis_unit)


def counted_position(result: Result, x: float | None) -> str:
    """ "8 readers": the same, where the axis is a number with what it counts."""
    if x is None or result.axis_unit != "1":
        return position_text(result, x)
    counted = next(input_.source for input_ in result.seal.inputs if input_.origin == "axis")
    if x == 1:
        counted = re.sub(r"s\b", "", counted, count=1)
    return f"{position_text(result, x)} {counted}"


def ratio_text(value: float) -> str:
    """ "2.91×"; a dash for an unknown ratio."""
    return NONE if math.isnan(value) else f"{units.number(value)}×"


def times_text(one: Result, other: Result) -> str:
    """The same of two measured values, as Result.times() has it."""
    return NONE if math.isnan(one.ratio_of_medians(other)) else f"{one.times(other)}×"


def in_unit(value: float, unit: str, digits: int = 3) -> str:
    """A value in base units as a number of `unit`, without the unit."""
    return units.number(units.from_base(value, unit), digits)


def machine_value(value: float | str | None, unit: str, unknown: str = "not reported") -> str:
    """A value of a machine's description, in base units of `unit`."""
    if value is None:
        return unknown
    if isinstance(value, str) or unit in ("", "count"):
        return units.as_given(value) if isinstance(value, float) else str(value)
    return units.amount(value, unit)


def neither_shown(undecided: int) -> str:
    """ ", in 3 the data do not show which": of comparisons; "" without any."""
    return f", in {undecided} the data do not show which" if undecided else ""

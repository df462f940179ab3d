"""A made-up machine: what differs from the recorded one, and which conclusions are true of it.

[name_of_the_machine]
What is true of it, in one line.
values PAGE: NAME NAME = 5 us; NAME = 6 us   their median, at each point
curve PAGE NAME ...: EXPRESSION              of x and of y, what was recorded there, in base units
scale 4.1: PAGE NAME ...                     as many times as long as recorded
two modes slow=2, share=0.5: PAGE NAME ...   that share of the processes takes `slow` times as long
slow visits slow=2, visits=[1], of=3: ...    of that number of visits these are slow
drift 0.04: ...                              from visit to visit, as a standard deviation
steps 1e-08: ...                             single readings are multiples of it
first processes 20: ...                      in the first visit
lacks 'why': ...                             unsupported
fact FIELD: VALUE                            of the machine description; None: not reported
must PAGE: finding; finding                  what the page has to state, which follows from the truth
must not PAGE: finding; finding              what is false
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from reckon import units

MIB = 1 << 20
NS, US = 1e-9, 1e-6
MBIT = 1e6 / 8  # bytes a second

# The value at x, made of what was recorded there, all in base units (s, byte, byte/s); None: the
# point was not measured. x is None where the quantity is no curve.
Curve = Callable[[float | None, float], float | None]


@dataclass
class Model:
    """How the samples of one quantity are made from the recorded ones."""

    curve: Curve = lambda _, recorded: recorded
    visits: int = 3
    processes: int = 6  # in each visit
    first_processes: int = 0  # in the first one, if not as many as in the others
    # From visit to visit, relative, as a standard deviation; None: as processes of one visit scatter,
    # but at most 1 %.
    drift: float | None = None
    slow: float = 1.0  # times as long in the slow mode
    slow_share: float = 0.0  # of the processes
    slow_visits: tuple[int, ...] = ()  # by number from 1: all their processes are slow
    slow_is_clock: bool = False  # the core's clock is slower there, as calibrated beside the trials
    step_s: float = 0.0  # single readings are multiples of it


@dataclass(frozen=True)
class Conclusion:
    """A finding of a page, by its name."""

    page: str
    name: str


@dataclass
class Machine:
    """One made-up machine."""

    name: str
    truth: str = ""
    models: dict[str, Model] = field(default_factory=dict)  # by quantity
    facts: dict[str, int | float | str | None] = field(default_factory=dict)
    unsupported: dict[str, str] = field(default_factory=dict)  # why, by quantity
    true: list[Conclusion] = field(default_factory=list)
    false: list[Conclusion] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """The pages of which it says what they must state or must not, in its order."""
        return list(dict.fromkeys(each.page for each in [*self.true, *self.false]))


def staircase(x: float, y: float, l3_mib: float, memory_ns: float) -> float:
    """L1 and L2 as recorded, then an L3 of which so much is usable, which answers in 12.2 ns."""
    return y if x <= 1.5 * MIB else (12.2 if x <= l3_mib * MIB else memory_ns) * NS


def served(x: float, channels: int, us: float = 55, limit: float = 1e9) -> float:
    """Reads a second by x readers of a disk that serves a number of requests at once, or of CPUs with
    a limited rate."""
    return min(min(x, channels) / (us * US), limit)


_AT_HAND = {"MIB": MIB, "NS": NS, "US": US, "MBIT": MBIT, "math": math}
_AT_HAND |= {"staircase": staircase, "served": served}
_FIELDS = {"drift": "drift", "steps": "step_s", "first processes": "first_processes"}
_KEYWORDS = {
    "share": "slow_share",
    "of": "visits",
    "visits": "slow_visits",
    "by_clock": "slow_is_clock",
}
_LINE = re.compile(
    r"(values|curve|scale|two modes|slow visits|drift|steps|first processes|lacks|fact|must not|must) "
    r"(.*?): (.*)"
)


def machines_in(name: str) -> list[Machine]:
    """The machines of that file of this folder, in its order."""
    machines: list[Machine] = []
    for line in (Path(__file__).parent / f"{name}.txt").read_text("utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            machines.append(Machine(heading[1]))
        elif line and not line.startswith("#"):
            _read(machines[-1], line)
    return machines


def _read(machine: Machine, line: str) -> None:
    if not machine.truth:
        machine.truth = line
        return
    parts = _LINE.fullmatch(line)
    assert parts, line
    verb, subject, rest = parts.groups()
    if verb == "fact":
        machine.facts[subject] = ast.literal_eval(rest)
    elif verb in ("must", "must not"):
        conclusions = machine.true if verb == "must" else machine.false
        conclusions += [Conclusion(subject, name) for name in rest.split("; ")]
    elif verb == "values":
        for part in rest.split("; "):
            names, amount = part.split(" = ")
            value = units.to_base(*units.number_and_unit(amount))
            _change(machine, subject, names, curve=lambda *_, value=value: value)
    elif verb == "curve":
        page, names = subject.split(" ", 1)
        _change(machine, page, names, curve=eval(f"lambda x, y: {rest}", _AT_HAND))
    elif verb == "lacks":
        page, *names = rest.split(" ")
        reason = ast.literal_eval(subject)
        machine.unsupported |= {f"{page}/{name}": reason for name in names}
    else:
        _change(machine, *rest.split(" ", 1), **_changes(verb, subject))


def _changes(verb: str, text: str) -> dict:
    """The fields of the models that a line of that verb sets."""
    if verb == "scale":
        times = float(text)
        return {"curve": lambda _, recorded: times * recorded}
    if verb in _FIELDS:
        return {_FIELDS[verb]: ast.literal_eval(text)}
    keywords = eval(f"dict({text})", {})
    return {_KEYWORDS.get(name, name): value for name, value in keywords.items()}


def _change(machine: Machine, page: str, names: str, **changes) -> None:
    for name in names.split(" "):
        model = machine.models.setdefault(f"{page}/{name}", Model())
        for key, value in changes.items():
            setattr(model, key, value)

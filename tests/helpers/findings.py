"""Made-up results, written short for the tables of findings (tests/notebooks/findings)."""

import os
import re
from collections import ChainMap
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

import reckon as rk
from helpers import made_up
from reckon import records, statistics, units
from reckon.book import contents
from reckon.computer.facts import Machine
from reckon.prediction.inputs import Input

# The counter ticks each nanosecond, the core makes three cycles in that time.
CYCLE_NS = 1 / 3
GIVEN_CLOCK = rk.guess(3, "GHz", "made up", low=2, high=5)


def base(text):
    """An amount in base units."""
    return float(units.to_base(*units.number_and_unit(text)))


def i(text, low=None, high=None):
    """An input of that amount: given, or with an interval in its unit a guess."""
    number, unit = units.number_and_unit(text)
    if low is None:
        return rk.given(number, unit, "made up")
    return rk.guess(number, unit, "made up", low=low, high=high)


def m(text, low=None, high=None, origin="measured"):
    """A measured input."""
    value = base(text)
    ends = {"low": base(low) if low else value, "high": base(high) if high else value}
    return Input(origin, value, units.number_and_unit(text)[1], "here", **ends)


def v(value):
    """Anything that has a value in base units."""
    return SimpleNamespace(value=base(value) if isinstance(value, str) else value)


def _prepared(result, predicted, sealed, params):
    """`predicted` is an amount, or how many times the median it is; `sealed` inputs are amounts."""
    if predicted is not None:
        times = isinstance(predicted, (int, float))
        result.seal.predicted = predicted * result.median if times else base(predicted)
    result.seal.inputs += [
        records.InputRecord(
            name=name,
            origin="given",
            value=base(amount),
            unit=units.number_and_unit(amount)[1],
            source="then",
        )
        for name, amount in (sealed or {}).items()
    ]
    result.measurement.params.update(params)
    return result


class Table:
    """What the lines of a page have at hand: the functions of its modules and those of this file."""

    def __init__(self, page):
        self.page = page
        own = {name: getattr(self, name) for name in ("q", "c", "none", "cycles")}
        folder = Path(page).parent
        more = [folder / path.stem for path in contents.modules_of(page)[1:]]
        beside = [vars(contents.findings_of(str(module))) for module in more]
        self.names = {**ChainMap(*beside), **globals(), **vars(contents.findings_of(page)), **own}

    def _name(self, name):
        return name if "/" in name else f"{self.page}/{name}"

    def q(self, text, predicted=None, n=8, seed=1, sealed=None, op="", **params):
        """A single quantity, "name 5 us", of n processes."""
        name, number, unit = text.split(" ")
        result = made_up.single(self._name(name), float(number), unit, n, seed)
        result.measurement.op = op or result.measurement.op
        return _prepared(result, predicted, sealed, params)

    def cycles(self, name, count, n=8, seed=1):
        """A single quantity of that number of cycles of the core."""
        return made_up.single(self._name(name), count * CYCLE_NS, "ns", n, seed)

    def c(self, name, x, y, unit="ns", axis="KiB", predicted=None, n=8, sealed=None, **params):
        """A curve."""
        how = {"predicted": predicted, "processes": n}
        result = made_up.curve(self._name(name), x, y, unit, axis, **how)
        return _prepared(result, None, sealed, params)

    def none(self, name):
        """A quantity that could not be measured."""
        return made_up.nothing(self._name(name))


def with_more_processes(result, other, visit=1):
    """The result with the processes of another one, which belong to that visit."""
    more = other.measurement.points[0].processes
    for process in more:
        process.visit = visit
    result.measurement.points[0].processes += more
    return result


def joined(result, *others, start=0, step=1):
    """The result with the processes of others, whose visits have these numbers."""
    for number, other in enumerate(others):
        with_more_processes(result, other, start + step * number)
    return result


def parts(result, hardware, software):
    """The result, predicted as the sum of these parts."""
    result.seal.hardware, result.seal.software = base(hardware), base(software)
    return result


def visits(result, *times):
    """The result, of as many visits as there are factors: process after process."""
    for number, process in enumerate(result.points[0].processes):
        process.visit = number % len(times)
        process.ticks = [round(tick * times[process.visit]) for tick in process.ticks]
    return result


def drifting(result):
    """As of three visits, of a run whose quantities differ by a third from visit to visit."""
    variance = statistics.PooledVariance(variance=0.1, degrees=20, quantities=20)
    return replace(visits(result, 1, 1, 1), between_visits=variance)


def ticks(result, *of_processes, ops=None, **more):
    """The result whose processes have these trials, in turn."""
    for number, process in enumerate(p for point in result.points for p in point.processes):
        if of_processes:
            process.ticks = [*of_processes[number % len(of_processes)]]
        process.ops = ops or process.ops
        for name, value in more.items():
            setattr(process, name, value)
    return result


def slower(result, count, times):
    """The result, the first processes of which take that many times as long."""
    for process in result.points[0].processes[:count]:
        process.ticks = [times * tick for tick in process.ticks]
    return result


def clocks(result, per_tick, *ticks):
    """Two processes in each visit, at these clocks beside them, of one time or of one a visit."""
    processes = result.points[0].processes[: 2 * len(per_tick)]
    for number, process in enumerate(processes):
        process.visit = number // 2
        process.ticks = [round(ticks[process.visit % len(ticks)])] * 10
        process.cycles_per_tick_before = process.cycles_per_tick_after = per_tick[process.visit]
    result.measurement.points[0].processes = processes
    return result


def medians(curve, factors=None):
    """The curve without noise within a process; predicted as that many times its medians."""
    for process in (process for point in curve.points for process in point.processes):
        process.ticks = [round(np.median(process.ticks))] * len(process.ticks)
    if factors is not None:
        curve.seal.predicted = factors * curve.medians
    return curve


def facts(values):
    """A machine of which this is known."""
    return Machine.of({field: (value, "a test") for field, value in values.items()})


def on(facts, call):
    """What the call gives on a machine with these facts, by their last word."""

    def fact(field):
        return facts.get(field.rpartition(".")[2])

    run = SimpleNamespace(machine=SimpleNamespace(value=fact, number=fact))
    with mock.patch("reckon.run", lambda: run):
        return call()


def under(environment, call):
    """What the call gives where these variables of the environment are set."""
    with mock.patch.dict(os.environ, environment):
        return call()


def written(path, content):
    """The path, once it has these bytes."""
    path.write_bytes(content)
    return path


def has(pattern, found):
    """Whether the text has what that pattern matches."""
    return bool(re.search(pattern, str(found)))


def each(found):
    """The findings as a list."""
    return found if isinstance(found, list) else [found]

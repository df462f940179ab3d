"""The main results of a run on one page of text: for a terminal and a mail."""

from __future__ import annotations

import itertools
import textwrap
from datetime import datetime

from reckon import records, units
from reckon.comparison.reports.attributes import attributes
from reckon.computer.facts import Machine
from reckon.records.quantities import export
from reckon.records.quantities.result import Result, summary_text
from reckon.show.sentences.warning_sentences import in_cell, without_links
from reckon.show.tables.answer_box import AnswerValues, answer_values
from reckon.show.tables.headlines import (
    VIRTUAL_DISK,
    Headline,
    below,
    is_virtual_disk,
    main_results,
    result_of,
    set_link,
    unmeasured,
)
from reckon.show.tables.scores import by_own_methods, score
from reckon.show.text import brief, machine_value, processor, ratio_text

_WIDTH = 80
_LOAD = {"pass": "load", "warn": "not quiet: load", "unknown": "load"}
_COLUMNS = "{:27} {:>13} {:>29} {:>8}"


def text_summary(run: records.Run, results: list[Result]) -> str:
    """The machine, the main results part by part, what is missing, and the score; at most 80
    columns wide."""
    compared = _compared(results)
    lines = [
        *_wrapped(_machine(run, results)),
        "",
        _row("", "predicted", "measured (interval)", "ratio"),
    ]
    for part, headlines in itertools.groupby(compared, key=lambda headline: headline.part):
        lines.append(attributes().parts.get(part, part).capitalize())
        lines += [_line(headline, compared[headline]) for headline in headlines]
    by_quantity = {result.quantity: result for result in results}
    absent = unmeasured(
        {
            headline: by_quantity.get(headline.quantity)
            for headline in main_results()
            if headline not in compared
        }
    )
    for note in (_notes(compared), absent):
        if note:
            lines += ["", *_wrapped(note)]
    lines += ["", *_wrapped(score(by_own_methods(results)).markdown.replace("**", ""))]
    return "\n".join(lines) + "\n"


def _compared(results: list[Result]) -> dict[Headline, AnswerValues]:
    """The main results that have a predicted and a measured value."""
    by_quantity = {result.quantity: result for result in results}
    measured = {headline: result_of(headline, by_quantity) for headline in main_results()}
    compared = {
        headline: answer_values(result, None) for headline, result in measured.items() if result
    }
    return {headline: each for headline, each in compared.items() if each is not None}


def _notes(compared: dict[Headline, AnswerValues]) -> str:
    """What the intervals mean, and which values one number does not describe."""
    beside = {each.name: in_cell(v.measured, v.result.unit) for each, v in compared.items()}
    listed = "; ".join(f"{name} ({note})" for name, note in beside.items() if note)
    intervals = below({headline.name: each.result for headline, each in compared.items()})
    several = f"One number does not describe {listed}." if listed else ""
    return without_links(" ".join(filter(None, [intervals, several])))


def kernel(machine: Machine) -> str:
    """ "Linux 6.1, KVM guest"."""
    release = str(machine.value("system.kernel") or "").split(" ")[0]
    hypervisor = machine.value("system.hypervisor")
    where = f"{hypervisor} guest" if machine.number("system.guest") else "no guest"
    return f"Linux {release}, {where}" if release else where


def when_measured(results: list[Result]) -> str:
    """The date of the newest samples and the profiles; "" without any."""
    measurements = [result.measurement for result in results if result.measurement]
    if not measurements:
        return ""
    newest: datetime = max(measurement.started_at for measurement in measurements)
    profiles = sorted({measurement.profile for measurement in measurements})
    return f"{newest:%Y-%m-%d}, {' and '.join(profiles)} profile"


def conditions(run: records.Run, measured: str) -> list[str]:
    """What a reader has to know of the processor beside its name, as plain text: its family, the
    kernel, whether that is a guest, the date `measured`, the load, and what a hypervisor makes or
    Reckon sets."""
    machine = run.machine
    numbers = {
        "family": machine.number("processor.family"),
        "model": machine.number("processor.model_number"),
    }
    family = " ".join(
        f"{name} {number:g}" for name, number in numbers.items() if number is not None
    )
    loads = [check for check in run.fitness if check["name"] == "load"]
    links = {set_link(machine, part) for part in ("peer", "nfs")} - {""}
    parts = [
        family,
        brief(kernel(machine)),
        f"measured {measured}" if measured else "",
        *(f"{_LOAD[check['state']]} {check['found']}" for check in loads),
        VIRTUAL_DISK if is_virtual_disk(machine) else "",
        *sorted(links),
    ]
    return [part for part in parts if part]


def _machine(run: records.Run, results: list[Result]) -> str:
    machine = run.machine
    parts = [
        processor(machine),
        machine_value(machine.number("memory.capacity"), "byte", ""),
        kernel(machine),
    ]
    return f"{', '.join(filter(None, parts))}. Run {run.name}, {when_measured(results)}."


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH)


def _row(*cells: str) -> str:
    return _COLUMNS.format(*cells).rstrip()


def _line(headline: Headline, compared: AnswerValues) -> str:
    unit, summary = compared.result.unit, compared.measured
    return _row(
        f"  {headline.name}",
        units.amount(compared.predicted, unit),
        summary_text(summary, unit),
        ratio_text(compared.ratio),
    )


def to_json(run: records.Run, results: list[Result]) -> dict:
    """The run's name and its main results, each as `reckon results --json` has it, with its name
    on the page and what it was read from: its quantity, or the curve of a cache."""
    by_quantity = {result.quantity: result for result in results}
    measured = {headline: result_of(headline, by_quantity) for headline in main_results()}
    return {
        "run": run.name,
        "results": [
            {
                **export.to_json(result),
                "quantity": headline.quantity,
                "name": headline.name,
                "read_from": result.quantity,
            }
            for headline, result in measured.items()
            if result
        ],
    }

"""What the page `summary` gives to the front page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from reckon import records, units
from reckon.computer.facts import Machine
from reckon.records.quantities.cache_levels import at_point
from reckon.records.quantities.result import Result
from reckon.show.block import Block, join_blocks, marked, raw_html, say, table_row
from reckon.show.sentences.warning_sentences import has_two_modes
from reckon.show.tables.answer_box import (
    MARKS,
    AnswerValues,
    answer_values,
    axis,
    log_scale,
    track,
)
from reckon.show.tables.headlines import (
    Headline,
    below,
    full_name,
    main_results,
    reported_caches,
    result_of,
    unmeasured,
    usable_caches,
)
from reckon.show.tables.headlines import of_parts as of_parts
from reckon.show.text import NONE, literal, machine_value, plural, processor
from reckon.show.text_summary import conditions, when_measured

_BOLD = "A ratio in bold is off by more than a factor of two."
_FIT = "Fit to be measured."


def machine_card(run: records.Run, results: list[Result], clock: str) -> Block:
    """The machine in a few values: model, measured clock (the quantity `clock`), caches, how far
    their pace reaches, memory, and what makes it unfit to be measured."""
    machine = run.machine
    clocks = [result for result in results if result.quantity == clock and result.has_samples]
    cards = {
        "core clock, measured": marked(clocks[0].quantity, f"{clocks[0]}") if clocks else "",
        f"{' · '.join(_CACHES.values())}, as reported": _sizes(reported_caches(machine)),
        "largest working sets that are as fast as these caches": _sizes(
            usable_caches({result.quantity: result for result in results})
        ),
        "memory": machine_value(machine.number("memory.capacity"), "byte", ""),
    }
    warnings = [check for check in run.fitness if check["state"] == "warn"]
    model = literal(processor(machine))
    values = "\n".join(f"- **{value}** {title}" for title, value in cards.items() if value)
    doubts = [f"{check['name']} ({literal(check['found'])})" for check in warnings]
    count = f"{len(doubts)} {plural(len(doubts), 'warning', 'warnings')}"
    fitness = f"{count}: {'; '.join(doubts)}." if doubts else _FIT
    if unknown := sum(check["state"] == "unknown" for check in run.fitness):
        fitness += f" {unknown} of {len(run.fitness)} checks could not be made."
    return Block(f"::::{{container}} machine-card\n**{model}**\n\n{values}\n\n{fitness}\n::::")


_CACHES = {"l1": "L1d", "l2": "L2", "l3": "L3"}


def _sizes(caches: Mapping[str, float | None]) -> str:
    """ "32 KiB · 1 MiB · –"; "" if none is known."""
    sizes = [caches.get(name) for name in _CACHES]
    texts = [units.size(size, "byte") if size else NONE for size in sizes]
    return " · ".join(texts) if any(caches.values()) else ""


def unsupported(results: list[Result]) -> Block:
    """How many quantities this machine cannot measure; empty if it measures all."""
    count = sum(result.state == "unsupported" for result in results)
    if not count:
        return say()
    return say(
        f"{count} of {len(results)} quantities {plural(count, 'is', 'are')} "
        "[unsupported](/notebooks/summary.ipynb) here."
    )


def machine_line(run: records.Run, results: list[Result]) -> str:
    """The machine and its conditions in one line, as plain text."""
    return "; ".join([processor(run.machine), *conditions(run, when_measured(results))])


def ruler(run: records.Run, results: list[Result]) -> Block:
    """The machine in a line, and the main results that are times on one axis, with links to this
    as a picture."""
    machine = run.machine
    named = say(f"**This machine**: {literal(machine_line(run, results))}.")
    table = join_blocks([named, _on_one_axis(results, main_results(), machine)])
    return (
        join_blocks([table, Block(raw_html(_PICTURES))]) if main_times(results, machine) else table
    )


def of_part(results: list[Result], part: str, machine: Machine) -> Block:
    """A part's main results: the times on one axis, and below them the others."""
    values, _ = _values(results, of_parts(part))
    others = [each for each, value in values.items() if _dimension(value) != _TIME]
    times = [headline for headline in of_parts(part) if headline not in others]
    shown = [_on_one_axis(results, times, machine)] if times else []
    return join_blocks([*shown, headlines(results, others, machine)] if others else shown)


def _on_one_axis(results: list[Result], chosen: list[Headline], machine: Machine) -> Block:
    """Those that are times, the shortest first, each linked to its chapter and on a person's scale:
    as if the shortest took a second."""
    values, absent = _values(results, chosen)
    times = _times(values)
    scale = _to_whole_decades(log_scale([each for _, each in times]))
    rows = [
        [
            _linked(headline, each, machine),
            track(each, scale, has_head=True),
            *each.cells(),
            on_a_persons_scale(each.measured.median, times[0][1].measured.median),
        ]
        for headline, each in times
    ]
    persons = f"{times[0][0].name} as 1\u00a0s" if times else ""
    head = ["", axis(scale), *_COLUMNS, persons]
    return _boxed("headlines ruler", head, rows, dict(times), absent)


def _to_whole_decades(scale: tuple[float, float]) -> tuple[float, float]:
    """The ends, moved outwards beyond the next tick of a whole decade."""
    low, high = (math.log10(end) for end in scale)
    return 10 ** math.floor(low) / _BEYOND, 10 ** math.ceil(high) * _BEYOND


def main_times(results: list[Result], machine: Machine) -> dict[str, Result]:
    """The main results that are times, the shortest first, by their full names."""
    values, _ = _values(results, main_results())
    return {
        full_name(headline, each.result, machine): _alone(each) for headline, each in _times(values)
    }


def names_in_figure(times: dict[str, Result]) -> dict[str, str]:
    """The names of main_times() by quantity; those whose trials have two modes say so."""
    return {
        result.quantity: f"{name} (two modes)" if has_two_modes(result.summaries[0]) else name
        for name, result in times.items()
    }


def times_of_part(results: list[Result], part: str) -> dict[Headline, AnswerValues]:
    """A part's main results that are times, the shortest first."""
    values, _ = _values(results, of_parts(part))
    return dict(_times(values))


def _alone(values: AnswerValues) -> Result:
    """The result; a curve at its point alone."""
    result = values.result
    if not result.is_curve:
        return result
    return replace(at_point(result, values.index), quantity=result.quantity)


def _times(values: dict[Headline, AnswerValues]) -> list[tuple[Headline, AnswerValues]]:
    times = [each for each in values.items() if _dimension(each[1]) == _TIME]
    return sorted(times, key=lambda each: each[1].measured.median)


def headlines(
    results: list[Result], chosen: list[Headline], machine: Machine, title: str = ""
) -> Block:
    """The chosen values, predicted and measured, each linked to its chapter; the unmeasured ones
    are named below. Values of one dimension share an axis. `title` heads the first column."""
    values, absent = _values(results, chosen)
    scales = _scales([*values.values()])
    rows = [
        [_linked(headline, each, machine), track(each, scales[_dimension(each)]), *each.cells()]
        for headline, each in values.items()
    ]
    return _boxed("headlines", [title, MARKS, *_COLUMNS], rows, values, absent)


# Made when staging; the second by main_times()'s figure.
_PICTURES = (
    '<p class="pictures"><small>As a picture: <a href="../_static/card.png">PNG</a>, '
    '<a href="../_images/ruler.svg">SVG</a></small></p>'
)


_BEYOND = 2  # a tick at the end itself has no label


_COLUMNS = ["Predicted", "Measured (interval)", "Ratio"]


_TIME = str(units.dimension("s"))


_PERSONS_UNITS_S = {"days": 86400, "h": 3600, "min": 60}


def _values(
    results: list[Result], chosen: list[Headline]
) -> tuple[dict[Headline, AnswerValues], dict[Headline, Result | None]]:
    """The values of the chosen results, and those results that have none."""
    by_quantity = {result.quantity: result for result in results}
    found: dict[Headline, AnswerValues] = {}
    absent: dict[Headline, Result | None] = {}
    for headline in chosen:
        result = result_of(headline, by_quantity)
        # Marked by the main result's own quantity, which readers predict.
        marked = replace(result, quantity=headline.quantity) if result else None
        values = answer_values(marked, None) if marked else None
        if values is None:
            absent[headline] = result
        else:
            found[headline] = values
    return found, absent


def _linked(headline: Headline, values: AnswerValues, machine: Machine) -> str:
    page = records.experiment_of(headline.quantity)
    name = full_name(headline, values.result, machine)
    return f"[{name}](/notebooks/{page}.ipynb) <small>{headline.note}</small>"


def on_a_persons_scale(median: float, shortest: float) -> str:
    """ "21 h": the measured time, if the shortest one were a second."""
    seconds = median / shortest
    units_s = [*_PERSONS_UNITS_S.items(), ("s", 0)]
    name, of_one = next(each for each in units_s if seconds >= 2 * each[1])
    count = seconds / (of_one or 1)
    return f"{count:.0f} {name}" if count >= 10 else f"{count:.2g} {name}"


def _boxed(
    classes: str,
    head: list[str],
    rows: list[list[str]],
    values: dict[Headline, AnswerValues],
    absent: dict[Headline, Result | None],
) -> Block:
    alignment = ["---", "---"] + ["---:"] * (len(head) - 2)
    table = "\n".join([table_row(head), table_row(alignment), *map(table_row, rows)])
    boxed = f"::::{{container}} {classes}\n{table}\n::::" if rows else ""
    bold = _BOLD if any(value.is_miss for value in values.values()) else ""
    intervals = below({each.name: value.result for each, value in values.items()})
    notes = " ".join(filter(None, [intervals, bold]))
    return Block("\n\n".join(filter(None, [boxed, notes, literal(unmeasured(absent))])) or NONE)


def _dimension(values: AnswerValues) -> str:
    return str(units.dimension(values.result.unit))


def _scales(answers: list[AnswerValues]) -> dict[str, tuple[float, float]]:
    return {
        dimension: log_scale([values for values in answers if _dimension(values) == dimension])
        for dimension in map(_dimension, answers)
    }

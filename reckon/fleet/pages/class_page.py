"""The page of `reckon class`: what many readers predicted, beside what was measured.

One HTML file without scripts or other files.
"""

from __future__ import annotations

import html

import numpy as np

from reckon import units
from reckon.fleet.pages import dots
from reckon.fleet.readers import Guess, QuantityGuesses, ReadersPredictions
from reckon.messages import join_words
from reckon.prediction.ratios import MISS
from reckon.show.tables.scores import shares_within, typical_factor
from reckon.show.text import counted_position, plural, ratio_text
from reckon.show.titles import page_title, title_of

_STYLE = """
:root { color-scheme: light dark; --predicted: #8a5a00; --measured: #0060a8; }
@media (prefers-color-scheme: dark) { :root { --predicted: #f0b95a; --measured: #6db8f2; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 45rem; margin: 1rem auto; padding: 0 1rem; }
section { break-inside: avoid; }
svg { width: 100%; max-width: 36rem; height: auto; }
svg text { font-size: 12px; fill: currentColor; }
.predicted { fill: var(--predicted); }
.measured { stroke: var(--measured); stroke-width: 2; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.1rem 1rem 0.1rem 0; text-align: left; }
td + td { text-align: right; }
.table { overflow-x: auto; }
"""


def page(group: ReadersPredictions, run: str, *, with_names: bool) -> str:
    """The whole page as HTML; without names no reader can be recognised."""
    total = len(group.readers)
    parts = [
        "<h1>What was predicted, and what was measured</h1>",
        _paragraph(
            f"{total} {plural(total, 'reader', 'readers')} of the run {run} predicted "
            f"{len(group.quantities)} {plural(len(group.quantities), 'quantity', 'quantities')}."
        ),
        *_all_wrong(group.quantities),
        *(_readers(group) if with_names else []),
        *(_section(k, each, with_names=with_names) for k, each in enumerate(group.quantities)),
        *_passed_over(group.passed_over, with_names=with_names),
    ]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Predictions of a class</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def title(quantity: QuantityGuesses) -> str:
    """ "The system call: getpid", of a curve with the position."""
    result = quantity.result
    text = f"{page_title(result.experiment)}: {title_of(result.quantity)}"
    if not result.is_curve:
        return text
    return f"{text}, {counted_position(result, result.axis[quantity.guesses[0].point])}"


def sentences(quantity: QuantityGuesses, *, with_names: bool) -> list[str]:
    """What was measured, how the guesses are distributed, and the best one."""
    guesses, unit = quantity.guesses, quantity.result.unit
    best = next((guess for guess in guesses if not guess.saw_measured), guesses[0])
    values = [guess.predicted for guess in guesses]
    measured = quantity.result.summaries[best.point]
    width = ""
    if measured.interval.is_known:
        step = units.readable_unit(measured.median, unit)
        width = f" ({units.range_text(*measured.interval.ends, step)})"
    count, middle = len(guesses), units.amount(float(np.median(values)), unit)
    ends = [units.amount(end, unit) for end in (min(values), max(values))]
    span = f"from {ends[0]} to {ends[1]}, the median {middle}" if count > 1 else middle
    held = [guess.is_inside for guess in guesses if guess.is_inside is not None]
    nearest = f"{best.reader}, {units.amount(best.predicted, unit)}"
    texts = [
        f"Measured {units.amount(measured.median, unit)}{width}.",
        f"{count} {plural(count, 'prediction', 'predictions')}: {span}.",
        _who_saw(sum(guess.saw_measured for guess in guesses)),
        f"In the median off by a factor of {units.number(np.median(quantity.factors_off))}.",
        f"Nearest: {nearest if with_names else units.amount(best.predicted, unit)} "
        f"({ratio_text(best.ratio)}).",
        f"{sum(held)} of {len(held)} intervals held." if held else "",
        _wrong_side(guesses) if quantity.were_all_wrong else "",
    ]
    return [*filter(None, texts)]


def _who_saw(count: int) -> str:
    """Which of the guesses are no predictions."""
    if not count:
        return ""
    return (
        f"{count} of these {plural(count, 'is', 'are')} from a What if? panel, beside which the "
        "measured value stands."
    )


def _wrong_side(guesses: list[Guess]) -> str:
    higher = {guess.ratio > 1 for guess in guesses}
    if len(higher) > 1:
        return f"Everyone was off by more than a factor of {MISS:g}."
    side = "low" if higher == {True} else "high"
    return f"Everyone was too {side}, by more than a factor of {MISS:g}."


def _all_wrong(quantities: list[QuantityGuesses]) -> list[str]:
    wrong = [(k, each) for k, each in enumerate(quantities) if each.were_all_wrong]
    if not wrong:
        return []
    links = (
        f'<li><a href="#quantity-{k}">{html.escape(title(each))}</a>: '
        f"{html.escape(_wrong_side(each.guesses))}</li>"
        for k, each in wrong
    )
    return ["<h2>Where everyone was wrong</h2>", f"<ul>{''.join(links)}</ul>"]


def _readers(group: ReadersPredictions) -> list[str]:
    """The table of the readers, from the best to the worst."""
    by_reader: dict[str, list[Guess]] = {reader: [] for reader in group.readers}
    for quantity in group.quantities:
        for guess in quantity.guesses:
            by_reader[guess.reader].append(guess)
    known = {reader: guesses for reader, guesses in by_reader.items() if guesses}
    factors = {
        reader: np.array([guess.factor_off for guess in guesses])
        for reader, guesses in known.items()
    }
    rows = []
    for reader in sorted(known, key=lambda reader: float(np.mean(np.log(factors[reader])))):
        held = [guess.is_inside for guess in known[reader] if guess.is_inside is not None]
        cells = [
            reader,
            str(len(known[reader])),
            typical_factor(factors[reader]),
            shares_within(factors[reader])[MISS],
            f"{sum(held)} of {len(held)}" if held else "–",
        ]
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    heads = ("Reader", "Predictions", "Typical factor off", f"Within {MISS:g}×", "Intervals held")
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return ["<h2>Readers</h2>", f'<div class="table">{table}</div>']


def _section(number: int, quantity: QuantityGuesses, *, with_names: bool) -> str:
    return "\n".join(
        [
            f'<section id="quantity-{number}">',
            f"<h2>{html.escape(title(quantity))}</h2>",
            _paragraph(" ".join(sentences(quantity, with_names=with_names))),
            _strip(quantity),
            "</section>",
        ]
    )


def _strip(quantity: QuantityGuesses) -> str:
    """The guesses as dots, and the measured value as a line."""
    unit, measured = quantity.result.unit, quantity.guesses[0].measured
    values = [guess.predicted for guess in quantity.guesses]
    name = f"{len(values)} predictions, and measured {units.amount(measured, unit)}"
    return dots.strip(values, unit, name, of="predicted", line=("measured", measured))


def _passed_over(faults: list[str], *, with_names: bool) -> list[str]:
    """What is wrong with which files, whose names may be those of readers."""
    if not faults:
        return []
    if not with_names:
        return [_paragraph(f"Passed over: {len(faults)} entries or files.")]
    lines = "".join(f"<li>{html.escape(fault)}</li>" for fault in faults)
    return ["<h2>Passed over</h2>", f"<ul>{lines}</ul>"]


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def summary(group: ReadersPredictions) -> str:
    """One sentence on the class, for the command line."""
    wrong = [title(each) for each in group.quantities if each.were_all_wrong]
    readers, quantities = len(group.readers), len(group.quantities)
    text = (
        f"{readers} {plural(readers, 'reader', 'readers')}, {quantities} "
        f"{plural(quantities, 'quantity', 'quantities')}."
    )
    return f"{text} Everyone was wrong about {join_words(wrong)}." if wrong else text

"""The page `summary`: every quantity of the run, the score, what may mislead."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from reckon import config, records, units
from reckon.computer.facts import Machine
from reckon.prediction.ratios import MISS, NEAR, factor_off, is_comparable
from reckon.records.quantities import export
from reckon.records.quantities.result import Result
from reckon.show.block import (
    COMPACT,
    RESULTS,
    SORTABLE,
    Block,
    grid,
    marked,
    say,
    sorted_by,
    table,
)
from reckon.show.frames import frame
from reckon.show.sentences import warning_sentences
from reckon.show.tables.scores import (
    BASES,
    INTERVALS,
    KNOWN,
    NARROW,
    NARROW_DECADES,
    NOTHING_JUDGED,
    WIDE,
    basis,
    inside_intervals,
    interval_decades,
    interval_score,
    judged_results,
    open_results,
    shares_sentence,
    shares_within,
    typical_factor,
)
from reckon.show.tables.scores import by_own_methods as by_own_methods
from reckon.show.tables.scores import score as score
from reckon.show.tables.tables import (
    hardware_cell,
    mean_sd_cell,
    measured_cell,
    predicted_cell,
    ratio_cell,
    software_cell,
    with_interval_note,
)
from reckon.show.text import (
    NONE,
    amount_or_dash,
    join_words,
    literal,
    plural,
    processor,
    ratio_text,
)
from reckon.show.text_summary import text_summary
from reckon.show.titles import link, page_link, title_of

_EXTREMES = 3  # the best and worst predictions that are named


_SUMMARY_COLUMNS = {
    "Operation": 20,
    "Predicted": 14,
    "Measured, median (interval)": 20,
    "Measured / predicted": 9,
    "Base hardware (predicted)": 11,
    "Software overhead (predicted)": 11,
    "Mean ± sd": 13,
}


def summary_table(results: list[Result], caption: str, name: str) -> Block:
    """A line for each quantity, the chapters in the run's order."""
    rows = [[link(r.quantity), *_cells(r)] for r in results]
    with_interval = [result for result in results if not result.is_curve]
    block = table(_SUMMARY_COLUMNS, rows, caption, name, f"{RESULTS} {SORTABLE}")
    return with_interval_note(block, with_interval)


def _cells(result: Result) -> list[str]:
    """The cells of a quantity. Only the ratio sorts: times, rates and sizes have no order."""
    return [
        predicted_cell(result),
        measured_cell(result),
        sorted_by(result.ratio, ratio_cell(result)),
        hardware_cell(result),
        software_cell(result),
        mean_sd_cell(result),
    ]


def score_in_short(results: list[Result]) -> Block:
    """The same in one sentence, and the farthest miss."""
    judged = open_results(results)
    if not judged:
        return say(NOTHING_JUDGED)
    worst = judged[-1]
    ratio = marked(worst.quantity, ratio_text(worst.ratio))
    farthest = f"The prediction that is farthest off is {link(worst.quantity)} ({ratio})"
    return say(shares_sentence(judged), f"{farthest}{_single_points(judged)}.")


def _single_points(judged: list[Result]) -> str:
    """A curve counts once, by its middle ratio: how far off single points of curves are beyond all
    of these; "" if none is."""
    points = [
        (float(factor_off(measured / predicted)), result.quantity)
        for result in judged
        if result.is_curve
        for measured, predicted in zip(result.medians, result.sealed("predicted"), strict=True)
        if measured > 0 and predicted > 0
    ]
    factor, quantity = max(points, default=(1.0, ""))
    if not factor > factor_off(judged[-1].ratio):
        return ""
    of_it = "one of its points" if quantity == judged[-1].quantity else f"one of “{link(quantity)}”"
    times = marked(quantity, f"a factor of {units.number(factor, 2)}")
    return f"; among single points, the farthest is {of_it}, off by {times}"


_SCORE_COLUMNS = {
    "Predictions (how many)": 35,
    f"Within {NEAR:g}×": 11,
    f"Within {MISS:g}×": 11,
    "Mean factor off": 16,
    "Intervals that held": 14,
    "Interval score": 13,
}


def scores(results: list[Result], caption: str, name: str) -> Block:
    """The score apart for each kind of prediction and, of those whose value was not known
    beforehand, for narrow and wide intervals.

    The interval score is Winkler's (JASA 67, 1972) for 95 % on the decimal logarithm: the width in
    decades, and 40 times the distance by which the interval missed; smaller is better.
    """
    groups: dict[str, list[Result]] = {basis: [] for basis in BASES}
    groups |= {title: [] for title in INTERVALS}
    for result in judged_results(results):
        groups[basis(result)].append(result)
        width = interval_decades(result)
        if width is not None and basis(result) not in KNOWN:
            groups[NARROW if width <= NARROW_DECADES else WIDE].append(result)
    rows = [
        [f"{title} ({len(members)})", *_score_cells(members)]
        for title, members in groups.items()
        if members
    ]
    return table(_SCORE_COLUMNS, rows, caption, name, COMPACT)


def _score_cells(results: list[Result]) -> list[str]:
    factors = factor_off(np.array([result.ratio for result in results]))
    shares = shares_within(factors)
    inside = inside_intervals(results)
    interval_scores = [score for score in map(interval_score, results) if score is not None]
    return [
        shares[NEAR],
        shares[MISS],
        f"{typical_factor(factors)}×",
        f"{sum(inside)} of {len(inside)}" if inside else NONE,
        units.number(float(np.mean(interval_scores)), 2) if interval_scores else NONE,
    ]


def best_and_worst(results: list[Result]) -> Block:
    """The predictions that came nearest, of those that could have missed, and those that were
    farthest off; empty without any."""
    judged = open_results(results)
    if not judged:
        return say("")
    uncertain = [result for result in judged if _is_uncertain(result)]
    best = f"The best predictions, of those with an interval wider than {NEAR:g} times, are: {_named(uncertain)}."
    return say(best if uncertain else "", f"The predictions that are farthest off are: {_named(judged[::-1])}.")


def abstract(machine: Machine, results: list[Result]) -> Block:
    """The run in a paragraph: machine, how quantities were predicted, the score, the worst."""
    judged = open_results(results)
    if not judged:
        return say(NOTHING_JUDGED)
    return say(
        f"What should programs pay on this machine, {literal(processor(machine))}?",
        "The costs of its processor, kernel, memory, network and files were predicted from data "
        "sheets, earlier measurements and guesses.",
        "Each prediction was sealed before its first sample was taken.",
        shares_sentence(judged),
        f"Farthest off are {_named(judged[::-1])}.",
    )


def _is_uncertain(result: Result) -> bool:
    """Whether the interval left room for a miss."""
    width = interval_decades(result)
    return width is not None and width > math.log10(NEAR)


def _named(results: list[Result]) -> str:
    """The first of them, each with measured over predicted."""
    return "; ".join(f"{link(r.quantity)} ({ratio_text(r.ratio)})" for r in results[:_EXTREMES])


def revisions(results: list[Result]) -> Block:
    """The predictions that were revised or sealed again after measuring, and how that changed the
    ratio of measured to predicted."""
    revised = [result for result in results if result.revisions or result.first_seal]
    lines = [f"- {link(r.quantity)}: {_changes(r)}: {_history(r)}." for r in revised]
    if not lines:
        return say("No prediction was revised after measuring.")
    nearer = sum(map(_came_nearer, revised))
    sentences = f"Nearer to the measurement: {nearer} of {len(revised)}.{_change(revised)}"
    return say("\n".join([*lines, "", sentences]))


def _change(revised: list[Result]) -> str:
    """By what factor these predictions were off, as a geometric mean: as sealed and as revised."""
    pairs = [(result.ratio, result.current_ratio) for result in revised]
    known = np.array([pair for pair in pairs if all(map(is_comparable, pair))])
    if not len(known):
        return ""
    sealed, current = (typical_factor(np.exp(np.abs(np.log(column)))) for column in known.T)
    return (
        f" By the geometric mean they were off by a factor of {sealed} as sealed, of {current} as "
        "revised."
    )


def _changes(result: Result) -> str:
    """What was revised, and why it was sealed again."""
    changes = [change.replace("_", " ") for change in result.revisions]
    if result.first_seal:
        changes.insert(0, f"sealed again ({literal(result.seal.reason or '')})")
    return "; ".join(changes)


def _history(result: Result) -> str:
    """ "66.0 ns (2.97×), then 176 ns (1.11×)": each prediction with its ratio."""
    steps = [
        f"{amount_or_dash(each.predicted, result.unit)} ({ratio_text(result.ratio_to(each))})"
        for each in result.entry.predictions
    ]
    return ", then ".join(steps)


def _came_nearer(result: Result) -> bool:
    """Whether the current prediction is off by a smaller factor than the first."""
    sealed, current = result.ratio_to(result.entry.predictions[0]), result.current_ratio
    if not (is_comparable(sealed) and is_comparable(current)):
        return False
    return max(current, 1 / current) < max(sealed, 1 / sealed)


def source_map(results: list[Result], caption: str, name: str) -> Block:
    """The C files of each experiment, with its number of quantities."""
    quantities = Counter(result.experiment for result in results)
    csrc, rows = config.ROOT / "csrc", []
    for experiment, count in quantities.items():
        paths = sorted(csrc.glob(f"{experiment}.*c"))  # call.c, call.o0.c
        links = [f"{{download}}`{p.name} </{p.relative_to(config.ROOT)}>`" for p in paths]
        rows.append([page_link(experiment), ", ".join(links), str(count)])
    return grid(["Experiment", "C files", "Quantities"], rows, caption, name)


def downloads(run: records.Run, results: list[Result]) -> Block:
    """Links to every quantity as CSV and as JSON and to the page of text, which are written beside
    the figures."""
    files = {
        "results.csv": frame(*results).to_csv(index=False),
        "results.json": json.dumps([export.to_json(result) for result in results], indent=1) + "\n",
        "summary.txt": text_summary(run, results),
    }
    for name, content in files.items():
        records.write_whole(config.settings().build_dir / "figures" / name, content)
    csv, as_json, text = (f"</figures/{name}>`" for name in files)
    return say(
        f"Every quantity of this run as {{download}}`CSV {csv} or {{download}}`JSON {as_json};",
        f"its main results on {{download}}`one page of text {text} for a mail.",
    )


# --- what may mislead -------------------------------------------------------------------------------

_MAX_NAMED = 3  # quantities of one cause that are named; of more, their number in some chapters
_CHAPTERS_NAMED = 3  # of these, the chapters with the most
_TIME_UP = "Time was up before the interval was narrow enough"
_TWO_GROUPS = "Fresh processes in two groups, which have no ratio and no rank"
_IMPOSSIBLE = "Zero or less, which is not possible"


def caveats(results: list[Result], fitness: list[dict]) -> Block:
    """The machine's fitness warnings, then a line for each cause with the quantities it concerns
    or, of many, the chapters that have the most."""
    lines = [
        f"- **{check['name'].capitalize()}**: {literal(check['found'])}. {check['advice']}"
        for check in fitness
        if check["state"] == "warn"
    ]
    by_cause: dict[str, list[Result]] = {}
    for result in results:
        for cause in dict.fromkeys(_causes(result)):
            by_cause.setdefault(cause, []).append(result)
    for cause, concerned in sorted(by_cause.items(), key=lambda item: -len(item[1])):
        count = f"{len(concerned)} {plural(len(concerned), 'quantity', 'quantities')}"
        lines.append(f"- **{cause}** ({count}). It concerns {_named_or_counted(concerned)}.")
    return say("\n".join(lines) or "Nothing suspicious was found.")


def _named_or_counted(results: list[Result]) -> str:
    """The quantities, each with its chapter; of many, how many the chapters have."""
    if len(results) <= _MAX_NAMED:
        return join_words([f"“{title_of(r.quantity)}” in {page_link(r.experiment)}" for r in results])
    chapters = Counter(page_link(result.experiment) for result in results).most_common()
    texts = [f"{count} in {page}" for page, count in chapters[:_CHAPTERS_NAMED]]
    elsewhere = sum(count for _, count in chapters[_CHAPTERS_NAMED:])
    return join_words(texts + ([f"{elsewhere} elsewhere"] if elsewhere else []))


def _causes(result: Result) -> Iterator[str]:
    if result.is_of_two_groups:
        yield _TWO_GROUPS
    for summary in result.summaries:
        yield from map(warning_sentences.cause, summary.warnings)
        if warning_sentences.is_shared(summary):
            yield warning_sentences.SHARED
    if any(point.stopped == "time" for point in result.points):
        yield _TIME_UP
    # A value of 0 is right only where 0 was predicted, as for no round of a loop.
    pairs = zip(result.medians, result.sealed("predicted"), strict=True)
    if any(value <= 0 and not predicted <= 0 for value, predicted in pairs):
        yield _IMPOSSIBLE
    for point in result.missing_points if result.has_samples else []:
        yield f"Some points {point.stopped}: {literal(point.reason).rstrip('.')}"
    if result.attempt_note:
        yield f"Older samples: {literal(result.attempt_note).rstrip('.')}"
    elif result.state in ("unsupported", "failed"):
        yield f"{result.state.capitalize()}: {literal(result.reason).rstrip('.')}"

"""What may mislead in a run, grouped by its cause: one line for each cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reckon.records.quantities.result import Result
from reckon.show.block import Block, say
from reckon.show.sentences import warning_sentences
from reckon.show.text import join_words, literal, plural
from reckon.show.titles import page_link, title_of

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
        lines.append(f"- **{cause}** ({count}). They are: {_names(concerned)}.")
    return say("\n".join(lines) or "Nothing suspicious was found.")


def _names(results: list[Result]) -> str:
    """The quantities, each with its chapter; of many, how many the chapters have."""
    if len(results) <= _MAX_NAMED:
        return join_words([f"{title_of(r.quantity)} in {page_link(r.experiment)}" for r in results])
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

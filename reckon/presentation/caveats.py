"""What may mislead in a run, grouped by its cause: one line for each cause."""

from __future__ import annotations

from collections.abc import Iterator

from reckon import records
from reckon.presentation.block import Block, label, say
from reckon.presentation.text import literal, verb
from reckon.records.result import Result

# The samples' own warnings, by what they contain, and the cause that a reader is given.
_WARNINGS = {
    "drifted by": "Drifted while measured",
    "two modes": "Trials in two modes, so one number does not describe them",
    "fresh processes differ": "Fresh processes differ from one another",
}
_MAX_NAMED = 30  # quantities of one cause that are named; of more, their number in each chapter
_TIME_UP = "Time was up before the interval was narrow enough"
_IMPOSSIBLE = "Zero or less, which is not possible: a subtraction took away as much as there was"


def caveats(results: list[Result], fitness: list[dict]) -> Block:
    """The machine's fitness warnings, then a line for each cause with the quantities it concerns,
    chapter by chapter."""
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
        count = f"{len(concerned)} {verb(len(concerned), 'quantity', 'quantities')}"
        lines.append(f"- **{cause}** ({count}): {_by_chapter(concerned)}.")
    return say("\n".join(lines) or "Nothing suspicious was found.")


def chapter(quantity: str) -> str:
    """A link to the chapter that measures the quantity, by its path."""
    page = records.experiment_of(quantity)
    return f"[{page}](/notebooks/{page}.ipynb)"


def _by_chapter(results: list[Result]) -> str:
    names: dict[str, list[str]] = {}
    for result in results:
        names.setdefault(chapter(result.quantity), []).append(label(result.quantity))
    if len(results) > _MAX_NAMED:
        return ", ".join(f"{link} {len(labels)}" for link, labels in names.items())
    return "; ".join(f"{link}: {', '.join(labels)}" for link, labels in names.items())


def _causes(result: Result) -> Iterator[str]:
    """The causes that concern one quantity."""
    for summary in result.summaries:
        for warning in summary.warnings:
            known = [cause for part, cause in _WARNINGS.items() if part in warning]
            yield known[0] if known else warning[0].upper() + warning[1:]
    if any(point.stopped == "time" for point in result.points):
        yield _TIME_UP
    # A value of 0 is right only where 0 was predicted, as for no round of a loop.
    pairs = zip(result.medians, result.sealed("predicted"), strict=True)
    if any(value <= 0 and not predicted <= 0 for value, predicted in pairs):
        yield _IMPOSSIBLE
    for point in result.missing if result.has_samples else []:
        yield f"Some points {point.stopped}: {literal(point.reason).rstrip('.')}"
    if result.attempt_note:
        yield f"Older samples: {literal(result.attempt_note).rstrip('.')}"
    elif result.state in ("unsupported", "failed"):
        yield f"{result.state.capitalize()}: {literal(result.reason).rstrip('.')}"

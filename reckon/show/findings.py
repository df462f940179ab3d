"""Findings: what a page concludes from its results, each with its evidence and its strength."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable
from typing import Literal

from reckon import units
from reckon.prediction.ratios import is_miss
from reckon.records.quantities.result import Result
from reckon.show.text import why
from reckon.show.titles import title_of

# shown: the data exclude the alternatives; consistent with: they fit it and others too; not
# explained: they show that there is something, and not what.
Strength = Literal["shown", "consistent with", "not explained"]
NOT_MEASURED = "not measured"


class Finding(str):
    """A conclusion of a page: its sentence, in Markdown, which knows where it comes from.

    name: in plain words, unique in its chapter; tests on made-up machines refer to it. evidence:
    what it follows from, by name: the arguments of its function.
    """

    name: str
    strength: Strength
    evidence: dict[str, object]

    def __new__(cls, sentence: str, name: str, strength: Strength, evidence: dict | None = None):
        found = super().__new__(cls, sentence)
        found.name, found.strength, found.evidence = name, strength, evidence or {}
        return found


def shown(name: str, sentence: str) -> Finding:
    """The finding that the data show: they exclude the alternatives."""
    return Finding(sentence, name, "shown")


def consistent(name: str, sentence: str) -> Finding:
    """The finding that the data are consistent with it, as they may be with others."""
    return Finding(sentence, name, "consistent with")


def unexplained(name: str, sentence: str) -> Finding:
    """The finding that the data show something whose cause they do not."""
    return Finding(sentence, name, "not explained")


def not_measured(results: Iterable[Result] = (), missing: str | None = None) -> Finding:
    """The finding that these results lack a value, and why; `missing`: its sentence instead."""
    reason = why(*results)
    said = f"It was not measured here: {reason}." if reason else "It was not measured here."
    return Finding(said if missing is None else missing, NOT_MEASURED, "not explained")


def finding(
    function: Callable | None = None,
    *,
    needs: Iterable[str] | None = None,
    missing: str | None = None,
):
    """Decorates a function of results that returns a finding or a list of findings.

    The function's arguments become the evidence of its findings. Where one of the arguments in
    `needs` (default: each that is a result or a number) has no value, the function is not called:
    the finding is that it was not measured, and why, or the sentence `missing`.
    """
    if function is None:
        return functools.partial(finding, needs=needs, missing=missing)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def found(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        evidence = dict(bound.arguments)
        needed = [evidence[name] for name in (evidence if needs is None else needs)]
        if any(map(_lacks_value, needed)):
            return not_measured([each for each in needed if isinstance(each, Result)], missing)
        conclusion = function(*args, **keywords)
        for each in conclusion if isinstance(conclusion, list) else [conclusion]:
            each.evidence = evidence
        return conclusion

    return found


def _lacks_value(needed: object) -> bool:
    if isinstance(needed, Result):
        return not needed.has_samples
    return isinstance(needed, float) and math.isnan(needed)


def missed(result: Result, reason: str, what: str = "", *, lower: str | None = None) -> str:
    """An item of a list: how far the result is off its prediction, and the reason; "" unless it
    is off by more than a factor of two. what: stands after the result's title. lower: the reason
    where the result lies below its prediction, if `reason` speaks of one above."""
    if not is_miss(result.ratio):
        return ""
    ratio = units.number(result.ratio)
    reason = lower if lower is not None and result.ratio < 1 else reason
    return f"- **{title_of(result.quantity)}{what}** ({ratio} times the prediction): {reason}"

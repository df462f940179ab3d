"""What makes the findings of a page from functions of its results."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator

from reckon import units
from reckon.prediction.inputs import Input
from reckon.prediction.ratios import is_miss
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.result import Result
from reckon.show.strength import Finding as Finding
from reckon.show.text import first_case, why
from reckon.show.titles import title_of

NOT_MEASURED = "not measured"
TWO_VALUES = "two values"
_WITHOUT_CAUSE = (NOT_MEASURED, TWO_VALUES)  # findings of which no cause follows


class _OneValue(Result):
    """A result as a finding reads it: its value cannot be read where there are two."""

    @property
    def median(self) -> float:
        if self.is_of_two_groups:
            raise _TwoValues(self.quantity, f"{self:interval}")
        return super().median

    @property
    def median_cycles(self) -> float:
        if self.core_cycles and self.core_cycles.groups:
            raise _TwoValues(self.quantity, f"{self:cycles}")
        return super().median_cycles


class _TwoValues(Exception):
    """A finding has read the value of a quantity that has two, in these words."""

    def __init__(self, quantity: str, values: str):
        self.quantity, self.values = quantity, values


def _parts(evidence: object) -> Iterator[object]:
    """What evidence consists of: itself, or what its lists and dictionaries hold."""
    if isinstance(evidence, dict):
        evidence = list(evidence.values())
    if not isinstance(evidence, (list, tuple)):
        yield evidence
        return
    for each in evidence:
        yield from _parts(each)


def _revised_inputs(evidence: object) -> list[tuple[Input, Input]]:
    """The given and guessed inputs of the revised predictions, each with the sealed one."""
    pairs = []
    for result in _parts(evidence):
        if not isinstance(result, Result) or result.current is result.seal:
            continue
        sealed = to_prediction(result.quantity, result.seal).inputs
        for name, input_ in result.prediction.inputs.items():
            if name in sealed and input_.origin in ("guess", "given"):
                pairs.append((input_, sealed[name]))
    return pairs


def _as_read(
    evidence: object, read: dict[int, _OneValue], revised: list[tuple[Input, Input]]
) -> object:
    """What a finding is made from, as it reads it: an input as it was sealed, as the ratios that
    it speaks of are of the sealed prediction.

    read: the results that it reads already, by their ids, as one may be in several arguments."""
    if isinstance(evidence, Input):
        return next((sealed for input_, sealed in revised if input_ == evidence), evidence)
    if isinstance(evidence, Result) and not isinstance(evidence, _OneValue):
        each = read.setdefault(id(evidence), object.__new__(_OneValue))
        object.__setattr__(each, "__dict__", vars(evidence))  # what is computed once is shared
        return each
    if isinstance(evidence, dict):
        return {key: _as_read(value, read, revised) for key, value in evidence.items()}
    if type(evidence) is list:
        return [_as_read(value, read, revised) for value in evidence]
    if type(evidence) is tuple:
        return tuple(_as_read(value, read, revised) for value in evidence)
    return evidence


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
    results = list(results)
    reason = why(*results)
    said = first_case(
        (bool(reason), f"It was not measured here: {reason}."),
        (
            bool(results) and all(result.has_samples for result in results),
            "It has no value here.",
        ),
        (True, "It was not measured here."),
    )
    return Finding(said if missing is None else missing, NOT_MEASURED, "not explained")


def _two_values(two: _TwoValues, missing: str | None) -> Finding:
    """The finding that nothing follows from a value, as there are two."""
    title = title_of(two.quantity)
    said = f"There are two values of “{title}”, {two.values}, so nothing follows from one of them."
    return Finding(said if missing is None else missing, TWO_VALUES, "not explained")


def finding(
    function: Callable | None = None,
    *,
    needs: Iterable[str] | None = None,
    missing: str | None = None,
):
    """Decorates a function of results that returns a finding or a list of findings.

    The function's arguments become the evidence of its findings. Where one of the arguments in
    `needs` (default: each that is a result or a number) has no value, the function is not called:
    the finding is that it was not measured, and why, or the sentence `missing`. Where the function
    computes with the value of a result of two groups of processes, the finding is that there are
    two, or `missing`. It judges the sealed prediction: an input that was changed since is read as
    it was sealed.
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
        try:
            read: dict[int, _OneValue] = {}
            revised = _revised_inputs(evidence)
            bound.arguments |= {
                name: _as_read(value, read, revised) for name, value in evidence.items()
            }
            conclusion = function(*bound.args, **bound.kwargs)
        except _TwoValues as two:
            conclusion = _two_values(two, missing)
        for each in conclusion if isinstance(conclusion, list) else [conclusion]:
            each.evidence = evidence
        return conclusion

    return found


def _lacks_value(needed: object) -> bool:
    if isinstance(needed, Result):
        return not needed.has_samples
    return isinstance(needed, float) and math.isnan(needed)


def missed(
    result: Result, reason: str, what: str = "", *, more: str = "", lower: str | None = None
) -> str:
    """An item of a list: the finding how far the result is off its prediction, as strong as its
    reason; "" unless it is off by more than a factor of two.

    what: stands after the result's title; more: after how far it is off. lower: the reason where
    the result lies below its prediction, if `reason` speaks of one above.
    """
    ratios = [result.ratio]
    if result.is_of_two_groups and result.summary and result.summary.groups:
        predicted = result.sealed("predicted")[0]
        ratios = [group.median / predicted for group in result.summary.groups]
    if not any(map(is_miss, ratios)):
        return ""
    reason = lower if lower is not None and max(ratios) < 1 else reason
    title, times = f"{title_of(result.quantity)}{what}", " or ".join(map(units.number, ratios))
    return missed_item(title, f"{times} times the prediction{more}", reason)


def missed_item(title: str, how_far: str, reason: str) -> Finding:
    """The finding that what has this title is off its prediction, as an item of a list."""
    if not isinstance(reason, Finding):
        reason = unexplained("missed", reason)
    elif reason.name in _WITHOUT_CAUSE:
        reason = unexplained("missed", "unexplained.")
    item = f"- **{title}** ({how_far}): {reason}"
    return Finding(item, reason.name, reason.strength, reason.evidence)


def missed_list(items: Iterable[str], none: str) -> list[Finding]:
    """The findings among these items; without any, that none was missed, in these words."""
    found = [item for item in items if isinstance(item, Finding) and item]
    return found or [shown("none missed", none)]

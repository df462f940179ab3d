"""What JupyterLab shows of predictions as soon as a cell has made them: how far off they are."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from reckon import units
from reckon.records.quantities.recorded_predictions import needed_guesses
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say, table
from reckon.show.formulas import formula_block, needed_text, since_sealed
from reckon.show.text import NONE, first_case, join_words, literal, ratio_text
from reckon.show.titles import title_of


@dataclass(frozen=True)
class Tried:
    """The result of a quantity, of which the prediction that was tried is the current one."""

    result: Result
    run: str

    @property
    def since_sealed(self) -> str:
        """That these inputs have moved since, and what it would be with them; "" if none has."""
        return since_sealed(self.result.prediction, self.run)

    @property
    def predicted(self) -> str:
        """The value, or the ends of the curve."""
        return units.span(self.result.current.predicted, self.result.unit)

    @property
    def sealed(self) -> str:
        """The sealed value, where the prediction is another."""
        result = self.result
        return units.span(result.seal.predicted, result.unit) if result.revisions else NONE

    @property
    def measured(self) -> str:
        """The value, both of two groups, the ends of the curve, or why there is none."""
        if not self.result.has_samples:
            return literal(self.result.reason or "not measured yet")
        if self.result.is_of_two_groups:
            return f"{self.result:interval}"
        return self.result.medians_text

    @property
    def ratios(self) -> str:
        """Measured over the prediction, and over the sealed one where that is another."""
        has_both = self.result.revisions and not self.result.is_of_two_groups
        sealed = f" (sealed {ratio_text(self.result.ratio)})" if has_both else ""
        return ratio_text(self.result.current_ratio) + sealed

    @functools.cached_property
    def needed(self) -> list[str]:
        """What each guess alone would have to be to meet the measurement."""
        inputs = self.result.prediction.inputs
        needed = needed_guesses(self.result, self.result.prediction)
        return [f"`{name}` = {needed_text(value, inputs[name])}" for name, value in needed.items()]


def comparison(tried: list[Tried], *, with_formula: bool) -> Block:
    """How far off the predictions are: a sentence for one, a table for several.

    with_formula: also the formula of a single one."""
    if len(tried) > 1:
        return _table(tried)
    (only,) = tried
    formula = f"{formula_block(only.result.prediction)}\n\n" if with_formula else ""
    return Block(formula + _sentence(only).markdown)


def _sentence(tried: Tried) -> Block:
    result = tried.result
    sealed = f" (sealed {tried.sealed})" if result.revisions else ""
    start = f"**{title_of(result.quantity)}: {tried.predicted}** predicted{sealed}"
    if not result.has_samples:
        return say(f"{start}.", _not_measured([tried]))
    if result.is_of_two_groups:
        no_ratio = f"{start}, measured {tried.measured}, so there is no ratio."
        return say(no_ratio, tried.since_sealed)
    needed = first_case(
        (bool(tried.needed), f"{join_words(tried.needed, 'or')} would meet it."),
        (True, "No guess alone would meet it."),
    )
    return say(
        f"{start}, measured {tried.measured}: **{tried.ratios}**.", needed, tried.since_sealed
    )


def _table(tried: list[Tried]) -> Block:
    columns = {"Quantity": 22, "Predicted": 14, "Sealed": 12, "Measured": 16}
    columns |= {"Measured / predicted": 16, "Would meet it": 20}
    rows = [
        [
            title_of(each.result.quantity),
            each.predicted,
            each.sealed,
            each.measured,
            each.ratios,
            " or ".join(each.needed) or NONE,
        ]
        for each in tried
    ]
    block = table(columns, rows, "These predictions and the measurement", "tried")
    moved = [each for each in tried if each.since_sealed]
    since = [f"{title_of(each.result.quantity)}: {each.since_sealed}" for each in moved]
    return Block("\n\n".join(filter(None, [block.markdown, *since, _not_measured(tried)])))


def _not_measured(tried: Iterable[Tried]) -> str:
    """How to measure what has not been measured yet; "" where all has been tried."""
    missing = [each.result for each in tried if each.result.measurement is None]
    if not missing:
        return ""
    experiment = missing[0].experiment
    return (
        "Nothing is measured yet: run the cells below, or type "
        f"`make measure EXPERIMENT={experiment} PROFILE=quick`, which takes less than a minute."
    )

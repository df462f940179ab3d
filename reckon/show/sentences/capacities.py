"""Capacities that were inferred from times, compared with the true ones."""

from __future__ import annotations

from reckon import units
from reckon.measurement.capacity import in_reads, in_times
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say, table
from reckon.show.tables.tables import measured_cell, title
from reckon.show.text import NONE, amount_or_dash, literal, ratio_text


def _size(size_bytes: float) -> str:
    return units.amount(float(size_bytes), "byte", 4)


def interval(capacity: Result, curve: Result) -> tuple[float, float] | None:
    """The interval of a capacity that was inferred from `curve`, in base units.

    Of its rounds of fresh processes, if there are enough; else by the likelihood of single reads,
    or the two sizes between which the curve's step lies.
    """
    if not capacity.summary or not curve.has_samples:
        return None
    in_single_reads = curve.seal.kind == "mean"
    of_rounds = capacity.summary.interval
    if in_single_reads and of_rounds.is_known:
        return of_rounds.ends
    fit = in_reads(curve)[0] if in_single_reads else in_times(curve)
    return (fit.low, fit.high) if fit.capacity else None


_COLUMNS = {
    "Cache": 22,
    "Predicted": 13,
    "Inferred, median (95 %)": 22,
    "Interval": 17,
    "True": 16,
    "Inferred / true": 10,
}


def inferred_capacities(
    pairs: list[tuple[Result, Result, Result]],
    caption: str,
    name: str,
    titles: dict[str, str] | None = None,
) -> Block:
    """Each inferred capacity and the true one, by the kernel's count: (inferred, true, curve)."""
    rows = []
    for capacity, true, curve in pairs:
        ends = interval(capacity, curve)
        rows.append(
            [
                title(capacity, titles),
                amount_or_dash(capacity.seal.predicted, capacity.unit),
                measured_cell(capacity),
                " to ".join(map(_size, ends)) if ends else NONE,
                measured_cell(true),
                ratio_text(capacity.median / true.median),
            ]
        )
    return table(_COLUMNS, rows, caption, name)


def inferred_capacity(
    capacity: Result, true: Result, curve: Result, where: str, *sentences: str
) -> Block:
    """The inferred capacity with its interval, and whether the true one is inside.

    The sentence begins with `where`; `sentences` follow it.
    """
    if not capacity.summary or not true.summary:
        reason = capacity.reason or true.reason
        return say(f"{where} it could not be inferred: {literal(reason)}.", *sentences)
    ends = interval(capacity, curve)
    true_size = f"{true}" if true.is_of_two_groups else _size(true.median)
    if ends is None or capacity.is_of_two_groups or true.is_of_two_groups:
        inferred = f"{where} the inferred capacity is {capacity}"
        return say(f"{inferred}; the kernel counts {true_size}.", *sentences)
    inferred = units.amount_with_interval(capacity.median, *ends, capacity.unit)
    side = "inside" if ends[0] <= true.median <= ends[1] else "outside"
    return say(
        f"{where} the inferred capacity is {inferred}; the kernel's {true_size} is {side} the "
        "interval.",
        *sentences,
    )

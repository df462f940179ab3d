"""Predictions that a person tries in JupyterLab: in memory alone, until they are kept.

A build writes every prediction of its notebooks. At a notebook a person tries many; the record
takes those that they keep.
"""

from __future__ import annotations

from reckon.records.models import PredictionRecord, Quantity
from reckon.records.revisions import differences

_variants: dict[str, PredictionRecord] = {}
_are_tried = False


def start() -> None:
    """Try predictions of measured quantities from now on in this process; none is tried yet."""
    global _are_tried
    _are_tried = True
    _variants.clear()


def are_tried() -> bool:
    """Whether predictions of measured quantities stay in memory until they are kept."""
    return _are_tried


def with_variant(name: str, stored: Quantity | None, new: PredictionRecord) -> Quantity:
    """The quantity of a record with this prediction as its last one; remembered if it differs."""
    _variants.pop(name, None)
    if stored is None:
        return Quantity(predictions=[new])
    if not stored.has_samples:
        return stored.model_copy(update={"predictions": [new]})
    if not differences(stored.predictions[-1], new):
        return stored
    variant = _variants[name] = new.model_copy(update={"role": "revision"})
    return stored.model_copy(update={"predictions": [*stored.predictions, variant]})


def take() -> dict[str, PredictionRecord]:
    """The variants by quantity; none is left."""
    taken = dict(_variants)
    _variants.clear()
    return taken

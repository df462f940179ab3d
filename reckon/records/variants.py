"""Predictions that a person tries in JupyterLab: in memory alone, until they are kept.

A build writes every prediction of its notebooks. At a notebook a person tries many; the record
takes those that they keep.
"""

from __future__ import annotations

from reckon.records.models import PredictionRecord, Quantity
from reckon.records.revisions import differences


class Variants:
    """The predictions of measured quantities that a session has tried, by quantity."""

    def __init__(self) -> None:
        self._by_quantity: dict[str, PredictionRecord] = {}

    def tried_last(self, name: str, stored: Quantity | None, new: PredictionRecord) -> Quantity:
        """The quantity of a record with this prediction as its last one; remembered if it
        differs."""
        self._by_quantity.pop(name, None)
        if stored is None:
            return Quantity(predictions=[new])
        if not stored.has_samples:
            return stored.model_copy(update={"predictions": [new]})
        if not differences(stored.predictions[-1], new):
            return stored
        variant = self._by_quantity[name] = new.model_copy(update={"role": "revision"})
        return stored.model_copy(update={"predictions": [*stored.predictions, variant]})

    def take(self) -> dict[str, PredictionRecord]:
        """The variants by quantity; none is left."""
        taken = dict(self._by_quantity)
        self._by_quantity.clear()
        return taken

    def forget(self, name: str) -> None:
        """Forget what was tried of that quantity."""
        self._by_quantity.pop(name, None)

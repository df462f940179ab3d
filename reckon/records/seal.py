"""The seal: a prediction written down before the first sample, and what later ones changed."""

from __future__ import annotations

import numpy as np

from reckon import records
from reckon.prediction import expression
from reckon.prediction.expression import PredictionError
from reckon.prediction.formula import Prediction
from reckon.records.models import Quantity
from reckon.records.revisions import differences
from reckon.records.session import session


def prediction_record(prediction: Prediction) -> records.Prediction:
    f = prediction.formula
    plain = lambda v: v if v is None else np.asarray(v, float).tolist()  # noqa: E731
    tree = lambda n: None if n is None else expression.to_json(n)  # noqa: E731
    low, high = prediction.interval()
    predicted = plain(prediction.predicted)
    if not np.all(np.isfinite(predicted)):
        raise PredictionError(f"{f.name}: the formula gives {predicted} for these inputs.")
    trees = [tree(f.hardware), tree(f.software), tree(f.predicted)]
    return records.Prediction(
        made_at=records.now(),
        unit=f.unit,
        kind=f.kind,
        hardware_tree=trees[0],
        software_tree=trees[1],
        predicted_tree=trees[2],
        formula_id=expression.identity(trees, f.unit),
        inputs=[
            records.Input(
                name=name,
                origin=one.origin,
                value=one.value,
                low=one.low,
                high=one.high,
                unit=one.unit,
                source=one.source,
                cite=one.cite,
                reference=one.reference,
                instead_of=one.instead_of,
            )
            for name, one in prediction.inputs.items()
        ],
        hardware=plain(prediction.value(f.hardware)),
        software=plain(prediction.value(f.software)),
        predicted=predicted,
        low=plain(low),
        high=plain(high),
    )


def seal(prediction: Prediction) -> Quantity:
    """Write the prediction down, before the first sample or as a revision; the quantity as it is kept."""
    run, quantity = session().run.name, prediction.quantity
    record = records.read_record(run, quantity.rsplit("/", 1)[0])
    kept = record.quantities.get(quantity) or Quantity(predictions=[])
    made = prediction_record(prediction)
    if kept.measurement is None:  # nothing seen yet: this is the seal
        predictions = [made]
    elif differences(kept.predictions[-1], made):
        predictions = [*kept.predictions, made]
    else:
        predictions = kept.predictions
    same_seal = (
        kept.predictions
        and kept.measurement is None
        and not differences(kept.predictions[-1], made)
    )
    if predictions != kept.predictions and not same_seal:
        kept = Quantity(predictions=predictions, measurement=kept.measurement)
        record.quantities[quantity] = kept
        records.write_record(run, record)
    return kept

"""What a person changed between two predictions of the same quantity."""

from __future__ import annotations

from reckon import records


def differences(earlier: records.PredictionRecord, now: records.PredictionRecord) -> list[str]:
    """What a person changed, in words: the formula, or which inputs.

    An input that was measured and has moved since is no change of the prediction."""
    old, new = ({given.name: given for given in p.inputs} for p in (earlier, now))
    changed = [name for name in new if name not in old or _is_revised(old[name], new[name])]
    changed += [name for name in old if name not in new]
    sentences = []
    if earlier.formula_id != now.formula_id:
        sentences.append("formula revised")
    if changed:
        sentences.append("inputs revised: " + ", ".join(changed))
    return sentences


def _is_revised(old: records.InputRecord, new: records.InputRecord) -> bool:
    if "measured" in (old.origin, new.origin):
        # Before the first measurement a guess stands in, with the same reference.
        same_place = old.source == new.source or old.origin != new.origin
        return old.reference != new.reference or not same_place
    if old.origin != new.origin:
        return True
    return (old.value, old.low, old.high) != (new.value, new.low, new.high)


def is_same(one: records.PredictionRecord, other: records.PredictionRecord) -> bool:
    """Whether two predictions are the same in all but when and as what they were written."""
    ignored = {"made_at", "role", "reason"}
    return one.model_dump(exclude=ignored) == other.model_dump(exclude=ignored)

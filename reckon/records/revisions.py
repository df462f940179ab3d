"""What a person changed between two predictions of the same quantity."""

from __future__ import annotations

from reckon import records


def differences(before: records.PredictionRecord, after: records.PredictionRecord) -> list[str]:
    """What a person changed, in words: the formula, or which inputs.

    An input that was measured or read from the machine and has moved since is no change of the
    prediction."""
    old, new = ({input_.name: input_ for input_ in p.inputs} for p in (before, after))
    changed = [name for name in new if name not in old or _is_revised(old[name], new[name])]
    changed += [name for name in old if name not in new]
    sentences = []
    if before.formula_id != after.formula_id:
        sentences.append("formula revised")
    if changed:
        sentences.append("inputs revised: " + ", ".join(changed))
    return sentences


def _is_revised(before: records.InputRecord, after: records.InputRecord) -> bool:
    if "measured" in (before.origin, after.origin):
        # Before the first measurement a guess stands in, with the same reference.
        has_same_source = before.source == after.source or before.origin != after.origin
        return before.reference != after.reference or not has_same_source
    if "machine" in (before.origin, after.origin):  # or the guess that stands in for it
        return before.reference != after.reference
    if before.origin != after.origin:
        return True
    return (before.value, before.low, before.high) != (after.value, after.low, after.high)


def is_same(a: records.PredictionRecord, b: records.PredictionRecord) -> bool:
    """Whether two predictions are the same in all but when and as what they were written."""
    ignored = {"made_at", "role", "reason"}
    return a.model_dump(exclude=ignored) == b.model_dump(exclude=ignored)

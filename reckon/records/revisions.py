"""How a prediction differs from an earlier one of the same quantity."""

from __future__ import annotations

from reckon import records, units

# A measured input that moved by less is the same within the precision of measuring.
_MOVED = 0.01


def differences(seal: records.Prediction, now: records.Prediction) -> list[str]:
    """What changed between two predictions, in words.

    The formula, the given inputs and the earlier measurements behind them are three different
    things.
    """
    old, new = ({one.name: one for one in p.inputs} for p in (seal, now))
    changed = [name for name in new if name not in old or _is_revised(old[name], new[name])]
    changed += [name for name in old if name not in new]
    sentences = []
    if seal.formula_id != now.formula_id:
        sentences.append("formula revised")
    if changed:
        sentences.append("inputs revised: " + ", ".join(changed))
    for name in new:
        if name not in changed and new[name].origin == "measured":
            sentences += _movement(old[name], new[name])
    return sentences


def _is_revised(old: records.Input, new: records.Input) -> bool:
    """True if the author changed the input: its origin, or the value of one not measured."""
    if old.origin != new.origin:
        return True
    same = (old.value, old.low, old.high) == (new.value, new.low, new.high)
    return new.origin != "measured" and not same


def _movement(old: records.Input, new: records.Input) -> list[str]:
    before, after = old.value, new.value
    if isinstance(before, list) or isinstance(after, list):
        return []
    if abs(after - before) <= _MOVED * abs(before):
        return []
    return [
        f"an earlier measurement moved: {new.reference} from "
        f"{units.amount(before, old.unit)} to {units.amount(after, new.unit)}"
    ]

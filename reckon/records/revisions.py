"""How a prediction differs from an earlier one of the same quantity."""

from __future__ import annotations

from reckon import records, units

# A measured input that moved by less is the same within what measuring can tell.
_MOVED = 0.01


def differences(seal: records.Prediction, now: records.Prediction) -> list[str]:
    """What changed between two predictions: the formula, given inputs, or a measurement they
    rest on. Three different things."""
    found = []
    if seal.formula_id != now.formula_id:
        found.append("formula revised")
    old, new = ({i.name: i for i in p.inputs} for p in (seal, now))
    same = lambda a, b: (a.value, a.low, a.high) == (b.value, b.low, b.high)  # noqa: E731
    changed = [
        name
        for name in new
        if name not in old
        or old[name].origin != new[name].origin
        or (new[name].origin != "measured" and not same(old[name], new[name]))
    ] + [name for name in old if name not in new]
    if changed:
        found.append("inputs revised: " + ", ".join(changed))
    for name in new:
        one, other = old.get(name), new[name]
        if not one or one.origin != "measured" or other.origin != "measured":
            continue
        if name not in changed and abs(other.value - one.value) > _MOVED * abs(one.value):
            found.append(
                f"an earlier measurement moved: {other.reference} from "
                f"{units.amount(one.value, one.unit)} to {units.amount(other.value, other.unit)}"
            )
    return found

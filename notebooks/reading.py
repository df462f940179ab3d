"""What the chapter on reading this book shows of the null system call."""

import reckon as rk
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.show.block import short_name
from reckon.show.formulas import formula_block, source_text

LATER = "This is filled in when the chapter on the system call has been measured."


def null_call():
    """The null system call as the record of its chapter has it; None without one."""
    return rk.by_name(rk.results("cpu/syscall")).get("getpid")


def formula(null):
    return rk.blocks.Block(formula_block(sealed(null))) if null else rk.say(LATER)


def sealed(null):
    return to_prediction(null.quantity, null.seal)


def inputs(null, caption, name):
    """The inputs of the sealed prediction, and what they give."""
    if null is None:
        return rk.say()
    rows = [[short_name(name), *amounts(each), source_text(each)] for name, each in sealed(null).inputs.items()]
    return rk.blocks.grid(["Input", "Value", "May be", "Where it comes from"], rows, caption, name)


def amounts(each):
    ends = [rk.amount(end, each.unit) for end in (each.low, each.high) if end is not None]
    return [rk.amount(each.value, each.unit), " to ".join(ends) or "–"]


def predicted(null):
    if null is None:
        return rk.say()
    ends = [rk.amount(end, null.unit) for end in null.sealed_interval or ()]
    within = f". With its inputs at the ends of their intervals, it would take {' to '.join(ends)}" if ends else ""
    return rk.say(f"So a null system call should take {rk.amount(null.seal.predicted, null.unit)}{within}.")


def answer(null):
    """The box that opens the chapter."""
    if null is None:
        return rk.say()
    of_seal, chapter = sealed(null).inputs, rk.findings_of("cpu/syscall")
    why = chapter.answer(null, of_seal["mode_switch"], of_seal["kernel_path"]) if null.has_samples else ""
    return rk.show.answer("What does the smallest possible system call cost?", null, "the null system call", why)


def steps(null, name, caption):
    return rk.findings_of("cpu/syscall").steps(null, name, caption) if null else rk.say()

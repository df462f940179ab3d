"""What the line says that unfolds a cell's code: which code it is."""

from __future__ import annotations

import ast
from contextlib import suppress

from reckon.show.text import join_words
from reckon.show.titles import title_of

_INPUTS = {"guess", "given", "measured", "machine", "processor", "axis", "octaves"}
_MEASURING = {"measure", "measure_together"}
_NAMED = 2  # quantities that the line names; of more, their number


def prompt(source: str) -> str:
    """ "inputs and prediction of getpid": what the code of a page's cell states."""
    calls = [node for node in ast.walk(_parsed(source)) if isinstance(node, ast.Call)]
    names = {_name(call) for call in calls}
    quantities = list(dict.fromkeys(filter(None, map(_quantity, calls))))
    shown = [_text(call.args[1]) for call in calls if _is_shown(call)]
    makes_several = len(quantities) > 1 or any(_is_made_by_name(call) for call in calls)
    contents = []
    if names & _INPUTS:
        contents.append("inputs")
    if shown or quantities or "of" in names or "predict" in names:
        contents.append("predictions" if makes_several else "prediction")
    if names & _MEASURING:
        contents.append("measurement")
    subject = _subject([text for text in shown if text], quantities)
    return f"{join_words(contents or ['preparation'])}{subject}"


def _parsed(source: str) -> ast.Module:
    """The statements of a cell, with IPython's lines such as `%time f()` as calls; none where the
    cell is in another language."""
    with suppress(SyntaxError):
        return ast.parse(source)
    from IPython.core.inputtransformer2 import TransformerManager  # imports slowly

    with suppress(SyntaxError):
        return ast.parse(TransformerManager().transform_cell(source))
    return ast.Module([], [])


def _subject(shown: list[str], quantities: list[str]) -> str:
    """ " of getpid and 3 more": what the page calls the predicted quantities."""
    titles = list(dict.fromkeys(shown + [title_of(quantity) for quantity in quantities]))
    more = len(titles) - _NAMED
    if more > 0:
        titles = [*titles[:_NAMED], f"{more} more"]
    return f" of {join_words(titles)}" if titles else ""


def _name(call: ast.Call) -> str:
    """The last part of what is called: "guess" of rk.guess()."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _quantity(call: ast.Call) -> str:
    """The quantity that is predicted, if its name stands in the call."""
    is_prediction = _name(call) in ("of", "predict") and call.args
    text = _text(call.args[0]) if is_prediction else ""
    return text if text.count("/") > 1 else ""


def _is_made_by_name(call: ast.Call) -> bool:
    """Whether the name of the predicted quantity is put together, as in a loop over several."""
    return _name(call) == "of" and bool(call.args) and isinstance(call.args[0], ast.JoinedStr)


def _is_shown(call: ast.Call) -> bool:
    """Whether the page shows this one prediction with its inputs."""
    return _name(call) == "prediction" and len(call.args) > 1

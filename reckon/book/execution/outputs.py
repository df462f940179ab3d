"""What cells gave, as a book can show it: nothing endless, nothing that needs a running kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from reckon.show.block import MYST
from reckon.show.text import literal

if TYPE_CHECKING:  # it imports slowly, and the command line reads this module
    from nbformat import NotebookNode

_LONGEST = 20_000  # characters of what is printed in a row, or of a value; some ten screens
_WIDEST = 500  # characters of a line; LaTeX fails at a word of a thousand
_LARGEST = 2_000_000  # characters of one picture, table or other form of a value
# What moves a terminal's cursor or rings its bell: LaTeX ends at such characters. Colours stay.
_CONTROLS = re.compile(
    r"\x1b\[[\d;?]*[A-Za-ln-z]|\x1b(?!\[[\d;]*m)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f]"
)
_CLASS = re.compile(r"[A-Za-z_]\w*(?=\()")  # of what prints as CLASS(...)


def tidied(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """The outputs in the book's forms; what was printed in a row is one, as a terminal shows it,
    and what is too long is cut, saying so."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    return [_shortened(output) for output in joined]


def _shortened(output: NotebookNode) -> NotebookNode:
    from nbformat.v4 import new_output

    if output.output_type == "stream":
        output.text = _cut(_overwritten(output.text))
    if output.output_type == "error":
        output.traceback = [_cut("\n".join(output.traceback))]
    if MYST in output.get("data", {}):
        output.data = {"text/markdown": output.data[MYST]}
    for kind, content in output.get("data", {}).items():
        if kind == "text/plain":
            output.data[kind] = _cut(content)
        elif len(str(content)) > _LARGEST:
            sentence = f"An output of {len(str(content)):,} characters ({kind}) is left out."
            return new_output("display_data", {"text/plain": sentence})
    return output


def _overwritten(text: str) -> str:
    """The text without what a carriage return overwrites, as a progress bar does."""
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def _cut(text: str) -> str:
    """The printable characters of the text, in lines of bounded length; of a long text the first,
    saying so."""
    text = _CONTROLS.sub("", text)
    first = re.sub(f".{{{_WIDEST}}}(?=.)", "\\g<0>\n", text[:_LONGEST])
    if len(text) <= _LONGEST:
        return first
    return f"{first}\n[Cut here: {_LONGEST:,} of {len(text):,} characters are shown.]\n"


def static_form(data: dict) -> dict:
    """A value's forms for print and a site without a kernel: of what needs one, such as a control,
    or scripts of its own, its picture or table; if it has none, one sentence."""
    forms = {kind: form for kind, form in data.items() if not _is_interactive(kind, form)}
    if forms.keys() == data.keys() or forms.keys() - {"text/plain"}:
        return forms
    name = _CLASS.match("".join(forms.get("text/plain", "")))
    what = literal(name[0]) if name else "This output"
    return {"text/markdown": f"{what} is interactive: `make lab` shows it in JupyterLab."}


def _is_interactive(kind: str, form: str | list[str]) -> bool:
    return kind.startswith("application/") or kind == "text/html" and "<script" in "".join(form)

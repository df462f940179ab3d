"""A mistake in a cell as one sentence: its line, what is wrong, and what to write instead.

The book, JupyterLab, papermill and nbconvert show the same. What one of Reckon's own sentences
explains (ReckonError) is shown as it is.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import tokenize
import traceback
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, dataclass
from types import FunctionType, ModuleType, TracebackType
from typing import TYPE_CHECKING

from reckon import build_context, config, units
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, nearest
from reckon.prediction.grammar import REFUSED_SIGNS
from reckon.records.notebook_cells import Page
from reckon.show.text import capitalised, first_case

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_QUOTED = re.compile(r"""(["']).*?\1""")
_CALL = re.compile(r"^(?:\w+\.)*(?P<name>\w+)\(\) (?P<fault>.*)$")
# An input whose number has a comma; one whose number stands with its unit in one text.
_WITH_COMMA = re.compile(r"""((?:\w+\.)?(?:guess|given))\((\d+),(\d+), *["'](.+?)["']""")
_IN_ONE_TEXT = re.compile(r"""((?:\w+\.)?(?:guess|given))\(["']([\d.]+) ?(\D[^"']*)["']""")
_UNKNOWN_ARGUMENT = re.compile(r"got an unexpected keyword argument '(\w+)'")
# Of Python's and IPython's words, those that do not say what to do.
_SYNTAX_FAULTS = {
    "invalid syntax. Perhaps you forgot a comma?": "a comma, an operator or a quote is missing",
    "incomplete input": "a bracket or a quote is never closed",
    "invalid syntax": "an operator, a comma or a colon is missing, or a name is misspelt",
    "unexpected indent": "the line is indented and belongs to none above; begin it at the left, "
    "or restore the one above it",
    "positional argument follows keyword argument": "a value without a name stands behind one with "
    "a name; write name=value, and no comma in a number",
    "unexpected character after line continuation character": "`\\` is no operator; a division is "
    "written /",
    "'return' outside function": "`return` without the line `def ...:` above it",
}
# What people write that Python does not take, outside of quotes.
_NOT_PYTHON = (
    (re.compile(r"\d\s*%(?!\s*[\w(])"), "a share is written as a number: 0.2 for 20 %"),
    (re.compile(r"=<|=>(?!=)"), "<= and >= are written so"),
    (re.compile(r"\d\s+x\s+\d"), "a product is written *"),
)
# What cannot be computed with, and what to write instead.
_NO_NUMBERS = {
    "'Prediction'": "a prediction is computed in the function under @rk.predict",
    "'Formula'": "call the formula with its inputs",
    "'Result'": "a result has numbers such as .median",
}
# What a function that shows something does not take, and what to do with it before.
_INSTEAD = {
    "'Prediction'": "measure it first, by rk.measure(...)",
    "'Formula'": "call the formula with its inputs",
}
_BUILTINS = ["abs", "dict", "len", "list", "max", "min", "print", "range", "round", "sum", "zip"]
_OF_IPYTHON = {"In", "Out", "exit", "get_ipython", "open", "quit"}
_PLACES_OF_FUNCTIONS = ("", "show", "draw")  # attributes of the package reckon


@dataclass(frozen=True)
class CellError:
    """What is wrong, and in which line of the cell; None where no line is known."""

    line: int | None
    sentence: str

    def __str__(self) -> str:
        if self.line is None:
            return capitalised(self.sentence)
        return f"Line {self.line}: {self.sentence}"


def explain_in(shell: InteractiveShell) -> None:
    """Have the kernel of that shell show each error of a cell as its sentence; `%tb` then shows all
    that IPython knows of it."""
    shell.set_custom_exc((Exception, KeyboardInterrupt), _show)

    def divided_into_words(lines: list[str]) -> list[str]:
        """The lines. Raises the sentence of a fault that IPython shows without calling `_show`."""
        try:
            list(tokenize.generate_tokens(iter(lines).__next__))
        except IndentationError as error:
            raise _shown(shell, error) from None
        except (SyntaxError, tokenize.TokenError):  # a magic, or a fault that is found later
            pass
        return lines

    lines = shell.input_transformer_manager.line_transforms  # a cell of %%bash is one line there
    lines[:] = [each for each in lines if each.__name__ != divided_into_words.__name__]
    lines.append(divided_into_words)
    shell.ast_transformers[:] = [*filter(_is_of_others, shell.ast_transformers), _Compiled(shell)]


def _is_of_others(transformer: ast.NodeTransformer) -> bool:
    return not isinstance(transformer, _Compiled)


def _show(shell: InteractiveShell, kind, error, trace, tb_offset=None) -> None:
    """What IPython calls with an error of a cell."""
    shown = _shown(shell, error)
    shell.showtraceback((type(shown), shown, trace))
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace  # for %tb


class _Compiled(ast.NodeTransformer):
    """Leaves a cell as it is, or refuses one that parses and does not compile, such as a `return`
    outside of a function, which IPython shows without calling `_show`; and a power that is written
    as on paper, which Python takes for an exclusive or."""

    def __init__(self, shell: InteractiveShell):
        self._shell = shell

    def visit(self, node: ast.AST) -> ast.AST:
        """The cell. Raises InputRejected."""
        from IPython.core.error import InputRejected  # a kernel has it, the command line does not

        try:
            _refuse_caret(node)
            compile(node, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)  # type: ignore
        except SyntaxError as error:
            raise _shown(self._shell, error, InputRejected) from None
        return node


def _refuse_caret(tree: ast.AST) -> None:
    """Raises SyntaxError for `^` before or behind a number that is written in the cell."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitXor):
            continue
        if any(isinstance(side, ast.Constant) for side in (node.left, node.right)):
            error = SyntaxError("^ is no power; a power is written **, as in 2**9")
            error.lineno, error.text = node.lineno, ast.unparse(node)
            raise error


def _shown(
    shell: InteractiveShell, error: BaseException, kind: type[Exception] = Exception
) -> Exception:
    """An exception of the error's name that IPython shows as the error's sentence."""
    render = {"_render_traceback_": lambda self: [str(self)]}
    return type(type(error).__name__, (kind,), render)(sentence_of(shell, error))


def sentence_of(shell: InteractiveShell, error: BaseException) -> str:
    """What the kernel of that shell says of the error of a cell."""
    if isinstance(error, ReckonError):
        return str(error)
    build = build_context.current()
    path = build.notebook if build else config.notebook_in_jupyter()
    request: dict = getattr(shell, "get_parent", dict)()  # of a kernel
    page = Page(path, build is not None, request.get("metadata", {}).get("cellId"))
    return str(explain(error, shell.user_ns, page))


def explain(error: BaseException, variables: Mapping[str, object], page: Page) -> CellError:
    """The error that a cell raised. variables: those of its notebook, by name."""
    if isinstance(error, KeyboardInterrupt):
        return CellError(None, "interrupted before the end; run the cell again.")
    if isinstance(error, SyntaxError):
        return CellError(error.lineno, _of_syntax(error))
    line, call, source = _place(error.__traceback__, variables)
    if isinstance(error, FrozenInstanceError):
        return CellError(
            line, "it stays as it was made; change the number or the line that made it."
        )
    # An unknown name of a package of Reckon's is raised there; it is the cell that misspelt it.
    is_name = isinstance(error, AttributeError) and isinstance(error.obj, ModuleType)
    if call and not is_name and not isinstance(error, OSError):
        return CellError(line, _of_call(call, error))
    for kind, sentence in _SENTENCES:
        if isinstance(error, kind):
            hint = _of_amount(source) if kind is TypeError else ""
            return CellError(line, hint or sentence(error, variables, page))
    return CellError(line, f"{_named(error)}.")


def _place(
    trace: TracebackType | None, variables: Mapping[str, object]
) -> tuple[int | None, str | None, str]:
    """The line of the cell; what it called outside of the notebook where the error was raised
    there, such as "rk.given", or None; and the line's text from there."""
    line = file = call = None
    source = ""
    frames = traceback.extract_tb(trace)
    for (frame, _), summary in zip(traceback.walk_tb(trace), frames, strict=True):
        if frame.f_globals is not variables:
            continue
        file = file or summary.filename
        if summary.filename == file:  # not in a function of an earlier cell
            line = summary.lineno
        is_last = summary is frames[-1]
        source = linecache.getline(summary.filename, summary.lineno or 0)[summary.colno or 0 :]
        # The function that is called there, as the notebook names it.
        call = None if is_last else source.partition("(")[0].strip() or summary.name
    return line, call, source


def _named(error: BaseException) -> str:
    """The error with its kind, on one line and without a stop."""
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _of_syntax(error: SyntaxError) -> str:
    text, said = (error.text or "").strip(), error.msg.partition(" (detected")[0]
    bare = _QUOTED.sub("", text)
    written = (instead for sign, instead in _NOT_PYTHON if sign.search(bare))
    fault = _of_character(said) or next(written, None) or _SYNTAX_FAULTS.get(said, said)
    return f"in `{text}`, {fault}." if text else f"{fault}."


def _of_character(said: str) -> str:
    """What to write in the place of a character that no program has; "" for another fault."""
    found = re.match(r"invalid (non-printable )?character .*U\+(\w+)", said)
    if not found:
        return ""
    character = chr(int(found[2], 16))
    quote = {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"}.get(character)
    instead = REFUSED_SIGNS.get(character) or (f"write {quote}" if quote else "delete it")
    name = f"the invisible character U+{found[2]}" if found[1] else f"`{character}`"
    return f"{name} cannot be there; {instead}"


def _of_call(call: str, error: BaseException) -> str:
    """An error that was raised in what the cell called."""
    for kind, instead in _INSTEAD.items():
        if isinstance(error, AttributeError) and f"{kind} object" in str(error):
            return f"{call}(...) does not take a {kind[1:-1].lower()}; {instead}."
    function = _function(call.rpartition(".")[2])
    takes = f"; it takes {_arguments(function)}" if function else ""
    return f"{call}(...) does not work with this ({_named(error)}){takes}."


def _of_name(error: NameError, variables: Mapping[str, object], page: Page) -> str:
    """Which cell makes the name, or the name that may have been meant."""
    name = str(error.name)
    known = {each for each in variables if not each.startswith("_")} | page.names() - {name}
    where = page.where_made(name)
    meant = nearest(name, sorted(known - _OF_IPYTHON) + ([] if where else _BUILTINS))
    question = f"did you mean {meant}?" if meant else ""
    hints = (
        (bool(where and meant), f"{where}, or {question}"),
        (bool(where), f"{where}."),
        (units.is_unit(name), f'write "{name}" with quotes, as a unit.'),
        (bool(_function(name)), f"write rk.{name}."),
        (bool(meant), question),
        (True, "run the cell that makes it, or restore it."),
    )
    return f"there is no `{name}` in this notebook; {first_case(*hints)}"


def _of_local_name(error: UnboundLocalError, _variables: object, _page: Page) -> str:
    return f"{error}; give it a value above that line."


def _of_attribute(error: AttributeError, _variables: Mapping[str, object], _page: Page) -> str:
    names = [name for name in dir(error.obj) if not name.startswith("_")]
    return f"{error}; {did_you_mean(str(error.name), names, 'use another name.')}"


def _of_type(error: TypeError, _variables: Mapping[str, object], _page: Page) -> str:
    """The fault; of a call of one of Reckon's functions, with what it takes."""
    for kind, instead in _NO_NUMBERS.items():
        if "unsupported operand" in str(error) and kind in str(error):
            return f"{error}; {instead}."
    if str(error) == "'Prediction' object is not callable":
        return (
            "the formula's name is a prediction's now: give that another one, and run the cell "
            "with @rk.predict again."
        )
    call = _CALL.match(str(error))
    function = call and _function(call["name"])
    if not call or not function:
        return f"{error}."
    unknown = _UNKNOWN_ARGUMENT.match(call["fault"])
    if unknown:
        takes = f"it takes {_arguments(function)}."
        hint = did_you_mean(unknown[1], inspect.signature(function).parameters, takes)
        return f"{call['name']}() has no argument {unknown[1]}; {hint}"
    return f"{error}; it takes {_arguments(function)}."


def _of_amount(call: str) -> str:
    """What is wrong with the number and the unit of an input that does not take them; "" if nothing
    is known of it."""
    if found := _WITH_COMMA.match(call):
        function, whole, part, unit = found.groups()
        try:
            units.number_and_unit(f"{whole},{part} {unit}")
        except ReckonError as unclear:
            return str(unclear)
        why, number = "a decimal number is written with a point", f"{whole}.{part}"
    elif found := _IN_ONE_TEXT.match(call):
        function, number, unit = found.groups()
        why = "the number and its unit are written apart"
    else:
        return ""
    return f'{why}; write {function}({number}, "{unit}", ...).'


def _function(name: str) -> Callable | None:
    """Reckon's function of that name, as notebooks call it."""
    package = sys.modules.get("reckon")
    for place in _PLACES_OF_FUNCTIONS:
        function = getattr(getattr(package, place, package), name, None)
        if isinstance(function, FunctionType):
            return function
    return None


def _arguments(function: Callable) -> str:
    """The arguments of a call: value, unit, source, cite=..."""
    parameters = inspect.signature(function).parameters.values()
    names = (each.name if each.default is each.empty else f"{each.name}=..." for each in parameters)
    return ", ".join(names) or "nothing"


def _of_key(error: KeyError, variables: Mapping[str, object], _page: Page) -> str:
    """The key, and the nearest of the notebook's dictionaries."""
    key = error.args[0] if error.args else ""
    dictionaries = [each for name, each in variables.items() if isinstance(each, dict)]
    keys = {each for entries in dictionaries for each in entries if isinstance(each, str)}
    meant = nearest(key, keys - {*variables}) if isinstance(key, str) else None
    return f"there is no {key!r}{f'; did you mean {meant!r}?' if meant else '.'}"


def _of_value(error: ValueError, _variables: object, _page: Page) -> str:
    return f"{' '.join(str(error).split())}."


def _of_system(error: OSError, _variables: object, _page: Page) -> str:
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error}."


def _of_division(_error: ZeroDivisionError, _variables: object, _page: Page) -> str:
    return "a division by 0 has no value; divide by another number."


def _of_import(error: ImportError, _variables: object, _page: Page) -> str:
    return f"{error}; a notebook imports reckon as rk and numpy as np."


# The first that fits.
_SENTENCES: tuple[tuple[type[Exception], Callable], ...] = (
    (UnboundLocalError, _of_local_name),
    (NameError, _of_name),
    (AttributeError, _of_attribute),
    (TypeError, _of_type),
    (KeyError, _of_key),
    (ZeroDivisionError, _of_division),
    (ImportError, _of_import),
    (ValueError, _of_value),
    (OSError, _of_system),
)

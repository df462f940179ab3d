"""Calling a prediction function once with nodes for its inputs, which gives its expression tree."""

from __future__ import annotations

import ast
import inspect
import numbers
import textwrap
import types

import numpy as np

from reckon import units
from reckon.messages import did_you_mean, join_words, nearest
from reckon.prediction.expression import UNIT, USE_NUMPY, Node, PredictionError, to_node
from reckon.prediction.inputs import Input


def trace(function) -> tuple[list[str], tuple[Node, ...]]:
    """Call a prediction function once with nodes.

    Returns the names of its inputs and the nodes it returned. Raises PredictionError for what
    cannot be traced, with what to write instead.
    """
    if not isinstance(function, types.FunctionType):  # as functools.partial or np.vectorize
        kind = type(function).__name__
        raise PredictionError(f"A {kind} cannot be a prediction; write a function with def.")
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise PredictionError(f"{function.__name__}: write def and return, not yield or async def.")
    _refuse_outside_numbers(function, function.__name__, set())
    names = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise PredictionError(f"{function.__name__}: inputs have names; no * or **.")
        if parameter.default is not parameter.empty:
            raise PredictionError(
                f"{function.__name__}: {parameter.name} has a default; make it an input, with "
                "where it comes from."
            )
        names.append(parameter.name)
    nodes = _nodes_of(function, names)
    if not nodes:
        raise PredictionError(
            f"{function.__name__} returns nothing; end it with `return` and what it predicts."
        )
    return names, nodes


def _nodes_of(function, names: list[str]) -> tuple[Node, ...]:
    """What the function returns for nodes of these names. Raises PredictionError."""
    try:
        result = function(**{name: Node("input", name) for name in names})
        results = result if isinstance(result, tuple) else (result,)
        return tuple(to_node(part) for part in results if result is not None)
    except PredictionError as error:
        raise PredictionError(f"{function.__name__}: {error}") from None
    except UnboundLocalError as error:
        name = str(error).split("'")[1]
        raise PredictionError(
            f"{function.__name__}: {name} is computed with before it has a value; give it one "
            "above that line, and not behind an `if`."
        ) from None
    except NameError as error:
        raise _unknown(function.__name__, str(error.name), names) from None
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        fault = str(error).replace("'Node' object", "an input")
        raise PredictionError(
            f"{function.__name__} cannot be computed ({fault}); write it with + - * / of its "
            "inputs and of numbers."
        ) from None


def refuse_swapped(function, parts: tuple[str, ...]) -> None:
    """Raises PredictionError where the parts are returned under their names, in another order."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):  # made by exec, or a lambda within a line
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            names = [each.id for each in node.value.elts if isinstance(each, ast.Name)]
            if sorted(names) == sorted(parts) and names != [*parts]:
                raise PredictionError(
                    f"{function.__name__} returns {', '.join(names)}; end it with return "
                    f"{', '.join(parts)}."
                )


def _unknown(owner: str, name: str, names: list[str]) -> PredictionError:
    """The error of a name that the function computes with and does not have."""
    if units.is_unit(name) and not nearest(name, names):
        return PredictionError(f"{owner}: {UNIT.format(text=name)}")
    hints = {"math": f"{USE_NUMPY}.", "np": "write `import numpy as np` in a cell above."}
    inputs = f"its inputs are {join_words(names)}."
    hint = hints.get(name) or did_you_mean(name, names, inputs)
    return PredictionError(f"{owner}: {name} is not one of its inputs; {hint}")


def _refuse_outside_numbers(function, owner: str, seen: set) -> None:
    """Raises PredictionError for a number that the function, or a helper, takes from outside."""
    if function in seen:
        return
    seen.add(function)
    outside = inspect.getclosurevars(function)
    for name, value in {**outside.globals, **outside.nonlocals}.items():
        if isinstance(value, (numbers.Number, np.ndarray, units.pint.Quantity)):
            raise PredictionError(
                f"{owner}: {name} is a number from outside the function; make it an input with "
                "where it comes from."
            )
        if isinstance(value, Input):
            raise PredictionError(
                f"{owner}: {name} is an input from outside the function; write it between the "
                f"brackets of `def {owner}(...)`, too."
            )
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            _refuse_outside_numbers(value, owner, seen)

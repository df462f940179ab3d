"""Predictions at a notebook: shown as soon as their cell has run, tried without writing, kept.

After each cell the notebook's variables are searched for predictions and formulas that the cell has
made. Each prediction is shown with its ratio to what the run holds; nothing is measured or written.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import reckon
from reckon import config, statistics
from reckon.edits import lab_panels
from reckon.edits.tried_predictions import Tried, comparison
from reckon.errors import ReckonError
from reckon.messages import join_words
from reckon.prediction.formula import Formula, Prediction
from reckon.records import seal
from reckon.records.known_quantities import refuse_unknown
from reckon.records.quantities.lookup import from_entry
from reckon.records.quantities.recorded_predictions import prediction_record
from reckon.records.quantities.revisions import Variants
from reckon.records.session import Session, current_session
from reckon.show import cell_errors
from reckon.show.block import Block, say
from reckon.statistics import cache

if TYPE_CHECKING:  # a kernel has imported it; the command line does without
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

_DEPTH = 2  # predictions are also found in lists and dictionaries, and in those within them


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Give the first cell that is run `rk` and the run, whichever cell it is: what the kernelspec of
    `make lab` has a new or restarted kernel call."""

    def begin_once(_: object) -> None:
        shell.events.unregister("pre_run_cell", begin_once)
        shell.user_ns.setdefault("rk", reckon)
        with contextlib.suppress(ReckonError):  # the cell has it again, and shows it
            reckon.begin()

    shell.events.register("pre_run_cell", begin_once)


def begin() -> None:
    """Show errors as sentences, if this process is a notebook's kernel; and what each cell
    predicts, if a person executes it and not papermill, nbconvert or the build of the book."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    cell_errors.explain_in(shell)
    cache.store_in(config.settings().build_dir / "cache")
    if not shell.get_parent()["content"].get("allow_stdin"):  # nobody is there to answer a question
        return
    config.use(config.settings().model_copy(update={"tries": True}))
    for callback in list(shell.events.callbacks["post_run_cell"]):
        if isinstance(getattr(callback, "__self__", None), _Notebook):
            shell.events.unregister("post_run_cell", callback)
    shell.events.register("post_run_cell", _Notebook(shell).after_cell)
    # The first prediction would wait half a second for these imports.
    threading.Thread(target=statistics.load, daemon=True).start()


_NOTHING_TRIED = "Nothing was tried that the record does not have already."


def keep() -> Block:
    """Make what was tried in this notebook revisions of the run's predictions."""
    kept = seal.keep(current_session())
    if not kept:
        return say(_NOTHING_TRIED)
    return say(f"Kept as revisions: {join_words(f'`{name}`' for name in kept)}.")


def reseal(prediction: Prediction, reason: str = "") -> Block:
    """Make the prediction the one that is scored, in the place of one with a mistake.

    The first seal stays in the record. Raises ReckonError if the quantity has been measured and
    there is no reason, which the page will state."""
    if not isinstance(prediction, Prediction):
        raise ReckonError(f"{prediction!r} is no prediction; reseal takes what measure takes.")
    session, name = current_session(), prediction.quantity
    seal.reseal(name, prediction_record(prediction), reason, session)
    if session.variants:
        session.variants.forget(name)
    return say(f"Sealed again: `{name}`. The first seal stays in the record.")


def reset() -> Block:
    """Forget what was tried in this notebook; what the record's predictions have instead."""
    variants = current_session().variants
    forgotten = variants.take() if variants else {}
    if not forgotten:
        return say(_NOTHING_TRIED)
    return say(
        f"Forgotten: what was tried of {join_words(f'`{name}`' for name in forgotten)}.",
        "The cells still have your values: undo them, or load the notebook again from disk.",
    )


class _Notebook:
    """The predictions and formulas of a notebook, as far as its cells have been run."""

    def __init__(self, shell: InteractiveShell):
        self._shell = shell
        # By id; keeping the objects keeps their ids from being used again.
        self._seen: dict[int, Prediction | Formula] = {}

    def after_cell(self, result: ExecutionResult) -> None:
        """Display how far off the predictions are that the cell made."""
        from IPython.display import HTML, display

        new = [found for found in self._found() if id(found) not in self._seen]
        earlier = [seen for seen in self._seen.values() if isinstance(seen, Prediction)]
        self._seen |= {id(found): found for found in new}
        if result.error_in_exec or not new:
            return
        formulas = [found for found in new if isinstance(found, Formula)]
        display(say(*(self._older(formula) for formula in formulas)))
        predictions = [found for found in new if isinstance(found, Prediction)]
        try:
            if not predictions:
                predictions = [again for f in formulas for again in _made_again(f, earlier)]
            session = current_session()
            for each in new:
                _refuse_unknown(each.quantity, session)
            if predictions:
                is_shown = isinstance(result.result, Block)
                tried = _tried(predictions, session)
                display(comparison(tried, with_formula=not is_shown))
                panel = lab_panels.html([each.result for each in tried], session.run)
                if panel:
                    display(HTML(panel))
        except ReckonError as error:
            display(say(str(error)))

    def _older(self, formula: Formula) -> str:
        """Which variable still is an earlier formula of the same quantity; "" if none is."""
        for name, value in self._shell.user_ns.items():
            is_other = isinstance(value, Formula) and value.function_name != formula.function_name
            if is_other and formula.quantity and value.quantity == formula.quantity:
                return (
                    f"`{name}` is still the earlier formula of {formula.quantity}: call "
                    f"`{formula.function_name}` in the cells below, or give it that name again."
                )
        return ""

    def _found(self) -> Iterator[Prediction | Formula]:
        """The notebook's predictions and formulas, each once."""
        variables = self._shell.user_ns
        names = [name for name in variables if not name.startswith("_") and name not in _HISTORY]
        found = {id(each): each for name in names for each in _within(variables[name], _DEPTH)}
        yield from found.values()


def _refuse_unknown(quantity: str, session: Session) -> None:
    """Raises ReckonError where a formula is of a quantity that nothing measures; it may have none,
    and its predictions one each."""
    if quantity and quantity.count("/") != 2:
        raise ReckonError(f"{quantity!r} is no quantity; write PART/EXPERIMENT/QUANTITY.")
    if quantity:
        refuse_unknown(session.run.name, quantity, is_new=True)


_HISTORY = ("In", "Out")


def _within(value, depth: int) -> Iterator[Prediction | Formula]:
    if isinstance(value, (Prediction, Formula)):
        yield value
    elif isinstance(value, (list, tuple, dict)) and depth:
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for part in parts:
            yield from _within(part, depth - 1)


def _made_again(formula: Formula, earlier: list[Prediction]) -> list[Prediction]:
    """The notebook's last predictions by the formula of that name, by this one."""
    last = {
        prediction.quantity: prediction
        for prediction in earlier
        if prediction.formula.function_name == formula.function_name
    }
    return [formula.of(quantity, **old.inputs) for quantity, old in last.items()]


def _tried(predictions: list[Prediction], session: Session) -> list[Tried]:
    run = session.run
    entries = seal.as_tried(predictions, run.name, session.variants or Variants())
    return [
        Tried(from_entry(prediction.quantity, entry, None, run.between_visits), run.name)
        for prediction, entry in zip(predictions, entries, strict=True)
    ]

"""Predictions at a notebook: shown as soon as their cell has run, tried without writing, kept.

After each cell the notebook's variables are searched for predictions and formulas that the cell has
made. Each prediction is shown with its ratio to what the run holds; nothing is measured or written.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from reckon import config, statistics
from reckon.edits import lab_panels
from reckon.edits.following import Places, follow
from reckon.edits.tried_predictions import Tried, comparison
from reckon.messages import join_words
from reckon.prediction.formula import Formula, Prediction, refuse_other
from reckon.prediction.inputs import Input
from reckon.records import notebook_cells, seal
from reckon.records.known_quantities import refuse_unknown
from reckon.records.quantities.lookup import from_entry
from reckon.records.quantities.recorded_predictions import prediction_record
from reckon.records.quantities.revisions import Variants
from reckon.records.session import Session, current_session
from reckon.show import cell_errors
from reckon.show.block import Block, plain_markdown, say
from reckon.statistics import cache

if TYPE_CHECKING:  # a kernel has imported it; the command line does without
    from ipykernel.zmqshell import ZMQInteractiveShell
    from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult

_DEPTH = 2  # predictions are also found in lists and dictionaries, and in those within them


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
    if _notebook() is None:
        notebook = _Notebook(shell)
        shell.events.register("pre_run_cell", notebook.before_cell)
        shell.events.register("post_run_cell", notebook.after_cell)
        # The first prediction would wait half a second for these imports.
        threading.Thread(target=statistics.load, daemon=True).start()


def display_answers() -> None:
    """Display in this cell the answer of the page, which its last cells find, if a person executes
    the notebook."""
    notebook, path = _notebook(), config.notebook_in_jupyter()
    if notebook and path:
        saved = notebook_cells.saved(path)
        notebook.places.display_answers(notebook_cells.ids(saved, notebook_cells.ANSWER))


def _notebook() -> _Notebook | None:
    """What follows the cells of the notebook in this process, if a person executes it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    for callback in shell.events.callbacks["post_run_cell"] if shell else ():
        if isinstance(getattr(callback, "__self__", None), _Notebook):
            return callback.__self__
    return None


_NOTHING_TRIED = "Nothing was tried that the record does not have already."


def keep() -> Block:
    """Make what was tried in this notebook revisions of the run's predictions, and in this cell
    above the call."""
    notebook = _notebook()
    if notebook:
        notebook.compare(None)
    session = current_session()
    kept = seal.keep(session)
    if not kept:
        return say(_NOTHING_TRIED)
    where = "They are beside the run, which is only read." if session.is_replay else ""
    return say(
        f"Kept as revisions: {join_words(f'`{name}`' for name in kept)}.",
        where,
        "`rk.reset()` takes them back.",
    )


def reseal(prediction: Prediction, reason: str = "") -> Block:
    """Make the prediction the one that is scored, in the place of one with a mistake.

    The first seal stays in the record. Raises ReckonError if the quantity has been measured and
    there is no reason, which the page will state."""
    refuse_other(prediction, "rk.reseal")
    session, name = current_session(), prediction.quantity
    seal.reseal(name, prediction_record(prediction), reason, session)
    if session.variants:
        session.variants.forget(name)
    return say(f"Sealed again: `{name}`. The first seal stays in the record.")


def reset() -> Block:
    """Forget what was tried in this notebook; where nothing was, take back what was kept in it, as
    long as it is the last that happened to its quantity."""
    session = current_session()
    forgotten = session.variants.take() if session.variants else {}
    taken = [] if forgotten else seal.take_back(session)
    if not forgotten and not taken:
        return say(_NOTHING_TRIED)
    notebook = _notebook()
    if notebook:
        notebook.restore()
    what = "what was tried of" if forgotten else "the revisions of"
    return say(
        f"Forgotten: {what} {join_words(f'`{name}`' for name in [*forgotten, *taken])}.",
        "The cells still have your values: undo them, or load the notebook again from disk.",
    )


class _Notebook:
    """The predictions and formulas of a notebook, as far as its cells have been run."""

    def __init__(self, shell: ZMQInteractiveShell):
        self._shell = shell
        self.places = Places(shell)
        # By id; keeping the objects keeps their ids from being used again.
        self._seen: dict[int, Prediction | Formula] = {}
        self._names: dict[str, set[str]] = {}  # what each cell, by its id, gave a value last
        self._sources: dict[str, str] = {}  # what each cell was when it was last run
        self._first: dict[str, str] = {}  # and when it was first run

    def before_cell(self, info: ExecutionInfo) -> None:
        """Forget what the cell itself reads and no cell makes any more: it would be computed with
        what it was. Not a package: a kernel that starts has imported reckon."""
        source, variables = info.raw_cell or "", self._shell.user_ns
        gone = self._gone(info.cell_id, notebook_cells.names_given(source))
        for name in gone & notebook_cells.names_read(source):
            if not isinstance(variables.get(name), ModuleType):
                variables.pop(name, None)

    def after_cell(self, result: ExecutionResult) -> None:
        """Display how far off the predictions are that the cell made, and have the outputs of the
        cells below follow."""
        assert result.info
        cell, source = result.info.cell_id, result.info.raw_cell
        names = notebook_cells.names_given(source)
        if not result.success:
            _say(self._still_in_use(names))
            return
        _say(self._without_renamed(self._gone(cell, names)))
        if cell is not None:
            self._names[cell] = names
        said = self.compare(result.result)
        is_edited = cell is not None and self._sources.get(cell, source) != source
        if cell is not None:
            self._sources[cell] = source
            self._first.setdefault(cell, source)
        if is_edited:
            _say(*follow(self._sources, names, cell, self.places, self.compare, said))

    def restore(self) -> None:
        """Have all cells show what follows from what each of them was at first."""
        edited = [cell for cell in self._first if self._first[cell] != self._sources[cell]]
        names = [notebook_cells.names_given(self._first[cell]) for cell in edited]
        self._sources = dict(self._first)
        _say(*follow(self._sources, set().union(*names), None, self.places, self.compare))

    def compare(self, value: object) -> str:
        """Display how far off the new predictions are. value: of their cell; a block has the
        formula. Returns what is wrong with them, which it displays, too."""
        from IPython.display import display

        found = [*self._found()]
        new = [each for each in found if id(each) not in self._seen]
        self._seen |= {id(each): each for each in new}
        if not new:
            return ""
        formulas = [each for each in new if isinstance(each, Formula)]
        _say(*(self._older(formula) for formula in formulas))
        predictions = [each for each in new if isinstance(each, Prediction)]
        try:
            if not predictions:
                predictions = [again for f in formulas for again in _made_again(f, found)]
            session = current_session()
            for each in new:
                _refuse_unknown(each.quantity, session)
            if predictions:
                tried = _tried(predictions, session)
                display(comparison(tried, with_formula=not isinstance(value, Block)))
                panel = lab_panels.html([each.result for each in tried], session.run)
                if panel:
                    self.places.display_html(panel)
        except Exception as error:  # IPython would show a page of where it was raised
            fault = cell_errors.sentence_of(self._shell, error)
            _say(fault)
            return fault
        return ""

    def _still_in_use(self, names: set[str]) -> str:
        """Which formulas and predictions of before a cell that failed leaves as they were."""
        before = self._of_kind(names, Formula, Prediction)
        if not before:
            return ""
        return f"{before} is still the one of before this edit, in all cells below."

    def _gone(self, cell: str | None, names: set[str]) -> set[str]:
        """What an earlier text of the cell made and no cell makes now; a new kernel would not have
        it. names: what the cell makes now."""
        earlier = self._names.get(cell, set()) if cell is not None else set()
        others = [made for each, made in self._names.items() if each != cell]
        return earlier.difference(names, *others)

    def _without_renamed(self, gone: set[str]) -> str:
        """Forget what no cell makes now; what that is."""
        forgotten = self._of_kind(gone, Formula, Prediction, Input)
        if not forgotten:
            return ""
        for name in gone:
            self._shell.user_ns.pop(name, None)
        return f"{forgotten} is in no cell now: rename it in the cells below, too."

    def _of_kind(self, names: Iterable[str], *kinds: type) -> str:
        """Those of the names that are variables of these kinds, in words."""
        variables = self._shell.user_ns
        return join_words(
            f"`{name}`" for name in sorted(names) if isinstance(variables.get(name), kinds)
        )

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
        variables = self._shell.user_ns
        names = [name for name in variables if not name.startswith("_") and name not in _HISTORY]
        found = {id(each): each for name in names for each in _within(variables[name], _DEPTH)}
        yield from found.values()


def _say(*sentences: str) -> None:
    from IPython.display import Markdown, display

    if any(sentences):
        display(Markdown(plain_markdown(say(*sentences).markdown)))


def _refuse_unknown(quantity: str, session: Session) -> None:
    """Raises ReckonError where a formula is of a quantity that nothing measures; it may have none,
    and its predictions one each."""
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


def _made_again(formula: Formula, found: Iterable[Prediction | Formula]) -> list[Prediction]:
    """The notebook's predictions by the formula of that name, by this one."""
    earlier = {
        each.quantity if each.quantity != each.formula.quantity else formula.quantity: each
        for each in found
        if isinstance(each, Prediction) and each.formula.function_name == formula.function_name
    }
    return [formula.of(quantity, **old.inputs) for quantity, old in earlier.items()]


def _tried(predictions: list[Prediction], session: Session) -> list[Tried]:
    run = session.run
    entries = seal.as_tried(predictions, run.name, session.variants or Variants())
    return [
        Tried(from_entry(prediction.quantity, entry, None, run.between_visits), run.name)
        for prediction, entry in zip(predictions, entries, strict=True)
    ]

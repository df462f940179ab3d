"""The pages as they are staged: executed notebooks with their cells in the order of the page.

Code cells in a row whose source is hidden become one, with one line to show it.

Tags of cells say what they are: "answer" the answer box and its figure, "front" what the front
page shows, "card" its part about the machine, "part" the opening of each part, "score" the
sentence on the title page of the PDFs, "fold" the first cell of a section for specialists.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from reckon import config, records
from reckon.book import contents
from reckon.book.build_cache import read_or_compute
from reckon.book.execution import dependencies
from reckon.book.execution.outputs import static_form
from reckon.book.staging import code_prompts
from reckon.edits import what_if_panels
from reckon.errors import ReckonError
from reckon.messages import join_words
from reckon.records import notebook_cells
from reckon.records.quantities import revisions
from reckon.records.quantities.recorded_predictions import chapter_sources
from reckon.show.block import MEASURED, PART_MARK, for_students, raw_html
from reckon.show.text import literal, plural
from reckon.show.titles import page_link

_ANSWER, _FRONT, _CARD, _FOLD, _SCORE = "answer", "front", "card", "fold", "score"
_PART_OPENING, _ABSTRACT = "part", "abstract"
_GOALS = re.compile(r"^Afterwards you can .*?(?:\n(?=\n)|\Z)", re.MULTILINE | re.DOTALL)
_NO_TEXT = re.compile(r"^(?:\||:|```).*$", re.MULTILINE)
_HEADING = re.compile(r"(#+) ")
_WORDS_A_MINUTE = 200
_HIDDEN, _REMOVED = "hide-input", "remove-input"  # MyST-NB's: folded source, no source
_VERBS = ("Show", "Hide")
_LINK = re.compile(r"\[(?P<words>[^][]*)\]\(/(?P<file>[\w/-]+)\.(?:ipynb|md)\)")
_TERM = re.compile(r"\{term\}`(?P<words>[^`<]*?)(?: <[^`>]*>)?`")
_BOLD = re.compile(r"\*\*(?P<words>[^*]+)\*\*")
_FIGURE = re.compile(r"\{numref\}`Figure %s <(?P<name>[\w-]+)>`")
_MARKUP = re.compile(r"<[^>]*>|\*\*|\[(?P<words>[^][]*)\]\([^)]*\)")
_GLOSSARY = "book/glossary"
# The space before a unit, where no line ends; not in code and formulas.
_SPACE_OF_NUMBER = re.compile(
    r"(?P<code>```.*?```|`[^`]*`|\$\$.*?\$\$)"
    r"|(?<=\d) (?=%|(?:[mnµ]?s|[kKMGT]?i?B|[kKMGT]?bit|bytes?|cycles?|[kMG]?Hz)\b)",
    re.DOTALL,
)
_PART = """:::{{note}}
This is a part of the book: the pages {}. Values of other pages are read from the run as it is;
where it has none, a guess stands in. `make book` makes the whole book.
:::"""
_FOLD_MARK = raw_html('<span class="folded"></span>')


def executed_notebooks(pages: Iterable[str]) -> dict[str, dict]:
    """The executed notebook of each of these pages, with its text as it is now."""
    notebooks = {}
    for page in pages:
        path = contents.executed_path(page)
        try:
            executed = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise ReckonError(f"{path} is missing; run `make book`, which executes it.") from None
        notebooks[page] = _with_text_of(contents.source(page), executed)
    return notebooks


def _with_text_of(source: Path, executed: dict) -> dict:
    """The executed notebook with the text cells of its source, whose editing executes nothing; as
    it is where it stands in for a page that failed."""
    cells = notebook_cells.cells_of(notebook_cells.saved(source))
    code = [cell for cell in executed["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in code]
    if not cells or sources != [cell.source for cell in cells if cell.is_code]:
        return executed
    with_outputs = iter(code)
    return {
        **executed,
        "cells": [next(with_outputs) if cell.is_code else cell.content for cell in cells],
    }


def staged(notebooks: dict[str, dict], run: str, faults: list[str]) -> dict[str, bytes]:
    """The staged file of each executed page of that run, by its path below the stage.

    faults: what was changed in the files of the run."""
    recorded = records.experiments(run)
    sources = chapter_sources(run, contents.all_notebooks(), notebooks)
    return {
        f"notebooks/{page}.ipynb": _staged(
            notebook,
            [fault for fault in faults if fault.startswith(f"{page}/")],
            _formulas(run, page) if page in recorded else "",
            sources.get(page),
        )
        for page, notebook in notebooks.items()
    }


def front(notebooks: dict[str, dict]) -> str:
    """What the front page shows of the run: the outputs of the cells tagged "front" alone; and that
    the book is a part, if it is one."""
    chosen = config.settings().pages
    part = [_PART.format(literal(chosen))] if chosen else []
    shown = part + [text for notebook in notebooks.values() for text in _outputs(notebook, _FRONT)]
    return _as_prose(shown)


def machine_card(notebooks: dict[str, dict]) -> str:
    """What the front page shows of the machine: the outputs of the cells tagged "card"."""
    return _as_prose(text for notebook in notebooks.values() for text in _outputs(notebook, _CARD))


def score(notebooks: dict[str, dict]) -> str:
    """The first sentence of the run's score as plain text; "" for a book without a summary."""
    shown = (text for notebook in notebooks.values() for text in _outputs(notebook, _SCORE))
    sentence = _BOLD.search(next(shown, ""))
    return sentence["words"] if sentence else ""


def opening(part: str, notebooks: dict[str, dict]) -> str:
    """What the part's chapters build on and cost: its piece of the cells tagged "part"."""
    shown = "\n".join(
        text for notebook in notebooks.values() for text in _outputs(notebook, _PART_OPENING)
    )
    pieces = re.split(rf"^{PART_MARK}(\S+)$", shown, flags=re.MULTILINE)
    return _as_prose([dict(zip(pieces[1::2], pieces[2::2], strict=True)).get(part, "").strip()])


def abstract(notebooks: dict[str, dict]) -> str:
    """The abstract of the PDFs as plain text; "" for a book without a summary."""
    shown = (text for notebook in notebooks.values() for text in _outputs(notebook, _ABSTRACT))
    return _MARKUP.sub(r"\g<words>", next(shown, ""))


def answers(part: str, notebooks: dict[str, dict]) -> str:
    """The title and the answer box of each chapter of a part."""
    cards = []
    for page, notebook in notebooks.items():
        if not page.startswith(f"{part}/"):
            continue
        title = "".join(notebook["cells"][0]["source"]).partition("\n")[0].lstrip("# ")
        box = next(_outputs(notebook, _ANSWER), "")
        cards.append(f"**[{title}](/notebooks/{page}.ipynb)**\n\n{box}")
    return _as_prose(cards)


def _as_prose(texts: Iterable[str]) -> str:
    """The texts as a file that a page includes."""
    return without_dead_links(_unbroken("\n\n".join(texts))) + "\n"


def _outputs(notebook: dict, tag: str) -> Iterator[str]:
    """The Markdown that the cells of this tag gave."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []) if _tagged(cell, tag) else []:
            if "text/markdown" in output.get("data", {}):
                yield "".join(output["data"]["text/markdown"])


def _unbroken(text: str) -> str:
    """The text with numbers and their units on one line."""
    return _SPACE_OF_NUMBER.sub(lambda found: found["code"] or "\u00a0", text)


def _keep_numbers_unbroken(cell: dict) -> None:
    if cell["cell_type"] == "markdown":
        cell["source"] = _unbroken("".join(cell["source"]))
    for output in cell.get("outputs", []):
        if text := output.get("data", {}).get("text/markdown"):
            output["data"]["text/markdown"] = _unbroken("".join(text))


def _leave_out_solutions(cell: dict) -> None:
    for output in cell.get("outputs", []):
        if text := output.get("data", {}).get("text/markdown"):
            output["data"]["text/markdown"] = for_students("".join(text))


def _mark_measured(cell: dict) -> None:
    """Adds to each output which quantities' measured values it shows, where that is known."""
    for output in cell.get("outputs", []):
        data, measured = output.get("data", {}), output.get("metadata", {}).pop(MEASURED, [])
        if measured and "text/markdown" in data:
            mark = raw_html(f'<span data-measured="{html.escape(" ".join(measured))}"></span>')
            data["text/markdown"] = "".join(data["text/markdown"]) + f"\n\n{mark}"


def without_dead_links(text: str) -> str:
    """The text; a link to a page that this book leaves out is the words alone."""
    files = contents.toc()
    if _GLOSSARY not in files:
        text = _TERM.sub(lambda term: term["words"], text)
    return _LINK.sub(lambda link: link[0] if link["file"] in files else link["words"], text)


def _without_dead_numbers(text: str) -> str:
    """The page; of a figure that it does not draw, "The figure" in the place of its number."""
    return _FIGURE.sub(
        lambda found: found[0] if f":name: {found['name']}\\n" in text else "The figure", text
    )


def _tagged(cell: dict, tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def _arranged(cells: list[dict]) -> list[dict]:
    """The cells in the order of the page: the answer, which is computed last, below the title."""
    elsewhere = (_FRONT, _CARD, _PART_OPENING, _ABSTRACT)
    title, *others = [cell for cell in cells if not any(_tagged(cell, tag) for tag in elsewhere)]
    answer = [cell for cell in others if _tagged(cell, _ANSWER)]
    rest = _hidden_joined([cell for cell in others if not _tagged(cell, _ANSWER)])
    return [title, *answer, *(_foldable(_with_prompt(cell)) for cell in rest)]


def _with_prompt(cell: dict) -> dict:
    """The cell; if its source is hidden, with a line that says which code it shows."""
    if not _tagged(cell, _HIDDEN):
        return cell
    code = code_prompts.prompt("".join(cell["source"]))
    prompts = {f"code_prompt_{verb.lower()}": f"{verb} the code: {code}" for verb in _VERBS}
    options = {**cell["metadata"].get("mystnb", {}), **prompts}
    return {**cell, "metadata": {**cell["metadata"], "mystnb": options}}


def _hidden_joined(cells: list[dict]) -> list[dict]:
    """The cells; of those in a row whose source is hidden, the first has all sources and outputs.

    Cells of which nothing is shown stand between others without separating them."""
    joined: list[dict] = []
    for cell in cells:
        if _tagged(cell, _REMOVED) and not cell.get("outputs"):
            continue
        if joined and all(_tagged(each, _HIDDEN) for each in (joined[-1], cell)):
            before = joined[-1]
            sources = ("".join(each["source"]) for each in (before, cell))
            outputs = [*before["outputs"], *cell["outputs"]]
            joined[-1] = {**before, "source": "\n\n".join(sources), "outputs": outputs}
        else:
            joined.append(cell)
    return joined


def _foldable(cell: dict) -> dict:
    """The cell; if it begins a section to be folded, with the mark by which reckon.js finds it."""
    if not _tagged(cell, _FOLD):
        return cell
    heading, _, text = "".join(cell["source"]).partition("\n")
    return {**cell, "source": f"{heading}\n\n{_FOLD_MARK}\n{text}"}


def _formulas(run: str, experiment: str) -> str:
    """The data of the page's what-if panels."""
    run_dir, execution = records.run_dir(run), dependencies.last_execution(experiment)
    made_from = [
        records.record_path(run, experiment),
        revisions.overlay_path(run, experiment),
        run_dir / "run.json",
        *filter(None, [config.settings().predictions]),
    ]
    execution_of = [execution.sources, *execution.reads.values()] if execution else []
    version = [*execution_of, *map(records.file_digest, made_from)]
    return read_or_compute(
        f"formulas/{experiment}.json", version, lambda: what_if_panels.script(run, experiment)
    )


def _staged(
    notebook: dict, faults: list[str], formulas: str, sources: list[str] | None = None
) -> bytes:
    """The executed notebook without what differs from one execution to the next.

    faults: what is broken in its record, which the page says below its title.
    formulas: the data of its what-if panels, its last cell.
    sources: of a chapter those that it builds on."""
    cells = _arranged(notebook["cells"])
    if sources is not None:
        title = "".join(cells[0]["source"])
        cells[0] = {**cells[0], "source": _with_needs(title, sources, _minutes(cells))}
    if faults:
        sentence = f"Its record was changed after it was written: {literal('; '.join(faults))}."
        cell = _markdown_cell(f":::{{error}}\n{sentence}\n:::", "changed")
        cells.insert(1, cell)
    for cell in cells:
        _keep_numbers_unbroken(cell)
        if not config.settings().instructor:
            _leave_out_solutions(cell)
    if formulas:
        cells.append(_markdown_cell(formulas, "formulas"))
    for cell in cells:
        _mark_measured(cell)
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        if "data" in output:
            output["data"] = static_form(output["data"])
    notebook["metadata"].pop("widgets", None)  # Sphinx would load their scripts from elsewhere
    text = json.dumps({**notebook, "cells": cells})
    return (_without_dead_numbers(without_dead_links(text)) + "\n").encode()


def _with_needs(title: str, sources: list[str], minutes: int) -> str:
    """The chapter's first cell; its paragraph of goals also says what it builds on and how long it
    takes to read."""
    links = join_words([page_link(each) for each in sources]) or "no other chapter"
    needs = f"Builds on {links}. Takes {minutes} {plural(minutes, 'minute', 'minutes')} to read."
    return _GOALS.sub(
        lambda goals: f"::::{{container}} goals\n{goals[0].strip()} {needs}\n::::\n", title
    )


def _minutes(cells: list[dict]) -> int:
    """How long the page takes to read, without what it folds, its tables and its code."""
    texts, folded = [], math.inf  # the level of the heading whose section is folded
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and (heading := _HEADING.match(source)):
            level = len(heading[1])
            if level <= folded:
                folded = level if _tagged(cell, _FOLD) else math.inf
        if folded < math.inf:
            continue
        outputs = [output.get("data", {}) for output in cell.get("outputs", [])]
        texts += ["".join(output.get("text/markdown", "")) for output in outputs]
        texts += [source] if cell["cell_type"] == "markdown" else []
    words = _NO_TEXT.sub("", "\n".join(texts)).split()
    return max(1, round(len(words) / _WORDS_A_MINUTE))


def _markdown_cell(text: str, cell_id: str) -> dict:
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": text}

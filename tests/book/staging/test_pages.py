"""The pages as they are staged."""

import json
import re

import pytest
from helpers.project import ROOT

from reckon import config
from reckon.book import contents
from reckon.book.staging import pages
from reckon.show.block import PART_MARK


def markdown(source, *tags):
    return {"cell_type": "markdown", "metadata": {"tags": list(tags)}, "source": source}


def code(text, *tags):
    outputs = [{"data": {"text/markdown": text}}]
    return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": "", "outputs": outputs}


NOTEBOOK = {
    "cells": [
        markdown("# The title\n\nWords."),
        markdown("## Other methods\n\nMore.", "fold"),
        code("the card", "front"),
        code("the answer", "answer"),
        code("the figure", "answer"),
    ]
}


def test_the_answer_moves_below_the_title_and_the_front_pages_cells_leave():
    title, answer, figure, fold = pages._arranged(NOTEBOOK["cells"])
    assert title["source"].startswith("# The title")
    assert [cell["outputs"][0]["data"]["text/markdown"] for cell in (answer, figure)] == [
        "the answer",
        "the figure",
    ]
    assert fold["source"].startswith("## Other methods\n\n```{raw} html")
    assert fold["source"].endswith("More.")


def test_a_page_has_its_outputs_and_the_text_of_its_notebook_as_it_is(tmp_path):
    source, executed = tmp_path / "page.ipynb", {"cells": [markdown("# Old"), code("an output")]}
    edited = [markdown("# New"), markdown("Added."), {**code(""), "outputs": []}]
    source.write_text(json.dumps({"cells": edited}))
    assert pages._with_text_of(source, executed)["cells"] == [*edited[:2], code("an output")]


@pytest.mark.parametrize("text", ["{", json.dumps({"cells": [{**code(""), "source": "another"}]})])
def test_a_page_that_stands_in_for_another_keeps_its_own_text(tmp_path, text):
    source, executed = tmp_path / "page.ipynb", {"cells": [markdown("# It failed")]}
    source.write_text(text)
    assert pages._with_text_of(source, executed) == executed


def hidden(source, *texts):
    cell = {**code("", "hide-input"), "source": source}
    return {**cell, "outputs": [{"data": {"text/markdown": text}} for text in texts]}


def test_hidden_cells_in_a_row_become_one():
    nothing_shown = {**code("", "remove-input"), "source": "titles = {}", "outputs": []}
    rows = [hidden("a", "1"), nothing_shown, hidden("b"), code("shown", "remove-input")]
    first, shown, last = pages._hidden_joined([*rows, hidden("c", "2")])
    assert first == hidden("a\n\nb", "1") and last == hidden("c", "2")
    assert shown["outputs"][0]["data"]["text/markdown"] == "shown"


def test_the_front_page_has_its_cells_and_a_part_the_answers_of_its_chapters():
    title = NOTEBOOK["cells"][0]
    notebooks = {"cpu/clock": NOTEBOOK, "memory/latency": NOTEBOOK}
    assert pages.front(notebooks) == "the card\n\nthe card\n"
    of_machine = {"metadata": {}, "cells": [title, code("the machine", "card")]}
    assert pages.machine_card({"summary": of_machine}) == "the machine\n"
    assert pages._arranged(of_machine["cells"]) == [title]
    assert pages.answers("cpu", notebooks) == (
        "**[The title](/notebooks/cpu/clock.ipynb)**\n\nthe answer\n"
    )


def test_the_opening_of_a_part_is_its_piece_of_the_cells_for_it():
    text = f"{PART_MARK}cpu\n\nThe first.\n\n{PART_MARK}memory\n\nThe second."
    notebooks = {
        "summary": {"metadata": {}, "cells": [markdown("# The title"), code(text, "part")]}
    }
    assert pages.opening("cpu", notebooks) == "The first.\n"
    assert pages.opening("memory", notebooks) == "The second.\n"
    assert pages.opening("power", notebooks) == "\n"
    assert pages._arranged(notebooks["summary"]["cells"]) == [markdown("# The title")]


def test_a_figure_that_is_not_drawn_is_named_without_its_number():
    text = "{numref}`Figure %s <a-b>` and {numref}`Figure %s <c>`; :::{figure} x\\n:name: a-b\\n"
    assert pages._without_dead_numbers(text).startswith("{numref}`Figure %s <a-b>` and The figure;")


def test_the_abstract_is_plain_text():
    text = (
        "**Of 2 [System calls](/notebooks/cpu/syscall.ipynb)** <span data-quantity='a'>two</span>."
    )
    notebooks = {"summary": {"metadata": {}, "cells": [code(text, "abstract")]}}
    assert pages.abstract(notebooks) == "Of 2 System calls two."
    assert pages.abstract({}) == ""


def test_a_chapters_goals_say_what_it_builds_on_and_how_long_it_takes():
    title = "# The title\n\nWords.\n\nAfterwards you can predict this, and\nmeasure that."
    cells = [
        markdown(title),
        code("| a | table |\n" + "word " * 990),
        markdown("## More\n" + "x " * 999, "fold"),
    ]
    text = pages._with_needs(title, ["cpu/clock", "cpu/loop"], pages._minutes(cells))
    assert text == (
        "# The title\n\nWords.\n\n::::{container} goals\nAfterwards you can predict this, and\n"
        "measure that. Builds on [The clock](/notebooks/cpu/clock.ipynb) and "
        "[The loop](/notebooks/cpu/loop.ipynb). Takes 5 minutes to read.\n::::\n"
    )
    assert "Builds on no other chapter. Takes 1 minute to read." in pages._with_needs(title, [], 1)


def test_a_folded_section_ends_where_the_next_of_its_level_begins():
    cells = [
        markdown("# Title"),
        markdown("### Folded\n" + "x " * 999, "fold"),
        markdown("#### In it\n" + "x " * 999),
        code("x " * 999),
        markdown("### Next\n" + "x " * 394),
        code("x " * 400),
    ]
    assert pages._minutes(cells) == 4


def test_links_to_pages_that_the_book_leaves_out_are_their_words(monkeypatch):
    monkeypatch.setattr(pages.contents, "toc", lambda: ["book/method", "notebooks/cpu/clock"])
    text = (
        "[a](/notebooks/cpu/clock.ipynb) [b](/notebooks/cpu/call.ipynb) [c](/book/method.md) [d](x)"
    )
    assert pages.without_dead_links(text) == (
        "[a](/notebooks/cpu/clock.ipynb) b [c](/book/method.md) [d](x)"
    )


@pytest.mark.parametrize("page", contents.all_notebooks())
def test_each_page_alone_links_to_nothing_that_is_left_out(page, monkeypatch):
    notebook = json.loads((ROOT / f"tests/expected/{page}.ipynb").read_text())
    monkeypatch.setattr(config, "_in_use", config.Settings(pages=page))
    assert contents.notebooks() == [page]
    staged = pages._staged(notebook, [], "").decode()
    prose = [path.read_text() for path in (ROOT / "book").glob("*.md")]
    for text in (staged, *map(pages.without_dead_links, prose)):
        linked = re.findall(r"\]\(/?((?:notebooks|book)/[\w/-]+)\.(?:ipynb|md)", text)
        assert {*linked} <= {*contents.toc()}


def test_terms_are_words_where_the_book_has_no_glossary(monkeypatch):
    text = "a {term}`page fault`, two {term}`system calls <system call>`, {cite}`t470`"
    monkeypatch.setattr(pages.contents, "toc", lambda: ["book/method"])
    assert pages.without_dead_links(text) == "a page fault, two system calls, {cite}`t470`"
    answer = code(text, "answer")
    cells = [markdown("# The title"), answer]
    shown = pages.answers("cpu", {"cpu/clock": {"cells": cells}})
    assert shown == "**The title**\n\na page fault, two system calls, {cite}`t470`\n"
    monkeypatch.setattr(pages.contents, "toc", lambda: ["book/glossary"])
    assert pages.without_dead_links(text) == text


def test_numbers_and_their_units_stay_on_one_line():
    text = '8,170 cycles, 1.65 µs, 5 %, 4 seconds, 64 bytes `make LINK_RTT="10 ms"`'
    cell = code(text)
    pages._keep_numbers_unbroken(cell)
    assert cell["outputs"][0]["data"]["text/markdown"] == (
        '8,170~cycles, 1.65~µs, 5~%, 4 seconds, 64~bytes `make LINK_RTT="10 ms"`'.replace(
            "~", "\u00a0"
        )
    )

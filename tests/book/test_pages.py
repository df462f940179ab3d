"""The pages as they are staged."""

from reckon.book import pages


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


def test_the_front_page_has_its_cells_and_a_part_the_answers_of_its_chapters():
    notebooks = {"cpu/clock": NOTEBOOK, "memory/latency": NOTEBOOK}
    assert pages.front(notebooks) == "the card\n\nthe card\n"
    assert pages.answers("cpu", notebooks) == (
        "**[The title](/notebooks/cpu/clock.ipynb)**\n\nthe answer\n"
    )


def test_links_to_pages_that_the_book_leaves_out_are_their_words(monkeypatch):
    monkeypatch.setattr(pages.contents, "toc", lambda: ["book/method", "notebooks/cpu/clock"])
    text = (
        "[a](/notebooks/cpu/clock.ipynb) [b](/notebooks/cpu/call.ipynb) [c](/book/method.md) [d](x)"
    )
    assert pages.without_dead_links(text) == (
        "[a](/notebooks/cpu/clock.ipynb) b [c](/book/method.md) [d](x)"
    )

"""What the pages say: short sentences, titles instead of names of code."""

import ast
import functools
import json
import re

import pytest
from helpers import pages
from helpers.project import RECORDED, ROOT

from reckon import records
from reckon.book import contents
from reckon.comparison.reports import published
from reckon.measurement import library
from reckon.records import notebook_cells
from reckon.show.text import NONE

MAX_WORDS = 35

# What is no sentence, in this order: data and code, formulas, directives with what they hold, tables,
# citations, HTML, roles, addresses of links. A heading and an item of a list are paragraphs.
_NO_PROSE = [
    (r"(?s)^```.*?^```$", "\n"),
    (r"(?s)^\$\$.*?^\$\$$", "\n"),
    (r"^:::+\{(?:figure|dropdown|container|error)\}.*$", "\n"),
    (r"^:::+\{\w+\} ?", "\n"),
    (r"^:::+$|^:(?:name|widths|class|alt):.*$|^\|.*$", "\n"),
    (r"^(#+ .*)$", r"\n\1\n"),
    (r"^(?=\s*(?:[-*]|\d+\.) )", "\n"),
    (r"\{cite\}`[^`]*`|<[^>]*>", ""),
    (r"\{\w+\}`([^`<]*)(?:<[^`>]*>)?`", r"\1"),
    (r"\]\([^)]*\)", "]"),
]


def prose(markdown):
    for pattern, instead in _NO_PROSE:
        markdown = re.sub(pattern, instead, markdown, flags=re.M)
    return markdown


def long_sentences(markdown):
    """The sentences of more than MAX_WORDS words; a number and its unit are two of them."""
    sentences = [
        sentence
        for paragraph in re.split(r"\n\s*\n", prose(markdown))
        for sentence in re.split(r"(?<=[.!?])[*)\"]*\s+(?=[^a-z])", " ".join(paragraph.split()))
    ]
    return [each for each in sentences if len(re.findall(r"\S*\w\S*", each)) > MAX_WORDS]


def written(page):
    """The prose of a page."""
    cells = json.loads(contents.source(page).read_text(encoding="utf-8"))["cells"]
    markdown = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
    return "\n\n".join(map("".join, markdown))


@pytest.mark.parametrize("page", contents.notebooks())
def test_no_sentence_of_a_page_is_long(page):
    assert long_sentences(written(page)) + long_sentences(pages.expected_text(page)) == []


@pytest.mark.parametrize("path", sorted((ROOT / "book").glob("*.md")), ids=lambda path: path.stem)
def test_no_sentence_of_the_prose_is_long(path):
    assert long_sentences(path.read_text(encoding="utf-8")) == []


def strings(module):
    """The texts of a module of the notebooks, and of its f-strings the parts between values."""
    nodes = [*ast.walk(ast.parse(module.read_text(encoding="utf-8")))]
    docstrings = [node.value for node in nodes if isinstance(node, ast.Expr)]
    constants = [node for node in nodes if isinstance(node, ast.Constant)]
    return [
        each.value for each in constants if each not in docstrings and isinstance(each.value, str)
    ]


@pytest.mark.parametrize(
    "module", sorted((ROOT / "notebooks").rglob("*.py")), ids=lambda path: path.stem
)
def test_a_dash_stands_for_a_missing_value_alone(module):
    """A solution with a dash of its own is replaced by the sentence that it lacks a value."""
    texts = [text for text in strings(module) if text != NONE]
    assert [text for text in texts if re.search(rf"(?<!\S){NONE}(?!\S)", text)] == []


def quantities():
    """The recorded quantities, and of each whether it is of Reckon's own method."""
    return {
        name: not (quantity["measurement"] or {}).get("reports")
        for path in (RECORDED / "recorded").glob("*/*.json")
        for name, quantity in json.loads(path.read_text(encoding="utf-8"))["quantities"].items()
    }


def visible(text):
    """What a reader sees of it: without code, attributes of HTML, names of tables and addresses."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"<[^>]*>|^:name: .*$|^:::\{figure\}.*$|\]\([^)]*\)", "", text, flags=re.M)
    return re.sub(r"\{(?:cite|download)\}`[^`]*`", "", text)


@functools.cache
def names_of_code():
    """Of quantities, probes and the files of reports."""
    reports = [report.name for report in published.all_reports()]
    return {*quantities(), *library.probes(), *reports}


def test_no_page_shows_the_name_of_a_quantity_or_of_a_report_s_file():
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md")}
    for page in contents.notebooks():
        texts[page] = f"{written(page)}\n\n{pages.expected_text(page)}"
    seen = {
        page: {*re.findall(r"[a-z]+/[a-z]+/\w+|\w+", visible(text))} & names_of_code()
        for page, text in texts.items()
    }
    assert {page: names for page, names in seen.items() if names} == {}


def test_every_quantity_has_a_title():
    """Of Reckon's own methods; what a report's is called follows from its machine."""

    def has_title(name):
        path = contents.source(records.experiment_of(name))
        return name.rpartition("/")[2] in notebook_cells.titles(path, records.version_of(path))

    assert [name for name, is_own in quantities().items() if is_own and not has_title(name)] == []

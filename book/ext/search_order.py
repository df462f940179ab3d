"""Sphinx extension: a search lists the chapter first that says most about what is sought.

Sphinx's index knows which pages have a word, not how often. The weights of words are a file of
their own that the page of the search loads; search_order.js beside this file gives each result its
score.
"""

import functools
import json
import math
from collections import Counter
from pathlib import Path

from sphinx.search import WordCollector
from sphinx.search.en import SearchEnglish

_WEIGHTS = "search-weights.js"
_LEAST = 0.2  # less is the weight of a word that nearly every page has

_english = SearchEnglish({})
_stem = functools.cache(_english.stem)  # it took a fifth of the time that the site took


def setup(app):
    app.connect("config-inited", use_scorer)
    app.connect("builder-inited", begin)
    app.connect("env-purge-doc", forget)
    app.connect("doctree-read", count)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", write_weights)
    app.connect("html-page-context", load_weights)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}


def use_scorer(app, config):
    # Sphinx would look for a relative path in the folder where it was started.
    config.html_search_scorer = str(Path(__file__).with_suffix(".js"))


def begin(app):
    if not hasattr(app.env, "word_counts"):
        app.env.word_counts = {}  # by page: how often it has each word


def forget(app, env, docname):
    env.word_counts.pop(docname, None)


def count(app, doctree):
    collector = WordCollector(doctree, _english)
    doctree.walk(collector)
    words = collector.found_words + collector.found_title_words
    app.env.word_counts[app.env.docname] = Counter(_stem(word.lower()) for word in words)


def merge(app, env, docnames, other):
    env.word_counts |= {name: other.word_counts[name] for name in docnames}


def write_weights(app):
    weights = json.dumps(_weights(app.env.word_counts), sort_keys=True, separators=(",", ":"))
    path = Path(app.outdir) / "_static" / _WEIGHTS
    path.write_text(f"window.searchWeights = {weights};\n", encoding="utf-8")
    return []  # no pages


def _weights(counts):
    """By page and word: more where the page has it often, and where few other pages have it."""
    pages_with = Counter(word for words in counts.values() for word in words)
    weights = {}
    for name, words in counts.items():
        of_page = {
            word: round((1 + math.log(often)) * math.log(len(counts) / pages_with[word]), 1)
            for word, often in words.items()
            if often > 1 and word and not word[0].isdigit()  # nobody looks for a value of a table
        }
        weights[name] = {word: weight for word, weight in of_page.items() if weight >= _LEAST}
    return weights


def load_weights(app, pagename, templatename, context, doctree):
    if pagename == "search":
        app.add_js_file(_WEIGHTS)

"""Sphinx's settings, which Jupyter Book makes of `_config.yml`: both are staged with the pages."""

import atexit
import contextlib
import functools
import gc
import sys
from pathlib import Path

import pybtex.plugin
from jupyter_book.config import get_final_config
from sphinx.environment import BuildEnvironment

# Collecting garbage among the millions of nodes of documents took a third of the time.
gc.disable()
atexit.register(gc.freeze)  # at its end Python would collect once more, for half a second
# It reads the metadata of every installed package, and is asked for each citation.
pybtex.plugin.find_plugin = functools.cache(pybtex.plugin.find_plugin)

overrides = {"external_toc_path": "_toc.yml", "latex_individualpages": False}
settings, _ = get_final_config(
    user_yaml=Path("_config.yml"), sourcedir=Path.cwd(), cli_config=overrides
)
globals().update(settings)


def setup(app):
    """While pages are still executed, Sphinx reads the stage's settings, loads all extensions and
    the pages of the last build: that takes seconds. A line comes when the new ones are staged."""
    app.connect("builder-inited", load_pages, priority=998)
    app.connect("builder-inited", lambda _: sys.stdin.readline() or sys.exit(), priority=999)


def load_pages(app):
    """Sphinx numbers the figures of all pages, when one of them has changed too: it gets those from
    memory that it does not read again."""
    read, loaded = BuildEnvironment.get_doctree, {}
    for page in app.env.all_docs:
        with contextlib.suppress(FileNotFoundError):  # it is read again
            loaded[page] = app.env.get_doctree(page)
    BuildEnvironment.get_doctree = lambda env, page: loaded.get(page) or read(env, page)
    app.connect("env-purge-doc", lambda _, env, page: loaded.pop(page, None))
    app.connect("env-get-updated", lambda _, env: loaded.clear() or [], priority=999)

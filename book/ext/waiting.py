"""Sphinx extension: Sphinx starts while pages are still executed, and waits until they are staged.

Until a line comes it reads the stage's settings, loads all extensions and the pages of the last
build: that takes seconds."""

import contextlib
import pickle
import sys
from pathlib import Path

from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import LoggingReporter


def setup(app):
    app.connect("builder-inited", load_pages, priority=998)
    app.connect("builder-inited", wait, priority=999)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def wait(app):
    sys.stdin.readline() or sys.exit()


def load_pages(app):
    """Sphinx numbers the figures of all pages, when one of them has changed too: it gets those from
    memory that it does not read again."""
    read, loaded = BuildEnvironment.get_doctree, {}
    for page in app.env.all_docs:
        with contextlib.suppress(FileNotFoundError):  # it is read again
            loaded[page] = _loaded(app, page)
    BuildEnvironment.get_doctree = lambda env, page: loaded.get(page) or read(env, page)
    app.connect("env-purge-doc", lambda _, env, page: loaded.pop(page, None))
    app.connect("env-get-updated", lambda _, env: loaded.clear() or [], priority=999)


def _loaded(app, page):
    """As `env.get_doctree` does, which would keep it for ever: many pages are read again by other
    processes, and this one would write those of the last build."""
    tree = pickle.loads(Path(app.doctreedir, f"{page}.doctree").read_bytes())
    tree.settings.env = app.env
    tree.reporter = LoggingReporter(app.env.doc2path(page))
    return tree

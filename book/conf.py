"""Sphinx's settings, which Jupyter Book makes of `_config.yml`: both are staged with the pages."""

import atexit
import functools
import gc
from pathlib import Path

import pybtex.plugin
from jupyter_book.config import get_final_config

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

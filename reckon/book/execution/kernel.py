"""A page's process: IPython's kernel, forked from a server that has imported what pages use.

The fork server imports this module once, for all pages.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import shutil
import signal
import threading

from ipykernel.kernelapp import IPKernelApp
from traitlets.config import Config

import reckon
from reckon import build_context, config
from reckon.book.execution.warm_kernels import Surroundings, kill_all, mark_children
from reckon.computer import scratch
from reckon.show import cell_errors
from reckon.show.figures import drawings
from reckon.statistics import cache

reckon.load()
drawings.load()


def serve(surroundings: Surroundings, connection_file: str) -> None:
    """Be a Jupyter kernel until SIGTERM; then leave neither process nor thread."""
    os.setsid()  # Ctrl-C at the terminal reaches the builder alone, which interrupts this process
    with open(surroundings.log, "a", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # drops one that came before setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # Without a home that can be written, matplotlib made a folder: the server's, which removes it.
    atexit.unregister(shutil.rmtree)
    mark_children()
    threading.Thread(target=_end_with_the_builder, daemon=True).start()
    config.use(surroundings.settings)
    build_context.set_current(surroundings.build)
    scratch.use_folder(surroundings.build.files)
    cache.store_in(surroundings.settings.build_dir / "cache")
    os.chdir(surroundings.folder)
    app = IPKernelApp.instance(config=_options())
    app.initialize(["-f", connection_file])
    assert app.shell
    cell_errors.explain_in(app.shell)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends start()
    app.start()
    atexit._run_exitfuncs()  # multiprocessing leaves them out; hosts and scratch files need them
    kill_all(os.getpid())  # at once: a thread of a cell's would be waited for


def _options() -> Config:
    """IPython's, without history."""
    options = Config()
    options.HistoryManager.enabled = False
    options.IPKernelApp.parent_handle = 1  # a client has started it: it prints no address
    return options


def _end_with_the_builder() -> None:
    builder = multiprocessing.parent_process()
    if builder:
        builder.join()
    kill_all(os.getpid())

"""Executes a notebook while its process group gets SIGINT every 5 ms.

Ctrl-C at a terminal signals the builder, multiprocessing's servers and a kernel that has just been forked.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from reckon.book.execution.notebook_execution import NotebookExecution
from reckon.book.execution.warm_kernels import Surroundings
from reckon.build_context import BuildContext
from reckon.config import settings


def signal_the_group():
    while not finished.wait(0.005):
        os.killpg(0, signal.SIGINT)


if __name__ == "__main__":
    notebook, log = map(Path, sys.argv[1:])
    build = BuildContext(events=log, reads=log)
    surroundings = Surroundings(notebook.parent, log, settings(), build)
    finished = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: None)
    threading.Thread(target=signal_the_group, daemon=True).start()
    for _ in range(3):
        NotebookExecution(notebook, surroundings).result()
    for _ in range(10):
        NotebookExecution(notebook, surroundings).stop()
    finished.set()

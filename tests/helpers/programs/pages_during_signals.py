"""Executes a notebook while its process group gets SIGINT every 5 ms.

Ctrl-C at a terminal signals the builder, multiprocessing's servers and a page's process that has just
been forked. First a builder goes on, then it stops starting.
"""

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path

from reckon.book.page_process import Job, NotebookExecution, PageProcess
from reckon.build_context import BuildContext
from reckon.config import settings


def signal_the_group():
    while not finished.wait(0.005):
        os.killpg(0, signal.SIGINT)


def interrupt(*_):
    if stops:
        raise KeyboardInterrupt


if __name__ == "__main__":
    notebook, log = map(Path, sys.argv[1:])
    work, build = NotebookExecution(notebook), BuildContext(events=log, reads=log)
    job = Job(work, notebook.parent, log, settings(), build)
    finished, stops = threading.Event(), False
    signal.signal(signal.SIGINT, interrupt)
    threading.Thread(target=signal_the_group, daemon=True).start()
    for _ in range(3):
        PageProcess(job).result()
    for _ in range(10):
        stops = True
        with contextlib.suppress(KeyboardInterrupt):
            PageProcess(job)
        stops = False
    finished.set()

"""Sweeps and executes a notebook as a build does (NOTEBOOK LOG SECONDS), says that it has, and lives for
so long."""

import sys
import time
from pathlib import Path

from reckon.book.execution.notebook_execution import NotebookExecution
from reckon.book.execution.warm_kernels import Surroundings, sweep
from reckon.build_context import BuildContext
from reckon.config import settings

if __name__ == "__main__":
    sweep()
    notebook, log = map(Path, sys.argv[1:3])
    surroundings = Surroundings(log.parent, log, settings(), BuildContext(log, log))
    NotebookExecution(notebook, surroundings).result()
    print("done", flush=True)
    time.sleep(float(sys.argv[3]))

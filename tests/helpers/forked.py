"""Programs that run in forks of one warm process (helpers.programs.forks)."""

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from helpers.project import ROOT

_lock = threading.Lock()  # the server runs one program at a time


@functools.cache
def _server(head):
    """The warm process, which has run these lines and lasts as long as this one."""
    code = f"{head}\nfrom helpers.programs.forks import next_program\nexec(next_program())"
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "tests")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | environment, text=True, **pipes)


def finished(head, program, environment, timeout_s):
    """The finished process of a program after the lines `head`, killed when that time is over; what
    outlives it is not waited for."""
    server = _server(head)
    with _lock, tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        output.touch()
        errors.touch()
        request = {"program": program, "environment": environment}
        request |= {"output": str(output), "errors": str(errors)}
        print(json.dumps(request), file=server.stdin, flush=True)
        timer = threading.Timer(timeout_s, os.kill, [int(server.stdout.readline()), signal.SIGKILL])
        timer.start()
        status = int(server.stdout.readline())
        timer.cancel()
        return subprocess.CompletedProcess(
            program, status, output.read_text("utf-8"), errors.read_text("utf-8")
        )

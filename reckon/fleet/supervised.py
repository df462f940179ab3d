"""supervised.py PROGRAM ARGUMENT...: runs the program, and ends it when standard input ends.

A program that a Dask worker starts has to end with the worker, also when that is killed: its end of
the pipe closes then. Run as a file, since importing the package takes longer than this does.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

_END_S = 30.0  # for the program to put its records in order; then it is killed
_POLL_S = 0.2


def main() -> int:
    """The program's exit status; 143 where it was ended."""
    for number in (signal.SIGINT, signal.SIGHUP):  # meant for the worker
        signal.signal(number, signal.SIG_IGN)
    program = subprocess.Popen(
        sys.argv[1:],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_heed_signals,
    )
    signal.signal(signal.SIGTERM, lambda *_: program.terminate())
    while program.poll() is None:
        readable, _, _ = select.select([0], [], [], _POLL_S)
        if readable and not os.read(0, 4096):
            return _end(program)
    return program.returncode if program.returncode >= 0 else 128 - program.returncode


def _heed_signals() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _end(program: subprocess.Popen) -> int:
    program.terminate()
    try:
        program.wait(_END_S)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    return 128 + signal.SIGTERM


if __name__ == "__main__":
    sys.exit(main())

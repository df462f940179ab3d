"""A process that has imported what programs of tests need, and forks itself for each of them.

The imports take a second, most of these programs a few milliseconds.
"""

import json
import os
import sys

from helpers import probe_script


def next_program():
    """The text of a program, in a process of its own that is to run it; the server returns only when its
    input ends, with nothing to run."""
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            return _prepared(**request)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return ""


def _prepared(program, environment, output, errors):
    """The program, once this process has that environment and these files, and no other."""
    for descriptor, path in enumerate((os.devnull, output, errors)):
        file = os.open(path, os.O_RDWR)
        os.dup2(file, descriptor)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    assert len(os.listdir("/proc/self/fd")) == probe_script.files_before
    return program

"""What a script has at hand that a test runs in a process of its own (helpers.probes.in_python)."""

import json
import os
import resource
import time

from helpers.processes import until
from reckon.measurement import library

__all__ = [
    "attempt",
    "become",
    "files_before",
    "json",
    "left_behind",
    "library",
    "os",
    "resource",
    "say",
    "threads_before",
    "time",
    "until",
]

FEW = {"tasks": 2, "turns": 2, "laps": 2, "rounds": 2, "calls": 50}


def attempt(probe, params=None, samples=2, warmup=0, **how):
    """Says "ran", or why not."""
    if params is None:
        params = {p.name: FEW[p.name] for p in library.probe(probe).parameters if p.name in FEW}
    try:
        library.run(probe, params, samples=samples, warmup=warmup, **how)
        return "ran"
    except library.ReckonError as error:
        return f"{type(error).__name__}: {error}"


def become(user):
    """Go on as that user, without any right."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def say(result):
    """Hand a result to the test."""
    print(json.dumps(result))


def _threads():
    return len(os.listdir("/proc/self/task"))


def _files():
    return len(os.listdir("/proc/self/fd"))


def left_behind():
    """[threads more than at first, a child that is still to be waited for, descriptors more]."""
    until(lambda: _threads() == threads_before, 1)  # a joined thread may stay listed for a moment
    try:
        child = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        child = None
    return [_threads() - threads_before, child, _files() - files_before]


library.probes()
threads_before, files_before = _threads(), _files()

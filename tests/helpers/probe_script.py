"""What a program has at hand that runs probes (helpers.probes.in_python)."""

import os

from helpers.processes import until
from reckon.measurement import library

__all__ = [
    "attempt",
    "few",
    "files_before",
    "known",
    "left_behind",
    "library",
    "threads_before",
]

# As little as shows that a probe of the CPU or of memory runs.
FEW = {
    "tasks": 2,
    "turns": 2,
    "laps": 2,
    "rounds": 2,
    "calls": 50,
    "size_bytes": 1 << 20,
    "evict_bytes": 1 << 16,
    "touches": 4,
    "idle_ms": 1,
    "loads": 64,
    "stride_pages": 4,
    "chunk_elements": 4,
}


def known(probe, params):
    """Those of the parameters that the probe has."""
    names = {parameter.name for parameter in library.probe(probe).parameters}
    return {name: value for name, value in params.items() if name in names}


def few(probe, **more):
    """As little of each of its parameters as shows that it runs, and those of `more` that it has."""
    maximum = {parameter.name: parameter.maximum for parameter in library.probe(probe).parameters}
    little = {name: min(value, maximum[name]) for name, value in known(probe, FEW).items()}
    return little | known(probe, more)


def attempt(probe, params=None, samples=2, warmup=0, **how):
    """Says "ran", or why not."""
    if params is None:
        params = few(probe)
    try:
        library.run(probe, params, samples=samples, warmup=warmup, **how)
        return "ran"
    except library.ReckonError as error:
        return f"{type(error).__name__}: {error}"


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

"""Faults that one sentence explains."""

from __future__ import annotations

import errno


class ReckonError(Exception):
    """A fault that one sentence explains; command line and notebook show that sentence alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class NoOneValue(ReckonError):
    """A quantity's processes fall into two groups, so that one number does not describe it."""

    def __init__(self, quantity: str):
        super().__init__(f"{quantity} has no one value: its processes fall into two groups.")


class Unavailable(ReckonError):
    """What a measurement needs is not available; the message is the reason.

    temporary: the next attempt may succeed; else this machine, as it is set up, does not have it.
    """

    def __init__(self, reason: str, *, temporary: bool = False):
        super().__init__(reason)
        self.temporary = temporary


# What helps against most limits that is_limit() knows.
ALLOW_MORE = "allow more processes (ulimit -u, pids.max) or memory."
# What a system call reports where a limit (of processes, memory, open files) is reached.
_LIMITS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def is_limit(error: OSError) -> bool:
    """Whether a limit was reached, which another attempt may not meet."""
    return error.errno in _LIMITS

"""Locks between processes: on a run that is measured or written, on the folder of a build, on the
machine while it is measured.

The kernel releases a lock when its process ends, however that ends (flock(2), unix(7)). The package
filelock would leave its file in the run's folder and could not name who is waited for.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reckon import build_context
from reckon.errors import ReckonError

_REPORTED_WAIT_S = 1.0  # a shorter one is not reported
_POLL_S = 0.05
_OTHER_USER_S = 600.0  # longer, and one user could keep all others from measuring

_held: set[tuple[int, Path]] = set()  # by this process; it does not wait for itself


@contextlib.contextmanager
def lock(path: Path, purpose: str, on_wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Holds the lock file for the duration of the block; waits for another process that has it.

    purpose: what the holder does, as other processes report it ("measures in the run x").
    on_wait: takes a sentence after a second of waiting; by default it goes to standard error.
    Raises ReckonError if the file cannot be made."""
    key = os.getpid(), path
    if key in _held:
        yield
        return
    descriptor = _acquire(path, on_wait or _print_wait)
    with contextlib.suppress(OSError):  # a full disk: the lock holds without the words
        os.write(descriptor, f"process {os.getpid()}, which {purpose}".encode())
    _held.add(key)
    try:
        yield
    finally:
        _held.remove(key)
        path.unlink(missing_ok=True)
        os.close(descriptor)


@contextlib.contextmanager
def machine_lock(name: str, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Holds the name for the duration of the block, which one process of the machine can have.

    Waits for another process that has it; for one of another user at most ten minutes.

    It is that of an abstract socket, which needs no folder that all users can write to. on_wait
    takes the sentences. A container with a network of its own has names of its own."""
    key = os.getpid(), Path(name)
    if key in _held:
        yield
        return
    with socket.socket(socket.AF_UNIX) as holder:
        _take(holder, name, on_wait)
        _held.add(key)
        try:
            yield
        finally:
            _held.remove(key)


def _take(holder: socket.socket, name: str, on_wait: Callable[[str], None]) -> None:
    """Binds the socket to the name, once no other process has it or one has had it too long."""
    report_at_s = time.monotonic() + _REPORTED_WAIT_S
    while not _is_bound(holder, name):
        too_long_at_s = time.monotonic() + _OTHER_USER_S
        with socket.socket(socket.AF_UNIX) as client:
            process, uid = _socket_holder(client, name)
            while True:
                if time.monotonic() > report_at_s:
                    report_at_s = float("inf")
                    on_wait(f"Waiting for {process}, which measures on this machine.")
                if time.monotonic() > too_long_at_s and uid != os.getuid():
                    on_wait(f"Measuring beside {process} of another user, which does not end.")
                    return
                time.sleep(_POLL_S)
                if select.select([client], [], [], 0)[0]:  # the holder ended, or is not known
                    break


def _is_bound(holder: socket.socket, name: str) -> bool:
    try:
        holder.bind(f"\0{name}")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        raise ReckonError(f"{name} cannot be locked ({error.strerror}).") from None
    holder.listen()  # so that others can see whose it is
    return True


def _socket_holder(client: socket.socket, name: str) -> tuple[str, int]:
    """The process that has the name, in words, and its user; -1 if that is not known.

    It never accepts the connection, which lasts until it ends. Of closed ones its queue would be
    full after 128."""
    client.settimeout(0)
    try:
        client.connect(f"\0{name}")
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    except OSError:  # it has just ended, nothing listens, or its queue is full
        return "another process", -1
    pid, uid, _ = struct.unpack("3i", credentials)
    return (f"process {pid}" if pid else "another process"), uid


def _print_wait(sentence: str) -> None:
    # Looked up, because a lock is taken below everything that writes. In the process of a page it
    # goes past the page, into the log of the kernels.
    if build_context.current():
        os.write(2, f"{sentence}\n".encode())
    else:
        print(sentence, file=sys.stderr)


def _acquire(path: Path, on_wait: Callable[[str], None]) -> int:
    """The descriptor of the locked and emptied file."""
    report_at_s = time.monotonic() + _REPORTED_WAIT_S
    while True:
        descriptor = _try(path)
        if descriptor is not None:
            os.ftruncate(descriptor, 0)
            return descriptor
        if time.monotonic() > report_at_s:
            report_at_s = float("inf")
            on_wait(f"Waiting for {_holder(path)}.")
        time.sleep(_POLL_S)


def _try(path: Path) -> int | None:
    """The descriptor of the locked file; None while another process has it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ReckonError(f"{path} cannot be locked ({error.strerror}).") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The holder before removed its file: a lock on that one excludes nobody.
        if os.fstat(descriptor).st_ino == os.stat(path).st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError as error:
        os.close(descriptor)
        raise ReckonError(f"{path} cannot be locked ({error.strerror}).") from None
    os.close(descriptor)
    return None


def _holder(path: Path) -> str:
    """Who has the lock, as it wrote into the file."""
    try:
        return path.read_text(encoding="utf-8") or "another process"
    except OSError:
        return "another process"

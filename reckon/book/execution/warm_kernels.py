"""Kernels that start in a tenth of a second: forks of a process that has imported what pages use.

A Jupyter kernel of its own keeps a page from changing another page's state, and its crash from
taking the build with it; started as a program it would take seconds. jupyter_client's provisioners
are the place where a kernel may be started otherwise: papermill and nbclient notice nothing.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import math
import multiprocessing
import os
import queue
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path

import psutil
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerBase

from reckon import config, statistics
from reckon.build_context import BuildContext
from reckon.computer import owners
from reckon.config import Settings
from reckon.errors import ALLOW_MORE, ReckonError

# What every kernel imports while it starts.
_KERNEL = (
    "reckon.book.execution.kernel",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
    "ipykernel.debugger",
    "tornado.platform.asyncio",
)
_DYING_S = 0.5  # the longest that a fork server may take to end once it answers no more
_POLL_S = 0.01
_SERVER_ENDED = 255  # multiprocessing.popen_forkserver's status of a process whose server has ended
_ANSWER_S, _STATUS_S = 1.0, 0.2  # after which a kernel is asked again
_END_S = 5.0  # the longest that a kernel may take to end
_KERNEL_VARIABLE = "RECKON_KERNEL"  # of programs that a cell starts: its kernel
_SOCKETS = "reckon-builder-"  # then the name of the process whose sockets are in that folder
# A socket's path has at most 107 bytes (unix(7)); below TMPDIR it is one of at most 53 for that
# folder, then multiprocessing's "/pymp-01234567/listener-01234567".
_LONGEST_FOLDER = 107 - 53 - 32

_lock = threading.Lock()  # multiprocessing's processes and functools.cache are for one thread
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Surroundings:
    """What a page's kernel works in."""

    folder: Path  # the cells' working folder
    log: Path  # takes what is printed before the first cell and after the last
    settings: Settings
    build: BuildContext


class WarmProvisioner(KernelProvisionerBase):
    """Starts a kernel as a fork of multiprocessing's fork server."""

    _process: ForkServerProcess | None = None

    @property
    def has_process(self) -> bool:
        return self._process is not None

    async def pre_launch(self, **options):
        manager = self.parent
        assert manager is not None
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        arguments = options.pop("surroundings"), manager.connection_file
        self._process = _fork_server().Process(target=_serve, args=arguments, daemon=True)
        return await super().pre_launch(cmd=[], **options)

    async def launch_kernel(self, cmd, **_):
        assert self._process is not None
        try:
            with _lock:
                _start(self._process)
        except (EOFError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else "its server has ended"
            raise ReckonError(
                f"The process of a page does not start ({why}); {ALLOW_MORE}"
            ) from None
        return self.connection_info

    async def poll(self) -> int | None:
        with _lock:
            return self._process.exitcode if self._process else 0

    def has_lost_server(self) -> bool:
        """Whether the kernel lives without the fork server, which alone would learn its status:
        multiprocessing reports one of its own."""
        process = self._process
        if process is None or process.pid is None or process.exitcode != _SERVER_ENDED:
            return False
        return psutil.pid_exists(process.pid)

    async def wait(self) -> int | None:
        while (status := await self.poll()) is None:
            await asyncio.sleep(_POLL_S)
        return status

    async def send_signal(self, signum: int) -> None:
        if self._process and self._process.pid and await self.poll() is None:
            os.kill(self._process.pid, signum)

    async def kill(self, restart: bool = False) -> None:
        """End the kernel, which first ends its hosts and removes its files where it can."""
        await self.send_signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), _END_S)
        if self._process and self._process.pid and await self.poll() is None:
            kill_all(self._process.pid)

    async def terminate(self, restart: bool = False) -> None:
        await self.kill()

    async def cleanup(self, restart: bool = False) -> None:
        """Kill what a kernel started that crashed."""
        if self._process and self._process.pid:
            kill_all(self._process.pid)


def mark_children() -> None:
    """Mark the programs that this kernel's cells start: a daemon among them is nobody's child."""
    config.set_environment(**{_KERNEL_VARIABLE: _mark(os.getpid())})


def _mark(pid: int) -> str:
    """The process among those of all containers, which their host sees."""
    return f"{pid} in {os.readlink('/proc/self/ns/pid')}"


def kill_all(pid: int) -> None:
    """Kill the kernel that is that process, and the processes that its cells started."""
    with suppress(psutil.NoSuchProcess):
        for process in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                process.kill()
    mark = _mark(pid)
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):  # of another user, or it has ended
            if process.environ().get(_KERNEL_VARIABLE) == mark:
                process.kill()
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


class _Specification(KernelSpecManager):
    """The one kernel of the book, which is installed nowhere."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(
            display_name="Reckon",
            language="python",
            metadata={"kernel_provisioner": {"provisioner_name": "reckon-warm"}},
        )


class _Client(AsyncKernelClient):
    """A client that is ready as soon as its kernel answers. jupyter_client's waits until nothing
    has come for 0.2 s, but nbclient passes over what belongs to none of its cells."""

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Returns when both channels work. Raises RuntimeError of a kernel that has ended, or when
        the time is up."""
        until_s = time.monotonic() + (math.inf if timeout is None else timeout)
        while time.monotonic() < until_s and await self.is_alive():
            with suppress(queue.Empty, TimeoutError):
                await self.kernel_info(reply=True, timeout=_ANSWER_S)
                # The kernel's status, or it was sent before the channel was connected.
                await self.get_iopub_msg(timeout=_STATUS_S)
                return
        raise RuntimeError("The kernel does not answer.")


def manager() -> AsyncKernelManager:
    """The manager of a kernel that is not started yet; its sockets lie in this process's folder."""
    stem = _folder_of_sockets() / f"{next(_numbers)}"
    return AsyncKernelManager(
        kernel_name="reckon",
        kernel_spec_manager=_Specification(),
        transport="ipc",
        ip=str(stem),
        connection_file=f"{stem}.json",
        client_factory=_Client,
    )


def _serve(surroundings: Surroundings, connection_file: str) -> None:
    from reckon.book.execution import kernel  # imported in the fork server alone

    kernel.serve(surroundings, connection_file)


def _start(process: ForkServerProcess) -> None:
    """Start the process, and with it a new fork server if that has died."""
    with _ctrl_c_kept_away():
        try:
            process.start()
        except (EOFError, ConnectionError):
            time.sleep(_DYING_S)
            process.start()


@contextmanager
def _ctrl_c_kept_away() -> Iterator[None]:
    """The fork server inherits SIGINT blocked, and each kernel inherits it from the server: Ctrl-C
    ends neither the server while it imports nor a kernel before it has a session of its own."""
    resource_tracker.ensure_running()  # here: it unblocks SIGINT when it has started
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _temporary_folder() -> Path:
    """Where the folder of sockets lies: in TMPDIR, or /tmp where that is too long for a socket."""
    folder = tempfile.gettempdir()
    return Path(folder if len(os.fsencode(folder)) <= _LONGEST_FOLDER else "/tmp")


def sweep() -> None:
    """Removes the sockets of builders that SIGKILL gave no time to do so."""
    owners.sweep(_temporary_folder(), _SOCKETS)


def _folder_of_sockets() -> Path:
    """The folder of this process's sockets, multiprocessing's among them; it is made."""
    with _lock:
        return _make_folder_of_sockets()


@functools.cache
def _make_folder_of_sockets() -> Path:
    """The folder has this process's name from the beginning to the end: a mark inside would come
    later and go earlier."""
    folder = _temporary_folder() / f"{_SOCKETS}{owners.process_name()}"
    folder.mkdir(mode=0o700)
    # After multiprocessing has removed its own, by a finalizer of priority -100.
    Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-101)
    default, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        get_temp_dir()
    finally:
        tempfile.tempdir = default
    return folder


def _fork_server(preload: Sequence[str] = (*_KERNEL, *statistics.MODULES)) -> ForkServerContext:
    """multiprocessing's; the next server that is started imports these modules."""
    # A process with threads is not to be forked: none for numpy's libraries. IPython is without the
    # user's own profile. Figures of a cell's own are shown by IPython, as in any notebook; its
    # debugger is silent about not being used.
    config.set_environment(
        OMP_NUM_THREADS="1",
        IPYTHONDIR=str(_folder_of_sockets() / "ipython"),
        MPLBACKEND="module://matplotlib_inline.backend_inline",
        PYDEVD_DISABLE_FILE_VALIDATION="1",
    )
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*preload, "reckon.book.execution.frozen"])
    return context


def prepare(*, summarises: bool) -> None:
    """Start the fork server ahead of the first page.

    summarises: import what summaries are computed with too. That is a third of the server's two
    seconds, and a few pages seldom need it: most summaries are stored (reckon.statistics.cache)."""
    if summarises:
        _fork_server()
    else:
        _fork_server(_KERNEL)
    # In a thread, which Ctrl-C does not interrupt. A kernel says why the server does not start.
    starting = threading.Thread(target=_start_server)
    starting.start()
    starting.join()


def _start_server() -> None:
    with suppress(OSError), _lock, _ctrl_c_kept_away():
        forkserver.ensure_running()

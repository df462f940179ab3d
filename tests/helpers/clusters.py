"""A Dask cluster on this machine: a scheduler and workers, each with a hostname of its own, that measure
the small book."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

from distributed import Client

from helpers.processes import descendants, name_of, until
from helpers.small_book import SmallBook

PAGE = "cpu/small"  # that hosts measure: some seconds
_START_S, _END_S = 60.0, 60.0


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class SmallCluster:
    """Two hosts, until close(); runs come back to `out`. A worker that dies is started again."""

    def __init__(self, folder: Path):
        self.folder, self.out = folder, folder / "out"
        self.book = SmallBook(folder / "book")
        self.port = _free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._fleets: list[subprocess.Popen] = []
        self.scheduler = self._start("scheduler", "scheduler", "--port", str(self.port))
        self.workers = {name: self._start_worker(name) for name in ("one", "two")}
        self._wait_for(2)

    def _start(self, name: str, *arguments: str, prefix=()) -> subprocess.Popen:
        with open(self.folder / f"{name}.log", "a") as log:
            return subprocess.Popen(
                [
                    *prefix,
                    sys.executable,
                    "-m",
                    "dask",
                    *arguments,
                    "--no-dashboard",
                    "--host=127.0.0.1",
                ],
                cwd=self.book.base,
                env=self.book.environment(DASK_TEMPORARY_DIRECTORY=str(self.folder / "dask")),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _start_worker(self, name: str, *options: str) -> subprocess.Popen:
        hostname = ["unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh"]
        options = options or ("--nthreads=1", "--resources", "reckon=1")
        return self._start(name, "worker", self.address, "--nanny", *options, prefix=hostname)

    def _wait_for(self, count: int) -> None:
        try:
            with Client(self.address, timeout=_START_S, set_as_default=False) as client:
                client.wait_for_workers(count, timeout=_START_S)
        except (OSError, TimeoutError):
            for log in self.folder.glob("*.log"):
                print(log.name, log.read_text())
            raise

    def add(self, name: str, *options: str) -> None:
        """One more worker, started with these options."""
        self.workers[name] = self._start_worker(name, *options)
        self._wait_for(len(self.workers))

    def restart(self) -> None:
        """Kill the scheduler and its workers, and restart them at the same address."""
        for process in (self.scheduler, *self.workers.values()):
            _end(process, signal.SIGKILL)
        self.scheduler = self._start("scheduler", "scheduler", "--port", str(self.port))
        self.workers = {name: self._start_worker(name) for name in self.workers}

    def worker_of(self, name: str) -> int:
        """The process that does the work of that host: the nanny's child."""
        top = self.workers[name].pid
        children = until(lambda: [pid for pid in descendants(top) if _is_worker(pid)], 30)
        assert children, (self.folder / f"{name}.log").read_text()
        return children[0]

    def programs(self) -> list[int]:
        """The processes of Reckon that workers have started and that run."""
        return [
            pid
            for pid in descendants()
            if b"supervised.py" in _command(pid) or name_of(pid).startswith("reckon-")
        ]

    def start_fleet(self, *options: str) -> subprocess.Popen:
        """`reckon fleet`, running."""
        command = [sys.executable, "-m", "reckon", "fleet", "--scheduler", self.address]
        command += ["--pages", PAGE, "--out", str(self.out), "--away", "60", *options]
        fleet = subprocess.Popen(
            command,
            cwd=self.book.base,
            env=self.book.environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._fleets.append(fleet)
        return fleet

    def archives(self) -> list[str]:
        """The hosts whose runs came back."""
        return sorted(path.name.removesuffix(".reckon.tar.gz") for path in self.out.glob("*.gz"))

    def close(self) -> None:
        """End all of it."""
        running = [fleet for fleet in self._fleets if fleet.poll() is None]
        for process in (*running, *self.workers.values(), self.scheduler):
            _end(process, signal.SIGTERM)


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _is_worker(pid: int) -> bool:
    return bool(re.search(rb"spawn_main", _command(pid)))


def _end(process: subprocess.Popen, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGCONT)
        os.killpg(process.pid, number)
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def small_cluster(folder: Path):
    """A SmallCluster for the duration of the block."""
    cluster = SmallCluster(folder)
    try:
        yield cluster
    finally:
        cluster.close()


def line_of(process: subprocess.Popen, text: str, lines: list[str]) -> str:
    """The next line of the process with that text; the lines before it go to `lines`."""
    for line in process.stdout:
        lines.append(line)
        if text in line:
            return line
    raise AssertionError(f"no {text!r} in:\n{''.join(lines)}")

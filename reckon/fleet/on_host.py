"""What the workers of a fleet do on their hosts. Dask calls these functions there by their names.

Everything that measures is a program of its own, which ends with the worker. What belongs to an
attempt has the attempt's key.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reckon import config, records

TOPIC = "reckon-fleet"  # of the lines that a worker reports while it measures
_SUPERVISED = str(Path(__file__).with_name("supervised.py"))
_PEER_START_S = 20.0
# What belongs to the worker, and would change what is measured or where.
_NOT_PASSED_ON = (
    "MALLOC_TRIM_THRESHOLD_",  # Dask's nanny sets it
    "RECKON_RUN",
    "RECKON_PAGES",
    "RECKON_FRESH",
    "RECKON_PREDICTIONS",
    "RECKON_PEER",
)

_programs: dict[subprocess.Popen, str] = {}  # that run now, with the key of their attempt
_stopped: set[str] = set()  # keys


@dataclass(frozen=True)
class Request:
    """What a host is to measure, and how it is called."""

    host: str
    profile: str
    pages: str | None
    fresh: bool
    key: str  # of the attempt, which its lines carry


@dataclass(frozen=True)
class Measured:
    """A host's run: an archive, how many quantities are in each state, which pages failed."""

    archive: bytes
    states: dict[str, int]
    failed: list[str]

    @property
    def is_complete(self) -> bool:
        """Whether no page and no quantity failed."""
        return not self.failed and "failed" not in self.states


class HostFailed(Exception):
    """A program on the host failed: the sentence that it printed."""


def describe() -> dict[str, str]:
    """What this host is called, its kernel's boot id, and the software that measures."""
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return {"hostname": socket.gethostname(), "machine": boot_id, "software": software()}


@functools.cache
def software() -> str:
    """What must be alike where figures are compared: Reckon's sources, Python and Dask."""
    sources = hashlib.sha256()
    for folder, pattern in (("reckon", "*.py"), ("csrc", "*.[ch]"), ("notebooks", "*.ipynb")):
        for path in sorted((config.ROOT / folder).rglob(pattern)):
            sources.update(path.read_bytes())
    python = ".".join(platform.python_version_tuple()[:2])
    dask = importlib.metadata.version("distributed")
    return f"Reckon {sources.hexdigest()[:8]}, Python {python} and Dask {dask}"


def measure(request: Request) -> Measured:
    """Measures what this host's run lacks, and gives back the run. Raises HostFailed."""
    from reckon.book import pack  # imports slowly

    host = _Host(request.host, request.key)
    host.build_library()
    arguments = ["measure", "--json", "--profile", request.profile]
    arguments += ["--pages", request.pages] if request.pages else []
    arguments += ["--fresh"] if request.fresh else []
    done = host.run_reckon(arguments)
    states = Counter(quantity["state"] for quantity in done["quantities"].values())
    archive = pack.archive(Path(done["records"]), request.host)
    failed = [f"{page}: {why}" for page, why in done["failed"].items()]
    return Measured(archive, dict(states), failed)


def serve_peer(name: str, address: str, token: str, client: str, key: str) -> None:
    """Runs reckon-peer at that address for one other host, until stop(). Raises HostFailed."""
    host = _Host(name, key)
    host.build_library()
    host.environment["RECKON_PEER_TOKEN"] = token
    listen = f"[{address}]" if ":" in address else address
    program = str(Path(host.environment["RECKON_LIB"]) / "reckon-peer")
    with host.started([program, "--listen", listen, "--allow", client]) as process:
        host.report("serves the other host")
        while process.poll() is None:
            time.sleep(0.1)
        assert process.stderr
        if key not in _stopped:
            raise HostFailed(_last_line(process.stderr.read()) or "reckon-peer has ended")


def measure_pair(
    name: str, peer: str, token: str, probes: Sequence[Sequence[str]], key: str
) -> list[dict[str, Any]]:
    """What each probe (a name and parameters) measures between this host and the peer, as `reckon
    probe --json` prints it. Raises HostFailed."""
    host = _Host(name, key)
    host.build_library()
    host.environment |= {"RECKON_PEER_AT": peer, "RECKON_PEER_TOKEN": token}
    _wait_for_peer(peer)
    found = []
    for probe in probes:
        host.report(f"measures {probe[0]}")
        found.append(host.run_reckon(["probe", "--json", *probe]))
    return found


def stop(key: str) -> None:
    """Tells what runs of this attempt to end; what was measured so far is kept."""
    _stopped.add(key)
    for process in [process for process, of in [*_programs.items()] if of == key]:
        with contextlib.suppress(OSError):
            assert process.stdin
            process.stdin.close()


# --- programs -------------------------------------------------------------------------------------


class _Host:
    """This host in an attempt: its environment, and the programs that it runs.

    It has folders of its own, since many hosts may share a home; a library that the worker's owner
    has built and named (RECKON_LIB) is used as it is."""

    def __init__(self, name: str, key: str):
        settings = config.settings()
        self._key, self.report = key, _reporter(key)
        folder = settings.build_dir / "fleet" / name
        records.make_folder(folder)
        self._builds_library = settings.library_dir == settings.build_dir / "lib"
        library = folder / "lib" if self._builds_library else settings.library_dir
        self.environment = config.child_environment(
            RECKON_BUILD=str(folder), RECKON_LIB=str(library), RECKON_RUNS=str(folder / "runs")
        )
        for variable in _NOT_PASSED_ON:
            self.environment.pop(variable, None)

    def build_library(self) -> None:
        """Builds the C library on the host that uses it. Raises HostFailed."""
        if not self._builds_library:
            return
        self.report("builds the C library")
        target = Path(self.environment["RECKON_LIB"])
        records.make_folder(target)
        make = ["make", "-s", f"-j{os.cpu_count()}", "-C", str(config.ROOT / "csrc")]
        status, _, words = self._run([*make, f"OUT={target}"], lambda _line: None)
        if status:
            reason = words or "make failed"
            raise HostFailed(f"the C library cannot be built ({reason}); install make and gcc")

    def run_reckon(self, arguments: Sequence[str]) -> dict[str, Any]:
        """The JSON that a command prints. Raises HostFailed with its last words where it prints
        none."""
        status, output, words = self._run([sys.executable, "-m", "reckon", *arguments], self.report)
        try:
            return json.loads(output)
        except ValueError:
            why = words or output.strip() or f"it ended with status {status}"
            raise HostFailed(f"`reckon {arguments[0]}`: {why}") from None

    def _run(self, command: list[str], report: Callable[[str], None]) -> tuple[int, str, str]:
        """The exit status, what the program printed, and its last line on standard error, whose
        lines are reported as they come."""
        lines: list[str] = []

        def follow(stream) -> None:
            for line in stream:
                lines.append(line.rstrip())
                report(lines[-1])

        with self.started(command) as process:
            assert process.stdout
            follower = threading.Thread(target=follow, args=(process.stderr,), daemon=True)
            follower.start()
            output = process.stdout.read()
            status = process.wait()
            follower.join()
        return status, output, _last_line("\n".join(lines))

    @contextlib.contextmanager
    def started(self, command: list[str]) -> Iterator[subprocess.Popen]:
        """The program, which is ended with the block; at once where the attempt was stopped
        meanwhile."""
        process = subprocess.Popen(
            [sys.executable, _SUPERVISED, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=config.WORK,
            start_new_session=True,  # a Ctrl-C or hang-up of the worker's terminal is the worker's
        )
        _programs[process] = self._key
        if self._key in _stopped:
            stop(self._key)
        try:
            yield process
        finally:
            assert process.stdin
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.wait()
            _programs.pop(process, None)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip().removeprefix("reckon: ").rstrip(".") if lines else ""


def _reporter(key: str) -> Callable[[str], None]:
    """Takes lines for whoever submitted the task."""
    from distributed import get_worker

    worker = get_worker()
    return lambda line: worker.log_event(TOPIC, {"key": key, "line": line})


def _wait_for_peer(peer: str) -> None:
    """Until something listens there. Raises HostFailed."""
    host, _, port = peer.rpartition(":")
    end_s = time.monotonic() + _PEER_START_S
    while time.monotonic() < end_s:
        with (
            contextlib.suppress(OSError),
            socket.create_connection((host.strip("[]"), int(port)), 2.0),
        ):
            return
        time.sleep(0.2)
    raise HostFailed(
        f"nothing answers at {peer}; does a firewall let its port through, and is it free there?"
    )

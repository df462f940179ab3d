"""What the workers of a fleet do on their hosts. Dask calls these functions there by their names.

Everything that measures is a program of its own, which ends with the worker.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reckon import config, records

TOPIC = "reckon-fleet"  # of the lines that a worker reports while it measures
_SUPERVISED = str(Path(__file__).with_name("supervised.py"))
_PEER_START_S = 20.0
_END_S = 40.0

_programs: set[subprocess.Popen] = set()  # of this worker, that run now
_may_serve = threading.Event()  # cleared when the peer is to end


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
    """A host's run: an archive, how many quantities are in each state, what failed."""

    archive: bytes
    states: dict[str, int]
    failed: list[str]


class HostFailed(Exception):
    """A program on the host failed: the sentence that it printed."""


def describe() -> dict[str, str]:
    """What this host is called, and its kernel's boot id."""
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return {"hostname": socket.gethostname(), "machine": boot_id}


def measure(request: Request) -> Measured:
    """Measures what this host's run lacks, and gives back the run. Raises HostFailed."""
    from reckon.book import pack  # imports slowly

    _stop_earlier()
    report = _reporter(request.key)
    environment = _environment(request.host)
    _build_library(environment, report)
    arguments = ["measure", "--json", "--profile", request.profile]
    arguments += ["--pages", request.pages] if request.pages else []
    arguments += ["--fresh"] if request.fresh else []
    status, output = _run(_reckon(*arguments), environment, report)
    try:
        done = json.loads(output)
    except ValueError:
        raise HostFailed(output.strip() or f"measuring ended with status {status}") from None
    states = Counter(quantity["state"] for quantity in done["quantities"].values())
    archive = pack.archive(Path(done["records"]), request.host)
    failed = [f"{page}: {why}" for page, why in done["failed"].items()]
    return Measured(archive, dict(states), failed)


def serve_peer(host: str, address: str, token: str, client: str, key: str) -> None:
    """Runs reckon-peer at that address for one other host, until stop_peer(). Raises HostFailed."""
    _stop_earlier()
    report = _reporter(key)
    environment = _environment(host)
    _build_library(environment, report)
    _may_serve.set()
    program = Path(environment["RECKON_LIB"]) / "reckon-peer"
    listen = f"[{address}]" if ":" in address else address
    command = [str(program), "--listen", listen, "--allow", client]
    process = _start(command, environment | {"RECKON_PEER_TOKEN": token})
    try:
        report("serves the other host")
        while _may_serve.is_set() and process.poll() is None:
            _wait(0.1)
        if process.returncode is not None:
            assert process.stderr
            raise HostFailed(_last_line(process.stderr.read()) or "reckon-peer has ended")
    finally:
        _end(process)


def measure_pair(
    host: str, peer: str, token: str, probes: Sequence[Sequence[str]], key: str
) -> list[dict[str, Any]]:
    """What each probe (a name and parameters) measures between this host and the peer, as `reckon
    probe --json` prints it. Raises HostFailed."""
    _stop_earlier()
    report = _reporter(key)
    environment = _environment(host)
    _build_library(environment, report)
    environment |= {"RECKON_PEER_AT": peer, "RECKON_PEER_TOKEN": token}
    _wait_for_peer(peer)
    found = []
    for probe in probes:
        report(f"measures {probe[0]}")
        _, output = _run(_reckon("probe", "--json", *probe), environment, report)
        try:
            found.append(json.loads(output))
        except ValueError:
            raise HostFailed(output.strip() or f"{probe[0]} ended without a result") from None
    return found


def stop() -> None:
    """Tells what runs here to end; what was measured so far is kept."""
    _may_serve.clear()
    for process in list(_programs):
        with suppress(OSError):
            assert process.stdin
            process.stdin.close()


def _stop_earlier() -> None:
    """Ends what an attempt left that was given up."""
    stop()
    for process in list(_programs):
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)


def stop_peer() -> None:
    """Ends serve_peer()."""
    _may_serve.clear()


# --- programs -------------------------------------------------------------------------------------


def _environment(host: str) -> dict[str, str]:
    """With folders of this host's own, since many hosts may share a home; a library that its owner
    built and named is used as it is."""
    settings = config.settings()
    folder = settings.build_dir / "fleet" / re.sub(r"[^\w.-]", "_", host)
    records.make_folder(folder)
    library = folder / "lib" if _builds_library() else settings.library_dir
    return config.child_environment(
        RECKON_BUILD=str(folder), RECKON_LIB=str(library), RECKON_RUNS=str(folder / "runs")
    )


def _builds_library() -> bool:
    settings = config.settings()
    return settings.library_dir == settings.build_dir / "lib"


def _build_library(environment: dict[str, str], report: Callable[[str], None]) -> None:
    """Builds the C library on the host that uses it."""
    if not _builds_library():
        return
    report("builds the C library")
    target = environment["RECKON_LIB"]
    make = ["make", "-s", f"-j{os.cpu_count()}", "-C", str(config.ROOT / "csrc"), f"OUT={target}"]
    records.make_folder(Path(target))
    status, output = _run(make, environment, lambda _line: None)
    if status:
        raise HostFailed(
            f"the C library cannot be built ({output or 'make failed'}); install make and gcc"
        )


def _reckon(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "reckon", *arguments]


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, _SUPERVISED, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=config.WORK,
    )
    _programs.add(process)
    return process


def _run(
    command: list[str], environment: dict[str, str], report: Callable[[str], None]
) -> tuple[int, str]:
    """The exit status, and what the program printed; of one that printed nothing its last line of
    standard error. Its other lines there are reported as they come."""
    process = _start(command, environment)
    assert process.stdout and process.stderr
    lines: list[str] = []

    def follow(stream) -> None:
        for line in stream:
            lines.append(line.rstrip())
            report(lines[-1])

    follower = threading.Thread(target=follow, args=(process.stderr,), daemon=True)
    follower.start()
    try:
        output = process.stdout.read()
        status = process.wait()
        follower.join()
    finally:
        _end(process)
    return status, output or _last_line("\n".join(lines))


def _end(process: subprocess.Popen) -> None:
    with suppress(OSError):
        assert process.stdin
        process.stdin.close()
    process.wait()
    _programs.discard(process)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip().removeprefix("reckon: ") if lines else ""


def _reporter(key: str) -> Callable[[str], None]:
    """Takes lines for whoever submitted the task."""
    from distributed import get_worker

    worker = get_worker()
    return lambda line: worker.log_event(TOPIC, {"key": key, "line": line})


def _wait_for_peer(peer: str) -> None:
    """Until something listens there."""
    host, _, port = peer.rpartition(":")
    tries = int(_PEER_START_S / 0.2)
    for _ in range(tries):
        with suppress(OSError), socket.create_connection((host.strip("[]"), int(port)), 2.0):
            return
        _wait(0.2)
    raise HostFailed(
        f"nothing answers at {peer}; does a firewall let its port through, and is it free there?"
    )


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)

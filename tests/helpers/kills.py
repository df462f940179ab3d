"""Programs of a build killed at random moments, and what the next build makes of it."""

import contextlib
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from helpers import leaks
from helpers.processes import alive, descendants, name_of, until
from helpers.small_book import SmallBook

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
VICTIMS = ("builder", "page", "probe", "peer", "lab", "server")
_PROGRAMS = {"probe": "reckon-probe", "peer": "reckon-peer", "lab": "reckon-lab"}
_APPEARS_S = 60.0  # the longest that a build may take to start a program
_ENDS_S = 120.0  # the longest that a build may go on
_GONE_S = 15.0  # the longest that what it started may outlive it
_LONGEST_WAIT_S = {"builder": 12.0, "page": 3.0}  # for the random moment; of the others:
_LONGEST_WAIT_OF_A_PROGRAM_S = 0.3


@dataclass(frozen=True)
class Kill:
    """What is killed by which signal, that long after it appeared."""

    victim: str
    number: signal.Signals
    wait_s: float

    def __str__(self) -> str:
        return f"{self.victim} {self.number.name} after {self.wait_s:.3f} s"


def random_kills(count: int, seed: int) -> list[Kill]:
    """Kills of every victim by every signal in turn, each at a random moment."""
    generator = random.Random(seed)
    pairs = [(victim, number) for number in SIGNALS for victim in VICTIMS]
    chosen = []
    while len(chosen) < count:
        generator.shuffle(pairs)
        chosen += pairs
    return [
        Kill(
            victim,
            number,
            generator.uniform(0, _LONGEST_WAIT_S.get(victim, _LONGEST_WAIT_OF_A_PROGRAM_S)),
        )
        for victim, number in chosen[:count]
    ]


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _find(victim: str, builder: int) -> list[int]:
    """The living processes of that kind that a build has."""
    if victim == "builder":
        return [builder] if alive(builder) else []
    if victim == "page":  # and the server that forks it, unlike the one that other tests use
        pids = descendants(builder)
        return [pid for pid in pids if b"multiprocessing.forkserver" in _command(pid)]
    pids = descendants()
    if victim == "server":
        return [pid for pid in pids if name_of(pid).startswith("ganesha")]
    return [pid for pid in pids if name_of(pid) == _PROGRAMS[victim]]


def _added(before: dict, book: SmallBook, *kinds: str) -> dict[str, set]:
    """What a build has left, of these kinds. Its scratch files lie in a folder of their own, and it
    makes no control groups; those of others may be there."""
    added = leaks.added_since(before, book.base)
    return {kind: added[kind] for kind in kinds if kind in added}


def _processes(before: dict, book: SmallBook) -> str:
    """The processes that a build has left, for a message."""
    return leaks.described(_added(before, book, "process"))


class Disturbed:
    """A book whose builds are killed."""

    def __init__(self, folder: Path):
        self.book = SmallBook(folder / "book")
        self.files: set[str] | None = None  # that an undisturbed build makes

    def undisturbed(self) -> None:
        """Build the book, and remember its files: those of a next build are compared with them."""
        done = self.book.build("--html")
        assert done.returncode == 0, done.stdout + done.stderr
        assert not self.book.faults()
        self.files = self.book.files()

    def kill(self, kills: list[Kill], *, site: bool = True) -> tuple[list[str], list[str]]:
        """Kill during a build of a new run, then build again; the victims that never appeared, and what
        is wrong afterwards."""
        self.book.empty()
        before = leaks.remains(self.book.base)
        build = self.book.start(site=site)
        missed = [kill.victim for kill in kills if not self._kill_one(kill, build)]
        output, _ = build.communicate(timeout=_ENDS_S)
        print(output)
        faults = []
        if not until(lambda: not _processes(before, self.book), _GONE_S):
            faults.append(f"left behind {_processes(before, self.book)}")
        complete = self.book.recorded()
        done = self.book.build("--html") if site else self.book.build_pages()
        faults += self.book.faults(site=site)
        if done.returncode:
            faults.append(
                f"the next build ended with {done.returncode}: {done.stdout}{done.stderr}"
            )
        now = self.book.recorded()
        for quantity, visits in complete.items():
            if not set(visits) <= set(now.get(quantity, [])):
                faults.append(f"a complete record of {quantity} was lost")
        if added := _added(before, self.book, "process", "mount"):
            faults.append(f"left behind: {leaks.described(added)}")
        files = self.book.files()
        if site and self.files and files != self.files:
            faults.append(f"files differ: {sorted(files ^ self.files)}")
        return missed, faults + [f"left behind: {path}" for path in self.book.left_behind()]

    def _kill_one(self, kill: Kill, build) -> bool:
        """Whether the victim appeared before the build ended."""
        pids = until(
            lambda: _find(kill.victim, build.pid) or build.poll() is not None, _APPEARS_S, 0.002
        )
        if not isinstance(pids, list):
            return False
        time.sleep(kill.wait_s)
        pids = _find(kill.victim, build.pid) or until(
            lambda: _find(kill.victim, build.pid) or build.poll() is not None, _APPEARS_S, 0.002
        )
        if not isinstance(pids, list):
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(random.choice(pids), kill.number)
        return True

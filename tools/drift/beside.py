"""beside.py: the book's probes beside other tools, in turn, each in fresh processes on one CPU.

    beside.py [--pairs 10] [--over 3600] [ONLY]

Prints for each pair of programs both medians, the ratio of each pair's figures and the coefficient
of variation of each one's figures; of the book's also that of their samples alone, without those
that a busy sibling of the core slowed, and how many these were. ONLY: only the comparisons whose
name contains it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reckon import config
from reckon.measurement import library
from reckon.statistics import siblings

CPU = 1
MIB = 1 << 20
CHASE = config.ROOT / "tests" / "csrc" / "programs" / "chase_minimal.c"


Trials = np.ndarray  # (2, samples): nanoseconds an operation; wide over chain, nan without


def trials(probe: str, samples: int = 50, **params: int | str) -> Callable[[], Trials]:
    """Runs the probe once."""

    def run() -> Trials:
        result = library.run(probe, params, samples=samples, cpu=CPU)
        with np.errstate(invalid="ignore"):
            ratios = result.wide_ticks / result.chain_ticks
        return np.array([result.ticks / result.ops / library.tick_hz() * 1e9, ratios])

    return run


def program(probe: str, samples: int = 50) -> Callable[[], float]:
    """Runs a probe that runs another program, once; its median in nanoseconds an operation."""
    run = trials(probe, samples)
    return lambda: float(np.median(run()[0]))


def _pinned(*command: object) -> str:
    words = ["taskset", "-c", str(CPU), *map(str, command)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def likwid(kernel: str) -> Callable[[], float]:
    """likwid-bench on 128 MB: nanoseconds a byte, of the bytes that it counts."""

    def run() -> float:
        text = _pinned("likwid-bench", "-t", kernel, "-w", "N:128MB:1", "-i", 20)
        match = re.search(r"MByte/s:\s+([\d.]+)", text)
        assert match, f"likwid-bench printed no bandwidth: {text}"
        return 1e3 / float(match[1])

    return run


def perf(*benchmark: str, count: int) -> Callable[[], float]:
    """`perf bench`: nanoseconds an operation."""

    def run() -> float:
        text = _pinned("perf", "bench", *benchmark, "-l", count)
        match = re.search(r"([\d.]+) usecs/op", text)
        assert match, f"perf bench printed no time: {text}"
        return 1e3 * float(match[1])

    return run


def chase(folder: Path, size_bytes: int, pages: str) -> Callable[[], float]:
    """A pointer chase of 40 lines that shares no code with the book's: nanoseconds a load."""
    program = folder / "chase"
    subprocess.run(["cc", "-O2", "-o", program, CHASE], check=True)
    return lambda: float(_pinned(program, size_bytes, pages, 16384, 20))


@dataclass
class Comparison:
    """The book's probe and another tool's figure of the same; what both found in each round."""

    name: str
    tool: str
    own: Callable[[], Trials]
    other: Callable[[], float]
    ours: list[Trials] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def round(self) -> None:
        self.ours.append(self.own())
        self.theirs.append(self.other())

    def __str__(self) -> str:
        ours = np.array([np.median(ns) for ns, _ in self.ours])
        theirs = np.array(self.theirs)
        low, ratio, high = np.percentile(ours / theirs, [25, 50, 75])
        return (
            f"{self.name}: {np.median(ours):.4g}, {self.tool} {np.median(theirs):.4g}; ratio "
            f"{ratio:.3f} ({low:.3f} to {high:.3f}); variation {variation(ours):.1%} and "
            f"{variation(theirs):.1%}; {_alone_text(self.ours)}"
        )


def comparisons(folder: Path) -> Iterator[Comparison]:
    basic = perf("syscall", "basic", count=2_000_000)
    yield Comparison("the null call, ns", "perf bench", trials("cpu/syscall/getppid"), basic)
    pipe = perf("sched", "pipe", count=20_000)  # there and back: two switches
    switch = trials("cpu/switch/process")
    yield Comparison("a switch, two pipes, ns", "perf bench", switch, lambda: pipe() / 2)
    for pages in ("small", "huge"):
        read = trials("memory/bandwidth/read", size_bytes=128_000_000, vector="avx2", pages=pages)
        name = f"read memory, {pages} pages, ns a byte"
        yield Comparison(name, "likwid load_avx", read, likwid("load_avx"))
    for size_bytes, pages in ((256 << 10, "small"), (256 << 10, "huge"), (128 * MIB, "huge")):
        walk = trials("memory/latency/random", size_bytes=size_bytes, pages=pages)
        name = f"random walk, {size_bytes >> 10} KiB, {pages} pages, ns a load"
        yield Comparison(name, "an independent chase", walk, chase(folder, size_bytes, pages))
    fio = program("files/read/fio", 1000)
    for pause_ms in (0, 250):  # fio calibrates its clock before its first read
        name = f"4 KiB read past the cache after a pause of {pause_ms} ms, ns"
        direct = trials("files/read/direct_random", samples=1000, pause_ms=pause_ms)
        yield Comparison(name, "fio", direct, fio)
    sent = trials("network/throughput/tcp_across", samples=40)
    iperf3 = program("network/throughput/iperf3", 2)
    yield Comparison("loopback to another CPU, ns a byte", "iperf3", sent, iperf3)


def variation(values: np.ndarray) -> float:
    """The coefficient of variation."""
    return float(np.std(values, ddof=1) / np.mean(values))


def alone(rounds: list[Trials]) -> tuple[np.ndarray, float]:
    """The medians of the trials that no busy sibling slowed, of each round that has some, and the
    share of the others."""
    unshared = siblings.unshared_ratio(ratio for _, ratio in rounds)
    busy = [siblings.is_busy(ratio, unshared) for _, ratio in rounds]
    medians = [
        np.median(ns[~is_busy])
        for (ns, _), is_busy in zip(rounds, busy, strict=True)
        if any(~is_busy)
    ]
    return np.array(medians), float(np.mean(np.concatenate(busy)))


def _alone_text(rounds: list[Trials]) -> str:
    medians, busy = alone(rounds)
    if len(medians) < 2:
        return "no witnesses"
    return (
        f"alone {np.median(medians):.4g}, variation {variation(medians):.1%}, busy {busy:.0%} of "
        f"the trials, {len(medians)} of {len(rounds)} rounds"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10, help="of fresh runs; default: 10")
    parser.add_argument("--over", type=float, default=0, help="seconds over which they are spread")
    parser.add_argument("only", nargs="?", default="", metavar="ONLY")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="reckon-beside-"))
    try:
        chosen = [found for found in comparisons(folder) if arguments.only in found.name]
        begin_s = time.monotonic()
        for i in range(arguments.pairs):
            due_s = begin_s + i * arguments.over / max(1, arguments.pairs - 1)
            time.sleep(max(0.0, due_s - time.monotonic()))
            for comparison in chosen:
                comparison.round()
            print(f"round {i + 1} of {arguments.pairs}", file=sys.stderr, flush=True)
        print(*chosen, sep="\n")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

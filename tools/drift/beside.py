"""beside.py: the book's probes beside other tools, in turn, each in fresh processes on one CPU.

    beside.py [--pairs 9] [ONLY]

Prints for each pair of programs both medians, the ratio of each pair's figures and how far the
figures of each spread. ONLY: only the comparisons whose name contains it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from reckon import config
from reckon.measurement import library

CPU = 1
MIB = 1 << 20
CHASE = config.ROOT / "tests" / "csrc" / "programs" / "chase_minimal.c"


def ours(probe: str, samples: int = 50, **params: int | str) -> Callable[[], float]:
    """Runs the probe once and gives the median in nanoseconds an operation."""

    def run() -> float:
        result = library.run(probe, params, samples=samples, cpu=CPU)
        return float(np.median(result.ticks / result.ops)) / library.tick_hz() * 1e9

    return run


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


def chase(folder: Path, size_bytes: int, pages: str) -> Callable[[], float]:
    """A pointer chase of 40 lines that shares no code with the book's: nanoseconds a load."""
    program = folder / "chase"
    subprocess.run(["cc", "-O2", "-o", program, CHASE], check=True)
    return lambda: float(_pinned(program, size_bytes, pages, 16384, 20))


Measure = Callable[[], float]


def comparisons(folder: Path) -> Iterator[tuple[str, str, Measure, Measure]]:
    """Name, the other tool, ours and theirs."""
    for pages in ("small", "huge"):
        read = ours("memory/bandwidth/read", size_bytes=128_000_000, vector="avx2", pages=pages)
        yield f"read memory, {pages} pages, ns a byte", "likwid load_avx", read, likwid("load_avx")
    for size_bytes, pages in ((256 << 10, "small"), (256 << 10, "huge"), (128 * MIB, "huge")):
        walk = ours("memory/latency/random", size_bytes=size_bytes, pages=pages)
        name = f"random walk, {size_bytes >> 10} KiB, {pages} pages, ns a load"
        yield name, "an independent chase", walk, chase(folder, size_bytes, pages)
    fio = ours("files/read/fio", samples=1000)
    for pause_ms in (0, 250):  # fio calibrates its clock before its first read
        name = f"4 KiB read past the cache after a pause of {pause_ms} ms, ns"
        direct = ours("files/read/direct_random", samples=1000, pause_ms=pause_ms)
        yield name, "fio", direct, fio
    sent = ours("network/throughput/tcp_across", samples=40)
    yield "loopback to another CPU, ns a byte", "iperf3", sent, ours("network/throughput/iperf3", 2)


def spread(values: np.ndarray) -> float:
    """The middle half's width as a share of the median."""
    low, median, high = np.percentile(values, [25, 50, 75])
    return float((high - low) / median)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=9, help="of fresh runs in turn; default: 9")
    parser.add_argument("only", nargs="?", default="", metavar="ONLY")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="reckon-beside-"))
    try:
        for name, tool, own, other in comparisons(folder):
            if arguments.only not in name:
                continue
            pairs = np.array([(own(), other()) for _ in range(arguments.pairs)])
            own_ns, other_ns = np.median(pairs, axis=0)
            own_spread, other_spread = (spread(figures) for figures in pairs.T)
            low, ratio, high = np.percentile(pairs[:, 0] / pairs[:, 1], [25, 50, 75])
            print(
                f"{name}: {own_ns:.4g}, {tool} {other_ns:.4g}; ratio {ratio:.3f} ({low:.3f} to "
                f"{high:.3f}); spread {own_spread:.1%} and {other_spread:.1%}",
                flush=True,
            )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

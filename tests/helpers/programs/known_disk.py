"""A file system in user space with one file, data-0, whose reads take a given time: a disk whose time is
known. `python known_disk.py FOLDER MICROSECONDS BYTES LOG` mounts it and serves until it is unmounted;
LOG gets "offset bytes" of each read. The last functions measure with it.
"""

import contextlib
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

from helpers.programs import fuse

LOOKUP, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH = 1, 3, 14, 15, 17, 18, 25
ROOT, FILE, NO_SUCH_CALL, NO_SUCH_FILE = 1, 2, 38, 2
SPIN_NS = 300_000  # what a sleep may be late


def attributes(node, size):
    is_file = node == FILE
    return fuse.attributes(node, 0o100600 if is_file else 0o40700, size if is_file else 0)


def wait_until_ns(end):
    left = end - SPIN_NS - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)
    while time.monotonic_ns() < end:
        pass


def answer(opcode, node, body, size, delay_us, log, data):
    """(error, bytes) of one request."""
    if opcode == LOOKUP:
        if body.rstrip(b"\0") != b"data-0":
            return NO_SUCH_FILE, b""
        return 0, fuse.entry(FILE, attributes(FILE, size), fuse.DAY_S)
    if opcode == GETATTR:
        return 0, struct.pack("Q2I", fuse.DAY_S, 0, 0) + attributes(node, size)
    if opcode == OPEN:
        return 0, struct.pack("Q2I", 0, 0, 0)
    if opcode == READ:
        begin = time.monotonic_ns()
        offset, wanted = struct.unpack_from("8xQI", body)
        log.write(f"{offset} {wanted}\n")
        wait_until_ns(begin + 1000 * delay_us)
        return 0, data[: max(0, min(wanted, size - offset))]
    if opcode == STATFS:
        return 0, bytes(80)
    if opcode in (RELEASE, FLUSH):
        return 0, b""
    return NO_SUCH_CALL, b""


def serve(folder, delay_us, size, log):
    data = bytes(131072)
    fuse.serve(
        folder, lambda opcode, node, body: answer(opcode, node, body, size, delay_us, log, data)
    )


@contextlib.contextmanager
def known_disk(base, delay_us, size=8 << 20):
    """The run's file lies on such a disk, mounted below `base`. Gives a function that returns the reads
    since its last call, as [offset, bytes]."""
    folder, log = f"{base}/disk-{delay_us}", Path(f"{base}/log-{delay_us}")
    os.makedirs(folder, exist_ok=True)
    command = [sys.executable, __file__, folder, str(delay_us), str(size), log]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    os.environ["RECKON_FILES"] = folder
    lines_seen = 0

    def reads():
        nonlocal lines_seen
        lines = log.read_text().splitlines()
        new, lines_seen = lines[lines_seen:], len(lines)
        return [[int(word) for word in line.split()] for line in new]

    try:
        yield reads
    finally:
        os.environ.pop("RECKON_FILES", None)
        subprocess.run(["umount", folder], check=True)
        assert server.wait(20) == 0
        server.stdout.close()


def best_medians_us(base, delays_us, turns):
    """For each of these disks, the least of the medians of some runs, in turn."""
    import numpy as np

    from reckon.measurement import library

    medians = {delay: [] for delay in delays_us}
    with contextlib.ExitStack() as disks:
        for delay in delays_us:
            disks.enter_context(known_disk(base, delay))
        for _ in range(turns):
            for delay in delays_us:
                os.environ["RECKON_FILES"] = f"{base}/disk-{delay}"
                run = library.run("files/read/direct_random", {}, samples=30)
                medians[delay].append(np.median(run.ticks / run.ops) / library.tick_hz() * 1e6)
    return [float(min(medians[delay])) for delay in delays_us]


def reads_of(base, size, requests):
    """{name: [operations of each sample, [offset, bytes] of each read that reached the disk]} of these
    {name: (probe, parameters, samples)}."""
    from reckon.measurement import library

    seen = {}
    with known_disk(base, 0, size) as reads:
        for name, (probe, params, samples) in requests.items():
            run = library.run(probe, params, samples=samples, warmup=0)
            seen[name] = [run.ops.tolist(), reads()]
    return seen


if __name__ == "__main__":
    with open(sys.argv[4], "w", encoding="ascii", buffering=1) as written:
        serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), written)

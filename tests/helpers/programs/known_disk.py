"""A file system in user space with one file, data-0, whose reads take a given time: a disk whose time is
known. `python known_disk.py FOLDER MICROSECONDS BYTES LOG` mounts it, as root, and serves until it is
unmounted or its parent dies, by the kernel's own protocol (linux/fuse.h, version 7.31): each request is
a header and a structure. LOG gets "offset bytes" of each read. The last functions measure with it.
"""

import contextlib
import ctypes
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

LOOKUP, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT = 1, 3, 14, 15, 17, 18, 25, 26
UNANSWERED = (2, 36, 42)  # FORGET, INTERRUPT, BATCH_FORGET
HEADER_BYTES, DAY_S = 40, 86400
MAX_BYTES, MAX_PAGES = 131072, 32  # of a read
ROOT, FILE, NO_SUCH_CALL, NO_SUCH_FILE = 1, 2, 38, 2
SPIN_NS = 300_000  # what a sleep may be late


def attributes(node, size):
    """struct fuse_attr."""
    mode, size = (0o100600, size) if node == FILE else (0o40700, 0)
    return struct.pack(
        "6Q10I", node, size, -(-size // 512), *3 * [0], *3 * [0], mode, 1, 0, 0, 0, 4096, 0
    )


def wait_until_ns(end):
    left = end - SPIN_NS - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)
    while time.monotonic_ns() < end:
        pass


def answer(opcode, node, body, size, delay_us, log, data):
    """(error, bytes) of one request."""
    if opcode == INIT:
        sizes = (MAX_BYTES, 0, 0, 0, MAX_BYTES, 1, MAX_PAGES, 0, 0, 0)
        return 0, struct.pack("4I2H2I2H2I6I", 7, 31, *sizes, *6 * [0])
    if opcode == LOOKUP:
        if body.rstrip(b"\0") != b"data-0":
            return NO_SUCH_FILE, b""
        entry = struct.pack("4Q2I", FILE, 0, DAY_S, DAY_S, 0, 0)  # struct fuse_entry_out
        return 0, entry + attributes(FILE, size)
    if opcode == GETATTR:
        return 0, struct.pack("Q2I", DAY_S, 0, 0) + attributes(node, size)
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
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG
    libc.prctl(29, 1, 0, 0, 0)  # PR_SET_TIMERSLACK
    fuse = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"sleepfs", folder.encode(), b"fuse", 0, options) < 0:
        sys.exit(f"no FUSE mount: {os.strerror(ctypes.get_errno())}")
    print("ready", flush=True)
    data, buffer = bytes(MAX_BYTES), bytearray(2 * MAX_BYTES)
    while True:
        try:
            got = os.readv(fuse, [buffer])
        except OSError:  # unmounted
            return
        _, opcode, unique, node = struct.unpack_from("IIQQ", buffer)
        if opcode not in UNANSWERED:
            body = bytes(buffer[HEADER_BYTES:got])
            error, reply = answer(opcode, node, body, size, delay_us, log, data)
            os.writev(fuse, [struct.pack("IiQ", 16 + len(reply), -error, unique), reply])


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

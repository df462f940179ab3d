"""What a right exercises/zeros does: each call is made, enters the kernel, fills its buffer."""

import numpy as np


def per_call(samples):
    return np.median(samples.ticks / samples.ops)


def check(run):
    """The faults of the probe, a sentence each."""
    few, many, null = (
        run("exercises/zeros", calls=10),
        run("exercises/zeros", calls=1000),
        run("cpu/syscall/getpid", calls=1000),
    )
    long = run("exercises/zeros", calls=100, size_bytes=1 << 20)
    if set(many.ops) != {1000} or set(few.ops) != {10}:
        yield "`ops` is not the number of calls."
    if np.median(many.ticks) < 10 * np.median(few.ticks):
        yield "A hundred times as many calls take less than ten times as long: not all are made."
    if per_call(long) < 10 * per_call(many):
        yield "A read of 1 MiB takes less than ten reads of one byte: it does not fill its buffer."
    if per_call(many) < per_call(null) / 2:
        yield "A call takes less than half of the null system call: it does not enter the kernel."

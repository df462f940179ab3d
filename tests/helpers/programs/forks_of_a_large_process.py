"""By how much a fork takes longer once this process has touched 256 MiB: isolated, and inside it."""

import mmap

import numpy as np

from reckon.measurement import library


def medians(isolated):
    runs = [library.run("test/fork", samples=10, isolated=isolated) for _ in range(7)]
    return np.median([np.median(run.ticks) for run in runs])


before, inside_before = medians(True), medians(False)
ballast = mmap.mmap(-1, 256 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
ballast.madvise(mmap.MADV_NOHUGEPAGE)  # huge pages would hide it: 128 entries instead of 65,536
np.frombuffer(ballast, np.uint8)[::4096] = 1
print(medians(True) / before, medians(False) / inside_before)

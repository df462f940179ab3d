"""What a right exercises/new_pages does: the kernel counts a fault for each page, while timed."""

import numpy as np


def per_page(samples):
    return np.median(samples.ticks / samples.ops)


def check(run):
    """The faults of the probe, a sentence each."""
    samples, book = run("exercises/new_pages", pages=1000), run("memory/fault/anonymous")
    counted, stated = samples.minor_faults, int(samples.ops.sum())
    if set(samples.ops) != {1000}:
        yield "`ops` is not the number of pages."
    if counted < 0.95 * stated:
        yield f"The kernel counted {counted} faults for {stated} pages: not all are new ones."
    if counted > 1.2 * stated + 100:
        yield f"The kernel counted {counted} faults for {stated} pages: others are touched, too."
    if per_page(samples) < per_page(book) / 4:
        yield "A page takes less than a quarter of the book's: the faults are not in what is timed."

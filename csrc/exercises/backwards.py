"""What a right exercises/backwards does: each block comes from the disk, and alone.

The probe itself compares what the page cache has afterwards with what was to be read."""


def check(run):
    """The faults of the probe, a sentence each."""
    if set(run("exercises/backwards", blocks=32).ops) != {32}:
        yield "`ops` is not the number of blocks."

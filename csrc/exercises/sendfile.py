"""What a right exercises/sendfile does: all of the file has arrived when a trial ends.

The probe itself compares the receiver's count with what was to be sent."""

SIZE = 1 << 20


def check(run):
    """The faults of the probe, a sentence each."""
    if set(run("exercises/sendfile", size_bytes=SIZE).ops) != {SIZE}:
        yield "`ops` is not the number of bytes."

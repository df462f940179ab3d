"""What a right exercises/one_request does: a new connection for each request, closed afterwards.

The probe itself compares what the server counted with what was to be requested."""


def check(run):
    """The faults of the probe, a sentence each."""
    if set(run("exercises/one_request", requests=20).ops) != {20}:
        yield "`ops` is not the number of requests."

"""What a right exercises/two_rings does: both loads of a round are under way at the same time."""


def fastest_load(samples):
    return (samples.ticks / samples.ops).min()


def check(run):
    """The faults of the probe, a sentence each."""
    both, one = run("exercises/two_rings"), run("exercises/one_ring")
    if set(both.ops) != {40_000}:
        yield "`ops` is not two loads for each round."
    if fastest_load(both) > 0.75 * fastest_load(one):
        yield "A load takes over 0.75 times one of a single ring: one ring waits for the other."
    if fastest_load(both) < fastest_load(one) / 4:
        yield "A load takes less than a quarter of one of a single ring: not all loads are made."

"""What a right exercises/token does: this process leaves the CPU once a round, two switches."""


def check(run):
    """The faults of the probe, a sentence each."""
    samples = run("exercises/token", rounds=100)
    rounds = 100 * len(samples.ops)
    left = samples.voluntary_switches + samples.involuntary_switches
    if set(samples.ops) != {200}:
        yield "`ops` is not two switches for each round."
    if left < 0.9 * rounds:
        yield f"In {rounds} rounds the process left the CPU {left} times: it does not always wait."

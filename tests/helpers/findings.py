"""What the tests of the chapters' findings share: their names, and made-up times of a core."""

from helpers import made_up
from reckon.prediction.inputs import guess

# The counter ticks each nanosecond, the core makes three cycles in that time.
CYCLE_NS = 1 / 3
GIVEN_CLOCK = guess(3, "GHz", "made up", low=2, high=5)


def names(findings):
    """The names of what a function concludes."""
    return {each.name for each in (findings if isinstance(findings, list) else [findings])}


def cycles(quantity, cycles, **options):
    return made_up.single(quantity, cycles * CYCLE_NS, "ns", **options)


def with_more_processes(result, other, visit=1):
    """The result with the processes of another one, which belong to that visit."""
    more = other.measurement.points[0].processes
    for process in more:
        process.visit = visit
    result.measurement.points[0].processes += more
    return result

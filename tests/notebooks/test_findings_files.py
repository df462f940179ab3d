"""What the chapters on files and the machine's page conclude from results that are made up."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from helpers import made_up

from reckon import statistics
from reckon.book import contents

# From visit to visit a quantity varies by a third.
DRIFTING = statistics.PooledVariance(variance=0.1, degrees=20, quantities=20)


def names(conclusion):
    """The names of what a function concludes."""
    return {each.name for each in (conclusion if isinstance(conclusion, list) else [conclusion])}


def time(quantity, value, **more):
    return made_up.single(quantity, value, "µs", **more)


def drifting(result, visits=3):
    """The result as of several visits, of a run whose quantities differ from visit to visit."""
    for number, process in enumerate(result.measurement.points[0].processes):
        process.visit = number % visits
    return replace(result, between_visits=DRIFTING)


@pytest.fixture(scope="module")
def remote():
    return contents.findings_of("files/remote")


@pytest.mark.parametrize(
    ("at_random", "cold", "expected"),
    [(drifting, 417, "apart within visits"), (drifting, 335, "unclear"), (lambda r: r, 417, "cold apart")],
)  # fmt: skip
def test_remote_a_cold_cache_may_differ_within_visits_alone(remote, at_random, cold, expected):
    cold = at_random(time("files/remote/cold_random", cold, processes=12, seed=2))
    warm = at_random(time("files/remote/random", 334, processes=12))
    here = time("files/remote/local_cold_random", 50), time("files/remote/local_random", 0.3)
    found = remote.cold_at_random(cold, warm, *here)
    assert [name for name in names(found) if name.endswith(expected)]
    said = " ".join([found] if isinstance(found, str) else found)
    assert ("indistinguishable" in said) == (expected == "unclear")


def test_remote_the_ends_work_is_to_doubt_for_what_goes_over_nfs_alone(remote):
    here = time("files/remote/local_random", 1)
    here.seal.predicted = here.median / 3
    whole, work = time("files/remote/random", 300), SimpleNamespace(value=80e-6)
    assert names(remote.others_off([here], whole, work, {})) == {"others off", "here as elsewhere"}
    whole.seal.predicted = whole.median / 3
    found = names(remote.others_off([whole], whole, work, {}))
    assert found == {"others off", "ends' work to doubt"}

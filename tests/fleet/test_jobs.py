"""The order of pairs, and how many rounds jobs take."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from reckon.fleet.hosts import Host
from reckon.fleet.jobs import HostJob, PairJob, pairs_in_order, rounds


def hosts(count, machines=None):
    return [
        Host(f"host-{n}", f"host-{n}", f"machine-{n % (machines or count)}", f"10.0.0.{n}")
        for n in range(count)
    ]


@given(st.integers(0, 40))
def test_each_pair_is_measured_once(count):
    pairs = [frozenset(host.name for host in pair) for pair in pairs_in_order(hosts(count))]
    expected = itertools.combinations([host.name for host in hosts(count)], 2)
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == {frozenset(pair) for pair in expected}


@given(st.integers(1, 20))
def test_a_round_has_every_host_at_most_once(half):
    """So all pairs of 2 n hosts take 2 n - 1 rounds."""
    pairs = pairs_in_order(hosts(2 * half))
    for start in range(0, len(pairs), half):
        names = [host.name for pair in pairs[start : start + half] for host in pair]
        assert len(names) == len(set(names)) == 2 * half
    assert rounds([PairJob(*pair, []) for pair in pairs]) == 2 * half - 1


def test_hosts_that_share_a_machine_are_measured_in_turn():
    assert rounds([HostJob(host, "quick", None, fresh=False) for host in hosts(6)]) == 1
    assert rounds([HostJob(host, "quick", None, fresh=False) for host in hosts(6, 2)]) == 3

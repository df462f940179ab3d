"""What each network probe says where the machine or the other host lacks something: "ran", or exactly why not."""

import pytest
from helpers.capabilities import captures, installed, other_users, own_network, two_cpus, x86_only
from helpers.network import (
    ACROSS,
    CAPTURING,
    ICMP,
    NCAT,
    NO_CAPTURE,
    NO_ECHO,
    ONLY_IPV6,
    PROBES,
    WITH_ANOTHER_HOST,
    attempts,
    own,
    refused_to_this_user,
)
from helpers.peers import TOKEN, Peer
from helpers.probes import NOBODY_ELSE

NO_OTHER_CPU = (
    "ProbeUnsupported: the server's CPU can be chosen on loopback alone: peer must be loopback here, "
    "or take the probe without _across"
)
NO_OTHER_NCAT = (
    "ProbeUnsupported: the foreign echo server (ncat) is started on this computer alone: peer must be "
    "loopback here"
)
LOOPBACK_NEEDED = dict.fromkeys(ACROSS, NO_OTHER_CPU) | {NCAT: NO_OTHER_NCAT}


@pytest.fixture(autouse=True)
def all_probes_exist():
    x86_only()
    installed("ncat")


def expected(refused=(), probes=PROBES):
    """All of these probes run, but those that are refused."""
    return dict.fromkeys(probes, "ran") | refused_to_this_user() | dict(refused)


# --- this machine ------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", ["ip link set lo up", ONLY_IPV6], ids=["IPv4", "IPv6"])
def test_every_probe_runs_in_a_network_of_one_protocol(setup):
    two_cpus()
    captures()
    assert attempts(prefix=own(setup)) == expected()


def test_without_a_loopback_no_probe_runs():
    two_cpus()
    own_network()
    reason = "ProbeUnsupported: needs a loopback interface that is up, 127.0.0.1 or ::1"
    assert attempts(prefix=["unshare", "-n"]) == dict.fromkeys(PROBES, reason)


@pytest.mark.parametrize("groups", ["1 0", "0 2147483647"], ids=["no ping", "ping"])
def test_an_ordinary_user_may_capture_nothing_and_ping_where_it_is_allowed(groups):
    two_cpus()
    other_users()
    refused = dict.fromkeys(CAPTURING, NO_CAPTURE)
    if groups == "1 0":
        refused[ICMP] = NO_ECHO
    prefix = own(f"ip link set lo up && echo {groups} > /proc/sys/net/ipv4/ping_group_range")
    assert attempts(before=f"become({NOBODY_ELSE})", prefix=prefix) == expected(refused)


# --- the other host ----------------------------------------------------------------------------


def test_with_another_host_every_probe_runs_but_those_of_loopback():
    with Peer() as peer:
        outcome = attempts(peer="other", RECKON_PEER_AT=peer.at, RECKON_PEER_TOKEN=TOKEN)
    assert outcome == expected(LOOPBACK_NEEDED)


def test_where_no_other_host_is_set_a_probe_needs_one():
    reason = "ProbeUnsupported: needs another host: start reckon-peer on it and set PEER=ADDRESS"
    assert attempts(peer="other") == dict.fromkeys(PROBES, reason) | LOOPBACK_NEEDED


def test_a_peer_is_loopback_or_other():
    reason = 'ProbeFailed: peer is loopback or other, not "nowhere".'
    assert attempts(peer="nowhere") == dict.fromkeys(PROBES, reason)


def test_a_probe_fails_where_nothing_listens_or_the_token_is_wrong():
    """The echo request of ICMP needs no peer."""
    probes = [name for name in WITH_ANOTHER_HOST if name != ICMP]
    with Peer() as peer:
        wrong = attempts(probes, "other", RECKON_PEER_AT=peer.at, RECKON_PEER_TOKEN="x" * 20)
    nobody = attempts(probes, "other", RECKON_PEER_AT=peer.at, RECKON_PEER_TOKEN=TOKEN)
    assert wrong == dict.fromkeys(
        probes,
        "ProbeFailed: The token is not the one of this reckon-peer; both need the same "
        "RECKON_PEER_TOKEN.",
    )
    assert nobody == dict.fromkeys(
        probes,
        f"ProbeFailed: Nothing listens at {peer.at}; start reckon-peer there (make peer says how).",
    )

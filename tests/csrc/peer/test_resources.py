"""reckon-peer where descriptors, memory or the disk are short, and without the rights of root."""

import os
import socket
import time
from pathlib import Path

import pytest
from helpers.capabilities import need, other_users
from helpers.peers import TOKEN, Peer, about, line
from helpers.probes import preloaded
from helpers.processes import living_children

from reckon.measurement import library


@pytest.fixture
def full(tmp_path):
    """Starts a reckon-peer for which descriptors or epoll are short."""
    hook = preloaded(tmp_path, "full")
    return lambda setting: Peer(prefix=("env", f"LD_PRELOAD={hook}", setting))


def test_a_connection_that_epoll_refuses_is_closed(full):
    with full("NO_EPOLL=connections") as peer:
        control, answer = peer.ask("accept 1")
        port = int(answer.split()[1])
        with control, socket.create_connection((peer.address[0], port), 5) as connection:
            assert connection.recv(2) == b"\1"
            assert connection.recv(1) == b""
            assert line(control).split()[:2] == ["done", "1"]


def test_a_service_that_epoll_refuses_is_refused_in_a_sentence(full):
    with full("NO_EPOLL=all") as peer:
        answer = peer.answer("accept 1")
    assert answer == "no The other host has no room for this service: No space left on device."


def seconds_of_cpu(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def test_a_service_without_descriptors_does_not_spin(full):
    with full("ACCEPTS=1") as peer:
        control, answer = peer.ask("accept 2")
        (service,) = living_children(peer.pid)
        with control, socket.create_connection((peer.address[0], int(answer.split()[1])), 5):
            before = seconds_of_cpu(service)
            time.sleep(1)
            assert seconds_of_cpu(service) - before < 0.1


def test_a_peer_without_descriptors_does_not_spin_and_ends(full):
    """Though it has no connection that it could close; SIGTERM reaches it while one waits."""
    with full("ACCEPTS=0") as peer, socket.create_connection(peer.address, 5):
        before = seconds_of_cpu(peer.pid)
        time.sleep(1)
        assert seconds_of_cpu(peer.pid) - before < 0.1


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::"])
def test_all_addresses_are_all_of_them(everywhere, monkeypatch):
    """As --help says: 0.0.0.0 is all of IPv4, and :: is all."""
    hosts = ["127.0.0.1"]
    allow = ["--allow", "127.0.0.1"]
    if everywhere == "::":
        need(os.path.exists("/proc/net/if_inet6"), "this kernel has no IPv6")
        hosts.append("[::1]")
        allow += ["--allow", "::1"]
    listen = "[::]:0" if everywhere == "::" else "0.0.0.0:0"
    with Peer(*allow, listen=listen) as peer:
        port = peer.address[1]
        for host in hosts:
            locations = {"peer": f"{host}:{port}", "peer_token": TOKEN}
            for name in ("test/peer_echo", "network/rtt/udp"):
                library.run(name, {"peer": "other"}, locations, samples=2)
            library.run("network/connect/connect", {"peer": "other"}, locations, samples=2)
            peer.address = (host.strip("[]"), port)
            assert about(peer)["interface"] == "lo"
        peer.address = ("127.0.0.1", port)
        answer = peer.answer("echo 8", here="127.0.0.2")
        assert answer.startswith("no This reckon-peer does not serve 127.0.0.2")


def status_of(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {key: value.split() for key, _, value in (line.partition(":") for line in lines)}


def test_a_peer_that_cannot_become_nobody_ends(tmp_path):
    other_users()
    peer = Peer(prefix=("env", f"LD_PRELOAD={preloaded(tmp_path, 'no_user')}"))
    assert peer.end() == 1
    assert "The privileges cannot be dropped: Resource temporarily unavailable" in peer.log


def test_the_token_is_not_left_in_the_environment():
    other_users()
    with Peer() as peer:
        environment = Path(f"/proc/{peer.pid}/environ").read_bytes()
    assert b"RECKON_PEER_TOKEN=" in environment and TOKEN.encode() not in environment


def test_a_connection_gets_a_buffer_of_1_mib_at_most(peer):
    """Which a host may have 64 times."""
    assert peer.answer("echo 1048577").startswith("no The service echo takes SIZE (1 to 1048576")
    assert peer.answer("sink 0 1048577").startswith("no The service sink takes EVERY_US")


def test_root_becomes_nobody():
    other_users()
    with Peer() as peer:
        control, _ = peer.ask("echo 8")
        with control:
            for pid in (peer.pid, *living_children(peer.pid)):
                status = status_of(pid)
                assert set(status["Uid"]) == set(status["Gid"]) == {"65534"}
                assert int(status["CapEff"][0], 16) == int(status["CapPrm"][0], 16) == 0
                assert status["NoNewPrivs"] == ["1"] and status["Groups"] == []

"""Hosts are connected once, again where somebody has ended them, and ended when they are forgotten."""

from types import SimpleNamespace

import pytest

from reckon.hosts import HostUnavailable
from reckon.hosts.connections import Connections, Host


class Lab(SimpleNamespace):
    running = True

    def close(self):
        self.running = False


def test_each_key_is_connected_once_and_again_after_its_lab_has_ended():
    connected = []

    def connect(*key):
        connected.append(key)
        return Host(locations={}, description="made up", lab=Lab())

    connections = Connections(connect)
    first = connections.host("near", "/a")
    assert connections.host("near", "/a") is first and connections.host("near", "/b") is not first
    first.lab.running = False
    again = connections.host("near", "/a")
    assert again.lab.running and connected == [("near", "/a"), ("near", "/b"), ("near", "/a")]
    other = connections.host("near", "/b")
    connections.forget()
    assert not again.lab.running and not other.lab.running
    assert connections.host("near", "/a") is not again


def test_a_host_without_a_lab_stays_connected():
    connections = Connections(lambda: Host(locations={}, description="a real one"))
    assert connections.host() is connections.host()


def test_a_reason_is_kept_until_it_is_forgotten():
    attempts = []

    def connect():
        attempts.append(1)
        raise HostUnavailable(f"attempt {len(attempts)}")

    connections = Connections(connect)
    for _ in range(2):
        with pytest.raises(HostUnavailable, match="attempt 1"):
            connections.host()
    connections.forget()
    with pytest.raises(HostUnavailable, match="attempt 2"):
        connections.host()

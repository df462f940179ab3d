"""The other host: in the run's description, in keys and in records."""

import pytest
from helpers.project import forget

import reckon as rk
from reckon import records
from reckon.computer.facts import Fact
from reckon.hosts import HostUnavailable, peer
from reckon.hosts.connections import Peer
from reckon.measurement import library
from reckon.records.session import current_session
from reckon.statistics import PooledVariance

LINK = {
    "kind": ("built into this machine", "a test"),
    "link_rtt": (0.01, "LINK_RTT"),
    "link_rate": (12.5e6, "LINK_RATE"),
    "mtu": (1500.0, "a test"),
}


def host(identity, facts, description):
    return Peer(locations={}, description=description, identity=identity, facts=facts)


@pytest.fixture
def no_host(folders, monkeypatch):
    def unavailable():
        raise HostUnavailable("Cannot start the lab host: it is forbidden; allow it.")

    monkeypatch.setattr(peer, "connect", unavailable)


@pytest.fixture
def made_up_host(folders, monkeypatch):
    met = []

    def connect():
        met.append(1)
        return host("lab made up", LINK, "a second host, made up")

    monkeypatch.setattr(peer, "connect", connect)
    return met


def predicted(quantity):
    @rk.predict(quantity, unit="µs")
    def trip(link):
        return link, 0

    return trip(
        link=rk.machine("peer.link_rtt", otherwise=rk.guess(1, "ms", "a link", low=0.01, high=300))
    )


def test_the_other_host_is_described_in_the_run(made_up_host):
    assert current_session().run.machine.value("peer.link_rtt") is None
    other = rk.other_host()
    assert other.fact("peer.link_rtt") == Fact(value=0.01, source="LINK_RTT")
    assert rk.run().machine == other
    forget()  # as another notebook's process, which does not ask
    assert rk.run().machine == other
    assert predicted("test/trip").inputs["link"].origin == "machine"


def test_facts_of_an_earlier_host_are_removed(made_up_host, monkeypatch):
    rk.other_host()
    facts = {"kind": ("a real host", "a test"), "address": ("192.0.2.7:7325", "a test")}
    monkeypatch.setattr(peer, "connect", lambda: host("peer x", facts, "another"))
    other = rk.other_host()
    assert other.value("peer.kind") == "a real host" and other.value("peer.link_rtt") is None


def test_without_another_host_the_run_says_why(no_host):
    why = "Cannot start the lab host: it is forbidden; allow it."
    assert rk.other_host().fact("peer.kind") == Fact(value=None, source=why)
    assert predicted("test/trip").inputs["link"].instead_of == "peer.link_rtt is not reported"


def test_what_another_process_wrote_into_the_run_stays(made_up_host):
    run = current_session().run
    pooled = PooledVariance(variance=1e-4, degrees=3.0, quantities=9)
    machine = run.machine.with_facts("nfs", {"kind": Fact(value="an export")})
    records.write_run(run.model_copy(update={"between_visits": pooled, "machine": machine}))
    rk.other_host()
    written = records.read_run(run.name)
    assert written == current_session().run and written.between_visits == pooled
    assert written.machine.value("nfs.kind") == "an export"
    assert written.machine.value("peer.kind") == "built into this machine"


def test_a_distance_is_given_by_hand(made_up_host, folders):
    (folders / "machine.toml").write_text('[peer]\ndistance = "25 km"\n')
    rk.other_host()
    assert rk.run().machine.fact("peer.distance") == Fact(value=25e3, source="machine.toml")
    assert rk.run().machine.value("peer.link_rtt") == 0.01
    (folders / "machine.toml").write_text('[peer]\nkernel = "mine"\n')
    forget()
    with pytest.raises(rk.ReckonError, match="no field peer.kernel"):
        rk.run()


def test_a_recorded_run_is_not_measured_again(recorded, monkeypatch):
    monkeypatch.setattr(peer, "connect", lambda: pytest.fail("connected"))
    assert rk.other_host() == rk.run().machine


def test_a_probe_without_another_host_is_unsupported(no_host):
    result = rk.measure(predicted("test/peer_echo"), peer="other")
    assert (result.state, result.reason) == (
        "unsupported",
        "Cannot start the lab host: it is forbidden; allow it",
    )
    assert result.measurement.peer is None and not result.has_samples


def test_probes_on_loopback_need_no_other_host(folders, monkeypatch):
    monkeypatch.setattr(peer, "connect", lambda: pytest.fail("connected"))
    monkeypatch.setattr(peer, "identity", lambda: pytest.fail("connected"))
    assert rk.measure(predicted("test/peer_echo"), samples=2).state == "measured"


def test_another_link_is_measured_again(folders, monkeypatch):
    def host_with(link):
        chosen = host(link, LINK, f"a second host, {link}")
        monkeypatch.setattr(peer, "connect", lambda: chosen)
        monkeypatch.setattr(peer, "identity", lambda: link)

    # Where the probe finds it does not matter here: on loopback, by a parameter that says "other".
    monkeypatch.setattr(library, "run", run_on_loopback)
    results = []
    for link in ("a", "a", "b"):
        host_with(link)
        results.append(rk.measure(predicted("test/peer_echo"), samples=2, peer="other"))
    assert [result.state for result in results] == ["measured", "reused", "measured"]
    assert results[2].measurement.peer == "a second host, b"
    assert results[0].measurement.params == {"peer": "other"}
    stored_quantity = records.read_record(current_session().run.name, "test").quantities[
        "test/peer_echo"
    ]
    assert stored_quantity.measurement.peer == "a second host, b"


def run_on_loopback(probe, params, original=library.run, **how):
    return original(probe, {**params, "peer": "loopback"}, **how)

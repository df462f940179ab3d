"""Blocks over NFS: what crosses the link, what is cold and what is warm, whose samples they are."""

import json
import os
import re
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import installed
from helpers.probe_script import attempt
from helpers.probes import compiled
from helpers.project import finished
from helpers.served import FILE_BYTES, KIB, SERVED, lab_of

import reckon as rk
from reckon import records
from reckon.computer.privileges import CAP_DAC_READ_SEARCH
from reckon.hosts import nfs
from reckon.measurement import library
from reckon.records.run_files.unit_conversion import sample_values


def pages_in_cache(path):
    installed("fincore")
    done = finished("fincore", "--json", "--bytes", path, check=True)
    return json.loads(done.stdout)["fincore"][0]["pages"] * 1


def test_each_probe_runs_against_a_server(served):
    for probe in SERVED:
        try:
            served.run(probe.rsplit("/", 1)[1], samples=2)
        except library.ProbeUnsupported as reason:
            assert probe.endswith("/kernel") and "no NFS client" in str(reason), probe
            assert "nfs" not in Path("/proc/filesystems").read_text()


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("probe", ["sequential", "random"])
def test_each_block_crosses_the_link_and_nothing_is_cached_or_read_ahead(served, probe, version):
    """Also of blocks that were read before: the samples are more than the file has blocks."""
    crossed = []
    for samples in (100, 300):
        served.start("near")
        before = lab_of("near").counters()
        served.run(probe, samples=samples, version=version, file_bytes=256 * KIB)
        after = lab_of("near").counters()
        crossed.append(
            [after[way]["bytes"] - before[way]["bytes"] for way in ("to_peer", "to_client")]
        )
    requested, answered = (np.subtract(*crossed[::-1]) / 200).tolist()
    assert 100 < requested < 500, requested
    assert 4096 + 150 < answered < 4096 + 400, answered


@pytest.mark.alone  # another test may drop the page cache
def test_cold_reads_leave_their_blocks_in_the_page_cache_and_no_more(served):
    served.run("random", samples=30, cold=1)
    after_cold = pages_in_cache(served.file)
    assert 30 <= after_cold < 500, after_cold  # each block, and what the kernel reads around some
    served.run("random", samples=30, cold=0)
    served.run("local_sequential", samples=FILE_BYTES // 4096, cold=0)
    assert pages_in_cache(served.file) == FILE_BYTES // 4096


def test_from_a_cold_cache_no_block_is_read_twice(served):
    with pytest.raises(
        library.ProbeUnsupported, match="each block is read once: more samples than blocks"
    ):
        served.run("random", samples=65, file_bytes=256 * KIB, cold=1)


@pytest.mark.parametrize("blocks", [64, 1000])
@pytest.mark.parametrize("probe", ["sequential", "local_sequential"])
def test_a_cold_trial_reads_each_block_of_the_file_at_most_once(served, probe, blocks):
    samples = served.run(probe, samples=4, blocks=blocks, file_bytes=256 * KIB, cold=1)
    assert samples.ops.tolist() == 4 * [64]


@pytest.mark.timed
def test_every_cold_trial_waits_for_the_disk(served):
    """One trial is the whole file, which must be cold again for the next one."""
    whole = {"blocks": 64, "file_bytes": 256 * KIB}
    cold = served.run("local_sequential", samples=6, **whole, cold=1)
    warm_us = served.us("local_sequential", samples=6, **whole)
    cold_us = np.sort(cold.ticks / cold.ops)[1:] / library.tick_hz() * 1e6
    assert (cold_us > 1.5 * warm_us).all(), (cold_us, warm_us)


def test_what_comes_is_what_the_file_has(served):
    """Seen to fail: the file that is looked at here is another one than the server's."""
    other = served.folder.parent / "other"
    other.mkdir()
    try:
        (other / "data-0").write_bytes(os.urandom(256 * KIB))
        locations = served.start("near").locations | {"files": str(other)}
        with pytest.raises(library.ProbeFailed, match="what NFS gave is not what the file has"):
            library.run(
                "files/remote/random",
                {"server": "near", "file_bytes": 256 * KIB},
                locations,
                samples=2,
            )
    finally:
        shutil.rmtree(other)


@pytest.mark.timed
def test_a_longer_link_costs_its_round_trip_for_each_block(served):
    """Round trip, transfer and the server's own cost, as the page predicts it."""
    near, null_near, null, far = (
        served.us(probe, server=server)
        for probe, server in (
            ("random", "near"),
            ("null", "near"),
            ("null", "far"),
            ("random", "far"),
        )
    )
    assert far > 1000 and null > 1000, "no answer comes before the round trip that was set"
    assert 0.85 < far / (null + near - null_near) < 1.2, (near, null_near, null, far)


def test_only_the_end_of_a_file_is_requested_from_the_server(served):
    packets = []
    for probe in ("seek", "seek_end"):
        sent = []
        for samples in (20, 120):
            served.start("near")
            before = lab_of("near").counters()["to_peer"]["packets"]
            served.run(probe, samples=samples, seeks=1)
            sent.append(lab_of("near").counters()["to_peer"]["packets"] - before)
        packets.append((sent[1] - sent[0]) / 100)
    assert packets[0] < 0.2 and 0.8 < packets[1] < 2.2, packets


# --- whose samples they are --------------------------------------------------------------------


def test_another_server_or_link_is_another_key(monkeypatch):
    for name in ("RECKON_NFS", "RECKON_LINK_RTT", "RECKON_LINK_RATE"):
        monkeypatch.delenv(name, raising=False)
    results = [nfs.identity(server) for server in nfs.SERVERS]
    monkeypatch.setenv("RECKON_LINK_RTT", "3 ms")
    results += [nfs.identity("other"), nfs.identity("far")]
    monkeypatch.setenv("RECKON_LINK_RATE", "10 Mbit/s")
    results += [nfs.identity("other"), nfs.identity("near")]
    monkeypatch.setenv("RECKON_NFS", "host:/export")
    results += [nfs.identity("other")]
    assert len(set(results)) == len(results), results
    assert "host:/export" in results[-1] and nfs.identity("near") == results[-2]


def test_a_measured_quantity_says_what_it_was_read_from(served, folders):
    @rk.predict("files/remote/near", unit="µs")
    def guess(some):
        return some, 0 * some

    near = guess(some=rk.guess(100, "µs", "a guess", low=1, high=1000))
    result = rk.measure(near, "files/remote/random", server="near", file_bytes=256 * KIB, samples=4)
    assert result.state == "measured"
    assert "Ganesha" in result.measurement.peer and "page cache" in result.measurement.peer
    assert result.median > 20e-6
    again = rk.measure(near, "files/remote/random", server="near", file_bytes=256 * KIB, samples=4)
    assert again.state == "reused"
    far = rk.measure(near, "files/remote/random", server="far", file_bytes=256 * KIB, samples=4)
    assert far.state == "measured" and far.measurement.key != result.measurement.key
    process = far.points[0].processes[0]
    values = sample_values(process.ticks, process.ops, "block", far.measurement.tick_hz, "s")
    assert np.median(values) > 1e-3 and process.retransmits >= 0
    described = rk.nfs_server()
    assert described.value("nfs.link_rtt") == 2e-4 and described.value("nfs.far_rtt") == 1e-3
    assert records.read_run(rk.run().name).machine == described


# --- the library, and what installs it ---------------------------------------------------------


@pytest.mark.parametrize(
    "soname, order, outcome",
    [
        ("libnfs.so.16", "void *to, size_t count, uint64_t at", "ran"),
        ("libnfs.so.13", "uint64_t at, uint64_t count, void *to", "ran"),
        ("libnfs.so.16", "uint64_t at, uint64_t count, void *to", "the stub's error"),
        ("libnfs.so.13", "void *to, size_t count, uint64_t at", "the stub's error"),
        ("libother.so.16", "void *to, size_t count, uint64_t at", "no version in its soname"),
    ],
)
def test_the_soname_tells_the_order_of_arguments(tmp_path, monkeypatch, soname, order, outcome):
    """Seen to fail: each order under the other's soname."""
    options = ["-shared", "-fPIC", f"-DORDER={order}", f"-Wl,-soname,{soname}"]
    stub = compiled(tmp_path, "nfs_stub", *options)
    monkeypatch.setenv("RECKON_NFS_LIBRARY", str(stub))
    monkeypatch.setenv("RECKON_NFS_AT", "127.0.0.77:/x")
    monkeypatch.delenv("RECKON_NFS_SPACE", raising=False)
    with socket.create_server(("127.0.0.77", 2049)):
        assert outcome in attempt("files/remote/random", {})


def test_the_server_holds_the_one_capability_that_it_needs(served):
    served.start("near")
    status = Path(f"/proc/{lab_of('near').peer_pid}/status").read_text()
    held = dict(re.findall(r"Cap(Prm|Eff|Bnd|Amb):\s*([0-9a-f]+)", status))
    assert {name: int(bits, 16) for name, bits in held.items()} == {
        "Prm": 1 << CAP_DAC_READ_SEARCH,
        "Eff": 1 << CAP_DAC_READ_SEARCH,
        "Bnd": 1 << CAP_DAC_READ_SEARCH,
        "Amb": 0,
    }
    assert re.search(r"NoNewPrivs:\s*1", status)

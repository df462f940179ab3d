"""The probes of round trips: counted by the kernel, where their servers are, what lies on the wire."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from helpers.capabilities import captures, need, two_cpus
from helpers.network import RTT, Running, of_part, own, possible
from helpers.peers import Peer
from helpers.probes import in_python, median_ns, quickest_ns
from helpers.processes import until
from helpers.project import ROOT

from reckon.measurement import library

# --- counts ------------------------------------------------------------------------------------

COUNTERS = """
def counters():
    found = {}
    for file in ("snmp", "netstat", "snmp6"):
        lines = [line.split() for line in open("/proc/self/net/" + file)]
        if file == "snmp6":
            found.update({name: int(value) for name, value in lines})
        else:
            for names, values in zip(lines[::2], lines[1::2]):
                found.update({names[0] + n: int(v) for n, v in zip(names[1:], values[1:])})
    return found
def grown(probe, params, samples):
    before = counters()
    one = library.run(probe, params, samples=samples, warmup=0)
    after = counters()
    return {name: after[name] - before.get(name, 0) for name in after}, [int(n) for n in one.ops]
"""
DATA, DATAGRAMS = "TcpExt:TCPOrigDataSent", "Udp:OutDatagrams"
# What one round trip of a sample adds to which counter, and how many a sample has of it.
COUNTED = {
    "tcp": (DATA, 2),
    "tcp_across": (DATA, 2),
    "tcp_wire": (DATA, 2),
    "t470": (DATA, 2),
    "i7_10750h": (DATA, 2),
    "mbp2016": (DATA, 2 * 3),
    "hpe_i7_860": (DATA, 1),
    "udp": (DATAGRAMS, 2),
    "udp_across": (DATAGRAMS, 2),
    "icmp": ("Icmp:InEchoReps", 1),
}


def test_every_probe_is_counted():
    assert sorted(COUNTED) == of_part(RTT)


@pytest.mark.parametrize("probe", COUNTED)
def test_a_sample_has_its_number_of_round_trips(probe):
    """By the kernel's counters, in a network where nobody else sends."""
    possible(RTT + probe)
    counter, each = COUNTED[probe]
    params = (
        {"rounds": 4} if "rounds" in {p.name for p in library.probe(RTT + probe).parameters} else {}
    )
    rounds = params.get("rounds", 1)
    few, many, ops = in_python(
        COUNTERS + f"few, _ = grown('network/rtt/{probe}', {params}, 3)\n"
        f"many, ops = grown('network/rtt/{probe}', {params}, 13)\n"
        f"say([few['{counter}'], many['{counter}'], ops])",
        prefix=own(),
    )
    assert ops == [rounds] * 13
    assert many - few == (13 - 3) * rounds * each


@pytest.mark.alone  # on a busy machine a large message is acknowledged in more or fewer pieces
@pytest.mark.parametrize(
    "probe", [probe for probe in COUNTED if probe not in ("icmp", "hpe_i7_860")]
)
@pytest.mark.parametrize("size", [1, 65536])
def test_a_message_of_any_size_goes_there_and_back(probe, size):
    possible(RTT + probe)
    (parameter,) = (p for p in library.probe(RTT + probe).parameters if p.name == "size_bytes")
    size = min(size, parameter.maximum)
    small, large = in_python(
        COUNTERS
        + f"said = [grown('network/rtt/{probe}', {{'size_bytes': {size}}}, n) for n in (2, 12)]\n"
        # A report's server is a program that may not listen yet: a refused connection is SYN and RST.
        "say([one['IpExt:OutOctets'] - 100 * one['Tcp:AttemptFails'] for one, _ in said])",
        prefix=own(),
    )
    rounds = 3 * 100 if probe == "mbp2016" else 1
    bytes_each = (large - small) / 10 / rounds
    # Headers and acknowledgements come to it: of one packet or, in the largest, of some.
    assert 2 * size + 40 < bytes_each < 2 * size + 1000


@pytest.mark.parametrize("probe", of_part(RTT))
def test_the_counters_of_tcp_are_in_the_record(probe):
    possible(RTT + probe)
    samples = library.run(RTT + probe, samples=2)
    # Of the whole namespace, so others' may be among them; -1 would be "not known".
    assert min(samples.retransmits, samples.listen_overflows, samples.listen_drops) >= 0
    assert samples.time_wait >= 0


@pytest.mark.parametrize("probe", ["tcp", "udp", "icmp"])
@pytest.mark.timed
def test_a_trial_of_20_rounds_takes_20_times_as_long_as_one(probe):
    probe, samples = f"network/rtt/{probe}", 30

    def trial(rounds):
        return median_ns(probe, {"rounds": rounds}, 5, samples=samples) * rounds

    assert 4 < trial(20) / trial(1) < 100


@pytest.mark.timed
def test_64_kib_take_longer_than_a_byte():
    for probe, most in (("tcp", 65536), ("udp", 65507)):
        large, small = quickest_ns(
            *((f"network/rtt/{probe}", {"size_bytes": size}) for size in (most, 1))
        )
        assert large > 1.3 * small, probe


@pytest.fixture
def open_folder():
    """A folder that other users can reach as well: the parents of tmp_path they may not enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def test_a_byte_is_sent_each_interval_and_acknowledged_at_once(open_folder, monkeypatch):
    """TCP_QUICKACK is set before the first read and after each one. What it does cannot be timed: a
    process that reads all there is has it acknowledged, too."""
    captures()
    hook, calls = open_folder / "quickacks.so", open_folder / "calls"
    calls.touch()
    calls.chmod(0o666)  # the peer gives up root's privileges
    build = ["gcc", "-O2", "-shared", "-fPIC", ROOT / "tests/csrc/programs/quickacks.c", "-o", hook]
    assert subprocess.run(build).returncode == 0
    with monkeypatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(hook))
        patch.setenv("QUICKACKS", str(calls))
        peer = Peer()
    with peer:
        params = {"interval_us": 20_000, "peer": "other"}
        samples = library.run(RTT + "hpe_i7_860", params, peer.places, samples=10, warmup=0)
    assert samples.wall_ns > 9 * 20_000_000
    assert until(lambda: calls.stat().st_size == 1 + 10), calls.stat().st_size


@pytest.mark.timed
def test_the_captured_round_trip_is_shorter_than_the_caller_s():
    captures()
    for size in (1, 64, 20_000):
        wire, caller = quickest_ns(
            *((f"network/rtt/{probe}", {"size_bytes": size}) for probe in ("tcp_wire", "tcp"))
        )
        assert caller / 20 < wire < caller, size


# --- where -------------------------------------------------------------------------------------


def allowed(task):
    status = (Path(task) / "status").read_text()
    return re.search(r"Cpus_allowed_list:\s*(.*)", status)[1]


@pytest.mark.parametrize("probe", ["tcp", "udp", "tcp_wire", "t470", "i7_10750h", "hpe_i7_860"])
def test_the_server_is_on_the_probes_cpu(probe):
    possible(RTT + probe)
    with Running(RTT + probe) as running:
        seen = [allowed(f"/proc/{pid}") for pid in running.servers]
    assert set(seen) == {str(library.default_cpu())}


@pytest.mark.parametrize("probe", ["tcp_across", "udp_across"])
def test_across_the_server_is_on_the_lowest_other_cpu(probe):
    two_cpus()
    with Running(RTT + probe) as running:
        seen = [allowed(f"/proc/{pid}") for pid in running.servers]
    assert set(seen) == {str(min(os.sched_getaffinity(0) - {library.default_cpu()}))}


def test_the_thread_of_mbp2016_runs_where_the_scheduler_puts_it():
    two_cpus()
    wanted = {str(library.default_cpu()), allowed("/proc/self")}
    with Running(RTT + "mbp2016") as running:
        tasks = Path(f"/proc/{running.probe}/task")
        assert until(lambda: {allowed(task) for task in tasks.iterdir()} == wanted)


def test_hold_idle_sets_the_kernel_s_latency_limit_to_0():
    device = Path("/dev/cpu_dma_latency")
    need(os.access(device, os.W_OK), "this user may not write to /dev/cpu_dma_latency")

    def most_us():
        with device.open("rb") as file:
            return int.from_bytes(file.read(4), "little", signed=True)

    before = most_us()
    if before == 0:
        pytest.skip("somebody else holds them")
    with Running(RTT + "tcp", hold_idle=1):
        held = most_us()
    assert (held, most_us()) == (0, before)

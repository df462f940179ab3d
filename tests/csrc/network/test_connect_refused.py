"""The probes of network/connect where a right, an address, a CPU or a descriptor is missing."""

import os
import signal
import threading

import pytest
from helpers.capabilities import has_capability, other_users, two_cpus
from helpers.connections import ACROSS, PART, PROBES, WIRE, in_own_network
from helpers.probes import NOBODY_ELSE, in_python
from helpers.processes import pids_gone, probes_of, running, until

from reckon.measurement import library


def test_without_the_right_to_capture_the_wire_probes_cannot_and_the_others_run():
    other_users()
    two_cpus()
    said = in_python(
        f"become({NOBODY_ELSE})\nsay({{probe: attempt('{PART}' + probe) for probe in {PROBES}}})"
    )
    for probe, what in said.items():
        if probe in WIRE:
            assert what == "ProbeUnsupported: needs root (CAP_NET_RAW) to capture packets", probe
        else:
            assert what == "ran", probe


def test_where_there_is_no_ipv4_all_probes_run():
    two_cpus()
    said = in_own_network(
        f"say({{probe: attempt(PART + probe) for probe in {PROBES}}})",
        "ip addr del 127.0.0.1/8 dev lo && ",
    )
    assert said == dict.fromkeys(PROBES, "ran")


def test_with_one_cpu_the_probes_across_say_that_they_cannot():
    said = in_python(
        f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
        f"say({{probe: attempt('{PART}' + probe) for probe in {PROBES}}})"
    )
    for probe, what in said.items():
        if probe in ACROSS:
            assert "needs a second CPU" in what, probe
        elif probe not in WIRE or has_capability("net_raw"):
            assert what == "ran", probe


@pytest.mark.parametrize("probe", ACROSS)
def test_the_cpu_of_another_host_is_not_to_be_chosen(probe):
    with pytest.raises(library.ProbeUnsupported, match="take the probe without _across"):
        library.run(PART + probe, {"peer": "other"})


# A peer as another host's would be, so that a probe's own descriptors are those of its connections.
OTHER = """
import subprocess, sys
token = {**os.environ, "RECKON_PEER_TOKEN": "made-up-token-of-the-tests"}
program = os.environ["RECKON_LIB"] + "/reckon-peer"
peer = subprocess.Popen([program, "--listen", "127.0.0.1:0", "--until-eof"], env=token, text=True,
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
os.environ["RECKON_PEER_AT"] = peer.stdout.readline().split()[-1]
os.environ["RECKON_PEER_TOKEN"] = token["RECKON_PEER_TOKEN"]
os.environ.pop("RECKON_PEER_SPACE", None)
"""


@pytest.mark.parametrize("peer", ["loopback", "other"])
def test_in_this_process_no_probe_leaves_anything_behind(peer):
    """Also where descriptors run out half-way."""
    said = in_python(
        (OTHER if peer == "other" else "") + "files = len(os.listdir('/proc/self/fd'))\n"
        "_, most = resource.getrlimit(resource.RLIMIT_NOFILE)\nsaid = []\n"
        f"for probe in {[probe for probe in PROBES if peer == 'loopback' or probe not in ACROSS]}:\n"
        "    for limit in [*range(files - 1, files + 5), most]:\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))\n"
        f"        what = attempt('{PART}' + probe, {{'peer': {peer!r}}}, isolated=False)\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\n"
        "        left = len(os.listdir('/proc/self/fd')) - files\n"
        "        said.append([probe, what, left, left_behind()[1]])\n"
        + ("peer.stdin.close()\npeer.wait(10)\n" if peer == "other" else "")
        + "say(said)"
    )
    assert all(left == 0 for _, _, left, _ in said)
    assert all(child in (None, [0, 0]) for *_, child in said)
    told = {what for _, what, *_ in said if what != "ran"}
    if peer == "other":
        assert {"ProbeUnsupported: socket is refused here: Too many open files"} < told
        assert not [w for w in told if "Too many open files" not in w and "CAP_NET_RAW" not in w]
    for probe in said[0][0], said[-1][0]:
        assert {what == "ran" for name, what, *_ in said if name == probe} == {True, False}


def test_no_server_outlives_a_killed_probe():
    failed = []

    def long():
        try:
            library.run(PART + "connect", samples=1_000_000, warmup=0, deadline_s=20)
        except library.ProbeFailed as error:
            failed.append(str(error))

    runner = threading.Thread(target=long)
    runner.start()
    (peer,) = until(lambda: running("reckon-peer"))[:1]
    (probe,) = probes_of(os.getpid())
    os.kill(probe, signal.SIGKILL)
    runner.join()
    assert "died of signal 9" in failed[0]
    assert pids_gone([peer])

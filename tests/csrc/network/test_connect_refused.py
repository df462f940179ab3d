"""The rows of network/connect where a right, an address, a CPU or a descriptor is missing."""

import os
import signal
import threading

import pytest
from helpers.capabilities import has_capability, other_users, two_cpus
from helpers.connections import ACROSS, PART, ROWS, WIRE, in_own_network
from helpers.processes import pids_gone, probes_of, running, until
from helpers.rows import NOBODY_ELSE, in_python

from reckon.measurement import library


def test_without_the_right_to_capture_the_wire_rows_cannot_and_the_others_run():
    other_users()
    two_cpus()
    said = in_python(
        f"become({NOBODY_ELSE})\nsay({{row: attempt('{PART}' + row) for row in {ROWS}}})"
    )
    for row, what in said.items():
        if row in WIRE:
            assert what == "ProbeUnsupported: needs root (CAP_NET_RAW) to capture packets", row
        else:
            assert what == "ran", row


def test_where_there_is_no_ipv4_all_rows_run():
    two_cpus()
    said = in_own_network(
        f"say({{row: attempt(PART + row) for row in {ROWS}}})", "ip addr del 127.0.0.1/8 dev lo && "
    )
    assert said == dict.fromkeys(ROWS, "ran")


def test_with_one_cpu_the_rows_across_say_that_they_cannot():
    said = in_python(
        f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
        f"say({{row: attempt('{PART}' + row) for row in {ROWS}}})"
    )
    for row, what in said.items():
        if row in ACROSS:
            assert "needs a second CPU" in what, row
        elif row not in WIRE or has_capability("net_raw"):
            assert what == "ran", row


@pytest.mark.parametrize("row", ACROSS)
def test_the_cpu_of_another_host_is_not_to_be_chosen(row):
    with pytest.raises(library.ProbeUnsupported, match="take the probe without _across"):
        library.run(PART + row, {"peer": "other"})


# A peer as another host's would be, so that a row's own descriptors are those of its connections.
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
def test_in_this_process_no_row_leaves_anything_behind(peer):
    """Also where descriptors run out half-way."""
    said = in_python(
        (OTHER if peer == "other" else "") + "files = len(os.listdir('/proc/self/fd'))\n"
        "_, most = resource.getrlimit(resource.RLIMIT_NOFILE)\nsaid = []\n"
        f"for row in {[row for row in ROWS if peer == 'loopback' or row not in ACROSS]}:\n"
        "    for limit in [*range(files - 1, files + 5), most]:\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))\n"
        f"        what = attempt('{PART}' + row, {{'peer': {peer!r}}}, isolated=False)\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\n"
        "        left = len(os.listdir('/proc/self/fd')) - files\n"
        "        said.append([row, what, left, left_behind()[1]])\n"
        + ("peer.stdin.close()\npeer.wait(10)\n" if peer == "other" else "")
        + "say(said)"
    )
    assert all(left == 0 for _, _, left, _ in said)
    assert all(child in (None, [0, 0]) for *_, child in said)
    told = {what for _, what, *_ in said if what != "ran"}
    if peer == "other":
        assert {"ProbeUnsupported: socket is refused here: Too many open files"} < told
        assert not [w for w in told if "Too many open files" not in w and "CAP_NET_RAW" not in w]
    for row in said[0][0], said[-1][0]:
        assert {what == "ran" for name, what, *_ in said if name == row} == {True, False}


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

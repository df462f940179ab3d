"""What the tests of other programs as probes share: fake programs, and what a probe says that runs one."""

import os
import shutil
import sys

from helpers.probe_script import few
from helpers.probes import NOTHING, in_python
from helpers.programs import others

PING, SOCKPERF, IPERF3 = "network/rtt/ping", "network/rtt/sockperf", "network/throughput/iperf3"
READ, CONTENTION = "files/read/fio", "files/contention/fio"
NETWORK = {PING: "ping", SOCKPERF: "sockperf", IPERF3: "iperf3"}
PROGRAM = {**NETWORK, READ: "fio", CONTENTION: "fio"}

# Processes, mounts and a network of the program's own; process 1, a shell, reaps what is left.
PRIVATE = ["unshare", "-m", "-p", "-f", "-n", "--mount-proc", "--kill-child", "sh", "-c"]
NOBODY = [[], 0]  # what alone() gives

# A server for a fake client: listens on the port after -p, for as long as the client runs.
LISTEN = (
    f"exec {sys.executable} -c 'import socket, sys, time; "
    's = socket.create_server(("127.0.0.1", int(sys.argv[sys.argv.index("-p") + 1]))); '
    'time.sleep(0.5)\' "$@"'
)
REAL = 'exec "$REAL" "$@"'


def private(before, network="ip link set lo up"):
    return [*PRIVATE, f'{network} && {before} && "$@"; exit $?', "sh"]


def path_of(probe):
    return os.path.realpath(shutil.which(PROGRAM[probe]))


def outcomes_in_turn(probe, prefix, path, cases, before=""):
    """[ns, operations] or the error of the probe under that prefix, case after case as others.in_turn has
    them; nothing is left of any."""
    path = path and str(path)
    results = in_python(others.in_turn, probe, path, cases, prefix=prefix, before=before)
    assert [left for _, *left in results] == [[NOTHING, NOBODY]] * len(cases)
    return [outcome for outcome, *_ in results]


def outcome_of(probe, prefix, before="", **how):
    """What the probe says under that prefix: "ran", or its error."""
    how = {"params": few(probe), "samples": 2, "warmup": 0, **how}
    [outcome] = outcomes_in_turn(probe, prefix, None, [("", how)], before)
    return outcome if isinstance(outcome, str) else "ran"

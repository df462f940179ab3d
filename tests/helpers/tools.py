"""What the tests of other programs as probes share: fake programs, and a script that runs them."""

import sys

from helpers.probes import NOTHING, in_python

PING, SOCKPERF, IPERF3 = "network/rtt/ping", "network/rtt/sockperf", "network/throughput/iperf3"
PROGRAM = {PING: "ping", SOCKPERF: "sockperf", IPERF3: "iperf3"}

# Processes, mounts and a network of the script's own; process 1, a shell, reaps what is left.
PRIVATE = ["unshare", "-m", "-p", "-f", "-n", "--mount-proc", "--kill-child", "sh", "-c"]
# alone(): the processes beside the two, and the number of ports on which something listens.
ALONE = """
def alone():
    def others():
        return {p for p in os.listdir("/proc") if p.isdigit()} - {"1", str(os.getpid())}
    until(lambda: not others(), 1)  # process 1 may not have reaped them yet
    tables = [open(f"/proc/net/{name}").read().splitlines()[1:] for name in ("tcp", "tcp6")]
    return [sorted(others()), sum(line.split()[3] == "0A" for table in tables for line in table)]
"""
NOBODY = [[], 0]

# A server for a fake client: listens on the port after -p, for as long as the client runs.
LISTEN = (
    f"exec {sys.executable} -c 'import socket, sys, time; "
    's = socket.create_server(("127.0.0.1", int(sys.argv[sys.argv.index("-p") + 1]))); '
    'time.sleep(0.5)\' "$@"'
)


def private(before, network="ip link set lo up"):
    return [*PRIVATE, f'{network} && {before} && "$@"; exit $?', "sh"]


def said_by(probe, prefix, before="", **how):
    """What the probe says there; nothing is left of it."""
    return said_in_turn(probe, prefix, [before], **how)[0]


def said_in_turn(probe, prefix, befores, **how):
    """The same after each of these, in one script."""
    outcomes = in_python(
        ALONE + f"found = []\nfor before in {befores!r}:\n    exec(before)\n"
        f"    found.append([attempt({probe!r}, **{how}), left_behind(), alone()])\nsay(found)",
        prefix=prefix,
    )
    assert [outcome[1:] for outcome in outcomes] == [[NOTHING, NOBODY]] * len(befores)
    return [outcome[0] for outcome in outcomes]

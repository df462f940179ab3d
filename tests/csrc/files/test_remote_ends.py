"""However a server, its lab or its reader ends, nothing of them is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.labs import gone, living_in, spaces_of
from helpers.project import ROOT
from helpers.served import can_serve

pytestmark = pytest.mark.alone  # it looks for all that a server leaves

STARTED = """
import time
from reckon.hosts import nfs
from reckon.computer import scratch
nfs.connect("near", scratch.prepare(1, 4096)[0].parent)
lab = nfs._started[0]
print(scratch.folder(), lab.pid, lab.relay_pid, lab.peer_pid, flush=True)
"""


@pytest.mark.parametrize("whom", ["itself", "python", "lab", "relay", "server"])
def test_whoever_ends_nothing_is_left(whom):
    can_serve()
    disk = Path("/var/tmp") / f"reckon-test-ends-{os.getpid()}"
    disk.mkdir()
    wait = "" if whom == "itself" else "time.sleep(60 if lab.running else 0)"
    if whom in ("lab", "relay", "server"):
        wait = "end = time.time() + 20\nwhile lab.running and time.time() < end: time.sleep(0.02)"
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED + wait],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RECKON_SCRATCH": str(disk)},
    )
    try:
        folder, *pids = process.stdout.readline().split()
        lab, relay, server = map(int, pids)
        spaces = set().union(*map(spaces_of, (lab, relay, server))) if whom != "itself" else set()
        victim = {"python": process.pid, "lab": lab, "relay": relay, "server": server}.get(whom)
        if victim:
            os.kill(victim, signal.SIGKILL)
        process.wait(30)
        assert gone(spaces, {lab, relay, server}), living_in(spaces)
        left = sorted(path.name for path in disk.rglob("*"))
        if whom == "python":  # the files alone, which the next one sweeps away
            assert left == sorted([Path(folder).name, "data-0"])
            subprocess.run(
                [
                    sys.executable,
                    "-c",
                    "from reckon.computer import scratch; scratch.prepare(1, 4096)",
                ],
                cwd=ROOT,
                check=True,
                env={**os.environ, "RECKON_SCRATCH": str(disk)},
            )
            left = sorted(path.name for path in disk.rglob("*"))
        assert left == []
    finally:
        process.kill()
        subprocess.run(["rm", "-r", str(disk)], check=True)

"""However a server, its lab or its reader ends, nothing of them is left."""

import json
import os
import signal
import tempfile
from pathlib import Path

import pytest
from helpers.labs import gone, living_in, spaces_of
from helpers.probes import in_python, started
from helpers.programs import files
from helpers.served import can_serve


@pytest.mark.parametrize("victim", ["itself", "python", "lab", "relay", "server"])
def test_whoever_ends_nothing_is_left(victim):
    can_serve()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="reckon-test-ends-") as disk:
        environment = {"RECKON_SCRATCH": disk}
        with started(files.hold_server, victim == "itself", environment=environment) as process:
            folder, pids = json.loads(process.stdout.readline())
            spaces = {}
            if victim != "itself":
                spaces = spaces_of(*pids.values())
                os.kill({**pids, "python": process.pid}[victim], signal.SIGKILL)
            process.wait(30)
        assert gone(spaces, pids.values()), living_in(spaces)
        left = {path.name for path in Path(disk).rglob("*")}
        if (
            victim == "python"
        ):  # the files alone, which the next preparation of the folder sweeps away
            assert left == {Path(folder).name, "data-0"}
            sweep = "from reckon.computer import scratch\nscratch.prepare_files(1, 4096)"
            in_python(sweep, **environment)
            left = {path.name for path in Path(disk).rglob("*")}
        assert left == set()

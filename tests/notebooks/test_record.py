"""`make record` adds one quantity to a recorded run, and changes nothing else of it."""

import json
import os
import subprocess
import sys

from helpers import pages
from helpers.project import ROOT

from reckon import records
from reckon.records import verify

LACKING = "cpu/timer/rdtsc"


def test_what_a_run_lacks_is_measured_and_added(tmp_path):
    run = pages.copy_recorded(tmp_path)
    path = run / "cpu/timer.json"
    before = records.read_record(run, "cpu/timer").quantities
    data = json.loads(path.read_text())
    del data["quantities"][LACKING]
    path.write_text(json.dumps(data))
    files = {file: file.read_bytes() for file in run.rglob("*.json") if file != path}
    command = [sys.executable, "-m", "helpers.record", "cpu/timer", run.parent]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    subprocess.run(command, env=environment, check=True)
    after = records.read_record(run, "cpu/timer").quantities
    assert after.keys() == before.keys() and verify.faults(run) == []
    added = after.pop(LACKING)
    assert (
        added.has_samples and added.measurement.started_at > before[LACKING].measurement.started_at
    )
    for name, quantity in after.items():
        ticks = [
            [[process.ticks for process in point.processes] for point in entry.measurement.points]
            for entry in (quantity, before[name])
        ]
        assert ticks[0] == ticks[1], name
    assert {file: file.read_bytes() for file in files} == files

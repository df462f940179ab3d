"""What a build computes and keeps: read again while what it was made from is unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from reckon import config, records
from reckon.records import verify
from reckon.records.session import current_session


def kept(name: str, version: list, compute: Callable[[], Any]) -> Any:
    """What is computed, as JSON has it; read from a file of the build while the version lasts."""
    path = config.settings().build_dir / name
    if path.exists() and (last := json.loads(path.read_text("utf-8"))).get("version") == version:
        return last["value"]
    value = compute()
    records.write_whole(path, json.dumps({"version": version, "value": value}) + "\n")
    return value


def faults_of_run() -> list[str]:
    """What `reckon verify` finds broken in the run; kept while no file of the run changes."""
    run = current_session().run.name
    files = sorted(path for path in records.run_dir(run).rglob("*") if path.is_file())
    version = [[str(path), *records.version_of(path)] for path in files]
    return kept("verified.json", version, lambda: verify.faults(run))

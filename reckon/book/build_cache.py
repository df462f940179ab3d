"""Values that a build computed, read from its files again while their sources are unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from reckon import config, records
from reckon.records.run_files import verify


def read_or_compute(name: str, version: list, compute: Callable[[], Any]) -> Any:
    """What `compute` returns, a value for JSON, from the build's file of that name if it can be.

    version: what the value is made from, for JSON; another one has it computed again.
    """
    path = config.settings().build_dir / name
    if path.exists():
        entry = json.loads(path.read_text("utf-8"))
        if entry.get("version") == version:
            return entry["value"]
    value = compute()
    records.write_whole(path, json.dumps({"version": version, "value": value}) + "\n")
    return value


def faults_of_run(run: str) -> list[str]:
    """What `reckon verify` names of the run; computed again when a file of the run has changed."""
    files = sorted(path for path in records.run_dir(run).rglob("*") if path.is_file())
    version = [[str(path), *records.version_of(path)] for path in files]
    return read_or_compute("verified.json", version, lambda: verify.faults(run))

"""What the commands print alike."""

from __future__ import annotations

import json


def print_json(value) -> None:
    """Prints the value for `--json`."""
    print(json.dumps(value, indent=1))

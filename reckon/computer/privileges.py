"""Whether this process has a capability on the machine, and not in a user namespace alone."""

from __future__ import annotations

import re
from pathlib import Path

CAP_DAC_READ_SEARCH, CAP_SYS_NICE = 2, 23  # capabilities(7)
_FIRST_USER_NAMESPACE = ["0", "0", "4294967295"]  # user_namespaces(7), uid_map


def is_capable(capability: int) -> bool:
    """True if the capability is in force in the first user namespace.

    Raises OSError without /proc."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    effective = re.search(r"CapEff:\s*([0-9a-f]+)", status)
    held = int(effective[1], 16) if effective else 0
    users = Path("/proc/self/uid_map").read_text(encoding="utf-8").split()
    return bool(held >> capability & 1) and users == _FIRST_USER_NAMESPACE

"""Which machine a run belongs to: hashes of its description, and the run's default name."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from textwrap import shorten

from reckon import units
from reckon.computer.facts import Machine
from reckon.computer.fields import FIELDS
from reckon.computer.system_files import read_text

# machine-id(5) asks for a keyed hash, so that nobody learns the id itself.
_MACHINE_ID, _MACHINE_ID_KEY = "/etc/machine-id", b"Reckon: the identity of a run"


# What samples depend on. The CPU that is measured is a part of their key (measurement/reuse.py).
_CONFIGURATION = (
    "processor.model",
    "processor.threads",
    "processor.microcode",
    "processor.time_limit",
    "memory.limit",
    "memory.huge_pages",
    "memory.reserved_huge_pages",
    "system.kernel",
    "system.clocksource",
    "system.mitigations",
)
# What the kernel adds to a mitigation, by the siblings that are online.
_OF_SIBLINGS = re.compile(r"[;,] (?:SMT|STIBP)[^;,]*")


def _values(machine: Machine) -> dict[str, int | float | str | None]:
    values = {field: machine.value(field) for field in _CONFIGURATION}
    values["system.mitigations"] = _OF_SIBLINGS.sub("", str(values["system.mitigations"]))
    return values


def configuration(machine: Machine) -> str:
    """A hash of the processor, microcode, kernel and mitigations, the clock source, huge pages and
    the limits of memory and CPU time: samples of another one are samples of another run."""
    return hashlib.sha256(json.dumps(list(_values(machine).values())).encode()).hexdigest()[:12]


def changes(before: Machine, after: Machine) -> list[str]:
    """What makes the second description another state of a machine, such as "Clock source (tsc, now
    hpet)"; nothing for another processor. What an older description lacks is not compared."""
    old, new = _values(before), _values(after)
    if old["processor.model"] != new["processor.model"]:
        return []
    return [
        f"{FIELDS[field][0]} ({_brief(field, old[field])}, now {_brief(field, new[field])})"
        for field in _CONFIGURATION
        if old[field] != new[field] and field in before.fields()
    ]


def _brief(field: str, value: int | float | str | None) -> str:
    if value is None:
        return "none"
    _, unit = FIELDS[field]
    return units.amount(float(value), unit) if unit else shorten(str(value), 40, placeholder=" …")


def identity(machine: Machine) -> str:
    """A hash that two machines do not share, though they are alike: configuration() and machine id.

    Without a machine id it is configuration()."""
    machine_id = read_text(_MACHINE_ID)
    if not machine_id:
        return configuration(machine)
    content = f"{configuration(machine)} {machine_id}".encode()
    return hmac.digest(_MACHINE_ID_KEY, content, "sha256").hex()[:12]


def host() -> str | None:
    """A hash of the machine id alone, which a new kernel leaves as it is; None without an id."""
    machine_id = read_text(_MACHINE_ID)
    if not machine_id:
        return None
    return hmac.digest(_MACHINE_ID_KEY, machine_id.encode(), "sha256").hex()[:12]


def default_run_name(machine: Machine) -> str:
    """A folder's name made of the processor's model, the kernel's release and identity()."""
    model = str(machine.value("processor.model") or "machine")
    kernel = str(machine.value("system.kernel")).split()[0]
    text = re.sub(r"\((R|TM)\)|CPU|Processor|@.*", " ", model, flags=re.I)
    slug = re.sub(r"[^a-z0-9.]+", "-", f"{text} {kernel}".lower()).strip("-.")
    return f"{slug}-{identity(machine)[:6]}"

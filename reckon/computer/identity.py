"""Which machine a run belongs to: hashes of its description, and the run's default name."""

from __future__ import annotations

import hashlib
import hmac
import json
import re

from reckon.computer.facts import Machine
from reckon.computer.system_files import read_text

# machine-id(5) asks for a keyed hash, so that nobody learns the id itself.
_MACHINE_ID, _MACHINE_ID_KEY = "/etc/machine-id", b"Reckon: the identity of a run"


def configuration(machine: Machine) -> str:
    """A hash of what samples depend on: processor, microcode, kernel and mitigations."""
    parts = [machine.value(f"processor.{key}") for key in ("model", "threads", "microcode")]
    parts += [machine.value(f"system.{key}") for key in ("kernel", "mitigations")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


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

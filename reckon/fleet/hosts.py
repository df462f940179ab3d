"""The hosts of a Dask cluster: which workers are on one host, which hosts share a machine."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

RESOURCE = "reckon"  # of which a measurement takes one, so that no two run on a host at once
START_WORKER = f'dask worker SCHEDULER --nthreads 1 --resources "{RESOURCE}=1"'


@dataclass(frozen=True)
class Host:
    """A host with a worker."""

    name: str  # its own, unless two hosts have the same
    hostname: str
    machine: str  # the id of its kernel's boot: hosts that share it are measured in turn
    address: str  # where other hosts reach it


@dataclass
class Found:
    """The hosts of a cluster with a worker of each, and why other workers are of no use."""

    workers: dict[Host, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @property
    def hosts(self) -> list[Host]:
        """All of them."""
        return list(self.workers)

    def worker_of(self, host: Host) -> str | None:
        """The address of a worker on the host, even if it was restarted; None if there is none."""
        same_name = [each for each in self.workers if each.hostname == host.hostname]
        for attribute in ("machine", "address"):
            for each in same_name:
                if getattr(each, attribute) == getattr(host, attribute):
                    return self.workers[each]
        return None


def group(known: Mapping[str, dict], answers: Mapping[str, Any], software: str) -> Found:
    """The hosts by what the scheduler knows of each worker, and what each says of its host.

    software: what measures here; figures of another one would not be comparable."""
    found = Found()
    of_host: dict[tuple[str, str], list[str]] = defaultdict(list)
    for worker, about in known.items():
        answer = answers.get(worker)
        if not isinstance(answer, dict):
            found.skipped.append(f"The worker {worker} {_why_useless(answer)}.")
        elif about.get("resources", {}).get(RESOURCE, 0) < 1:
            found.skipped.append(
                f"The worker {worker} on {answer['hostname']} has no resource {RESOURCE}; start it "
                f"as `{START_WORKER}`."
            )
        elif answer.get("software") != software:
            found.skipped.append(
                f"The worker {worker} on {answer['hostname']} has "
                f"{answer.get('software', 'an older Reckon')}, not {software} as here; update its "
                "checkout and restart it."
            )
        else:
            of_host[answer["hostname"], answer["machine"]].append(worker)
    names = Counter(hostname for hostname, _ in of_host)
    for (hostname, machine), workers in sorted(of_host.items()):
        worker = min(workers)
        address = urlsplit(worker).hostname or worker
        name = hostname if names[hostname] == 1 else f"{hostname}-{address}"
        name = re.sub(r"[^\w.-]", ".", name)  # files are named after it
        found.workers[Host(name, hostname, machine, address)] = worker
    return found


def _why_useless(answer: object) -> str:
    if isinstance(answer, ModuleNotFoundError | ImportError | AttributeError):
        return "has no Reckon, or another one; start it with the Python of a checkout's .venv"
    return "does not answer" if answer is None else f"cannot be asked ({answer})"

"""The jobs of a fleet: measuring a host, measuring between two hosts; and in which order.

Jobs that share a machine never run at once, so no host is in two pairs at a time.
"""

from __future__ import annotations

import abc
import secrets
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from distributed import Future

from reckon.fleet import on_host
from reckon.fleet.cluster import Cluster
from reckon.fleet.hosts import Found, Host
from reckon.fleet.on_host import Request
from reckon.hosts.lab import PORT

_RESULT_S = 120.0  # for a run to come over the network


class Job(abc.ABC):
    """Something that hosts do together; `futures` while they do, the last of which decides."""

    def __init__(self, *hosts: Host):
        self.hosts = hosts
        self.attempts = 0
        self.key = ""  # of the attempt
        self.workers: dict[str, Host] = {}  # that take part in it
        self.futures: list[Future] = []

    @property
    def name(self) -> str:
        """That of its host, or of both."""
        return " and ".join(host.name for host in self.hosts)

    @property
    def machines(self) -> set[str]:
        """Those that it needs for itself."""
        return {host.machine for host in self.hosts}

    def begin(self, cluster: Cluster, found: Found) -> bool:
        """Starts an attempt; False where a host has no worker now."""
        workers = [worker for host in self.hosts if (worker := found.worker_of(host))]
        if len(workers) < len(self.hosts):
            return False
        if self.key:
            cluster.ask(on_host.stop, workers, self.key)  # what is left of the attempt before
        self.workers = dict(zip(workers, self.hosts, strict=True))
        self.attempts, self.key = self.attempts + 1, uuid.uuid4().hex
        self.futures = self._submit(cluster, workers)
        return True

    @abc.abstractmethod
    def _submit(self, cluster: Cluster, workers: list[str]) -> list[Future]:
        """The tasks of an attempt."""

    def result(self) -> Any:
        """What the attempt gave, once it is done."""
        return self.futures[-1].result(timeout=_RESULT_S)

    def stop(self, cluster: Cluster) -> None:
        """Tells what still runs of the attempt to end."""
        if not self.has_ended:
            cluster.ask(on_host.stop, self.workers, self.key)

    @property
    def has_ended(self) -> bool:
        """Whether nothing of the attempt runs, as far as is known."""
        return all(future.status in ("finished", "error") for future in self.futures)

    def release(self) -> None:
        """Forgets the attempt's results, here and in the cluster."""
        for future in self.futures:
            future.release()
        self.futures = []


class HostJob(Job):
    """A host's own run."""

    def __init__(self, host: Host, profile: str, pages: str | None, *, fresh: bool):
        super().__init__(host)
        self._profile, self._pages, self._fresh = profile, pages, fresh

    def _submit(self, cluster: Cluster, workers: list[str]) -> list[Future]:
        name = self.hosts[0].name
        request = Request(name, self._profile, self._pages, self._fresh, self.key)
        return [cluster.submit(workers[0], on_host.measure, request)]


class PairJob(Job):
    """The network between two hosts: the first serves, the second measures."""

    def __init__(self, first: Host, second: Host, probes: Sequence[Sequence[str]]):
        super().__init__(first, second)
        self._probes = probes

    def _submit(self, cluster: Cluster, workers: list[str]) -> list[Future]:
        server, client = self.hosts
        token = secrets.token_hex(16)
        address = f"[{server.address}]" if ":" in server.address else server.address
        serving = (server.name, server.address, token, client.address, self.key)
        measuring = (client.name, f"{address}:{PORT}", token, self._probes, self.key)
        return [
            cluster.submit(workers[0], on_host.serve_peer, *serving),
            cluster.submit(workers[1], on_host.measure_pair, *measuring),
        ]


def pairs_in_order(hosts: Sequence[Host]) -> list[tuple[Host, Host]]:
    """Every pair once, so ordered that as many as can be are measured at a time (the circle method
    of tournaments: each round has every host once). Each host is the first in about half of its
    pairs."""
    circle: list[Host | None] = [*hosts, *([None] if len(hosts) % 2 else [])]
    half, pairs = len(circle) // 2, []
    for number in range(len(circle) - 1):
        for place, (first, second) in enumerate(
            zip(circle[:half], reversed(circle[half:]), strict=True)
        ):
            if first is not None and second is not None:
                pairs.append((second, first) if (number + place) % 2 else (first, second))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return pairs


def rounds(jobs: Sequence[Job]) -> int:
    """How many rounds jobs take that take the same time each: at least as many as the machine that
    most of them need has jobs."""
    counts = Counter(machine for job in jobs for machine in job.machines)
    return max(counts.values(), default=0)

"""The jobs of a fleet: measuring a host, measuring between two hosts; and in which order.

Jobs that share a machine never run at once, so each pair of hosts is measured once and no host is
in two pairs at a time.
"""

from __future__ import annotations

import abc
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from distributed import Future

from reckon.fleet import on_host
from reckon.fleet.cluster import Cluster
from reckon.fleet.hosts import RESOURCE, Host
from reckon.fleet.on_host import Measured, Request
from reckon.hosts.lab import PORT

WorkerOf = Callable[[Host], str | None]


@dataclass(eq=False)
class Job(abc.ABC):
    """Something that hosts do together; `futures` while they do, the last of which decides."""

    hosts: tuple[Host, ...]
    attempts: int = 0
    key: str = ""
    workers: dict[str, Host] = field(default_factory=dict)  # of this attempt
    futures: list[Future] = field(default_factory=list)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """What the user is told of."""

    @property
    def machines(self) -> set[str]:
        """Those that it needs for itself."""
        return {host.machine for host in self.hosts}

    def begin(self, cluster: Cluster, worker_of: WorkerOf) -> bool:
        """Starts an attempt; False where a host has no worker now."""
        workers = [worker_of(host) for host in self.hosts]
        if None in workers:
            return False
        self.workers = {str(worker): host for worker, host in zip(workers, self.hosts, strict=True)}
        self.attempts, self.key = self.attempts + 1, uuid.uuid4().hex
        self.futures = self._submit(cluster, list(self.workers))
        return True

    @abc.abstractmethod
    def _submit(self, cluster: Cluster, workers: list[str]) -> list[Future]:
        """The tasks of an attempt."""

    def end(self, cluster: Cluster) -> None:
        """Ends the attempt: what still runs of it is told to."""
        if any(not future.done() for future in self.futures):
            cluster.ask(self._stop, self.workers)
        for future in self.futures:
            future.release()
        self.futures = []

    _stop: Callable[[], None] = staticmethod(on_host.stop)


class HostJob(Job):
    """A host's own run."""

    def __init__(self, host: Host, profile: str, pages: str | None, *, fresh: bool):
        super().__init__((host,))
        self._profile, self._pages, self._fresh = profile, pages, fresh

    @property
    def host(self) -> Host:
        """The host that is measured."""
        return self.hosts[0]

    @property
    def name(self) -> str:
        """That of the host."""
        return self.host.name

    def _submit(self, cluster: Cluster, workers: list[str]) -> list[Future]:
        # What an attempt before this one measured afresh is not measured a third time.
        fresh = self._fresh and self.attempts == 1
        request = Request(self.host.name, self._profile, self._pages, fresh, self.key)
        return [cluster.submit(workers[0], RESOURCE, on_host.measure, request)]

    def result(self) -> Measured:
        """The host's run, once the attempt is done."""
        return self.futures[-1].result()


class PairJob(Job):
    """The network between two hosts: the first serves, the second measures."""

    def __init__(self, first: Host, second: Host, probes: Sequence[Sequence[str]]):
        super().__init__((first, second))
        self._probes = probes

    @property
    def name(self) -> str:
        """Those of both hosts."""
        return " and ".join(host.name for host in self.hosts)

    def _submit(self, cluster: Cluster, workers: list[str]) -> list[Future]:
        server, client = self.hosts
        token = secrets.token_hex(16)
        address = f"[{server.address}]" if ":" in server.address else server.address
        arguments = (server.name, server.address, token, client.address, self.key)
        pair = (client.name, f"{address}:{PORT}", token, self._probes, self.key)
        return [
            cluster.submit(workers[0], RESOURCE, on_host.serve_peer, *arguments),
            cluster.submit(workers[1], RESOURCE, on_host.measure_pair, *pair),
        ]

    def result(self) -> list[dict[str, Any]]:
        """What each probe measured, once the attempt is done."""
        return self.futures[-1].result()


def pairs_in_order(hosts: Sequence[Host]) -> list[tuple[Host, Host]]:
    """Every pair once, so ordered that as many as can be are measured at a time (the circle method
    of tournaments: each round has every host once)."""
    circle: list[Host | None] = [*hosts, *([None] if len(hosts) % 2 else [])]
    half, pairs = len(circle) // 2, []
    for _ in range(len(circle) - 1):
        for first, second in zip(circle[:half], reversed(circle[half:]), strict=True):
            if first is not None and second is not None:
                pairs.append((first, second))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return pairs


def rounds(jobs: Sequence[Job]) -> int:
    """How many rounds jobs take that take the same time each: at least as many as the machine that
    most of them need has jobs."""
    counts = Counter(machine for job in jobs for machine in job.machines)
    return max(counts.values(), default=0)

"""A connection to a Dask scheduler, which may go away and come back."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from distributed import Client, Future
from distributed.comm import CommClosedError

from reckon.errors import ReckonError
from reckon.fleet import hosts, on_host

_CONNECT_S = 5.0
_ANSWER_S = 10.0
_POLL_S = 1.0
# What Dask raises of a connection that is gone.
LOST = (OSError, CommClosedError, CancelledError, asyncio.CancelledError, TimeoutError)


class SchedulerLost(Exception):
    """The scheduler ended, or another one answers at its address: what was submitted is gone."""


class Cluster:
    """The workers of a scheduler, and the tasks that they are given.

    Raises ReckonError where nothing answers at the address."""

    def __init__(self, address: str):
        self.address = address
        self.lines: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()  # key of a task, line
        self._connect()

    def _connect(self) -> None:
        try:
            self._client = Client(
                self.address, timeout=_CONNECT_S, set_as_default=False, name="reckon-fleet"
            )
            self._scheduler = self._identity()["id"]
            self._client.subscribe_topic(on_host.TOPIC, self._take)
        except (*LOST, ValueError, TypeError, RuntimeError) as error:  # some of TLS's settings
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ReckonError(
                f"No Dask scheduler answers at {self.address} ({why.rstrip('.')}); start one with "
                "`dask scheduler`."
            ) from None

    def _identity(self) -> dict[str, Any]:
        scheduler = self._client.scheduler
        assert scheduler  # of a client that is connected
        return self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=_ANSWER_S)

    def _take(self, event: tuple[float, dict[str, str]]) -> None:
        _, message = event
        self.lines.put((message["key"], message["line"]))

    def reconnect(self, patience_s: float, on_wait: Callable[[str], None]) -> None:
        """Waits for the scheduler to be there again. Raises ReckonError after that time."""
        on_wait(f"The scheduler at {self.address} is gone; waiting for it.")
        end_s = time.monotonic() + patience_s
        self.close()
        while True:
            try:
                self._connect()
            except ReckonError:
                if time.monotonic() > end_s:
                    raise
                time.sleep(_POLL_S)
            else:
                on_wait("The scheduler is there again; waiting for its workers.")
                return

    def workers(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows of each worker, by address. Raises SchedulerLost."""
        self.check()
        try:
            about = self._identity()
        except LOST:
            raise SchedulerLost from None
        if about["id"] != self._scheduler:
            raise SchedulerLost
        return dict(about["workers"])

    def check(self) -> None:
        """Raises SchedulerLost if the connection to it has ended."""
        if self._client.status != "running":
            raise SchedulerLost

    def find(self, known: dict[str, dict[str, Any]] | None = None) -> hosts.Found:
        """The hosts of these workers, by default of all. Raises SchedulerLost."""
        known = self.workers() if known is None else known
        return hosts.group(known, self.ask(on_host.describe, known), on_host.software())

    def ask(self, function: Callable, workers: Iterable[str], *arguments: Any) -> dict[str, Any]:
        """What the function gives on each worker; an exception where it raised one, None where no
        answer came in time: a worker that hangs does not keep the others from answering."""

        async def ask_one(worker: str) -> Any:
            with suppress(*LOST):
                answers = await asyncio.wait_for(
                    self._client._run(function, *arguments, workers=[worker], on_error="return"),
                    _ANSWER_S,
                )
                return answers.get(worker)

        async def ask_all(addresses: list[str]) -> list[Any]:
            return await asyncio.gather(*map(ask_one, addresses))

        addresses = list(workers)
        try:
            answers = self._client.sync(ask_all, addresses) if addresses else []
        except LOST:
            return dict.fromkeys(addresses)
        return dict(zip(addresses, answers, strict=True))

    def submit(self, worker: str, function: Callable, *arguments: Any) -> Future:
        """Has that worker call the function, once nothing else measures there."""
        return self._client.submit(
            function,
            *arguments,
            workers=[worker],
            allow_other_workers=False,
            resources={hosts.RESOURCE: 1},
            pure=False,
            retries=0,
        )

    def close(self) -> None:
        """Ends the connection."""
        with suppress(*LOST):
            self._client.close(timeout=2)

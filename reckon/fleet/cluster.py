"""A connection to a Dask scheduler, which may go away and come back."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

import dask
from distributed import Client, Future
from distributed.comm import CommClosedError

from reckon.config import ReckonError
from reckon.fleet.on_host import TOPIC

_CONNECT_S = 5.0
_ANSWER_S = 15.0
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
        self._connect(_CONNECT_S)

    def _connect(self, timeout_s: float) -> None:
        # A task that was lost is submitted again by us, who say so, not by the scheduler.
        dask.config.set({"distributed.comm.timeouts.connect": timeout_s})
        try:
            self._client = Client(
                self.address, timeout=timeout_s, set_as_default=False, name="reckon-fleet"
            )
            self._scheduler = self._client.scheduler_info()["id"]
            self._client.subscribe_topic(TOPIC, self._take)
        except (*LOST, ValueError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ReckonError(
                f"No Dask scheduler answers at {self.address} ({why.rstrip('.')}); start one with "
                "`dask scheduler`."
            ) from None

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
                self._connect(_CONNECT_S)
            except ReckonError:
                if time.monotonic() > end_s:
                    raise
                time.sleep(_POLL_S)
            else:
                on_wait("The scheduler is there again.")
                return

    def workers(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows of each worker, by address. Raises SchedulerLost."""
        self.check()
        scheduler = self._client.scheduler
        assert scheduler  # of a client that is connected
        try:
            info = self._client.sync(scheduler.identity, n_workers=-1)
        except LOST:
            raise SchedulerLost from None
        return dict(info["workers"])

    def check(self) -> None:
        """Raises SchedulerLost if it ended or is another one."""
        if self._client.status != "running":
            raise SchedulerLost
        if self._client.scheduler_info().get("id", self._scheduler) != self._scheduler:
            raise SchedulerLost

    def ask(self, function: Callable, workers: Iterable[str]) -> dict[str, Any]:
        """What the function gives on each worker; an exception where it raised one, None where no
        answer came."""
        answers: dict[str, Any] = dict.fromkeys(workers)
        if not answers:
            return {}
        with suppress(*LOST):
            answers |= self._client.sync(
                self._client._run,
                function,
                workers=list(answers),
                on_error="return",
                callback_timeout=_ANSWER_S,
            )
        return answers

    def submit(self, worker: str, resource: str, function: Callable, *arguments: Any) -> Future:
        """Has that worker call the function, once it has one of the resource."""
        return self._client.submit(
            function,
            *arguments,
            workers=[worker],
            allow_other_workers=False,
            resources={resource: 1},
            pure=False,
            retries=0,
        )

    def close(self) -> None:
        """Ends the connection."""
        with suppress(*LOST):
            self._client.close(timeout=2)

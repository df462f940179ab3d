"""The hosts that this process measures against: each is greeted or started once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from reckon.hosts import HostUnavailable
from reckon.hosts.lab import Lab


@dataclass(frozen=True, kw_only=True)
class Host:
    """A host that probes talk to: a real one, or a lab host."""

    # How a probe reaches it, by the names of rk_location() in csrc/probe/probe.h. A token among
    # them is never recorded.
    locations: dict[str, str]
    description: str  # for a record
    lab: Lab | None = None  # that runs it, if it is not a real one


@dataclass(frozen=True, kw_only=True)
class Peer(Host):
    """The host that the network probes talk to; pages call it the other host."""

    identity: str  # part of a record's key: another peer's samples are not reused for this one
    facts: dict[str, tuple]  # of the machine description's part "peer": value in base units, source


AnyHost = TypeVar("AnyHost", bound=Host)


class Connections(Generic[AnyHost]):
    """Hosts by key, each greeted or started by `connect` at its first use."""

    def __init__(self, connect: Callable[..., AnyHost]):
        self._connect = connect
        self._outcomes: dict[tuple[str, ...], AnyHost | HostUnavailable] = {}

    def host(self, *key: str) -> AnyHost:
        """The host of that key, what `connect` takes; started again if it was ended from outside.

        Raises HostUnavailable, with the same reason each time.
        """
        outcome = self._outcomes.get(key)
        if outcome is None or not _is_current(outcome):
            try:
                outcome = self._connect(*key)
            except HostUnavailable as error:
                outcome = error
            self._outcomes[key] = outcome
        if isinstance(outcome, HostUnavailable):
            raise HostUnavailable(str(outcome), temporary=outcome.temporary)
        return outcome

    def forget(self) -> None:
        """Ends the lab hosts; host() greets or starts each host again."""
        for outcome in self._outcomes.values():
            if isinstance(outcome, Host) and outcome.lab:
                outcome.lab.close()
        self._outcomes.clear()


def _is_current(outcome: Host | HostUnavailable) -> bool:
    """Whether it need not be tried again: not for a lab host that somebody has ended."""
    return isinstance(outcome, HostUnavailable) or outcome.lab is None or outcome.lab.running

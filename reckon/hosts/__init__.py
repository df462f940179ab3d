"""The other hosts of an experiment: the lab host in this machine, a real peer, the NFS server."""

from collections.abc import Iterator
from contextlib import contextmanager

from reckon.config import Unavailable


class HostUnavailable(Unavailable):
    """No host at the other end is available; the message is the reason."""


@contextmanager
def named_by_the_user() -> Iterator[None]:
    """What the block raises of a host that the user named is temporary: later it may answer."""
    try:
        yield
    except HostUnavailable as error:
        raise HostUnavailable(str(error), temporary=True) from None

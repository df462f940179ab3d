"""The hosts that probes talk to: the peer, real or a lab host in this machine, and NFS servers."""

from collections.abc import Iterator
from contextlib import contextmanager

from reckon.errors import Unavailable

# The longest wait for a host: TCP sends a lost SYN again after 1 s and after 3 s. The same as
# PEER_DEADLINE_S in csrc/network/support/client.h.
DEADLINE_S = 5.0


class HostUnavailable(Unavailable):
    """The peer or the NFS server is not available; the message is the reason."""


@contextmanager
def named_by_the_user() -> Iterator[None]:
    """What the block raises of a host that the user named is temporary: later it may answer."""
    try:
        yield
    except HostUnavailable as error:
        raise HostUnavailable(str(error), temporary=True) from None

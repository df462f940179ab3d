"""Made-up descriptions of the other host."""

from reckon.computer.facts import Machine


def described(**values):
    return Machine.of({f"peer.{key}": (value, "a test") for key, value in values.items()})


BUILT_IN = described(kind="built in", link_rtt=0.01, link_rate=12.5e6, mtu=1500.0)
REAL = described(kind="a real host", address="192.0.2.7:7325", kernel="Linux 6.1", distance=1e6)

"""What pages say of the other host, real or built into this machine."""

from __future__ import annotations

from reckon import units
from reckon.computer.facts import Machine
from reckon.show.block import Block, say
from reckon.show.text import literal

NOT_MEASURED = "What needs one is predicted but not measured."


def is_built_in(machine: Machine, part: str = "peer") -> bool:
    """Whether Reckon itself set the length of the link to the host of that part."""
    return machine.value(f"{part}.link_rtt") is not None


def _amount(machine: Machine, field: str, unit: str) -> str:
    value = machine.number(field)
    return "not known" if value is None else units.amount(value, unit)


def link_settings(other: Machine) -> tuple[str, str]:
    """The round trip and the rate that the link is set to."""
    return _amount(other, "peer.link_rtt", "ms"), _amount(other, "peer.link_rate", "Mbit/s")


_BUILT_IN = (
    "**The other host is built into this machine**: a second network stack in namespaces of its "
    "own. Reckon itself carries the packets between the two, over a link that is set to a round "
    "trip of {} and {} of IP packets. So delay and rate are set, not measured. A result "
    "shows what this machine's software adds to them. `PEER=host PEER_TOKEN=…` uses a real host."
)


def host(other: Machine) -> Block:
    """What the other host is; `other` is what rk.other_host() gives."""
    if other.value("peer.kind") is None:
        why = other.fact("peer.kind").source or "none was there when the run was recorded"
        return say(f"There is no other host here: {literal(why).rstrip('.')}.", NOT_MEASURED)
    if is_built_in(other):
        return say(_BUILT_IN.format(*link_settings(other)))
    parts = [other.value("peer.processor"), other.value("peer.kernel")]
    details = ", ".join(literal(value) for value in parts if value)
    details = f" ({details})" if details else ""
    return say(f"The other host is {literal(other.value('peer.address'))}{details}.")

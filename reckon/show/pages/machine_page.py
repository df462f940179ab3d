"""The page `machine`: this computer, its peers, and whether it is fit to be measured."""

from __future__ import annotations

from reckon import units
from reckon.computer.facts import Machine
from reckon.computer.fields import FIELDS, ONLY_WHERE_SET, SECTIONS
from reckon.show.block import Block, say, table
from reckon.show.text import code, literal, machine_value

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
    "trip of {} and {} of IP packets. So delay and rate are settings, no findings: a result "
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


def listed_fields(machine: Machine) -> list[tuple[str, str, str]]:
    """The fields of this computer's description, each with its title and unit: all that it has or
    should have."""
    return [
        (field, title, unit)
        for field, (title, unit) in FIELDS.items()
        if field.split(".")[0] in SECTIONS
        and not (field in ONLY_WHERE_SET and machine.value(field) is None)
    ]


def section_of(field: str) -> str:
    return SECTIONS[field.split(".")[0]]


def machine_table(machine: Machine, caption: str, name: str) -> Block:
    """Every known value with its source; what is unknown reads "not reported"."""
    rows = []
    for field, title, unit in listed_fields(machine):
        value, source = machine.value(field), machine.fact(field).source
        source = code(source) if "/" in source else literal(source)
        if value is None:
            source = "can be given in `machine.toml`"
        rows.append([section_of(field), title, literal(machine_value(value, unit)), source])
    return table({"Part": 13, "What": 22, "Value": 38, "Source": 27}, rows, caption, name)


# What a built-in host shares with this machine, and what only a built-in host has.
_SHARED = ("processor", "cores", "memory", "os", "kernel", "hypervisor")
_BUILT_IN_ONLY = ("link_", "queue", "path")
_IN_BYTES = ("mtu",)  # a size of which every byte counts


def _host_row(machine: Machine, field: str, title: str, unit: str) -> list[str] | None:
    """The row of one field; None if it does not apply."""
    part, key = field.split(".")
    value, source = machine.value(field), machine.fact(field).source
    if value is not None:
        exact = key in _IN_BYTES
        size = units.with_unit(units.plain(float(value)), "byte") if exact else ""
        text = size or literal(machine_value(value, unit))
        return [title, text, code(source) if source else ""]
    if is_built_in(machine, part):
        return [title, "this machine's", ""] if key in _SHARED else None
    if key.startswith(_BUILT_IN_ONLY):
        return None
    return [title, machine_value(None, unit), literal(source)]


def host_table(machine: Machine, caption: str, name: str, part: str = "peer") -> Block:
    """The other host, or another `part`: every known value with its source.

    What a built-in host shares with this machine is not repeated.
    """
    if machine.value(f"{part}.kind") is None:
        return say("")
    of_part = [(field, *labels) for field, labels in FIELDS.items() if field.startswith(f"{part}.")]
    rows = [row for row in (_host_row(machine, *field) for field in of_part) if row]
    return table({"What": 30, "Value": 45, "Source": 25}, rows, caption, name)


_STATES = {"pass": "pass", "warn": "**warning**", "unknown": "not known"}


def fitness_table(checks: list[dict], caption: str, name: str) -> Block:
    """The checks of the machine's fitness, with advice."""
    rows = [[c["name"], _STATES[c["state"]], literal(c["found"]), c["advice"]] for c in checks]
    return table({"Check": 18, "State": 11, "Found": 28, "What to do": 43}, rows, caption, name)


def fitness_summary(checks: list[dict]) -> Block:
    """How many checks warn and how many could not be made, with their names."""
    return say(
        f"Of {len(checks)} checks, {_count(checks, 'warn', 'warn')}, and "
        f"{_count(checks, 'unknown', 'could not be made here')}."
    )


def _count(checks: list[dict], state: str, predicate: str) -> str:
    names = [check["name"] for check in checks if check["state"] == state]
    name_list = f" ({', '.join(names)})" if names else ""
    return f"{len(names)} {predicate}{name_list}"

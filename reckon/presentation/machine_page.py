"""The page `machine`: what this computer is, and whether it is fit to be measured."""

from __future__ import annotations

from reckon.computer.description import FIELDS, SECTIONS
from reckon.computer.facts import Machine
from reckon.presentation.block import Block, say, table
from reckon.presentation.text import code, literal, machine_value


def machine_table(machine: Machine, caption: str, name: str) -> Block:
    """Every known value with its source; what is unknown reads "not reported"."""
    rows = []
    for field, (title, unit) in FIELDS.items():
        section = field.split(".")[0]
        if section in SECTIONS:
            value, source = machine.value(field), machine.fact(field).source
            source = code(source) if "/" in source else literal(source)
            if value is None:
                source = "can be given in `machine.toml`"
            rows.append([SECTIONS[section], title, literal(machine_value(value, unit)), source])
    return table({"Part": 13, "What": 22, "Value": 38, "Source": 27}, rows, caption, name)


_STATES = {"pass": "pass", "warn": "**warning**", "unknown": "not known"}


def fitness_table(checks: list[dict], caption: str, name: str) -> Block:
    """The checks of the machine's fitness, with advice."""
    rows = [[c["name"], _STATES[c["state"]], literal(c["found"]), c["advice"]] for c in checks]
    return table({"Check": 18, "State": 11, "Found": 28, "What to do": 43}, rows, caption, name)


def fitness_counted(checks: list[dict]) -> Block:
    """How many checks warn and how many could not be made, with their names."""
    return say(
        f"Of {len(checks)} checks, {_counted(checks, 'warn', 'warn')}, and "
        f"{_counted(checks, 'unknown', 'could not be made here')}."
    )


def _counted(checks: list[dict], state: str, what: str) -> str:
    names = [check["name"] for check in checks if check["state"] == state]
    listed = f" ({', '.join(names)})" if names else ""
    return f"{len(names)} {what}{listed}"

"""The front page: the machine, the headline figures and the score, on one screen."""

from __future__ import annotations

from datetime import datetime

from reckon import records, units
from reckon.computer.facts import Machine
from reckon.presentation.answer import compared_at, log_scale, track
from reckon.presentation.block import Block, line
from reckon.presentation.text import NONE, literal, machine_value
from reckon.records.result import Result


def machine_card(run: records.Run, results: list[Result], clock: str) -> Block:
    """The machine in a few values: model, measured clock (the quantity `clock`), caches, memory,
    kernel, when and how it was measured, and what makes it unfit to be measured."""
    machine = run.machine
    cores = machine.number("processor.cores")
    clocks = [result for result in results if result.quantity == clock and result.has_samples]
    caches = [machine.number(f"processor.{level}") for level in ("l1d", "l2", "l3")]
    cards = {
        "core clock, measured": f"{clocks[0]}" if clocks else "",
        "L1d · L2 · L3, as reported": " · ".join(
            units.size(size, "byte") for size in caches if size
        ),
        "memory": machine_value(machine.number("memory.capacity"), "byte", ""),
        "kernel": _kernel(machine),
        "measured": _measured(results),
    }
    warned = [check for check in run.fitness if check["state"] == "warn"]
    model = literal(f"{machine.value('processor.model')}, {cores:g} cores")
    values = "\n".join(f"- **{value}** {what}" for what, value in cards.items() if value)
    fit = "; ".join(f"{check['name']}: {literal(check['found'])}" for check in warned)
    fitness = f"Fit to be measured, but for {fit}." if fit else "Fit to be measured."
    return Block(f"::::{{container}} machine-card\n**{model}**\n\n{values}\n\n{fitness}\n::::")


def _kernel(machine: Machine) -> str:
    release = str(machine.value("system.kernel") or "").split(" ")[0]
    hypervisor = machine.value("system.hypervisor")
    where = f"{hypervisor} guest" if machine.number("system.guest") else "no guest"
    return literal(f"Linux {release}, {where}" if release else where)


def _measured(results: list[Result]) -> str:
    """The date of the newest samples and the profiles."""
    measurements = [result.measurement for result in results if result.measurement]
    if not measurements:
        return ""
    newest: datetime = max(each.started_at for each in measurements)
    profiles = sorted({each.profile for each in measurements})
    return f"{newest:%Y-%m-%d}, {' and '.join(profiles)} profile"


def headlines(results: list[Result], chosen: dict[str, tuple[str, str]]) -> Block:
    """Headline times, predicted and measured, each linked to its chapter; the unmeasured ones are
    named below. `chosen` has a human name and a note for each quantity."""
    by_quantity = {result.quantity: result for result in results}
    shown, absent = [], []
    for quantity, (name, note) in chosen.items():
        result = by_quantity.get(quantity)
        compared = compared_at(result, None) if result else None
        if compared is None:
            reason = literal((result.reason if result else "") or "not measured yet").rstrip(".")
            absent.append(f"{name.lower()} ({reason})")
        else:
            page = records.experiment_of(quantity)
            link = f"[{name}](/notebooks/{page}.ipynb)<br><small>{note}</small>"
            shown.append((link, compared))
    scale = log_scale([compared for _, compared in shown])
    rows = [[link, track(compared, scale), *compared.values()] for link, compared in shown]
    head = ["", "× predicted, ● measured", "Predicted", "Measured", "Ratio"]
    table = "\n".join([line(head), "| --- | --- | ---: | ---: | ---: |", *map(line, rows)])
    unmeasured = f"Not measured here: {'; '.join(absent)}." if absent else ""
    boxed = f"::::{{container}} headlines\n{table}\n::::" if rows else ""
    return Block("\n\n".join(filter(None, [boxed, unmeasured])) or NONE)

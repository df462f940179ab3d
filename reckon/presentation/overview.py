"""The whole run: its machine, the summary of all quantities, the score, what may mislead."""

from __future__ import annotations

import math

import numpy as np

from reckon import config, units
from reckon.presentation.block import Block, grid, label, say, table
from reckon.presentation.tables import hardware, mean_sd, measured, predicted, ratio, software
from reckon.presentation.text import machine_value
from reckon.presentation.verdicts import not_measured, warnings
from reckon.records.result import Result

_WITHIN = (1.25, 2, 10)  # factors off; the share of predictions within each is printed
_EXTREMES = 3  # the best and worst predictions that are named


def machine_table(described: dict, sections: dict, fields: dict, caption: str, name: str) -> Block:
    """Every known value with its source; what is unknown reads "not reported"."""
    rows = []
    for (section, key), (title, unit) in fields.items():
        if section not in sections:
            continue
        entry = described.get(section, {}).get(key, {"value": None, "source": ""})
        value, source = entry["value"], entry["source"]
        if value is None:
            source = "can be given in `machine.toml`"
        elif "/" in source:
            source = f"`{source}`"
        rows.append([sections[section], title, machine_value(value, unit), source])
    return table({"Part": 13, "What": 22, "Value": 38, "Source": 27}, rows, caption, name)


_STATES = {"pass": "pass", "warn": "**warning**", "unknown": "not known"}


def fitness_table(checks: list[dict], caption: str, name: str) -> Block:
    """The checks of the machine's fitness, with advice."""
    rows = [[c["name"], _STATES[c["state"]], c["found"], c["advice"]] for c in checks]
    return table({"Check": 18, "State": 11, "Found": 28, "What to do": 43}, rows, caption, name)


_SUMMARY_COLUMNS = {
    "Operation": 25,
    "Base hardware": 11,
    "Software overhead": 11,
    "Predicted": 14,
    "Measured, median (95 %)": 18,
    "Mean ± sd": 13,
    "Measured / predicted": 8,
}


def summary_table(results: list[Result], caption: str, name: str) -> Block:
    """A line for each quantity that the run holds."""
    cells = (hardware, software, predicted, measured, mean_sd, ratio)
    rows = [[f"`{result.quantity}`", *(cell(result) for cell in cells)] for result in results]
    return table(_SUMMARY_COLUMNS, rows, caption, name)


def score(results: list[Result]) -> dict:
    """How good the sealed predictions were: {n, typical factor off, shares within 1.25, 2 and 10,
    share of intervals that held, best and worst}."""
    judged = [result for result in results if 0 < result.ratio < math.inf]
    if not judged:
        return {"n": 0}
    off = np.array([max(result.ratio, 1 / result.ratio) for result in judged])
    inside = [r.inside_interval for r in judged if r.inside_interval is not None]
    order = np.argsort(off)
    return {
        "n": len(judged),
        "typical": float(np.exp(np.mean(np.log(off)))),
        "within": {limit: float(np.mean(off <= limit)) for limit in _WITHIN},
        "intervals": len(inside),
        "held": float(np.mean(inside)) if inside else math.nan,
        "best": [judged[i] for i in order[:_EXTREMES]],
        "worst": [judged[i] for i in order[::-1][:_EXTREMES]],
    }


def suspicions(results: list[Result], fitness: list[dict]) -> Block:
    """What may mislead: fitness warnings, the samples' warnings, impossible figures, measurements
    that stopped when their time was up."""
    lines = [
        f"- **{check['name']}**: {check['found']}. {check['advice']}"
        for check in fitness
        if check["state"] == "warn"
    ]
    for result in results:
        lines += [f"- `{result.quantity}`: {text}" for text in _suspicions(result)]
    stopped: dict[str, list[str]] = {}
    for result in results:
        if result.has_samples and any(p.stopped == "time" for p in result.measurement.points):
            stopped.setdefault(_experiment(result), []).append(label(result.quantity))
    lines += [
        f"- `{experiment}`: time was up before these intervals were narrow enough: "
        f"{', '.join(names)}."
        for experiment, names in stopped.items()
    ]
    return say("\n".join(lines) or "Nothing suspicious was found.")


def _suspicions(result: Result) -> list[str]:
    """What may mislead in one quantity."""
    texts = [f"{text}." for text in [*warnings(result), *not_measured(result)]]
    sealed = result.sealed("predicted")
    # A value of 0 is right only where 0 was predicted, as for no round of a loop.
    impossible = [
        value
        for value, expected in zip(result.medians, sealed, strict=True)
        if value <= 0 and not expected <= 0
    ]
    if impossible:
        where = f" at {len(impossible)} of its {len(result.points)} points"
        texts.append(
            f"**{units.amount(min(impossible), result.unit)}{where if result.is_curve else ''} is "
            "not possible**; a subtraction took away as much as there was, or more."
        )
    if result.state in ("cannot", "failed"):
        texts.append(f"{result.state}: {result.reason}")
    return texts


def revised(results: list[Result]) -> Block:
    """The predictions that were revised after measuring."""
    lines = [f"- `{r.quantity}`: {'; '.join(r.revisions)}." for r in results if r.revisions]
    return say("\n".join(lines) or "No prediction was revised after measuring.")


def _experiment(result: Result) -> str:
    return result.quantity.rsplit("/", 1)[0]


def source_map(results: list[Result], caption: str, name: str) -> Block:
    """The C files of each experiment, with its number of quantities."""
    experiments = [_experiment(result) for result in results]
    csrc = config.ROOT / "csrc"
    rows = []
    for experiment in sorted(set(experiments)):
        paths = [*sorted(csrc.glob(f"{experiment}.c")), *sorted(csrc.glob(f"{experiment}.*.c"))]
        sources = [
            f"{{download}}`{path.name} </{path.relative_to(config.ROOT)}>`" for path in paths
        ]
        rows.append([f"`{experiment}`", ", ".join(sources), str(experiments.count(experiment))])
    columns = ["Experiment", "C files", "Quantities"]
    return grid(columns, rows, caption, name)

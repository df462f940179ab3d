"""What the whole run says: the machine, the summary, the score, what may have fooled us."""

from __future__ import annotations

import math

import numpy as np

from reckon import config, units
from reckon.presentation.block import Block, grid, label, say
from reckon.presentation.tables import hardware, mean_sd, measured, predicted, ratio, software
from reckon.presentation.verdicts import not_measured, warnings
from reckon.records.result import Result


def machine_table(described: dict, sections: dict, fields: dict, caption: str, name: str) -> Block:
    """Every known value with its source; what is unknown reads "not reported"."""
    rows = []
    for (section, key), (title, unit) in fields.items():
        if section not in sections:
            continue
        entry = described.get(section, {}).get(key, {"value": None, "source": ""})
        value, source = entry["value"], entry["source"]
        if value is None:
            shown, source = "not reported", "can be given in `machine.toml`"
        elif unit in ("", "count"):
            shown = f"{value:g}" if isinstance(value, float) else str(value)
        else:
            shown = units.amount(value, unit)
        rows.append([sections[section], title, shown, f"`{source}`" if "/" in source else source])
    return grid(["Part", "What", "Value", "Source"], rows, caption, name, [13, 22, 38, 27])


def fitness_table(checks: list[dict], caption: str, name: str) -> Block:
    sign = {"pass": "pass", "warn": "**warning**", "unknown": "not known"}
    rows = [[c["name"], sign[c["state"]], c["found"], c["advice"]] for c in checks]
    return grid(["Check", "State", "Found", "What to do"], rows, caption, name, [18, 11, 28, 43])


def summary_table(found: list[Result], caption: str, name: str) -> Block:
    """One row a quantity, over everything that the run holds."""
    rows = []
    for one in found:
        rows.append(
            [
                f"`{one.quantity}`",
                hardware(one),
                software(one),
                predicted(one),
                measured(one),
                mean_sd(one),
                ratio(one),
            ]
        )
    return grid(
        [
            "Operation",
            "Base hardware",
            "Software overhead",
            "Predicted",
            "Measured, median (95 %)",
            "Mean ± sd",
            "Measured / predicted",
        ],
        rows,
        caption,
        name,
        [25, 11, 11, 14, 18, 13, 8],
    )


def score(found: list[Result]) -> dict:
    """How good the sealed predictions were: {n, typical factor off, shares within 1.25, 2 and 10,
    share of intervals that held, best and worst}."""
    judged = [one for one in found if one.ratio > 0 and math.isfinite(one.ratio)]
    if not judged:
        return {"n": 0}
    off = np.array([max(one.ratio, 1 / one.ratio) for one in judged])
    bounded = [one.inside_interval for one in judged if one.inside_interval is not None]
    order = np.argsort(off)
    return {
        "n": len(judged),
        "typical": float(np.exp(np.mean(np.log(off)))),
        "within": {limit: float(np.mean(off <= limit)) for limit in (1.25, 2, 10)},
        "intervals": len(bounded),
        "held": float(np.mean(bounded)) if bounded else math.nan,
        "best": [judged[i] for i in order[:3]],
        "worst": [judged[i] for i in order[::-1][:3]],
    }


def suspicions(found: list[Result], fitness: list[dict]) -> Block:
    """What may have fooled us: fitness warnings, warnings of the samples, caps that were hit,
    figures that cannot be."""
    lines = [
        f"- **{c['name']}**: {c['found']}. {c['advice']}" for c in fitness if c["state"] == "warn"
    ]
    late: dict[str, list[str]] = {}
    for one in found:
        lines += [f"- `{one.quantity}`: {told}." for told in [*warnings(one), *not_measured(one)]]
        # Where nothing was predicted, at no round of a loop, nothing is right.
        none = [
            v
            for v, foreseen in zip(one.medians, one.sealed("predicted"), strict=True)
            if v <= 0 and not foreseen <= 0
        ]
        if none:
            where = f" at {len(none)} of its {len(one.points)} points" if one.is_curve else ""
            lines.append(
                f"- `{one.quantity}`: **{units.amount(min(none), one.unit)}{where} is not possible**; a "
                "subtraction took away as much as there was, or more."
            )
        if one.has_samples and any(p.stopped == "time" for p in one.measurement.points):
            late.setdefault(one.quantity.rsplit("/", 1)[0], []).append(label(one.quantity))
        if one.state in ("cannot", "failed"):
            lines.append(f"- `{one.quantity}`: {one.state}: {one.reason}")
    lines += [
        f"- `{experiment}`: time was up before these intervals were narrow enough: {', '.join(names)}."
        for experiment, names in late.items()
    ]
    return say("\n".join(lines) if lines else "Nothing suspicious was found.")


def revised(found: list[Result]) -> Block:
    lines = [f"- `{one.quantity}`: {'; '.join(one.revisions)}." for one in found if one.revisions]
    return say("\n".join(lines) if lines else "No prediction was revised after measuring.")


def source_map(found: list[Result], caption: str, name: str) -> Block:
    """From experiment to C file, with the number of quantities."""
    names = sorted({one.quantity.rsplit("/", 1)[0] for one in found})
    rows = []
    for one in names:
        sources = [
            f"{{download}}`{path.name} </{path.relative_to(config.ROOT)}>`"
            for path in sorted((config.ROOT / "csrc").glob(f"{one}.c"))
            + sorted((config.ROOT / "csrc").glob(f"{one}.*.c"))
        ]
        count = sum(q.quantity.rsplit("/", 1)[0] == one for q in found)
        rows.append([f"`{one}`", ", ".join(sources), str(count)])
    return grid(["Experiment", "C files", "Quantities"], rows, caption, name)

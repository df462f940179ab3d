"""Parts of records of older formats as the current one has them."""

from __future__ import annotations

import re


def current_state(state: object) -> object:
    """The state of a measurement: formats 1 to 3 call "unsupported" "cannot"."""
    return "unsupported" if state == "cannot" else state


def current_summary(summary: object) -> object:
    """The summary of a point: format 4 has its warnings in English, and two ends of an interval."""
    if not isinstance(summary, dict) or "interval" in summary:
        return summary
    warnings = [_current_warning(warning) for warning in summary.get("warnings", ())]
    current = {**summary, "warnings": warnings}
    if "low" in current and "high" in current:
        ends = {end: current.pop(end) for end in ("low", "high")}
        current["interval"] = {**ends, "kind": "median"}
    return current


# The sentences of format 4, by the kind of the warning; the group is its number.
_SENTENCES = {
    "drift": re.compile(r"it drifted by ([+−][\d.]+) % while it was measured"),
    "two modes": re.compile(r"its trials have two modes, so one number does not describe it()"),
    "wide": re.compile(
        r"fresh processes differ by (\d+) % \((?:middle half|interquartile range)\)"
    ),
}


def _current_warning(warning: object) -> object:
    if not isinstance(warning, str):
        return warning
    for kind, sentence in _SENTENCES.items():
        match = sentence.fullmatch(warning)
        if match:
            number = match[1].replace("−", "-")
            return {"kind": kind, "percent": float(number) if number else None}
    raise ValueError(f"{warning!r} is no warning of format 4")

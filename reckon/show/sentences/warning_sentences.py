"""Warnings about samples in words."""

from __future__ import annotations

import re

import numpy as np

from reckon import units
from reckon.show.text import capitalised
from reckon.statistics import GAP, BusySibling, SampleWarning, Summary, two_groups

# As Markdown, with links to the glossary.
_NOTES = {
    "drift": "it drifted by {percent:+.1f} % while it was measured",
    "two modes": "the trials have {{term}}`two modes`, so one number does not describe them",
    "wide": "fresh processes differ by {percent:.0f} % ({{term}}`interquartile range`)",
}
_MODES = "{term}`two modes`"
_CAUSES = {
    "drift": "Drifted during the measurement",
    "two modes": "Trials in two modes, so one number does not describe them",
    "wide": "Fresh processes differ from one another",
}

_SIBLING = "{term}`busy sibling thread <busy sibling>`"
SHARED = "A busy sibling thread seemed to share the core for a part of the time"
_LEAST_SHARE = 0.05  # of the time: below it the sibling moves no value by more than chance


def is_shared(summary: Summary) -> bool:
    """Whether a sibling of the core was busy long enough to be named."""
    return summary.sibling is not None and summary.sibling.share >= _LEAST_SHARE


def sibling_note(sibling: BusySibling, unit: str) -> str:
    """For which part of the time the core was shared and the value then, as note() has it.

    unit: that in which the sibling's median, which is in base units, is printed."""
    share = f"for {100 * sibling.share:.0f} % of the time"
    value = units.amount(sibling.median, unit)
    if sibling.is_mixed:
        return (
            f"{share} a {_SIBLING} seemed to share the core; then the value is {value}. "
            "Too few visits seemed to have the core to themselves, so the printed value mixes both"
        )
    return (
        "this value is from trials that seemed to have the core to themselves. "
        f"{capitalised(share)} a {_SIBLING} seemed to share the core; then the value is {value}"
    )


def note(warning: SampleWarning) -> str:
    """The warning about one quantity: a sentence without its first capital and full stop."""
    return _NOTES[warning.kind].format(percent=warning.percent).replace("-", "−")


def groups_note(summary: Summary, unit: str) -> list[str]:
    """Near which values its processes lie, as note() has it, where a gap divides them; else []."""
    groups = two_groups(summary.medians)
    if not groups:
        return []
    low, high = (units.amount(float(np.median(group)), unit) for group in groups)
    count = len(summary.medians)
    return [
        f"{len(groups[0])} of {count} fresh processes have medians near {low}, and the others "
        f"near {high}"
    ]


def plain_note(warning: SampleWarning) -> str:
    """The same without links."""
    return without_links(note(warning))


def without_links(text: str) -> str:
    return re.sub(r"\{term\}`([^`]*)`|\[([^]]*)\]\([^)]*\)", r"\1\2", text)


def has_two_modes(summary: Summary) -> bool:
    """Whether its trials have two modes."""
    return any(warning.kind == "two modes" for warning in summary.warnings)


def in_cell(summary: Summary, unit: str) -> str:
    """What stands beside a value that one number does not describe: that its trials have two modes,
    and the least and the most of its visits where these lie as far apart as two groups do; ""."""
    modes = [_MODES] if has_two_modes(summary) else []
    visits = summary.visit_medians
    apart = bool(visits) and min(visits) > 0 and max(visits) >= GAP * min(visits)
    by_visit = [f"{units.span((min(visits), max(visits)), unit)} by visit"] if apart else []
    return ", ".join(modes + by_visit)


def cause(warning: SampleWarning) -> str:
    """What the warnings of that kind, about several quantities, have in common."""
    return _CAUSES[warning.kind]

"""Warnings about samples in words."""

from __future__ import annotations

import re

from reckon.statistics import SampleWarning

# As Markdown, with links to the glossary.
_NOTES = {
    "drift": "it drifted by {percent:+.1f} % while it was measured",
    "two modes": "its trials have {{term}}`two modes`, so one number does not describe it",
    "wide": "fresh processes differ by {percent:.0f} % ({{term}}`interquartile range`)",
}
_CAUSES = {
    "drift": "Drifted during the measurement",
    "two modes": "Trials in two modes, so one number does not describe them",
    "wide": "Fresh processes differ from one another",
}


def note(warning: SampleWarning) -> str:
    """The warning about one quantity: a sentence without its first capital and full stop."""
    return _NOTES[warning.kind].format(percent=warning.percent).replace("-", "−")


def plain_note(warning: SampleWarning) -> str:
    """The same without links."""
    return re.sub(r"\{term\}`([^`]*)`", r"\1", note(warning))


def cause(warning: SampleWarning) -> str:
    """What the warnings of that kind, about several quantities, have in common."""
    return _CAUSES[warning.kind]

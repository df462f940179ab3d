"""A finding: a sentence that a page concludes, which knows its strength and its evidence."""

from __future__ import annotations

import re
from typing import Literal

# shown: the data exclude the alternatives; consistent with: they fit it and others too; not
# explained: they show that there is something, and not what.
Strength = Literal["shown", "consistent with", "not explained"]
# Words of a sentence that itself says how strong it is, so that no label has to.
_SAYS_SO: dict[Strength, re.Pattern[str]] = {
    "consistent with": re.compile(
        r"\b(may|seems?|likely|probably|perhaps|would|could|fits?|as if|if|no sign)\b"
    ),
    "not explained": re.compile(
        r"\b(un(explained|clear|decided|known)|open|may|whether|does not|could not|cannot|nor"
        r"|neither|nothing|so no|zero|too few|(data|we) (do|did) not"
        r"|not (shown|explained|measured|known|told|clear|inferred))\b",
        re.IGNORECASE,
    ),
}
_TERMS: dict[Strength, str] = {
    "consistent with": "consistent with the data",
    "not explained": "not explained",
}


class Finding(str):
    """A conclusion of a page: its sentence, in Markdown, which knows where it comes from.

    name: in plain words, unique in its chapter; tests on made-up machines refer to it. evidence:
    what it follows from, by name: the arguments of its function.
    """

    name: str
    strength: Strength
    evidence: dict[str, object]

    def __new__(cls, sentence: str, name: str, strength: Strength, evidence: dict | None = None):
        found = super().__new__(cls, sentence)
        found.name, found.strength, found.evidence = name, strength, evidence or {}
        return found

    @property
    def labelled(self) -> str:
        """The sentence, with its strength as a term of the glossary behind it unless the data show
        it or its own words say so."""
        if not self or self.strength == "shown" or _SAYS_SO[self.strength].search(self):
            return str(self)
        return f"{self} ({{term}}`{_TERMS[self.strength]}`)"


def labelled(text: str) -> str:
    """The text; a finding with its strength."""
    return text.labelled if isinstance(text, Finding) else text

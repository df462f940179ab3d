"""Warnings about samples in words."""

import pytest

from reckon.show.sentences import warning_sentences
from reckon.statistics import SampleWarning


@pytest.mark.parametrize(
    ("warning", "words"),
    [
        (SampleWarning("drift", 12.34), "it drifted by +12.3 % while it was measured"),
        (SampleWarning("drift", -2.0), "it drifted by −2.0 % while it was measured"),
        (
            SampleWarning("two modes"),
            "its trials have two modes, so one number does not describe it",
        ),
        (SampleWarning("wide", 25.0), "fresh processes differ by 25 % (interquartile range)"),
    ],
)
def test_a_warning_in_words(warning, words):
    assert warning_sentences.plain_note(warning) == words


def test_terms_of_the_glossary_are_linked():
    note = warning_sentences.note(SampleWarning("two modes"))
    assert note == "its trials have {term}`two modes`, so one number does not describe it"

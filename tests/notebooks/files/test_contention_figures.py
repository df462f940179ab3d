"""Readers of one disk in its queue."""

import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

from reckon.book import contents

FIGURES = contents.findings_of("files/contention_figures")
READERS, TIMES, PREDICTED = [1, 2, 4, 8, 12], [50, 60, 80, 120, 170], [40, 40, 60, 100, 150]


def readers(missing=()):
    return made_up.curve(
        "files/made/each", READERS, TIMES, "us", "1", predicted=PREDICTED, missing=missing
    )


@pytest.mark.parametrize("narrow", [False, True])
def test_eight_readers_are_drawn_or_the_most_that_were_measured(data, narrow):
    block = FIGURES.queue(readers(), "made-queue", "Caption")
    predicted, measured = data("made-queue")[1:]
    assert predicted == ["Predicted: 8 readers", "8", "100", "40"]
    assert [float(x) for x in measured[1:]] == pytest.approx([8, 120, 50], rel=0.03)
    assert "100 µs a block, one done each 12.5 µs" in block.markdown
    assert_texts_touch_nothing(drawing("made-queue", narrow))
    FIGURES.queue(readers(missing=[3, 4]), "made-queue", "Caption")
    assert data("made-queue")[1] == ["Predicted: 4 readers", "4", "60", "40"]


@pytest.mark.parametrize("missing", [[0], [1, 2, 3, 4], [1, 2, 3]])
def test_without_a_lone_reader_or_others_nothing_is_drawn(missing):
    assert "were not both timed" in FIGURES.queue(readers(missing), "m", "C").markdown


def test_without_a_disk_the_reason_stands_there():
    gone = made_up.unmeasured("files/made/each", readers())
    assert "needs huge pages" in FIGURES.queue(gone, "m", "C").markdown

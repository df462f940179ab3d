"""The picture that a social network shows of a link to the book."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Mapping
from pathlib import Path

from reckon import records
from reckon.book.build_cache import read_or_compute

SIZE = (1200, 630)  # pixels; what networks recommend
_DPI = 100
_COLUMNS = 52  # of the text below the title


def card(facts: Mapping[str, str]) -> bytes:
    """A PNG with the title, the score and the machine, from what stands on the PDFs' title page."""
    words = [facts["score"], facts["machine"]]
    version = [words, records.file_digest(Path(__file__))]
    drawn = read_or_compute("card.json", version, lambda: base64.b64encode(_draw(words)).decode())
    return base64.b64decode(drawn)


def _draw(words: list[str]) -> bytes:
    from matplotlib.figure import Figure  # imports slowly

    width, height = (pixels / _DPI for pixels in SIZE)
    figure = Figure(figsize=(width, height), dpi=_DPI, facecolor="#1a3a5c")
    figure.text(0.07, 0.74, "Reckon", color="white", size=72, weight="bold")
    figure.text(0.07, 0.62, "One computer, predicted and then measured", color="#56B4E9", size=26)
    lines = [line for text in words if text for line in textwrap.wrap(text, _COLUMNS)]
    figure.text(
        0.07,
        0.5,
        "\n".join(lines),
        color="white",
        size=22,
        va="top",
        linespacing=1.5,
        parse_math=False,
    )
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()

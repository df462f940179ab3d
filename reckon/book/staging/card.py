"""The picture that a social network shows of a link to the book."""

from __future__ import annotations

import base64
import csv
import io
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reckon import records, units
from reckon.book.build_cache import read_or_compute

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (1200, 630)  # pixels; what networks recommend
VALUES = "figures/ruler.csv"  # staged; the figure of the main results that are times
_DPI = 100
_COLUMNS = 105  # of the texts above and below the times
_BACKGROUND, _LINE, _MEASURED, _PREDICTED = "#1a3a5c", "#4a6a8c", "#56B4E9", "#E69F00"


_KEY = "× predicted   ● measured, with its interval: where a repeat minutes later would lie"


def card(facts: Mapping[str, str], table: str) -> bytes:
    """A PNG with the title, the score and the main times on one axis, and below them the
    machine and its conditions. table: the data of their figure; "" without it."""
    words = [facts["score"], f"{facts['machine']}; {facts['conditions']}"]
    version = [words, table, records.file_digest(Path(__file__))]
    drawn = read_or_compute(
        "card.json", version, lambda: base64.b64encode(_draw(words, table)).decode()
    )
    return base64.b64decode(drawn)


def _draw(words: list[str], table: str) -> bytes:
    from matplotlib.figure import Figure  # imports slowly

    width, height = (pixels / _DPI for pixels in SIZE)
    figure = Figure(figsize=(width, height), dpi=_DPI, facecolor=_BACKGROUND)
    figure.text(0.03, 0.91, "Reckon", color="white", size=30, weight="bold")
    figure.text(0.19, 0.92, "One computer, predicted and then measured", color="white", size=18)
    score, conditions = ("\n".join(textwrap.wrap(text, _COLUMNS)) for text in words)
    figure.text(0.03, 0.88, score, color="white", size=13, va="top")
    figure.text(0.03, 0.02, conditions, color="white", size=13, va="bottom", parse_math=False)
    rows = [*csv.DictReader(io.StringIO(table))]
    if rows:
        _draw_times(figure.add_axes((0.35, 0.15, 0.55, 0.62)), rows)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _draw_times(axes: Axes, rows: list[dict[str, str]]) -> None:
    """Each time in a row, predicted and measured, on a logarithmic axis."""
    from reckon.show.figures import style

    unit = next(name for name in rows[0] if name.startswith("median"))[8:-1]
    for y, row in enumerate(rows):
        low, high, median, predicted = (
            float(row[f"{column} [{unit}]"]) for column in ("low", "high", "median", "predicted")
        )
        axes.plot([low, high], [y, y], color=_MEASURED, lw=3, alpha=0.6)
        axes.plot(predicted, y, "x", color=_PREDICTED, mew=2)
        axes.plot(median, y, "o", color=_MEASURED)
        text = units.amount(units.to_base(median, unit), "s")
        axes.text(
            1.01, y, text, transform=axes.get_yaxis_transform(), color="white", size=12, va="center"
        )
    axes.text(0, 1.02, _KEY, transform=axes.transAxes, color="white", size=12)
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xscale("log")
    style.unit_ticks(axes.xaxis, unit)
    axes.xaxis.minorticks_off()
    axes.set_facecolor(_BACKGROUND)
    axes.grid(color=_LINE)
    axes.tick_params(colors="white", length=0, labelsize=12)
    axes.spines[:].set_visible(False)

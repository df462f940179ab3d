"""The Jinja templates of the pages, which escape what runs and readers say of themselves."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any

import jinja2
import numpy as np

from reckon import config, records, units
from reckon.show.text import NONE, percent, plural, ratio_text
from reckon.show.titles import page_title, title_of

FOLDER = config.ROOT / "book" / "collection"
_BINS = 45  # of a dot plot
_HIGHEST = 20  # dots above each other; of more, each stands for several values
_MARGIN = 1.2  # the axis spans this factor beyond the outermost value


def slug(quantity: str) -> str:
    """The name of the quantity's page."""
    return f"{quantity.replace('/', '-')}.html"


@functools.cache  # a site has the same headings on the page of every machine
def heading(quantity: str) -> str:
    """ "The system call: getpid"."""
    return f"{page_title(records.experiment_of(quantity))}: {title_of(quantity)}"


@functools.cache
def part_title(part: str) -> str:
    """The heading of the book's page on a part."""
    path = config.ROOT / "book" / f"{part}.md"
    if not path.is_file():
        return part
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def times_text(factor: float) -> str:
    """ "3.05 times"."""
    return f"{units.number(factor)} times"


def counted(count: int, word: str, plural_word: str) -> str:
    """ "1,000 machines"."""
    return f"{count:,} {plural(count, word, plural_word)}"


def axis_ends(values: Iterable[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis that holds these values."""
    values = list(values)
    return min(values) / _MARGIN, max(values) * _MARGIN


def dot_plot(values: Iterable[float]) -> dict[str, Any]:
    """A logarithmic axis of values above 0: how many dots each of its bins has, how many values a
    dot stands for, and the axis' ends."""
    values = list(values)
    ends = axis_ends(values)
    counts, _ = np.histogram(np.log(values), _BINS, tuple(np.log(ends)))
    values_per_dot = -(-counts.max() // _HIGHEST)
    return {
        "bins": (-(-counts // values_per_dot)).tolist(),
        "values_per_dot": int(values_per_dot),
        "ends": ends,
    }


def _or_dash(function):
    """The function as a filter, with a dash for what is not known."""
    return lambda value, *arguments: NONE if value is None else function(value, *arguments)


def measured_texts(row: dict[str, Any], unit: str) -> tuple[str, str]:
    """ "93.1 ns" and "92.1 to 94.0": the value of a row and its interval, or a dash."""
    low, high = (math.nan if row[end] is None else row[end] for end in ("low", "high"))
    text, interval = units.amount_and_interval(row["median"], low, high, unit)
    return text, interval or NONE


def environment() -> jinja2.Environment:
    """The templates with the filters that they use."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters |= {
        "amount": _or_dash(units.amount),
        "bytes": _or_dash(functools.partial(units.size, unit="byte")),
        "counted": counted,
        "heading": heading,
        "measured_texts": measured_texts,
        "number": _or_dash(units.number),
        "page_title": page_title,
        "part_title": part_title,
        "percent": _or_dash(percent),
        "plural": plural,
        "position": units.position,
        "ratio": _or_dash(ratio_text),
        "slug": slug,
        "span": units.span,
        "times": times_text,
        "title_of": title_of,
    }
    jinja.globals |= {"dot_plot": dot_plot}
    return jinja

"""The openings of the parts: what their chapters build on, and what they cost."""

from __future__ import annotations

import math

from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import NullFormatter

from reckon import records, units
from reckon.book.contents import findings_of
from reckon.messages import join_words
from reckon.records.quantities.recorded_predictions import chapter_sources
from reckon.records.quantities.result import Result, summary_text
from reckon.show.block import IN_PRINT, PART_MARK, Block
from reckon.show.figures import drawings
from reckon.show.figures.drawings import Data, Drawing
from reckon.show.figures.style import BLACK, BLUE, ORANGE, SERIES, Look
from reckon.show.tables.answer_box import MARKS, AnswerValues, log_scale
from reckon.show.tables.headlines import Headline
from reckon.show.titles import page_title

_ROW_INCHES, _PRINTED_ROW_INCHES = 0.3, 0.24  # a line of text
_FOOT_INCHES = 0.45  # of the axis of times, with its label
_NAMES_END, _PRINTED_NAMES_END = 0.5, 0.24  # in widths of the figure
_TIMES_FROM, _TIMES_WIDTH = 0.42, 0.56
_BULGE = -0.6  # of an arrow, in its length
_PRINTED_BULGE_INCHES = 0.9  # at most
_BESIDE_ROW = 0.15  # an arrow leaves below a name and ends above one, in rows
_LABELS_LEFT_FROM = 0.6  # of the axis: beyond, a time's name stands before it
_MAX_TICKS = 8
_LABEL_POINTS = 6  # between a mark and its name
Arrows = list[tuple[str, str]]


def openings(run: str, results: list[Result], order: list[str]) -> Block:
    """For each part, after a line with its mark: what its chapters build on, as a figure, and its
    main results, on the site as tables and in print in the figure. order: the pages of the book."""
    front = findings_of("summary_front")
    sources = chapter_sources(run, order, order)
    described = records.read_run(run)
    assert described
    texts = []
    for part in dict.fromkeys(page.partition("/")[0] for page in sources):
        own = [page for page in sources if page.startswith(f"{part}/")]
        arrows = [(source, page) for page in own for source in sources[page]]
        pages = [page for page in sources if page in own or page in dict(arrows)]
        picture = _picture(part, own, pages, arrows).markdown
        costs = front.of_part(results, part, described.machine).markdown
        times = front.times_of_part(results, part)
        printed = _with_costs(part, own, pages, arrows, times).markdown if times else ""
        texts.append(
            f"{PART_MARK}{part}\n\n{picture}\n\n{printed}\n\n````{{only}} html\n{costs}\n````"
        )
    return Block("\n\n".join(texts))


def _picture(part: str, own: list[str], pages: list[str], arrows: Arrows) -> Block:
    """The chapters of the part and those that they build on, one below the other, with arrows."""
    with drawings.empty(_ROW_INCHES * len(pages)) as drawing:
        rows = {page: float(row) for row, page in enumerate(pages)}
        _draw_chapters(drawing, rows, own, arrows, _NAMES_END, _BULGE)
        caption = "What the chapters build on: an arrow leads from a measured value to a prediction"
        data = Data(["measured in", "used in"], _titles(arrows))
        return drawing.save(f"part-{part}", caption, _alt(own, arrows), data)


def _with_costs(
    part: str,
    own: list[str],
    pages: list[str],
    arrows: Arrows,
    times: dict[Headline, AnswerValues],
) -> Block:
    """The same for print, where it takes the place of the picture before: beside each chapter its
    main results that are times."""
    rows: dict[str, float] = {}
    places: dict[Headline, float] = {}
    end = 0
    for page in pages:
        of_page = [each for each in times if records.experiment_of(each.quantity) == page]
        places |= {each: float(end + index) for index, each in enumerate(of_page)}
        rows[page] = end + max(len(of_page) - 1, 0) / 2
        end += max(len(of_page), 1)
    height_inches = _PRINTED_ROW_INCHES * end + _FOOT_INCHES
    with drawings.empty(height_inches) as drawing:
        foot = _FOOT_INCHES / height_inches
        bulge = -min(-_BULGE, _PRINTED_BULGE_INCHES / (height_inches - _FOOT_INCHES))
        _draw_chapters(drawing, rows, own, arrows, _PRINTED_NAMES_END, bulge, foot, end)
        _draw_times(drawing, places, times, foot, end)
        name = f"part-{part}-costs"
        costs = [[page_title(records.experiment_of(each.quantity)), each.name] for each in times]
        drawing.save(
            name, "", "", Data(["measured in", "used in, or result"], [*_titles(arrows), *costs])
        )
    measured = "; ".join(f"{each.name} {_amount(values)}" for each, values in times.items())
    alt = f"{_alt(own, arrows)}. Measured: {measured}"
    return Block(
        f"````{{only}} latex\n```{{image}} /figures/{name}.*\n:class: {IN_PRINT}\n:alt: {alt}\n```\n````"
    )


def _titles(arrows: Arrows) -> list[list[str]]:
    return [[page_title(source), page_title(page)] for source, page in arrows]


def _alt(own: list[str], arrows: Arrows) -> str:
    built_on = {
        page: join_words([page_title(source) for source, of in arrows if of == page])
        for page in own
    }
    return "; ".join(
        f"{page_title(page)} builds on {names or 'no other chapter'}"
        for page, names in built_on.items()
    )


def _draw_chapters(
    drawing: Drawing,
    rows: dict[str, float],
    own: list[str],
    arrows: Arrows,
    names_end: float,
    bulge: float,
    foot: float = 0,
    count: int = 0,
) -> None:
    """The names, those of the part's own chapters in bold, and the arrows beside them."""
    axes = drawing.figure.add_axes((0, foot, 1, 1 - foot))
    axes.axis("off")
    axes.set_xlim(0, 1)
    axes.set_ylim((count or len(rows)) - 0.5, -0.5)
    for page, row in rows.items():
        look: Look = {"ha": "right", "va": "center", "fontsize": 8, "color": BLACK}
        look["weight"] = "bold" if page in own else "normal"
        axes.text(names_end, row, page_title(page), parse_math=False, **look)
    pages = [*rows]
    for source, page in arrows:
        start, end = rows[source], rows[page]
        side = _BESIDE_ROW if start < end else -_BESIDE_ROW
        ends = [(names_end + 0.01, start + side), (names_end + 0.01, end - side)]
        rad = bulge if start < end else -bulge
        arrow: Look = {"arrowstyle": "-|>", "mutation_scale": 7, "lw": 1}
        colour = SERIES[pages.index(source) % len(SERIES)]
        arrow |= {"color": colour, "connectionstyle": f"arc3,rad={rad}"}
        axes.add_patch(FancyArrowPatch(*ends, **arrow))


def _draw_times(
    drawing: Drawing,
    places: dict[Headline, float],
    times: dict[Headline, AnswerValues],
    foot: float,
    count: int,
) -> None:
    """On one logarithmic axis: predicted and measured, with names."""
    axes = drawing.figure.add_axes((_TIMES_FROM, foot, _TIMES_WIDTH, 1 - foot))
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_xscale("log")
    low, high = (math.log10(end) for end in log_scale([*times.values()]))
    low, high = math.floor(low), math.ceil(high)
    axes.set_xlim(10.0**low, 10.0**high)
    ticks = [10.0**power for power in range(low, high + 1, 1 + (high - low) // _MAX_TICKS)]
    axes.set_xticks(ticks, [units.size(tick, "s") for tick in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(MARKS)
    for headline, row in places.items():
        values = times[headline]
        summary = values.measured
        measured = [group.median for group in summary.groups or ()] or [summary.median]
        drawn = [values.predicted, *measured]
        axes.plot([min(drawn), max(drawn)], [row, row], color="#bbbbbb", lw=0.8)
        axes.plot([values.predicted], [row], "x", color=ORANGE, ms=5)
        axes.plot(measured, [row] * len(measured), "o", color=BLUE, ms=4)
        place = axes.transAxes.inverted().transform(axes.transData.transform((min(drawn), row)))
        is_right = place[0] > _LABELS_LEFT_FROM
        look: Look = {"ha": "right" if is_right else "left", "va": "center", "fontsize": 8}
        look |= {"textcoords": "offset points", "parse_math": False, "color": BLACK}
        offset = (-_LABEL_POINTS if is_right else _LABEL_POINTS, 0)
        text = f"{headline.name} {_amount(values)}"
        axes.annotate(text, ((min if is_right else max)(drawn), row), offset, **look)


def _amount(values: AnswerValues) -> str:
    """The measured value in the digits of the tables."""
    summary, unit = values.measured, values.result.unit
    if summary.groups:
        return summary_text(summary, unit)
    return units.amount_and_interval(summary.median, *summary.interval.ends, unit)[0]

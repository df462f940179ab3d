"""The opening of each part: what its chapters build on, and what they cost."""

from __future__ import annotations

from matplotlib.patches import FancyArrowPatch

from reckon.messages import join_words
from reckon.records.quantities.recorded_predictions import chapter_sources
from reckon.records.quantities.result import Result
from reckon.show.block import PART_MARK, Block
from reckon.show.figures import drawings
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, SERIES, Look
from reckon.show.pages import front_page
from reckon.show.titles import page_title

_ROW_INCHES = 0.3  # a line of text
_NAMES_END, _BULGE = 0.5, -0.6  # in widths of the figure; of an arrow, in its length
_BESIDE_ROW = 0.15  # an arrow leaves below a name and ends above one, in rows


def openings(run: str, results: list[Result], order: list[str]) -> Block:
    """For each part, after a line with its mark: what its chapters build on, as a figure, and its
    main results, the times of them on one axis. order: the pages of the whole book."""
    sources = chapter_sources(run, order)
    texts = []
    for part in dict.fromkeys(page.partition("/")[0] for page in sources):
        picture = _picture(part, sources).markdown
        costs = front_page.of_part(results, part).markdown
        # Print has the front page's table of all parts.
        texts.append(f"{PART_MARK}{part}\n\n{picture}\n\n````{{only}} html\n{costs}\n````")
    return Block("\n\n".join(texts))


def _picture(part: str, sources: dict[str, list[str]]) -> Block:
    """The chapters of the part and those that they build on, one below the other, with arrows."""
    own = [page for page in sources if page.startswith(f"{part}/")]
    arrows = [(source, page) for page in own for source in sources[page]]
    pages = [page for page in sources if page in own or page in dict(arrows)]
    with drawings.empty(_ROW_INCHES * len(pages)) as drawing:
        axes = drawing.figure.add_axes((0, 0, 1, 1))
        axes.axis("off")
        axes.set_xlim(0, 1)
        axes.set_ylim(len(pages) - 0.5, -0.5)
        for row, page in enumerate(pages):
            look: Look = {"ha": "right", "va": "center", "fontsize": 8, "color": BLACK}
            look["weight"] = "bold" if page in own else "normal"
            axes.text(_NAMES_END, row, page_title(page), parse_math=False, **look)
        for source, page in arrows:
            start, end = pages.index(source), pages.index(page)
            side = _BESIDE_ROW if start < end else -_BESIDE_ROW
            ends = [(_NAMES_END + 0.01, start + side), (_NAMES_END + 0.01, end - side)]
            bulge = _BULGE if start < end else -_BULGE
            arrow: Look = {"arrowstyle": "-|>", "mutation_scale": 7, "lw": 1}
            arrow |= {"color": SERIES[start % len(SERIES)], "connectionstyle": f"arc3,rad={bulge}"}
            axes.add_patch(FancyArrowPatch(*ends, **arrow))
        built_on = {page: join_words([page_title(each) for each in sources[page]]) for page in own}
        alt = "; ".join(
            f"{page_title(page)} builds on {names or 'no other chapter'}"
            for page, names in built_on.items()
        )
        caption = "What the chapters build on: an arrow leads from a measured value to a prediction"
        rows = [[page_title(source), page_title(page)] for source, page in arrows]
        data = Data(["measured in", "used in"], rows)
        return drawing.save(f"part-{part}", caption, alt, data)

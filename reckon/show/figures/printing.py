"""Figures for the PDFs: in the documents' family of type, with no letter smaller than 6 points."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from reckon import config, records

SCALE = 0.7  # of a figure in print: \figurescale of book/static/reckon.sty
# Of a figure with axes before it is scaled: as wide as the documents' lines of 174 mm.
WIDTH_INCHES = 174 / 25.4 / SCALE
SMALLEST_POINTS = 6.2  # of a letter in print
FAMILY = "Reckon Sans"  # Latin Modern Sans as TrueType; its licence asks for another name
# Its letters are lower and narrower than those of DejaVu Sans, for which figures are laid out.
ENLARGED = 1.15
_HEIGHT = 0.62  # of a figure on the site: paper has less room
_LINE_HEIGHT = 1.1  # of rows beside one another, in heights of their letters
# The `label` of a text that is for the site alone. With "_" before it, no legend has it.
ON_SCREEN = "_on-screen"
_WIDENED, _WIDTH_OFF = 6, 0.01  # how often at most, and how far from the width it may end
_VECTOR_DPI = 72  # of SVG and PDF
_FALLBACK = "DejaVu Sans"  # comes with matplotlib; has the characters that the other family lacks
_FILES = ("lmsans10-regular.otf", "lmsans10-bold.otf")
_FOLDERS = (
    "/usr/share/texmf/fonts/opentype/public/lm",  # Debian, Ubuntu
    "/usr/share/texlive/texmf-dist/fonts/opentype/public/lm",  # Fedora
    "/usr/share/texmf-dist/fonts/opentype/public/lm",  # Arch
)
MARGIN_INCHES = 0.02  # the document has space around its figures
_CHARACTERS = [*range(0x20, 0x180), *range(0x2000, 0x2070), 0x2190, 0x2192, 0x2212]
_CURVE_ERROR = 0.5  # of a thousandth of the letters' size: of the quadratic curves of TrueType


@contextlib.contextmanager
def for_print(figure: Figure) -> Iterator[None]:
    """The figure as it is printed; when the `with` ends, as it was."""
    width, height = figure.get_figwidth(), figure.get_figheight()
    with in_family() as (families, enlarged):
        has_axes = any(axes.axison for axes in figure.axes)
        # A diagram is its letters in boxes, which grow with them.
        figure.set_figheight((_HEIGHT if has_axes else enlarged) * height)
        figure.draw_without_rendering()  # the labels of ticks exist from here on
        before = [
            (text, float(text.get_fontsize()), text.get_fontfamily())
            for text in figure.findobj(Text)
        ]
        for text, size, _ in before:
            text.set_fontfamily(families)
            text.set_fontsize(max(enlarged * size, SMALLEST_POINTS / SCALE))
        try:
            with _nothing_hidden([text for text, *_ in before]):
                figure.set_figheight(figure.get_figheight() * _rows_need(figure))
                if has_axes:
                    _widen(figure)
                yield
        finally:
            figure.set_size_inches(width, height)
            for text, size, family in before:
                text.set_fontfamily(family)
                text.set_fontsize(size)


@contextlib.contextmanager
def in_family() -> Iterator[tuple[list[str], float]]:
    """The families in which PDFs are written inside the `with`, in this order, and how much larger
    letters of the first are to be than those for which figures are laid out."""
    is_known = _load_family(config.settings().build_dir / "cache" / "fonts")
    families = [FAMILY, _FALLBACK] if is_known else [_FALLBACK]
    # matplotlib embeds these as TrueType; as Type 3, its default, letters have no hints.
    with matplotlib.rc_context({"pdf.fonttype": 42, "font.family": families}):
        yield families, ENLARGED if is_known else 1.0


def _widen(figure: Figure) -> None:
    """Widen the axes until the figure, with what stands beside them, fills the lines.

    A legend may be wider than narrow axes, and wide ones have other ticks."""
    room_inches = WIDTH_INCHES - 2 * MARGIN_INCHES
    places = [axes.get_position() for axes in figure.axes]
    share = max(place.x1 for place in places) - min(place.x0 for place in places)
    for _ in range(_WIDENED):
        width_inches = box(figure).width
        if math.isclose(width_inches, room_inches, rel_tol=_WIDTH_OFF):
            break
        beside_inches = width_inches - share * figure.get_figwidth()
        figure.set_figwidth((room_inches - beside_inches) / share)


def box(figure: Figure) -> Bbox:
    """What the drawn figure takes, in inches. savefig() would draw all of it to find this."""
    dpi = figure.dpi
    figure.dpi = _VECTOR_DPI
    try:
        return figure.get_tightbbox(_measuring())
    finally:
        figure.dpi = dpi


@functools.cache
def _measuring() -> RendererSVG:
    """Draws nothing. It remembers how wide each text is: letters cost most of a figure's time."""
    return RendererSVG(1, 1, io.StringIO())


@contextlib.contextmanager
def _nothing_hidden(texts: list[Text]) -> Iterator[None]:
    """Texts, larger in print, without what would hide data: white boxes, names of bands."""
    boxes = [(text, box) for text in texts if (box := text.get_bbox_patch()) is not None]
    on_screen = [text for text in texts if text.get_label() == ON_SCREEN]
    hidden: list[Artist] = [*on_screen, *(box for _, box in boxes)]
    for text, _ in boxes:
        text.set_path_effects([withStroke(linewidth=2, foreground="white")])
    for artist in hidden:
        artist.set_visible(False)
    try:
        yield
    finally:
        for artist in hidden:
            artist.set_visible(True)
        for text, _ in boxes:
            text.set_path_effects([])


def _rows_need(figure: Figure) -> float:
    """How many times higher the figure has to be for the names of its rows not to overlap."""
    need = 1.0
    for axes in figure.axes:
        if axes.name == "3d":
            continue
        labels = [label for label in axes.get_yticklabels() if label.get_text()]
        places = sorted(
            axes.transData.transform((0, label.get_position()[1]))[1] for label in labels
        )
        apart = min((b - a for a, b in itertools.pairwise(places) if b > a), default=0)
        if apart:
            letters = max(float(label.get_fontsize()) for label in labels)
            need = max(need, _LINE_HEIGHT * letters * figure.dpi / 72 / apart)
    return need


@functools.cache
def _load_family(folder: Path) -> bool:
    """Make the family known to matplotlib, as files of this folder; False if TeX has none."""
    sources = [path for name in _FILES for path in _installed(name)]
    if len(sources) < len(_FILES):
        return False
    for source in sources:
        path = folder / f"{source.stem}.ttf"
        if not path.exists():
            records.write_whole(path, _truetype(source))
        fontManager.addfont(path)
    return True


def _installed(name: str) -> list[Path]:
    paths = [Path(folder) / name for folder in _FOLDERS]
    return [path for path in paths if path.exists()][:1]


@functools.cache
def _truetype(path: Path) -> bytes:
    """An OpenType font with cubic outlines as TrueType; matplotlib calls all that it embeds so."""
    font = TTFont(path, recalcTimestamp=False)
    needed = subset.Subsetter(subset.Options(layout_features=["kern"], notdef_outline=True))
    needed.populate(unicodes=_CHARACTERS)
    needed.subset(font)
    glyphs = font.getGlyphSet()
    outlines = {}
    for name in font.getGlyphOrder():
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, _CURVE_ERROR, reverse_direction=True))
        outlines[name] = pen.glyph()
    del font["CFF "]
    font.sfntVersion = "\0\1\0\0"
    font["glyf"] = newTable("glyf")  # by which the builder sees that the font is TrueType
    builder = FontBuilder(font=font)
    builder.setupGlyf(outlines)
    builder.setupMaxp()
    builder.setupPost()
    for record in font["name"].names:
        if record.nameID in (1, 16):
            record.string = FAMILY
    content = io.BytesIO()
    font.save(content)
    return content.getvalue()

"""MathJax for the pages with formulas: of the installed package the parts that they use."""

from __future__ import annotations

import base64
import importlib.metadata
import io
import json
from collections.abc import Mapping
from pathlib import Path

from reckon import records
from reckon.book.build_cache import read_or_compute
from reckon.errors import ReckonError

_PACKAGE = "sphinx-mathjax-offline"
# TeX input and HTML output, in this order: without the menu, MathML input and the explorer,
# which are half of the script that MathJax's package combines.
_PARTS = (
    "startup.js",
    "core.js",
    "input/tex-base.js",
    "input/tex/extensions/ams.js",
    "output/chtml.js",
    "output/chtml/fonts/tex.js",
    "a11y/assistive-mml.js",  # MathML for screen readers
)
_FONT_FOLDER = "output/chtml/fonts/woff-v2"
# The fonts of formulas, whose variables are words in upright letters: by the name in MathJax's
# style rules the file, and the characters in use. Other fonts are loaded when a page uses them.
_WORDS = "".join(map(chr, range(0x20, 0x7F))) + "\xa0±µ·×÷–—‘’“”…′∑−∗∞≈≠≤≥→⋅"
_FENCES = "()[]{}|⌈⌉⌊⌋∑∏√⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭"
_FONTS = {
    "MJXZERO": ("Zero", ""),  # all of it: it has no characters that show
    "MJXTEX": ("Main-Regular", _WORDS),
    "MJXTEX-S1": ("Size1-Regular", _FENCES),
    "MJXTEX-S2": ("Size2-Regular", _FENCES),
    "MJXTEX-S3": ("Size3-Regular", _FENCES),
    "MJXTEX-S4": ("Size4-Regular", _FENCES),
}
# A page that is opened as a file may not load a font (its origin is null), so the fonts are in the
# script.
_SETTINGS = """\
// The parts of MathJax that pages use, and its fonts.
(() => {
  const fonts = %s;
  window.MathJax = {
    ...window.MathJax,
    loader: { load: [] }, // all of it follows in the same script
    tex: { packages: ["base", "ams"] },
    startup: {
      ready() {
        const rules = Object.values(MathJax._.output.chtml.fonts.tex_ts.TeXFont.defaultFonts);
        for (const rule of rules) {
          const font = fonts[rule["font-family"]];
          if (font) rule.src = `url(data:font/woff;base64,${font}) format("woff")`;
        }
        MathJax.startup.defaultReady();
      },
    },
  };
})();
"""


def files() -> dict[str, bytes]:
    """MathJax as one script, and its fonts, by their names in the folder of static files."""
    package = _package()
    parts = [package[name].read_bytes() for name in _PARTS]
    fonts = {name: path.read_bytes() for name, path in package.items() if _FONT_FOLDER in name}
    version = [importlib.metadata.version(_PACKAGE), records.file_digest(Path(__file__))]
    settings = read_or_compute("mathjax.json", version, lambda: _settings(package))
    return {"mathjax/mathjax.js": b"\n".join(parts), "math.js": settings.encode()} | {
        f"mathjax/{name}": content for name, content in fonts.items()
    }


def _settings(package: Mapping[str, Path]) -> str:
    """The script that comes before MathJax."""
    fonts = {}
    for name, (file, characters) in _FONTS.items():
        path = package[f"{_FONT_FOLDER}/MathJax_{file}.woff"]
        fonts[name] = base64.b64encode(_only(path, characters)).decode()
    return _SETTINGS % json.dumps(fonts)


def _package() -> dict[str, Path]:
    """The files of the installed package, by their names below its folder."""
    found = {}
    for file in importlib.metadata.files(_PACKAGE) or []:
        name = str(file).partition("static/mathjax/")[2]
        found[name] = Path(str(file.locate()))
    if not all(name in found and found[name].exists() for name in _PARTS):
        raise ReckonError("MathJax is missing from the environment; run `make setup`.")
    return found


def _only(path: Path, characters: str) -> bytes:
    """The font with these characters alone; whole where none are named."""
    if not characters:
        return path.read_bytes()
    from fontTools import subset  # imports slowly
    from fontTools.ttLib import TTFont

    options = subset.Options(
        hinting=False,
        layout_features=[],
        drop_tables=["FFTM", "GDEF"],
        name_IDs=[],
        glyph_names=False,
    )
    font = TTFont(path, recalcTimestamp=False)
    choice = subset.Subsetter(options)
    choice.populate(text=characters)
    choice.subset(font)
    file = io.BytesIO()
    font.flavor = "woff"
    font.save(file)
    return file.getvalue()

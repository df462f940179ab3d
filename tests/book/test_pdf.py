"""The PDF: no empty page, the numbers of the site's tables and figures."""

import os
import re
import shutil
import subprocess

import pytest
from helpers.capabilities import need
from helpers.project import output_of

from reckon.book.contents import notebooks

pytestmark = pytest.mark.book


def captions(site):
    """[(kind, number, words)] of every numbered table and figure of the site, in order."""
    numbered = []
    for page in notebooks():
        for kind, number, words in re.findall(
            r'caption-number">(Table|Fig\.) ([\d.]+) </span><span class="caption-text">(.*?)</span>',
            (site / f"notebooks/{page}.html").read_text(),
            re.S,
        ):
            text = re.sub(r"<[^>]+>", "", words).split("(")[0].strip()
            numbered.append((kind, number.rstrip("."), " ".join(text.split()[:4])))
    return numbered


def sheets_of(pdf):
    """The text of every page of a PDF, its lines as they stand."""
    text = output_of("pdftotext", "-layout", pdf, "-")
    return text.rstrip("\f").split("\f")


def test_the_pdf_has_no_empty_page_and_the_sites_numbers(built):
    need(shutil.which("xelatex") and shutil.which("pdftotext"), "XeLaTeX or pdftotext is missing")
    sheets = sheets_of(built / "html/reckon.pdf")
    assert len(sheets) > 20
    for number, sheet in enumerate(sheets, 1):
        assert len(sheet.split()) > 15, f"page {number} of the PDF is all but empty"
    flat = " ".join(" ".join(sheets).split())
    assert "??" not in flat  # a reference that was not resolved
    numbered = captions(built / "html")
    assert len(numbered) > 30
    for kind, number, words in numbered:
        assert re.search(rf"{kind} ?{re.escape(number)}[:.]? {re.escape(words)}", flat), (
            kind,
            number,
            words,
        )


def test_a_table_that_ends_a_page_leaves_no_empty_one(built, tmp_path):
    """The book's last chapter with a long table, its end 2 mm lower each time: less than a line's height."""
    need(shutil.which("xelatex") and shutil.which("pdftotext"), "XeLaTeX or pdftotext is missing")
    latex = built / "latex"
    before, _, text = (latex / "reckon.tex").read_text().partition("\\begin{document}")
    chapter = re.search(
        r"\\section\{From experiment to C file\}.*?(?=\\sphinxstepscope)", text, re.S
    )
    down = "".join(rf"\newpage\vspace*{{{mm}mm}}{chapter[0]}" for mm in range(0, 160, 2))
    (tmp_path / "ends.tex").write_text(
        rf"{before}\begin{{document}}\pagestyle{{empty}}{down}\end{{document}}"
    )
    done = subprocess.run(
        ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "ends.tex"],
        cwd=tmp_path,
        env={**os.environ, "TEXINPUTS": f"{latex}:"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    sheets = sheets_of(tmp_path / "ends.pdf")
    assert 80 < len(sheets) < 160  # so that it ends on its page first, and on the next one last
    assert all(sheet.split() for sheet in sheets)

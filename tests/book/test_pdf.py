"""The PDFs: the report and the full record, their pages, numbers and metadata."""

import importlib
import io
import re
import subprocess
import sys
import zlib

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from helpers.capabilities import installed
from helpers.project import ROOT, output_of
from matplotlib.figure import Figure
from PIL import Image

from reckon import config
from reckon.book import contents, sphinx
from reckon.errors import ReckonError
from reckon.show.figures import printing

sys.path.insert(0, str(ROOT / "book/ext"))
pdf_references, pdf_tables = map(importlib.import_module, ("pdf_references", "pdf_tables"))

pytestmark = pytest.mark.book

NAMES = ("reckon", "reckon-full")
TOO_WIDE_PT = 5
DARKEST_EMPTY = 200  # of 255; what is lighter is paper
SMALLEST_POINTS = 6  # of a letter in print
FEWEST_LINES = 6  # of a page, with its footer
MOST_EMPTY = 1 / 3  # of a page, but where a part ends


@pytest.fixture(scope="session", autouse=True)  # before the session's book is built
def _tools():
    tools = ("xelatex", "pdftotext", "pdfinfo", "pdffonts", "pdftoppm")
    installed(*tools)


def sheets_of(pdf):
    """The text of every page of a PDF, its lines as they stand."""
    text = output_of("pdftotext", "-layout", pdf, "-")
    return text.rstrip("\f").split("\f")


def flat_text(pdf):
    return " ".join(" ".join(sheets_of(pdf)).split())


def empty_shares(pdf, folder):
    """The share of each page's height that is empty below its last line, without the footer."""
    subprocess.run(["pdftoppm", "-r", "20", "-gray", pdf, folder / "page"], check=True)
    shares = []
    for path in sorted(folder.glob("page*.pgm")):
        with Image.open(path) as page:
            text = page.crop((0, page.height // 12, page.width, page.height * 11 // 12))
        box = text.point(lambda grey: 255 * (grey < DARKEST_EMPTY)).getbbox()
        shares.append(1 - (box[3] if box else 0) / text.height)
    return shares


@pytest.mark.parametrize("name", NAMES)
def test_no_page_is_empty_and_every_reference_is_resolved(built, name):
    sheets = sheets_of(built / f"html/{name}.pdf")
    for number, sheet in enumerate(sheets, 1):
        lines = [line for line in sheet.splitlines() if line.strip()]
        assert len(lines) > FEWEST_LINES, f"page {number} of {name}.pdf is all but empty"
    assert "??" not in " ".join(sheets)


def test_the_report_has_40_to_60_pages_of_which_none_is_a_third_empty(built, tmp_path):
    pages = empty_shares(built / "html/reckon.pdf", tmp_path)
    assert 40 <= len(pages) <= 60
    inner = pages[1:-1]  # neither the title page nor the last one
    empty = [number for number, share in enumerate(inner, 2) if share > MOST_EMPTY]
    assert empty == []


def test_in_the_full_record_only_the_ends_of_parts_are_a_third_empty(built, tmp_path):
    pages = empty_shares(built / "html/reckon-full.pdf", tmp_path)
    sheets = sheets_of(built / "html/reckon-full.pdf")
    front_pages = len(sheets) - int(sheets[-1].split()[-1])  # title and contents, which count apart
    contents_lines = (built / "latex/reckon-full.toc").read_text()
    starts = [int(n) for n in re.findall(r"\{(\d+)\}\{(?:chapter|appendix)\.\w+\}", contents_lines)]
    assert len(starts) > 10
    ends = {1, front_pages, len(pages), *(front_pages + start - 1 for start in starts)}
    empty = {number for number, share in enumerate(pages, 1) if share > MOST_EMPTY}
    assert empty - ends == set()


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_page_and_no_character_is_missing(built, name):
    log = (built / f"latex/{name}.log").read_text(errors="replace")
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert [points for points in wide if points > TOO_WIDE_PT] == []
    assert "Missing character" not in log


def headings_and_questions(source):
    """What has to have something below it on its page, as it is printed."""
    titles = re.findall(r"^\\(?:chapter|(?:sub)*section)\*?\{(.*)\}$", source, re.M)
    questions = re.findall(r"^\\sphinxstylestrong\{(.*)\}\s+\\par\\nopagebreak$", source, re.M)
    assert len(titles) > 50 and len(questions) > 50
    return {re.sub(r"\W+", "", title) for title in (*titles, *questions) if "\\" not in title}


@pytest.mark.parametrize("name", NAMES)
def test_no_page_ends_with_a_heading_or_a_question(built, name):
    leading = headings_and_questions((built / f"latex/{name}.tex").read_text())
    last = []
    for sheet in sheets_of(built / f"html/{name}.pdf")[2:]:
        text, _, footer = sheet.rstrip().rpartition("\n")
        *_, block = re.split(r"\n\s*\n", text.strip("\n"))
        line = block.splitlines()[-1]
        is_of_a_formula = line.startswith(20 * " ")  # an input may be named as a section is
        words = re.sub(r"\W+", "", re.sub(r"^\s*[\d.]+\s+", "", line))
        is_caption = block.lstrip().startswith("Fig. ")  # whose last word may be a title elsewhere
        if words in leading and not is_caption and not is_of_a_formula:
            last.append((line, footer))
    assert last == []


@pytest.mark.parametrize("name", NAMES)
def test_no_page_begins_with_a_reason_of_the_table_before(built, name):
    sheets = sheets_of(built / f"html/{name}.pdf")
    assert not [sheet for sheet in sheets if re.match(r"[^\n]*\n+\s*[∗†‡§¶] ", sheet)]


@pytest.mark.parametrize("name", NAMES)
def test_each_reference_is_printed_once(built, name):
    source = (built / f"latex/{name}.tex").read_text()
    entries = source.partition(r"\begin{sphinxthebibliography}")[2].split(r"\bibitem")[1:]
    assert len(entries) > 20
    for entry in entries:
        assert entry.count(r"\sphinxAtStartPar") == 1, entry


@pytest.mark.parametrize("name", NAMES)
def test_paper_has_no_words_that_are_of_use_on_a_screen_alone(built, name):
    text = flat_text(built / f"html/{name}.pdf")
    for words in (
        "Click on",
        "JSON JSON",
        "as CSV or JSON",
        "top of the page",
        "figure below draws",
        "row leads to",
        "of this page",
    ):
        assert words not in text, words


def test_the_report_repeats_no_table_in_words_and_predicts_on_few_lines(built):
    report, record = ((built / f"latex/{name}.tex").read_text() for name in NAMES)
    verdict = r"\\sphinxstylestrong\{Verdict\.\} Predicted (?:(?!\. [A-Z]).)*"
    assert re.search(verdict + "$", record, re.M) and not re.search(verdict + "$", report, re.M)
    assert "Would be right at" in record and "Would be right at" not in report
    lines = re.findall(r"^\\text\{predicted\} &= .*$", report, re.M)
    assert sum(line.count(" = ") > 0 for line in lines) > 10


def test_the_report_refers_to_no_section_that_it_leaves_out(built):
    assert "Spreads and conditions" not in flat_text(built / "html/reckon.pdf")


@pytest.mark.parametrize("name", NAMES)
def test_empty_cells_are_empty_and_fractions_large(built, name):
    source = (built / f"latex/{name}.tex").read_text()
    assert not re.search(r"\\sphinxAtStartPar\n\s*\n(?:&|\\\\)", source)
    formulas = re.findall(r"\\begin\{align\*\}.*?\\end\{align\*\}", source, re.S)
    assert len(formulas) > 20
    assert not any(r"\frac" in formula for formula in formulas)


def test_the_column_that_makes_most_rows_high_gets_the_room():
    cells = [[10, 8, 60, 8], [12, 8, 80, 9], [11, 8, 20, 9]]
    assert [*pdf_tables._shared_out(cells, [5, 8, 8, 8], 200)] == [12, 8, 80, 9]
    widths = pdf_tables._shared_out(cells, [5, 8, 8, 8], 60)
    assert [*widths[[0, 1, 3]]] == [12, 8, 9] and widths[2] > 20
    assert sum(widths) <= 60


def test_a_cell_five_times_as_high_as_its_neighbours_gets_a_row_of_its_own():
    rows = [["a name", "1 ns", "one word"], ["another name", "2 ns", "many words " * 60]]
    lines = [
        f"   {'  -' if column else '* -'} {cell}" for row in rows for column, cell in enumerate(row)
    ]
    document = publish_doctree("\n".join([".. list-table::", "", *lines]))
    table = document.next_node(nodes.table)
    pdf_tables.fit_to_page(table, 30)
    *_, second, below = pdf_tables.rows_of(table, nodes.tbody)
    assert [cell.astext() for cell in second] == ["another name", "2 ns", "below"]
    assert below[0]["morecols"] == 2 and below.astext().startswith("many words many")
    assert len(pdf_tables.rows_of(table, nodes.tbody)) == 3


@pytest.mark.parametrize("name", NAMES)
def test_no_font_is_drawn_letter_by_letter(built, name):
    fonts = output_of("pdffonts", built / f"html/{name}.pdf")
    assert "LMSans" in fonts and "Type 3" not in fonts


def unpacked(pdf):
    """A PDF's streams in the clear, those that are no data of another kind.

    A stream whose checksum ends in a carriage return seems to lack it, so no checksum is asked for."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf.read_bytes(), re.S)
    texts = []
    for stream in streams:
        try:
            texts.append(zlib.decompressobj().decompress(stream))
        except zlib.error:
            continue
    return b"\n".join(texts)


def test_no_letter_of_a_figure_is_printed_smaller_than_6_points(built):
    width_points = 174 / 25.4 * 72  # of the text, by the margins of _config.yml
    figures = sorted((built / "figures").glob("*.pdf"))
    assert len(figures) > 40
    for figure in figures:
        size = re.search(r"Page size: +([\d.]+) x", output_of("pdfinfo", figure))
        scale = min(printing.SCALE, width_points / float(size[1]))
        letters = re.findall(rb"/F\d+ ([\d.]+) Tf", unpacked(figure))
        assert letters, figure.name
        assert scale * min(map(float, letters)) >= SMALLEST_POINTS, figure.name


def test_a_printed_figure_is_as_wide_as_the_lines():
    for names in (["1", "2"], ["a name of a row that is long", "another"]):
        drawn = Figure(figsize=(6.4, 3.6))
        axes = drawn.subplots()
        axes.barh(names, [1, 2])
        with printing.for_print(drawn):
            content = io.BytesIO()
            box = drawn.get_tightbbox().padded(printing.MARGIN_INCHES)
            drawn.savefig(content, format="pdf", bbox_inches=box)
        width = float(re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", content.getvalue())[1])
        assert width == pytest.approx(printing.WIDTH_INCHES * 72, rel=0.01)
        assert tuple(drawn.get_size_inches()) == (6.4, 3.6)


def test_most_figures_of_the_book_are_as_wide_as_the_lines(built):
    widths = [
        float(re.search(r"Page size: +([\d.]+) x", output_of("pdfinfo", figure))[1])
        for figure in (built / "figures").glob("*.pdf")
    ]
    wide = [width for width in widths if width > 0.97 * printing.WIDTH_INCHES * 72]
    assert len(wide) > 0.85 * len(widths)


def test_figures_are_laid_out_for_the_scale_at_which_they_are_printed():
    style = (ROOT / "book/static/reckon.sty").read_text()
    assert f"\\newcommand{{\\figurescale}}{{{printing.SCALE}}}" in style


@pytest.mark.parametrize("name", NAMES)
def test_bookmarks_are_numbered_and_the_language_is_given(built, name):
    bookmarks = (built / f"latex/{name}.out").read_text()
    titles = re.findall(r"\]\{(?:chapter|appendix|section)\.[\w.]+\}\{(.*?)\\040", bookmarks)
    assert len(titles) > 20
    titles = [re.sub(r"\\\d{3}", "", title) for title in titles]  # octal numbers of UTF-16
    assert [title for title in titles if not re.fullmatch(r"[A-Z\d]\d*(\.\d+)?", title)] == []
    assert [title for title in titles if title[0].isalpha()][:2] == ["A", "A.1"]
    assert b"/Lang(en)" in unpacked(built / f"html/{name}.pdf").replace(b" ", b"")


@pytest.mark.parametrize("name", NAMES)
def test_links_to_data_are_the_sites_alone(built, name):
    assert "(data)" not in flat_text(built / f"html/{name}.pdf")


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_value_has_its_reason_below_its_table(built, name):
    source = (built / f"latex/{name}.tex").read_text()
    assert not re.search(r"^(unsupported|failed|not measured): .{20}", source, re.M)
    marks = re.findall(r"^(?:unsupported|failed|not measured)\\tablemark", source, re.M)
    assert len(marks) >= source.count(r"\begin{tablenote}")
    if name == "reckon-full":
        assert marks


def test_the_reports_tables_stay_on_one_page(built):
    assert "continues on next page" not in flat_text(built / "html/reckon.pdf")


@pytest.mark.parametrize("name", NAMES)
def test_the_metadata_name_the_machine_the_run_and_the_author(built, name):
    info = output_of("pdfinfo", built / f"html/{name}.pdf")
    fields = dict(re.findall(r"^(\w+): +(.+)$", info, re.M))
    assert fields["Title"].startswith("Reckon")
    assert fields["Author"] == "A. Student"
    assert re.fullmatch(r"CSE 221, .*prediction.*, [^,]+", fields["Keywords"])
    assert re.search(r"cores.*run recorded, measured \d{4}-\d\d-\d\d", fields["Subject"])


@pytest.mark.parametrize("name", NAMES)
def test_xmp_has_the_same_metadata(built, name):
    xmp = output_of("pdfinfo", "-meta", built / f"html/{name}.pdf")
    for field in ("title", "creator", "description", "language"):
        assert re.search(rf"<dc:{field}>.*?<rdf:li.*?>[^<]+</rdf:li>", xmp, re.S), field
    words = re.search(r"<dc:subject>(.*?)</dc:subject>", xmp, re.S)[1]
    assert {"CSE 221", "prediction", "measurement"} <= set(re.findall(r">([^<]+)</rdf:li>", words))


@pytest.mark.parametrize("name", NAMES)
def test_figures_have_their_alt_text(built, name):
    content = unpacked(built / f"html/{name}.pdf")
    texts = re.findall(rb"/Span ?<< ?/Alt ?<([0-9A-Fa-f]+)>", content)
    figures = (built / f"latex/{name}.tex").read_text().count(r"\pictureshows")
    assert len(texts) == figures > 40
    shown = {bytes.fromhex(text.decode()).decode("utf-16") for text in texts}
    assert any("The loop builds on The clock" in text for text in shown)


def captions(source):
    """The labels of figures and tables with a caption."""
    marked = re.findall(r"\\inlist\{.*?\\label\{\\detokenize\{(.*?)\}\}", source, re.S)
    assert len(marked) > 50
    return marked


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_and_table_is_referred_to_by_its_number(built, name):
    source = (built / f"latex/{name}.tex").read_text()
    numbered = r"\\hyperref\[\\detokenize\{([^{}]*)\}\]\{(?:Figure|Table) \\ref"
    assert set(captions(source)) - set(re.findall(numbered, source)) == set()


@pytest.mark.parametrize("name", NAMES)
def test_figures_and_tables_are_listed_by_their_first_words(built, name):
    source = (built / f"latex/{name}.tex").read_text()
    listed = [(built / f"latex/{name}.{ending}").read_text() for ending in ("lof", "lot")]
    lines = re.findall(r"\\inlist ?\{(.*?)\}\{", "".join(listed))
    assert len(lines) == source.count(r"\inlist{") > 50
    sheets = sheets_of(built / f"html/{name}.pdf")
    first = next(sheet for sheet in sheets if re.search(r"^ *Figures$", sheet, re.M))
    assert re.search(r"^ *1\.1 +\w", first, re.M)


def test_a_line_of_the_lists_is_a_captions_first_statement_and_more_where_others_begin_so():
    lines = {
        "Load latency, level by level: memory takes 190 times as long": "Load latency, level by level",
        "A system call. Each step begins where one ends": "A system call",
        "Clock rates and cycle time": "Clock rates and cycle time",
        "w" * 30 + " " + "x" * 30: "w" * 30 + " …",
        "Inputs of the prediction: a fork": "Inputs of the prediction: a fork",
        "Inputs of the prediction: a fault": "Inputs of the prediction: a fault",
    }
    assert pdf_references.in_lists([*lines]) == [*lines.values()]


def test_the_report_has_neither_goals_nor_times_to_read(built):
    report, record = (flat_text(built / f"html/{name}.pdf") for name in NAMES)
    assert "Builds on The clock" in report
    for words in ("Afterwards you can", "to read."):
        assert words in record and words not in report, words


@pytest.mark.parametrize("name", NAMES)
def test_each_part_opens_with_what_its_chapters_build_on_and_cost_in_one_picture(built, name):
    source = (built / f"latex/{name}.tex").read_text()
    drawn = re.findall(r"sphinxincludegraphics.*?\{\{(part-\w+(?:-costs)?)\}", source)
    assert drawn == [f"part-{part}-costs" for part in contents.parts()]


def test_the_report_concludes_from_this_run(built):
    report = flat_text(built / "html/reckon.pdf")
    conclusion = re.search(r"Conclusion Can one say where (.*?) A How it is measured", report)[1]
    assert re.search(r"in \d+ pairs the predictions name the longer time", conclusion)
    assert re.search(r"within a factor of \d", conclusion)


def test_letters_that_the_font_lacks_are_named_before_tex_runs(monkeypatch):
    monkeypatch.setattr(sphinx, "_Mark", None)  # what follows the check
    for author, missing in (("Łukasz 王 🙂", "王 🙂"), ("สม", "ส ม")):
        monkeypatch.setattr(config, "_in_use", config.Settings(author=author))
        with pytest.raises(ReckonError, match=f"has no {missing}; write AUTHOR= in Latin"):
            sphinx.pdf(None)
    assert sphinx._without_letter("José Łukasz Ærø") == []


def test_the_title_page_has_author_course_machine_run_and_score(built):
    title = " ".join(sheets_of(built / "html/reckon.pdf")[0].split())
    for words in ("A. Student", "CSE 221", "Machine", "recorded", "Abstract", "sealed predictions"):
        assert words in title


def test_the_report_has_every_question_and_leaves_out_what_the_site_folds(built):
    report, record = (flat_text(built / f"html/{name}.pdf") for name in NAMES)
    folded = ("Other ways to measure it", "If yours differs", "@rk.predict")
    for words in folded:
        assert words in record and words not in report, words
    for page in filter(contents.is_of_experiment, contents.notebooks()):
        markup = (built / f"html/notebooks/{page}.html").read_text()
        question = re.search(r'class="answer docutils.*?<strong>(.*?)</strong>', markup, re.S)[1]
        assert " ".join(question.split()) in report, page


def test_the_full_record_has_every_table_and_figure_of_the_site(built):
    record = flat_text(built / "html/reckon-full.pdf")
    captions = []
    for page in contents.notebooks():
        markup = (built / f"html/notebooks/{page}.html").read_text()
        captions += re.findall(
            r'caption-number">(Table|Fig\.).*?caption-text">(.*?)</span>', markup, re.S
        )
    assert len(captions) > 30
    for kind, words in captions:
        start = re.sub(r"<[^>]+>", "", words).split("(")[0].split()[:4]
        assert re.search(rf"{kind} ?[A-Z\d.]+[:.]? {re.escape(' '.join(start))}", record), words

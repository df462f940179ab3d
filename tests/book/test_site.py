"""The site as its readers see it: opened from the disk, narrow and wide, light and dark."""

import gzip
import io
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from helpers.books import html_files
from helpers.project import PROGRAMS
from PIL import Image
from playwright.sync_api import expect

from reckon.book.contents import notebooks, toc
from reckon.book.staging.stage import PDFS, POSTER

pytestmark = pytest.mark.book

# Bytes as a server sends them, compressed by gzip.
FRONT_PAGE_LIMIT = 1_000_000
FURTHER_PAGE_LIMIT = 300_000

DESKTOP = {"width": 1400, "height": 1100}
RULES = ["wcag2a", "wcag2aa", "best-practice"]
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
# Between them they have every kind of element (tag and class) with a colour that any page has: axe, which
# takes seconds a page for the rules on colours, follows them there, in the light and in the dark.
WITH_EVERY_COLOUR = (
    "book/intro",  # the ways into the book, its headlines, the card of the machine
    "book/glossary",  # definitions
    "book/bibliography",  # references
    "book/teaching",  # commands, lists
    "notebooks/network/rtt",  # a chapter: answer, tables, figures, formulas, panels, folded code
    "notebooks/machine",  # TOML
    "notebooks/summary",  # the table that is sorted and searched
)


def test_the_front_page_carries_the_stamp_and_the_pdfs(built):
    text = (built / "html/book/intro.html").read_text()
    for word in ("Machine", "Kernel", "Compiler", "Measured", "Profile", "Made from"):
        assert f"<strong>{word}</strong>" in text
    assert "<p>quick</p>" in text
    for name in PDFS if shutil.which("xelatex") else [POSTER]:
        assert f'href="../{name}"' in text and (built / "html" / name).exists()
    assert f'href="../{POSTER}"' in (built / "html/notebooks/machine.html").read_text()


@dataclass
class Visit:
    """A page opened from the disk: what it loaded, what its scripts reported, and what its reader sees."""

    faults: list[str] = field(default_factory=list)
    loaded: set[str] = field(default_factory=set)
    loaded_by_opening: set[str] = field(default_factory=set)  # not for a phone, nor in the dark
    wide: dict = field(default_factory=dict)
    narrow: dict = field(default_factory=dict)
    width_on_a_phone: int = 0
    inaccessible: list = field(default_factory=list)

    def on_message(self, message):
        """Keep a message of the console other than what the theme's scripts log."""
        if message.type in ("error", "warning", "assert"):
            self.faults.append(message.text)


@pytest.fixture(scope="module")
def opened(built, browser):
    """A visit of every HTML file of the site; of the pages of the book with what their readers see."""
    visits = {}
    for path in html_files(built / "html"):
        name = path.relative_to(built / "html").with_suffix("").as_posix()
        visit = visits[name] = Visit()
        context = browser.new_context(viewport=DESKTOP, color_scheme="light")
        context.add_init_script(path=PROGRAMS / "page_facts.js")
        page = context.new_page()
        page.on("pageerror", lambda error, visit=visit: visit.faults.append(str(error)))
        page.on("console", visit.on_message)
        page.on("request", lambda request, visit=visit: visit.loaded.add(request.url))
        page.goto(path.as_uri())
        visit.loaded_by_opening = {*visit.loaded}
        if name in toc():
            see(page, visit, has_colours=name in WITH_EVERY_COLOUR)
        context.close()
    return visits


@pytest.fixture(scope="module")
def visits(opened):
    """The visits of the pages of the book."""
    return {name: opened[name] for name in toc()}


def see(page, visit, *, has_colours):
    visit.wide = page.evaluate("pageFacts.wide()")
    page.evaluate("pageFacts.openPanels()")
    visit.inaccessible = accessibility_faults(page, RULES, COLOUR_RULES)
    page.set_viewport_size({"width": 390, "height": 844})
    visit.narrow = page.evaluate("pageFacts.narrow()")
    page.set_viewport_size({"width": 360, "height": 740})
    visit.width_on_a_phone = page.evaluate("document.documentElement.scrollWidth")
    if has_colours:
        page.set_viewport_size(DESKTOP)
        page.evaluate("pageFacts.keepTwoOfAKind()")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.wait_for_function(
                "theme => document.documentElement.dataset.theme == theme", arg=theme
            )
            page.evaluate("pageFacts.faded()")
            visit.inaccessible += accessibility_faults(page, COLOUR_RULES)


def accessibility_faults(page, rules, without=()):
    """What axe finds wrong with a page by these rules but for some: of each fault its rule and element."""
    from axe_playwright_python.sync_playwright import Axe

    # A page from the disk may not fetch its style sheets, which none of these rules reads.
    options = {"runOnly": rules, "resultTypes": ["violations"], "preload": False}
    options["rules"] = {rule: {"enabled": False} for rule in without}
    return [
        (violation["id"], node["target"])
        for violation in Axe().run(page, options=options).response["violations"]
        for node in violation["nodes"]
    ]


def test_a_page_opened_from_the_disk_has_no_error_and_loads_nothing_from_elsewhere(opened):
    assert len(opened) > 30
    assert {name: visit.faults for name, visit in opened.items() if visit.faults} == {}
    foreign = {
        (name, url)
        for name, visit in opened.items()
        for url in visit.loaded
        if not url.startswith(("file:", "data:", "blob:"))
    }
    assert foreign == set()


def test_the_front_page_is_light_and_further_pages_add_little(opened):
    front = weights(opened["book/intro"].loaded_by_opening)
    assert 0 < sum(front.values()) <= FRONT_PAGE_LIMIT
    for name, visit in opened.items():
        added = sum(
            size for file, size in weights(visit.loaded_by_opening).items() if file not in front
        )
        assert added <= FURTHER_PAGE_LIMIT, (name, added)


def weights(addresses):
    """The compressed size of each file."""
    paths = {unquote(urlparse(url).path) for url in addresses if url.startswith("file:")}
    return {path: len(gzip.compress(Path(path).read_bytes())) for path in paths}


def test_mathjax_is_loaded_only_where_there_is_a_formula(built, opened):
    for name, visit in opened.items():
        has_formula = 'class="math' in (built / f"html/{name}.html").read_text("utf-8")
        assert any("/mathjax/" in url for url in visit.loaded_by_opening) == has_formula, name


def test_every_formula_is_set_and_can_be_read_aloud(visits):
    for name, visit in visits.items():
        formulas = visit.wide["formulas"]
        assert formulas or not re.search("cpu/|memory/", name), name
        assert visit.wide["formulas_read_aloud"] == formulas, name
        assert visit.wide["broken_formulas"] == 0, name


def test_folded_code_is_no_warning(visits):
    assert {
        name for name, visit in visits.items() if visit.wide["warnings_of_folded_code"]
    } == set()


def test_every_picture_is_there_and_described(visits):
    assert [url for visit in visits.values() for url in visit.wide["pictures_without_words"]] == []


def test_every_page_is_accessible(visits):
    assert {name: visit.inaccessible for name, visit in visits.items() if visit.inaccessible} == {}


def test_a_phone_shows_every_page_without_scrolling_sideways(visits):
    for name, visit in visits.items():
        assert not any(visit.narrow.values()), (name, visit.narrow)
        assert visit.width_on_a_phone <= 360, name


@pytest.mark.parametrize("page", [page for page in notebooks() if "/" in page])
def test_a_chapter_s_answer_is_on_its_first_screen(visits, page):
    """The box with the verdict, and the figure below it."""
    wide = visits[f"notebooks/{page}"].wide
    assert "came out" in wide["answer"]  # the verdict
    assert wide["end_of_answer"] <= 1080  # with some room below


def test_the_ways_into_the_book_are_on_its_first_screen(browser, served):
    context = browser.new_context(viewport=DESKTOP)
    sheet = context.new_page()
    sheet.goto(f"{served}/book/intro.html")
    ways = sheet.locator("main .ways")
    assert ways.locator("li").count() == 3
    end = ways.evaluate("(ways) => ways.getBoundingClientRect().bottom + scrollY")
    assert end <= 1100, end
    sheet.set_viewport_size({"width": 1280, "height": 900})
    beside = "(table) => table.scrollWidth - table.parentElement.clientWidth"
    assert sheet.locator("main .headlines table").evaluate(beside) <= 0
    context.close()


def test_a_page_has_a_panel_for_each_shown_prediction_and_is_whole_without(browser, served):
    address = f"{served}/notebooks/cpu/syscall.html"
    texts = []
    for has_script in (True, False):
        context = browser.new_context(java_script_enabled=has_script)
        sheet = context.new_page()
        sheet.goto(address)
        assert (sheet.locator("details.what-if").count() > 2) == has_script
        texts.append(sheet.locator("main").inner_text())
        context.close()
    assert "What if?" in texts[0] and "What if?" not in texts[1]
    assert all("Predicted:" in text for text in texts)


RATIOS = """[...document.querySelector("table.sortable").tBodies[0].rows]
  .filter((row) => !row.hidden)
  .map((row) => row.cells[3].querySelector("[data-sort]")?.dataset.sort)"""


def test_the_summarys_table_is_sorted_and_searched(browser, served):
    context = browser.new_context()
    sheet = context.new_page()
    sheet.goto(f"{served}/notebooks/summary.html#every-quantity")
    table = sheet.locator("table.sortable").first
    head = table.get_by_role("button", name="Measured / predicted")
    everything = [ratio for ratio in sheet.evaluate(RATIOS) if ratio]
    orders = []
    for _ in range(2):
        head.click()
        known = [float(ratio) for ratio in sheet.evaluate(RATIOS) if ratio]
        orders.append(known)
        assert len(known) == len(everything) > 100
    assert orders[0] == sorted(orders[0]) and orders[1] == sorted(orders[0], reverse=True)
    assert table.locator("th[aria-sort=descending]").count() == 1
    assert table.get_by_role("button").count() == 2  # times, rates and sizes have no common order
    assert (
        "Sorted by Measured / predicted, the largest first." in sheet.locator("main").inner_text()
    )
    sheet.get_by_label("Search this table").first.fill("HUGE page faults")
    rows = table.locator("tbody tr:visible")
    assert 0 < rows.count() < 5
    assert all("Page faults" in text and "huge" in text for text in rows.all_inner_texts())
    context.close()


def test_a_term_says_what_it_means_by_pointer_and_by_keyboard_on_a_phone_too(browser, served):
    phone = {"width": 390, "height": 700}
    context = browser.new_context(viewport=phone, reduced_motion="reduce")  # it scrolls at once
    sheet = context.new_page()
    sheet.goto(f"{served}/notebooks/memory/fault.html")
    sheet.wait_for_load_state("networkidle")  # pictures and formulas move the text
    term = sheet.locator("main a", has_text="page tables").first
    meaning = sheet.get_by_role("tooltip")
    expect(meaning).to_be_hidden()
    for reach, leave in ((term.focus, term.blur), (term.hover, sheet.locator("h1").hover)):
        reach()
        expect(meaning).to_contain_text("translates a process's addresses")
        place = meaning.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 390
        assert place["y"] >= 0 and place["y"] + place["height"] <= 700
        leave()
        expect(meaning).to_be_hidden()
        reach()
        expect(meaning).to_be_visible()
        sheet.keyboard.press("Escape")
        expect(meaning).to_be_hidden()
        leave()
    context.close()


def test_a_figure_has_the_colours_of_the_page_that_its_reader_chose(browser, served):
    context = browser.new_context(color_scheme="light")
    sheet = context.new_page()
    sheet.goto(f"{served}/notebooks/cpu/switch.html")
    for theme, is_light in (("light", True), ("dark", False)):
        sheet.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        sheet.wait_for_timeout(300)
        picture = sheet.locator("main figure img").first.screenshot()
        corner = Image.open(io.BytesIO(picture)).convert("L").getpixel((3, 3))
        assert (corner > 128) == is_light, theme
    context.close()


def test_a_chapter_covers_what_was_measured_until_its_reader_has_predicted(browser, served):
    context = browser.new_context()
    sheet = context.new_page()
    sheet.goto(f"{served}/notebooks/cpu/syscall.html?predict")
    article = sheet.locator("article")
    before = article.inner_text()
    assert "The model" in before and "Verdict." not in before and "mode switch" in before
    article.get_by_role("button", name="Predict getpid").first.click()
    sheet.keyboard.type("150 ns")
    sheet.keyboard.press("Enter")
    sheet.keyboard.press("Enter")
    after = article.inner_text()
    assert "Verdict. Predicted" in after and "You predicted 150 ns: measured is" in after
    assert article.locator("#syscall-bars").is_hidden()  # it shows other calls too
    for page in ("book/intro", "book/cpu", "notebooks/summary"):
        sheet.goto(f"{served}/{page}.html")
        text = article.inner_text()
        count = 2 if page == "book/cpu" else 1  # its picture, and the chapter's answer
        assert text.count("You predicted 150 ns") == count and "covered" in text.lower(), page
        assert "clock came out" not in text and "Nearest:" not in text
    sheet.goto(f"{served}/notebooks/machine.html")
    assert article.locator(".cover").count() == 0
    context.close()

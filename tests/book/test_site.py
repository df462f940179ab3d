"""The site: what its pages hold, and that they work offline, narrow and wide, light and dark."""

import io
import re
import shutil

import pytest
from helpers.project import PROGRAMS, RECORDED
from PIL import Image

from reckon.book.contents import notebooks, toc
from reckon.measurement import library
from reckon.records.lookup import all_results

pytestmark = pytest.mark.book


def test_the_front_page_carries_the_stamp_and_the_pdfs(built):
    text = (built / "html/book/intro.html").read_text()
    for word in ("Machine", "Kernel", "Compiler", "Measured", "Profile", "Made from"):
        assert f"<strong>{word}</strong>" in text
    assert "<p>quick</p>" in text
    if shutil.which("xelatex"):
        for name in ("reckon.pdf", "reckon-full.pdf"):
            assert f'href="../{name}"' in text and (built / "html" / name).exists()


def test_no_third_party_code_and_no_foreign_address_is_needed(built):
    """Nothing on the pages loads from elsewhere (links to read are another thing)."""
    for path in (built / "html").rglob("*.html"):
        text = path.read_text(errors="replace")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]+)"', text)
        loaded += re.findall(
            r'<link[^>]*rel="(?:stylesheet|preload|icon)"[^>]*href="(https?:[^"]+)"', text
        )
        assert loaded == [], path
    assert (built / "html/_static/mathjax/mathjax.js").exists()


OPEN_PANELS = (PROGRAMS / "open_panels.js").read_text()


# What a phone should show and does not: the words of heads and the numbers that are broken or end
# outside, of operation, predicted, measured and ratio of the results, and of all columns of compact
# tables.
NOT_READABLE = r"""() => {
  document.querySelectorAll("details").forEach((fold) => (fold.open = true));
  const faults = [];
  for (const [kind, count] of Object.entries({ results: 4, compact: Infinity })) {
    for (const table of document.querySelectorAll(`table.${kind}`)) {
      const right = table.closest(".pst-scrollable-table-container").getBoundingClientRect().right;
      for (const row of table.rows) {
        for (const cell of [...row.cells].slice(0, count)) {
          const end = Math.min(right, cell.getBoundingClientRect().right) + 1;
          const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          while (words.nextNode()) {
            const wanted = cell.tagName === "TH" ? /\p{L}+/gu : /[\d.,]*\d/g;
            for (const word of words.currentNode.data.matchAll(wanted)) {
              const range = document.createRange();
              range.setStart(words.currentNode, word.index);
              range.setEnd(words.currentNode, word.index + word[0].length);
              const lines = [...range.getClientRects()].filter((line) => line.width > 0);
              const isBroken = new Set(lines.map((line) => line.top)).size > 1;
              if (isBroken || lines.some((line) => line.right > end))
                faults.push(`${table.id}: ${word[0]}`);
            }
          }
        }
      }
    }
  }
  return [...new Set(faults)];
}"""


ACCESSIBILITY_RULES = ["wcag2a", "wcag2aa", "best-practice"]


def accessibility_faults(sheet, scheme):
    """What axe finds wrong with a page in that colour scheme, by its rule and element."""
    from axe_playwright_python.sync_playwright import Axe

    sheet.wait_for_function(f"document.documentElement.dataset.theme == '{scheme}'")
    outcome = Axe().run(
        sheet, options={"runOnly": ACCESSIBILITY_RULES, "resultTypes": ["violations"]}
    )
    return [
        (violation["id"], node["target"])
        for violation in outcome.response["violations"]
        for node in violation["nodes"]
    ]


# MyST-NB calls the line that unfolds code the title of an admonition, whose icon warns.
WARNINGS_OF_FOLDED_CODE = """[...document.querySelectorAll("details.hide > summary > p")]
  .filter((line) => getComputedStyle(line, "::after").content !== "none").length"""


@pytest.mark.parametrize("page", toc())
def test_pages_work_offline_narrow_wide_light_and_dark(browser, served, page):
    context = browser.new_context(viewport={"width": 1300, "height": 900}, color_scheme="light")
    sheet, requests, errors = context.new_page(), [], []
    sheet.on("request", lambda request: requests.append(request.url))
    sheet.on(
        "response", lambda r: errors.append(f"{r.status} {r.url}") if r.status >= 400 else None
    )
    sheet.on("pageerror", lambda error: errors.append(str(error)))
    sheet.goto(f"{served}/{page}.html", wait_until="networkidle")
    foreign = [url for url in requests if not url.startswith((served, "data:", "blob:"))]
    assert requests and foreign == errors == []
    if "cpu/" in page or "memory/" in page:
        sheet.wait_for_selector("mjx-container", state="attached")  # the first may be folded
        assert sheet.locator("mjx-merror").count() == 0
        formulas = sheet.locator("mjx-container").count()
        assert sheet.locator("mjx-assistive-mml math").count() == formulas  # for screen readers
    assert sheet.evaluate(WARNINGS_OF_FOLDED_CODE) == 0
    pictures = "[...document.querySelectorAll('main figure img')]"
    assert sheet.evaluate(
        f"{pictures}.every(i => i.complete && i.naturalWidth > 0 && i.alt.length > 20)"
    )
    sheet.evaluate(OPEN_PANELS)
    assert accessibility_faults(sheet, "light") == []
    sheet.emulate_media(color_scheme="dark")
    sheet.reload(wait_until="networkidle")
    sheet.evaluate(OPEN_PANELS)
    assert accessibility_faults(sheet, "dark") == []
    sheet.set_viewport_size({"width": 390, "height": 740})
    sheet.wait_for_timeout(200)
    assert sheet.evaluate(NOT_READABLE) == []
    sheet.set_viewport_size({"width": 360, "height": 740})
    sheet.wait_for_timeout(200)
    assert sheet.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


@pytest.mark.parametrize("page", [page for page in notebooks() if "/" in page])
def test_a_chapter_s_answer_is_on_its_first_screen(browser, served, page):
    """The box with the verdict, and the figure below it."""
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    sheet = context.new_page()
    sheet.goto(f"{served}/notebooks/{page}.html", wait_until="networkidle")
    assert sheet.locator(".answer table").count() == 1
    assert "came out" in sheet.locator(".answer").inner_text()  # the verdict
    ends = sheet.evaluate(
        """() => [".answer", ".answer ~ div figure, .answer ~ figure, figure"].map((what) =>
          document.querySelector(`main ${what}`).getBoundingClientRect().bottom + scrollY)"""
    )
    assert max(ends) <= 1080, ends  # with some room below
    context.close()


def test_the_ways_into_the_book_are_on_its_first_screen(browser, served):
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    sheet = context.new_page()
    sheet.goto(f"{served}/book/intro.html", wait_until="networkidle")
    ways = sheet.locator("main .ways")
    assert ways.locator("li").count() == 3
    end = ways.evaluate("(ways) => ways.getBoundingClientRect().bottom + scrollY")
    assert end <= 1100, end
    sheet.set_viewport_size({"width": 1280, "height": 900})
    beside = "(table) => table.scrollWidth - table.parentElement.clientWidth"
    assert sheet.locator("main .headlines table").evaluate(beside) <= 0
    context.close()


# The text that a reader sees without unfolding anything; visible code is the prediction's arithmetic.
SEEN = """() => {
  for (const code of document.querySelectorAll("main div.highlight")) code.remove();
  return document.querySelector("main article").innerText;
}"""


def names_of_code(text):
    """The names of probes and quantities in a text."""
    known = {*library.probes(), *(result.quantity for result in all_results(RECORDED / "recorded"))}
    return set(re.findall(r"[a-z]+/[a-z]+/[a-z]\w*", text)) & known


@pytest.mark.parametrize("page", toc())
def test_a_page_shows_no_name_of_code_and_nothing_beside_a_phone_s_screen(browser, served, page):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    sheet = context.new_page()
    sheet.goto(f"{served}/{page}.html", wait_until="networkidle")
    beside = """[...document.querySelectorAll("main figure img")].filter((image) =>
      image.getBoundingClientRect().right > innerWidth + 1).map((image) => image.currentSrc)"""
    assert sheet.evaluate(beside) == []
    unlike = """[...document.querySelectorAll("main figure img")].map((image) => image.currentSrc)
      .filter((source) => !source.includes("/narrow/"))"""
    assert sheet.evaluate(unlike) == []
    assert names_of_code(sheet.evaluate(SEEN)) == set()
    context.close()


def test_a_name_of_code_is_seen():
    assert names_of_code("as cpu/syscall/getpid, in csrc/cpu/syscall.c") == {"cpu/syscall/getpid"}


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
    sheet.keyboard.type("150")
    sheet.keyboard.press("Enter")
    sheet.keyboard.press("Enter")
    after = article.inner_text()
    assert "Verdict. Predicted" in after and "You predicted 150 ns: measured is" in after
    assert article.locator("#syscall-bars").is_hidden()  # it shows other calls too
    for page in ("book/intro", "book/cpu", "notebooks/summary"):
        sheet.goto(f"{served}/{page}.html")
        text = article.inner_text()
        assert text.count("You predicted 150 ns") == 1 and "covered" in text.lower(), page
        assert "clock came out" not in text and "Nearest:" not in text
    sheet.goto(f"{served}/notebooks/machine.html")
    assert article.locator(".cover").count() == 0
    context.close()

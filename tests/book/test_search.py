"""The search of the site: the chapter that says most about what is sought comes first."""

import pytest

pytestmark = pytest.mark.book

CHAPTERS = {
    "getpid": ["cpu/syscall"],
    "page fault": ["memory/fault"],
    "loopback": ["network/rtt", "network/throughput", "network/connect"],
    "TLB": ["memory/latency"],
    "fork": ["cpu/task"],
}


@pytest.mark.parametrize("query", CHAPTERS)
def test_the_chapter_comes_first_and_pages_about_the_run_after_the_chapters(browser, served, query):
    page = browser.new_page()
    page.goto(f"{served}/search.html?q={query}")
    page.wait_for_function("document.querySelector('.search-summary')?.innerText.includes('found')")
    links = page.locator("#search-results ul.search > li > a")
    pages = [link.get_attribute("href").partition(".html")[0] for link in links.all()]
    page.close()
    assert pages[0].removeprefix("notebooks/") in CHAPTERS[query]
    is_chapter = [name.count("/") == 2 for name in pages]
    assert is_chapter == sorted(is_chapter, reverse=True) and not all(is_chapter)


def test_a_search_among_files_has_no_error_for_want_of_excerpts(browser, built):
    page, errors = browser.new_page(), []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(f"file://{built}/html/search.html?q=TLB")
    page.wait_for_function("document.querySelector('.search-summary')?.innerText.includes('found')")
    page.wait_for_timeout(500)
    assert page.locator("ul.search li").count() > 1 and errors == []

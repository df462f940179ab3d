"""The links of a page to the same page of the other published runs, from files alone."""

import json

import pytest
from helpers.project import ROOT

pytestmark = pytest.mark.browser

SCRIPT = (ROOT / "book/static/runs.js").read_text()
PAGE = """<!doctype html><html lang="en" data-content_root="../../"><title>Run {run}</title>
<div class="sidebar-primary-items__start"><div>logo</div><nav>pages</nav></div>
<script>const DOCUMENTATION_OPTIONS = {{ pagename: "notebooks/part/page" }}; {facts}</script>
<script>{script}</script></html>"""


@pytest.fixture
def published(browser, tmp_path):
    """A function: publishes these runs and opens the page of the first."""
    context = browser.new_context()

    def opened(*runs, facts="window.reckonBook = {facts};"):
        for run in runs:
            folder = tmp_path / run / "notebooks/part"
            folder.mkdir(parents=True)
            told = facts.replace("{facts}", json.dumps({"folder": run, "runs": runs}))
            text = PAGE.format(run=run, facts=told, script=SCRIPT)
            (folder / "page.html").write_text(text)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.goto(f"file://{tmp_path}/{runs[0]}/notebooks/part/page.html")
        return page

    yield opened
    context.close()


def test_each_other_run_is_a_link_to_its_same_page(published):
    page = published("after", "before", "last one")
    assert page.inner_text(".runs summary") == "Run: after"
    page.click(".runs summary")
    assert page.locator(".runs a").all_inner_texts() == ["before", "last one"]
    page.click("text=last one")
    assert page.title() == "Run last one"
    page.click(".runs summary")
    page.click("text=after")
    assert page.title() == "Run after" and not page.faults


@pytest.mark.parametrize("facts", ["window.reckonBook = {facts};", "window.reckonBook = {};", ""])
def test_one_run_has_no_menu(published, facts):
    page = published("only", facts=facts)
    assert page.locator(".runs").count() == 0 and not page.faults

"""The pages of the recorded run's book show what tests/expected holds; `make expected` writes it."""

import difflib

import pytest
from helpers import pages

from reckon.book import contents

pytestmark = pytest.mark.book


@pytest.mark.parametrize("page", contents.notebooks())
def test_a_page_shows_what_is_expected(built, page):
    expected = pages.expected_path(page).read_text(encoding="utf-8")
    shown = pages.text_of_built(page, built)
    names = f"tests/expected/{page}.md", "shown now"
    difference = difflib.unified_diff(
        expected.splitlines(), shown.splitlines(), *names, lineterm=""
    )
    if expected != shown:
        pytest.fail("\n".join(difference) + f"\nIf this is right: make expected PAGE={page}", False)


def test_every_expected_page_has_a_notebook():
    there = {
        str(path.relative_to(pages.EXPECTED).with_suffix(""))
        for path in pages.EXPECTED.rglob("*.*")
    }
    assert there == set(contents.notebooks())

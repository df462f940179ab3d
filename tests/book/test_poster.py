"""The poster's file: one sheet of A3 with letters of embedded fonts, without TeX, and without private names."""

import json
import re
from dataclasses import replace

import pytest
from helpers import made_up
from helpers.capabilities import installed
from helpers.project import output_of

from reckon import records
from reckon.book import poster, sphinx
from reckon.book.staging.stage import POSTER, Stage
from reckon.errors import ReckonError
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.result import median_text
from reckon.show.tables.headlines import main_results, result_of

FACTS = ("score", "conditions", "profile", "run", "made from", "root hash")


@pytest.fixture
def staged(folders):
    """What the poster takes of a staged book."""
    (folders / "title.json").write_text(
        json.dumps({name: name for name in FACTS} | {"machine": "A chip, 2 cores"})
    )
    return Stage(folders, "pages", "static", hashed={"vm": "name-1", "A": "name-2"})


def test_it_is_one_sheet_of_a3_with_the_runs_values_in_embedded_fonts(recorded, staged):
    installed("pdfinfo", "pdffonts", "pdftotext")
    run = records.read_run("recorded")
    assert poster.make(run, staged) and not poster.make(run, staged)
    sheet = sphinx.site_dir() / POSTER
    assert re.search(r"Pages: +1\n.*\(A3\)", output_of("pdfinfo", sheet), re.S)
    fonts = output_of("pdffonts", sheet).splitlines()[2:]
    assert fonts and all("TrueType" in font and font.split()[-5] == "yes" for font in fonts)
    text = output_of("pdftotext", sheet, "-")
    results = {each.quantity: each for each in all_results("recorded")}
    for headline in main_results():
        result = result_of(headline, results)
        assert headline.name in text and median_text(result.summaries[-1], result.unit) in text


def test_names_are_hashed_and_a_fault_of_its_module_is_named(folders, staged, monkeypatch):
    installed("pdftotext")
    made_up.run("here", made_up.results(1))
    run = records.read_run("here")
    poster.make(run, staged)
    text = output_of("pdftotext", sphinx.site_dir() / POSTER, "-")
    assert "name-2 chip" in text and "A chip" not in text
    monkeypatch.setattr(poster, "_MODULE", "machine")  # draws no sheet
    with pytest.raises(ReckonError, match="machine.py: AttributeError: .* 'draw'"):
        poster.make(run, replace(staged, pages="others"))

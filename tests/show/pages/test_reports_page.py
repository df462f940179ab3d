"""What the page of the reports says of a report."""

import pytest
from helpers.report_example import example
from helpers.tables import rows

import reckon as rk
from reckon.comparison.reports import published


@pytest.fixture
def sixth(tmp_path, monkeypatch):
    """The documented example as the only report, with a page of 6 KiB that does not follow."""
    path = example(tmp_path, "page = { value = 4,", "page = { value = 6,")
    monkeypatch.setattr(published, "all_reports", lambda: (published.read(path),))


def test_published_and_recomputed_stand_side_by_side(sixth):
    block = rk.reports_page.arithmetic()
    first, second, third = rows(block)[1:]
    assert first == [
        "page fault, from the disk (4.3)",
        "as stated",
        "hardware",
        "8.2 µs",
        "12.29 µs",
        "−33.3 %",
    ]
    assert second == ["", "", "software", "0.5 µs", "0.5000 µs", "follows"]
    assert third[2:] == ["predicted", "8.7 µs", "12.79 µs", "−32.0 %"]
    text = block.markdown
    assert text.startswith("Of 1 predictions that A laptop") and " 0 follow from them" in text
    assert (
        "\n- *page fault, from the disk*: a transfer alone: the time until the disk answers is left out.\n"
        in text
    )


def test_equal_sides_share_a_row_and_a_zero_has_none(sixth, tmp_path, monkeypatch):
    path = tmp_path / "example.toml"
    path.write_text(
        path.read_text()
        .replace("software = 0.5, predicted = 8.7", "software = 0, predicted = 8.2")
        .replace("value = 0.5", "value = 0")
        .replace("value = 6", "value = 4")
    )
    [row] = rows(rk.reports_page.arithmetic())[1:]
    assert row[2:] == ["hardware, predicted", "8.2 µs", "8.192 µs", "follows"]


def test_a_value_that_stands_aside_is_not_counted(sixth, tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(
        path.read_text().replace("measured = 92.3", 'measured = 92.3\naside = true\nnote = "a sum"')
    )
    assert "|" not in rk.reports_page.scores("C", "t").markdown


_FIGURE = "page fault, from the disk"
_HERE = "measured 92.3 µs, predicted 8.7 µs"


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        (
            "n = 100",
            "n = 100",
            [_FIGURE, f"{_HERE} (table 3)", "measured 95 µs, predicted 8.7 µs (summary)"],
        ),
        (  # only what both print
            "predicted = 8.7, measured = 95",
            "measured = 90",
            [_FIGURE, "measured 92.3 µs (table 3)", "measured 90 µs (summary)"],
        ),
        (  # nothing that both print
            "predicted = 8.7, measured = 95",
            "predicted_low = 5",
            [
                _FIGURE,
                f"{_HERE}, hardware 8.2 µs, software 0.5 µs, standard deviation 4.1 µs (table 3)",
                "predicted from 5 µs (summary)",
            ],
        ),
        (  # the value's own note
            "sd = 4.1",
            'note = "contradicts table 3"',
            [_FIGURE, f"{_HERE}, hardware 8.2 µs, software 0.5 µs (table 3)", "–"],
        ),
        (
            'unit = "MB/s"\n',
            'unit = "MB/s"\nalso = [{ value = "fast", place = "3", note = "contradicts table 3" }]\n',
            ["disk, read bandwidth", "500 MB/s (2)", "fast (3)"],
        ),
    ],
)
def test_contradictions_are_shown_with_both_values(sixth, tmp_path, old, new, row):
    path = tmp_path / "example.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    first, *_ = rows(rk.reports_page.contradictions("C", "t"))[1:]
    assert first == ["A laptop", *row, "contradicts table 3"]


def test_an_inferred_input_is_counted_separately_and_named(sixth, tmp_path):
    path = tmp_path / "example.toml"
    inferred = path.read_text().replace('source = "2"', 'source = "2", inferred = true')
    path.write_text(inferred.replace("value = 6,", "value = 4,"))
    text = rk.reports_page.arithmetic().markdown
    assert (
        text.startswith("Of 0 predictions")
        and " A further 1 follows with an input that the report does not print" in text
    )
    assert rows(rk.reports_page.arithmetic())[1:][0][1] == "as stated, an input inferred"
    path.write_text(inferred)  # and does not follow
    text = rk.reports_page.arithmetic().markdown
    assert "A further" not in text and "Even with such an input, 1 does not" in text

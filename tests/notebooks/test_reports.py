"""What the page of the reports says of a report."""

import pytest
from helpers.report_example import example
from helpers.tables import rows

from reckon.book import contents
from reckon.comparison.reports import published


@pytest.fixture
def sixth(tmp_path, monkeypatch):
    """The documented example as the only report."""
    path = example(tmp_path)
    monkeypatch.setattr(published, "all_reports", lambda: (published.read(path),))


def test_a_value_that_stands_aside_is_not_counted(sixth, tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(
        path.read_text().replace("measured = 92.3", 'measured = 92.3\naside = true\nnote = "a sum"')
    )
    assert "|" not in contents.findings_of("reports").scores("C", "t").markdown


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
    first, *_ = rows(contents.findings_of("reports").contradictions("C", "t"))[1:]
    assert first == ["A laptop", *row, "contradicts table 3"]

"""What is staged beside the pages."""

from reckon import config
from reckon.book.staging import stage


def test_only_the_files_of_figures_that_pages_name_are_staged(folders):
    figures = config.settings().build_dir / "figures"
    figures.mkdir(parents=True)
    ours = ["a.svg", "a.pdf", "a.csv", "a-narrow.svg", "a-places.json", "results.json"]
    for name in (*ours, "a-b.svg", "a-b-narrow.svg", "of-another-run.csv"):
        (figures / name).write_text("")
    pages = {
        "notebooks/a.ipynb": b":::{figure} /figures/a.*\\n:name: a",
        "book/front.md": b"{download}`JSON </figures/results.json>`",
    }
    assert {name.rpartition("/")[2] for name in stage._figures(pages)} == {*ours}

"""The page on when each chapter was measured."""

import pytest
from helpers import made_up

from reckon import config, records
from reckon.book import contents
from reckon.show.figure_files import record_copy


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of made-up quantities; of the last, nothing was measured."""
    settings = config.Settings(runs_dir=tmp_path / "runs", build_dir=tmp_path / "_build")
    monkeypatch.setattr(config, "_in_use", settings)
    made_up.run("here", made_up.results(1))
    experiment = records.experiments("here")[0]
    with records.updating("here", experiment) as record:
        name = list(record.quantities)[-1]
        unmeasured = {"measurement": None, "chain": []}
        record.quantities[name] = record.quantities[name].model_copy(update=unmeasured)
    return records.read_run("here")


def rows(block):
    return [line for line in block.markdown.splitlines() if line.startswith("| [")]


def test_every_chapter_has_its_raw_record(run):
    [row] = rows(contents.findings_of("status").chapters(run, "caption", "name"))
    assert f"{len(made_up.NAMES) - 1} measured, 1 predicted" in row
    [experiment] = records.experiments("here")
    assert f"</{record_copy(experiment)}>" in row

"""The page on when and how each quantity was measured."""

import pytest
from helpers import made_up

from reckon import config, records
from reckon.show.pages import status_page


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


def test_every_quantity_has_its_state_its_date_and_what_ended_it(run):
    *measured, last = rows(status_page.quantities(run, "caption", "name"))
    assert len(measured) == len(made_up.NAMES) - 1
    assert all("| measured | <time>20" in row and "±" in row for row in measured)
    assert "not measured yet" in last


def test_every_chapter_has_its_raw_record(run):
    [row] = rows(status_page.chapters(run, "caption", "name"))
    assert f"{len(made_up.NAMES) - 1} measured, 1 predicted" in row
    [experiment] = records.experiments("here")
    assert f"</{status_page.record_copy(experiment)}>" in row


def test_a_curve_has_the_number_of_points_that_each_cause_ended():
    ended = [made_up.single("cpu/a/x", 1, "ns", 8, seed=1).measurement.points[0]] * 2
    precise = [point.model_copy(update={"stopped": "precise"}) for point in ended]
    time = [ended[0].model_copy(update={"stopped": "time"})]
    assert (
        status_page.ends([*precise, *time])
        == "2 points: each visit precise enough, 1 point: its time was up"
    )
    assert status_page.ends(time) == "its time was up"

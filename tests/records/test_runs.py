"""The folder of runs."""

from helpers import made_up

from reckon import records


def test_runs_are_listed_latest_first_with_broken_ones_reported(folders):
    for name, day in (("a", 2), ("b", 1)):
        made_up.run(name, [])
        run = records.read_run(name)
        opened_at = run.opened_at.replace(year=2000, month=1, day=day)
        records.write_run(run.model_copy(update={"opened_at": opened_at}))
    (folders / "runs/broken").mkdir()
    (folders / "runs/broken/run.json").write_text("{")
    runs, [trouble] = records.runs()
    assert list(runs) == ["a", "b"]
    assert "broken/run.json is not a whole description" in trouble


def test_a_new_run_changes_the_digest_of_all_runs(folders):
    made_up.run("a", [])
    before = records.digest(f"{folders}/runs/*/run.json")
    made_up.run("b", [])
    assert records.digest(f"{folders}/runs/*/run.json") != before

"""What a page read, and whether that has changed since."""

from helpers import made_up

from reckon import config, records
from reckon.records import read_log


def test_a_new_record_changes_the_digest_of_a_runs_experiments(build_context):
    records.write_record("r", records.Record(experiment="a/b"))
    assert records.experiments("r") == ["a/b"]

    def digests():
        return [records.digest(what) for what in build_context.reads.read_text().split()]

    before = digests()
    records.write_record(
        "r",
        records.Record(experiment="a/b", quantities={"a/b/c": made_up.nothing("a/b/c").entry}),
    )
    records.write_record(
        "r", records.Record(experiment="methods/a/b")
    )  # measured after all that list the rest
    assert before and digests() == before
    records.write_record("r", records.Record(experiment="a/c"))
    assert digests() != before


def test_a_digest_follows_the_file_as_it_changes(folders):
    path = folders / "b.json"
    path.write_text('{"quantities": {"q": {"measurement": 1, "predictions": 1}, "r": {}}}')
    noted = [str(path), f"{path}#q", f"{path}#r", f"{path}#*"]
    whole, q, r, all_measured = map(records.digest, noted)
    path.write_text('{"quantities": {"q": {"measurement": 1, "predictions": 22}, "r": {}}}')
    assert list(map(records.digest, noted[1:])) == [q, r, all_measured]
    assert records.digest(noted[0]) != whole
    path.write_text('{"quantities": {"q": {"measurement": 333, "predictions": 22}, "r": {}}}')
    assert records.digest(noted[1]) != q and records.digest(noted[2]) == r
    assert records.digest(noted[3]) != all_measured
    path.unlink()
    assert {records.digest(name) for name in noted} == {"none"}


def test_a_new_run_changes_the_digest_of_all_runs(folders):
    made_up.run("a", [])
    before = records.digest(f"{folders}/runs/*/run.json")
    made_up.run("b", [])
    assert records.digest(f"{folders}/runs/*/run.json") != before


def test_the_digest_of_a_prediction_in_a_file_is_that_of_its_values(folders, monkeypatch):
    path = folders / "predictions.toml"
    monkeypatch.setattr(
        config, "_in_use", config.settings().model_copy(update={"predictions": path})
    )

    def digest(text):
        path.write_text(text)
        return records.digest(f"{read_log.PREDICTIONS}#cpu/a/b")

    one, two = ('["cpu/a/b"]\npredicted = "1 ns"\n', '["cpu/a/b"]\npredicted = "2 ns"\n')
    assert digest(one) == digest(f"# more\n{one}") != digest(two)
    assert "none" not in (digest(one), digest(two))
    path.unlink()
    assert records.digest(f"{read_log.PREDICTIONS}#cpu/a/b") == "none"

"""What `reckon compare` prints, and what it reads."""

import json

import pytest
from helpers import made_up
from helpers.made_up import NAMES, results
from helpers.project import reckon

from reckon import records
from reckon.comparison.two_runs import compare


def printed(*arguments):
    done = reckon("compare", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compare_prints_text_and_json(folders):
    x = [1, 2, 4]
    made_up.run("a", [*results(1), made_up.curve("memory/made/curve", x, [5, 5, 5], seed=1)])
    made_up.run(
        "b", [*results(2, {NAMES[3]: 2}), made_up.curve("memory/made/curve", x, [5, 5, 15], seed=2)]
    )
    text = printed("a", "b")
    assert "21 quantities were judged, 2 changed" in text and "memory/made/curve at 4 KiB" in text
    assert NAMES[5] not in text and NAMES[5] in printed("a", "b", "--all")
    a = str(folders / "runs/a")
    for percent in ("900", "900%", "900 %"):
        assert "Nothing changed" in printed(a, "b", "--minimum-change", percent)
    done = json.loads(printed("a", "b", "--json"), parse_constant=lambda c: pytest.fail(c))
    assert [(quantity["quantity"], quantity["state"]) for quantity in done["quantities"]][:2] == [
        ("memory/made/curve", "changed"),
        (NAMES[3], "changed"),
    ]
    points = done["quantities"][0]["points"]
    assert [point["apart"] for point in points] == [False, False, True]
    assert points[2]["at"] == 4 and points[2]["low"] < points[2]["ratio"] < points[2]["high"]
    assert len(done["quantities"]) == 21 and done["control"] is None


def test_compare_without_runs_lists_them(folders):
    assert printed() == f"There is no run in {folders}/runs; `make book` makes one.\n"
    known = {
        "system": {"kernel": {"value": "6.1.0 #1 SMP", "source": ""}},
        "processor": {"model": {"value": "A processor", "source": ""}},
    }
    made_up.run("longer-name", [*results(1), made_up.nothing("cpu/made/none")], machine=known)
    made_up.run("b", [])
    run = records.read_run("b")
    records.write_run(
        run.model_copy(update={"opened_at": run.opened_at.replace(year=2000, month=1, day=2)})
    )
    (folders / "runs/broken").mkdir()
    (folders / "runs/broken/run.json").write_text("{")
    done = reckon("compare")
    first, second = done.stdout.splitlines()
    assert first.startswith("longer-name  20") and first.endswith(
        "  A processor   6.1.0         20 quantities"
    )
    assert second.startswith("b            2000-01-02 ") and second.endswith(
        "  not reported  not reported  0 quantities"
    )
    assert done.returncode == 0 and "broken/run.json is not a whole description" in done.stderr
    rows = json.loads(printed("--json"))
    assert [(row["name"], row["machine"], row["kernel"], row["quantities"]) for row in rows] == [
        ("longer-name", "A processor", "6.1.0", 20),
        ("b", None, None, 0),
    ]


def test_changed_predictions_leave_a_comparison_up_to_date(folders, build_context):
    made_up.run("a", results(1)[:2])
    made_up.run("b", results(2)[:2])
    compare("a", "b")
    reads = set(build_context.reads.read_text().split())
    record = folders / "runs/a/cpu/made.json"
    assert f"{record}#*" in reads and str(record) not in reads
    before = {what: records.digest(what) for what in reads}
    data = json.loads(record.read_text())
    data["quantities"][NAMES[0]]["predictions"][0]["unit"] = "µs"
    record.write_text(json.dumps(data))
    assert {what: records.digest(what) for what in reads} == before
    data["quantities"][NAMES[0]]["measurement"]["seconds"] = 7
    record.write_text(json.dumps(data))
    assert records.digest(f"{record}#*") != before[f"{record}#*"]


def test_the_list_of_runs_opens_no_samples(folders):
    made_up.run("r", results(1))
    for path in (folders / "runs/r").rglob("*.gz"):
        path.unlink()
    assert "20 quantities" in printed()

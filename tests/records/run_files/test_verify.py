"""What was changed in a run after it was written is named."""

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from helpers import made_up
from helpers.project import reckon

from reckon import records, statistics
from reckon.records.run_files import verify

SCALAR, CURVE = "cpu/made/scalar", "cpu/made/curve"


@pytest.fixture
def run(folders):
    """The folder of a run with a scalar, a curve and an attempt that gave nothing."""
    results = [made_up.single(SCALAR, 50, "ns"), made_up.curve(CURVE, [1, 2, 4], [10, 20, 40])]
    made_up.run("r", [*results, made_up.nothing("cpu/made/none")])
    with records.updating("r", "cpu/made") as record:
        attempt = records.Attempt(
            at=records.now(), state="unsupported", reason="no peer", profile="quick"
        )
        changed = record.quantities[SCALAR].model_copy(update={"attempt": attempt})
        record.quantities[SCALAR] = changed
    return folders / "runs/r"


def edit(run, change):
    """Change the record as an editor would."""
    path = run / "cpu/made.json"
    record = json.loads(path.read_text())
    change(record["quantities"])
    path.write_text(json.dumps(record))


def set_at(*keys):
    """An edit that sets the entry at those keys to the last argument."""
    *path, last, value = keys

    def change(quantities):
        entry = quantities
        for key in path:
            entry = entry[key]
        entry[last] = value

    return change


def test_an_untouched_run_has_no_fault_and_one_root_hash(run):
    assert verify.faults("r") == []
    root = verify.root_hash("r")
    assert re.fullmatch("[0-9a-f]{64}", root) and verify.root_hash("r") == root


def test_the_root_hash_covers_the_variance_that_intervals_are_made_from(run):
    before = verify.root_hash("r")
    roots = {before}
    for variance in (0.01, 0.02):
        pooled = statistics.PooledVariance(variance, 3.0, 9)
        described = records.read_run("r").model_copy(update={"between_visits": pooled})
        records.write_run(described)
        roots.add(verify.root_hash("r"))
    assert len(roots) == 3


EDITS = Path(__file__).with_name("edits.txt").read_text("utf-8").splitlines()[1:]


@pytest.mark.parametrize("line", EDITS)
def test_an_edit_of_a_record_is_named(run, line):
    keys, value, fault = re.fullmatch("(.*) = (.*) -> (.*)", line).groups()
    name, *path = [int(key) if key.isdigit() else key for key in keys.split()]
    edit(run, set_at(f"cpu/made/{name}", *path, json.loads(value)))
    faults = verify.faults("r")
    assert any(re.search(fault, sentence) for sentence in faults), faults
    assert all(sentence.startswith(("cpu/made/", "cpu/made: ")) for sentence in faults)


def test_the_root_hash_covers_the_machine(run):
    before = verify.root_hash("r")
    described = records.read_run("r")
    model = {"processor": {"model": {"value": "another", "source": "/proc/cpuinfo"}}}
    machine = described.machine.model_validate(model)
    records.write_run(described.model_copy(update={"machine": machine}))
    assert verify.root_hash("r") != before


def test_an_edit_of_samples_is_named_also_with_a_new_digest(run):
    path = run / f"samples/{SCALAR}/1.json.gz"
    samples = json.loads(gzip.decompress(path.read_bytes()))
    samples["measurement"]["points"][0]["processes"][0]["ticks"][0] //= 2
    path.write_bytes(gzip.compress(json.dumps(samples).encode()))
    assert f"{SCALAR}: the samples of visit 1 were changed" in verify.faults("r")
    shutil.rmtree(path.parent)
    assert verify.faults("r") == [f"{SCALAR}: the samples of visit 1 are missing"]


@pytest.mark.parametrize(
    "place",
    [
        ("visits", 0, "number"),
        ("samples",),
        ("points", 0, "params", "calls"),
        ("points", 0, "summary", "n"),
    ],
    ids=lambda place: place[-1],
)
def test_a_number_that_counts_nothing_is_refused(run, place):
    edit(run, set_at(SCALAR, "measurement", *place, 10**400))
    (fault,) = verify.faults("r")
    assert fault.startswith("cpu/made: ") and "is not a whole record" in fault


def test_a_seal_that_was_written_after_the_samples_is_named(run):
    """Someone runs Reckon's own code to replace the prediction: the chain is whole, but late."""
    with records.updating("r", "cpu/made") as record:
        quantity = record.quantities[SCALAR]
        late = quantity.seal.model_copy(update={"predicted": 9.0, "role": "seal"})
        record.quantities[SCALAR] = quantity.model_copy(update={"predictions": [late]})
    assert verify.faults("r") == [f"{SCALAR}: its seal is younger than its first samples"]


def test_a_rewritten_history_has_another_root_hash(run):
    root = verify.root_hash("r")
    shutil.rmtree(run / "cpu")
    shutil.rmtree(run / "samples")
    result = made_up.single(SCALAR, 50, "ns")
    records.write_record(
        "r", records.Record(experiment="cpu/made", quantities={SCALAR: result.entry})
    )
    assert verify.faults("r") == [] and verify.root_hash("r") != root


def test_measuring_again_and_a_revision_leave_a_whole_chain(run):
    with records.updating("r", "cpu/made") as record:
        quantity = record.quantities[SCALAR]
        revision = quantity.seal.model_copy(update={"predicted": 9.0, "role": "revision"})
        record.quantities[SCALAR] = quantity.model_copy(
            update={
                "predictions": [*quantity.predictions, revision],
                "measurement": made_up.single(SCALAR, 50, "ns", seed=5).measurement,
                "attempt": None,
            }
        )
    assert verify.faults("r") == []
    chain = records.read_record("r", "cpu/made").quantities[SCALAR].chain
    events = [event.event for event in chain]
    assert events[:3] == ["seal", "visit", "attempt"]
    assert events[3:] == ["revision", "visit", "discard", "discard"]


def test_the_command_line_names_what_is_broken_and_checks_the_root_hash(run):
    done = reckon("verify", "--run", "r")
    root = verify.root_hash("r")
    assert (done.returncode, done.stdout) == (
        0,
        f"Root hash: {root}\nNothing was changed after it was written.\n",
    )
    assert reckon("verify", "--run", "r", "--root", root).returncode == 0
    done = reckon("verify", "--run", "r", "--root", "0" * 64)
    assert done.returncode == 1 and f"its root hash is {root}, not 000" in done.stderr
    edit(run, set_at(SCALAR, "predictions", 0, "predicted", 9.0))
    done = reckon("verify", "--run", "r")
    assert (
        done.returncode == 1
        and f"{SCALAR}: its chain does not have the digest of this seal" in done.stderr
    )

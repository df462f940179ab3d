"""A packed run is whole, small, and names no host, user or address."""

import io
import json
import shutil
import socket
import tarfile

import pytest
from helpers import made_up
from helpers.project import reckon

from reckon import records
from reckon.book import pack
from reckon.errors import ReckonError
from reckon.records.run_files import verify

QUANTITY = "cpu/made/scalar"


def unpacked(content, folder):
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
        return archive.getnames()


def test_the_recorded_run_is_packed_whole_within_what_a_mail_takes(recorded, tmp_path):
    packed = pack.pack("recorded", "mine")
    assert len(packed.content) < pack.HANDED_IN_BYTES
    names = unpacked(packed.content, tmp_path)
    assert {name.split("/")[0] for name in names} == {"mine"}
    assert verify.faults(tmp_path / "mine") == []
    assert records.experiments(tmp_path / "mine") == records.experiments("recorded")


@pytest.fixture
def named(folders):
    """A run whose machine has an address and a folder of a user."""
    made_up.run("r", [made_up.single(QUANTITY, 50, "ns")])
    path = folders / "runs/r/run.json"
    run = json.loads(path.read_text())
    run["machine"].setdefault("peer", {})["address"] = {"value": "10.1.2.3:7325", "source": "PEER"}
    run["machine"].setdefault("system", {})["os"] = {"value": socket.gethostname(), "source": ""}
    path.write_text(json.dumps(run))
    return path


def test_names_and_addresses_are_hidden_and_shown(named, tmp_path):
    packed = pack.pack("r", "mine")
    assert {"10.1.2.3", socket.gethostname()} <= set(packed.hidden)
    unpacked(packed.content, tmp_path)
    text = (tmp_path / "mine/run.json").read_text()
    assert "10.1.2.3" not in text and socket.gethostname() not in text
    assert packed.hidden["10.1.2.3"] in text
    assert verify.faults(tmp_path / "mine") == []
    printed = reckon("pack", "--run", "r", "--as", "mine", "--out", str(tmp_path / "f")).stdout
    assert "Hidden: 10.1.2.3 (there: name-" in printed and "called mine" in printed
    assert (tmp_path / "f").stat().st_size > 500


@pytest.mark.parametrize("is_namesake", [False, True])
def test_a_run_elsewhere_is_judged_by_its_own_files(named, tmp_path, is_namesake):
    elsewhere = shutil.move(named.parent, tmp_path / "elsewhere/r")
    if is_namesake:
        made_up.run("r", [made_up.single(QUANTITY, 50, "ns")])
    assert socket.gethostname() in pack.pack(elsewhere, "mine").hidden


def test_what_the_hashes_cover_cannot_be_hidden(folders):
    result = made_up.single(QUANTITY, 50, "ns")
    entry = result.entry.model_copy(deep=True)
    entry.measurement.peer = "a host at 10.1.2.3"
    made_up.run("r", [made_up.Result(QUANTITY, entry, "measured")])
    with pytest.raises(ReckonError, match="names a host or an address, and the run's hashes cover"):
        pack.pack("r", "mine")


def test_a_changed_run_is_not_packed(named, tmp_path):
    path = named.parent / "cpu/made.json"
    record = json.loads(path.read_text())
    record["quantities"][QUANTITY]["predictions"][0]["predicted"] = 1.0
    path.write_text(json.dumps(record))
    out = tmp_path / "f"
    failed = reckon("pack", "--run", "r", "--out", str(out))
    assert failed.returncode == 2 and not out.exists()
    assert "was changed after it was written" in failed.stderr

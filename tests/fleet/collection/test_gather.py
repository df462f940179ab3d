"""Runs are found in folders, archives and behind addresses; what is none is named, and skipped."""

import functools
import http.server
import io
import json
import os
import re
import shutil
import tarfile
import threading
import zipfile

import pytest
from helpers import made_up

from reckon.errors import ReckonError
from reckon.fleet.collection import gather


@pytest.fixture
def runs(folders):
    """The folder of two runs, a and b."""
    for name, value in (("a", 50), ("b", 60)):
        made_up.run(name, [made_up.single("cpu/made/scalar", value, "ns")])
    return folders / "runs"


def collected(*sources, folder, **how):
    """The names of the runs that these sources give, and what was skipped."""
    found = gather.find([str(source) for source in sources], folder / "unpacked")
    of_runs = list(gather.tables_of(found, **how))
    return [each["runs"]["run"][0].as_py() for each in of_runs], found.skipped


def archive_of(run, path):
    """The run's folder as an archive at that path, by its ending."""
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(run.rglob("*.json*")):
                archive.write(file, file.relative_to(run.parent))
    else:
        with tarfile.open(path, f"w:{path.suffix[1:].replace('tgz', 'gz')}") as archive:
            archive.add(run, run.name)
    return path


def test_runs_below_a_folder_are_found_and_one_given_itself(runs, folders):
    assert collected(runs, folder=folders) == (["a", "b"], [])
    assert collected(runs / "b", folder=folders) == (["b"], [])


@pytest.mark.parametrize("ending", ["tar.gz", "tgz", "tar.xz", "ZIP"])
def test_an_archive_is_as_good_as_a_folder(runs, folders, ending):
    path = archive_of(runs / "a", folders / f"handed-in.{ending}")
    assert collected(path, folder=folders) == (["a"], [])
    inside = folders / "in"
    inside.mkdir()
    shutil.move(path, inside)
    assert collected(inside, runs / "b", folder=folders) == (["a", "b"], [])


@pytest.fixture
def served(folders):
    """The address of a server that lists the test's folder."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folders))
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_runs_behind_an_address_are_those_of_its_folder(runs, folders, served):
    assert collected(f"{served}/runs", folder=folders) == (["a", "b"], [])
    archive_of(runs / "a", folders / "one.tar.gz")
    assert collected(f"{served}/one.tar.gz", folder=folders / "x") == (["a"], [])


def test_an_address_that_has_nothing_is_named(folders, served):
    names, skipped = collected(f"{served}/none/", folder=folders)
    assert names == [] and "none/ cannot be fetched (HTTP Error 404" in skipped[0]


def edit(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_a_run_that_was_changed_is_named_and_the_others_are_taken(runs, folders):
    def better(record):
        record["quantities"]["cpu/made/scalar"]["predictions"][0]["predicted"] = 5e-8

    edit(runs / "a/cpu/made.json", better)
    names, (sentence,) = collected(runs, folder=folders)
    assert names == ["b"]
    assert sentence.startswith(f"{runs / 'a'} was changed afterwards: cpu/made/scalar: ")


def test_a_median_that_does_not_follow_from_its_samples_is_found_unless_trusted(runs, folders):
    def faster(record):
        point = record["quantities"]["cpu/made/scalar"]["measurement"]["points"][0]
        point["summary"]["median"] /= 2

    edit(runs / "a/cpu/made.json", faster)
    names, (sentence,) = collected(runs, folder=folders)
    assert names == ["b"] and "does not follow from the samples" in sentence
    assert collected(runs, folder=folders, recompute=False) == (["a", "b"], [])


def test_broken_things_are_named(runs, folders):
    (runs / "a/cpu/made.json").write_text("{")
    (folders / "broken.tar.gz").write_bytes(b"no archive")
    archive_of(runs / "a/samples", folders / "empty.zip")
    (folders / "text.txt").write_text("no run")
    sources = ["runs", "broken.tar.gz", "empty.zip", "text.txt"]
    names, skipped = collected(*(folders / each for each in sources), folder=folders)
    assert names == ["b"]
    broken, empty, text, record = skipped
    assert broken.startswith(f"{folders / 'broken.tar.gz'} is no whole archive (")
    assert broken.endswith("; have it sent again.") and "\n" not in broken
    assert empty == f"{folders / 'empty.zip'} holds no run (no run.json)."
    assert text.startswith(f"{folders / 'text.txt'} is neither a folder nor an archive (")
    assert "is not a whole record" in record


def test_a_pipe_is_named_and_not_waited_for(runs, folders):
    os.mkfifo(runs / "a/cpu/late.json")
    os.mkfifo(runs / "c.tar.gz")
    names, skipped = collected(runs, folder=folders)
    assert names == ["b"] and len(skipped) == 2 and all("pipe" in each for each in skipped)


def test_a_copy_counts_once(runs, folders):
    shutil.copytree(runs / "a", runs / "again")
    names, skipped = collected(runs, folder=folders)
    assert names == ["a", "b"]
    assert skipped == [f"{runs / 'again'} is a copy of {runs / 'a'}."]


def test_a_fault_names_the_archive_and_not_where_it_was_unpacked(runs, folders):
    path = archive_of(runs / "a", folders / "handed-in.tar.gz")
    names, (copy,) = collected(runs / "a", path, folder=folders)
    assert names == ["a"] and copy == f"{path}/a is a copy of {runs / 'a'}."
    (runs / "b/cpu/made.json").write_text("{")
    broken = archive_of(runs / "b", folders / "broken.zip")
    _, (sentence,) = collected(broken, folder=folders / "x")
    assert "is not a whole record" in sentence
    assert sentence.count(f"{broken}/b") == 2 and "unpacked" not in sentence


def test_what_does_not_exist_is_a_mistake(folders):
    with pytest.raises(ReckonError, match="^There is no folder or archive /none.$"):
        gather.find(["/none"], folders)


def test_an_archive_writes_nothing_outside(folders):
    path = folders / "bad.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("../outside.json")
        member.size = 2
        archive.addfile(member, io.BytesIO(b"{}"))
    names, (sentence,) = collected(path, folder=folders)
    assert names == [] and "is no whole archive" in sentence
    assert not list(folders.rglob("outside.json"))


def test_an_archive_that_would_fill_the_disk_is_refused(folders, monkeypatch):
    monkeypatch.setattr(gather, "MOST_BYTES", 1000)
    (folders / "big.json").write_bytes(bytes(2000))
    path = folders / "big.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folders / "big.json", "run/run.json")
    names, (sentence,) = collected(path, folder=folders)
    assert names == [] and "would unpack to more than" in sentence
    assert not list((folders / "unpacked").rglob("*.json"))


def damaged(path):
    """The archive with some of its middle overwritten."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 40] = bytes(40)
    path.write_bytes(content)


def compressed_in_another_way(path):
    """The zip archive, each of whose files is said to be compressed by method 99."""
    content = path.read_bytes()
    for head, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        parts = content.split(head)
        method = (99).to_bytes(2, "little")
        content = head.join(
            [parts[0], *(p[: place - 4] + method + p[place - 2 :] for p in parts[1:])]
        )
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("ending", "spoil"), [("tar.xz", damaged), ("zip", compressed_in_another_way)]
)
def test_an_archive_that_cannot_be_unpacked_is_named(runs, folders, ending, spoil):
    path = archive_of(runs / "a", folders / f"handed-in.{ending}")
    spoil(path)
    names, (sentence,) = collected(path, runs / "b", folder=folders)
    assert names == ["b"] and sentence.startswith(f"{path} is no whole archive (")


def test_a_listing_that_is_no_html_is_named(runs, folders, served):
    (folders / "index.html").write_text("<![no listing")
    names, (sentence,) = collected(served, runs / "b", folder=folders)
    # By the version of Python it cannot be parsed, or has no link.
    assert names == ["b"] and re.match(f"{served}/? (cannot be fetched|lists no files)", sentence)


def test_a_run_whose_id_is_a_path_is_named(runs, folders):
    """Pages are named after ids."""
    made_up.run("c", [made_up.single("cpu/made/scalar", 70, "ns")], id="../../outside")
    names, (sentence,) = collected(runs, folder=folders)
    assert names == ["a", "b"] and "'../../outside', which is none of Reckon's" in sentence

"""Records' files: broken ones are named, and a reader never sees half of one."""

import os
import sys
import threading

import pytest
from helpers import made_up
from helpers.project import ROOT, finished

from reckon import records
from reckon.errors import ReckonError
from reckon.records.run_files import files


def record_file(folders, text):
    path = folders / "runs" / "r" / "a" / "b.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a whole record.*move it away"),
        ('{"format": 5, "experiment": "a/b", "quantit', "not a whole record .*line 1 "),
        ('{"format": 6, "experiment": "a/b"}', "format 6, and .* reads format 5; use the version"),
        ('{"format": 4, "experiment": "a/b"}', "format 4, and .* reads format 5; use the version"),
        ('{"format": 5}', "experiment: Field required"),
        ('{"format": 5, "experiment": "a/b", "colour": 3}', "colour: Extra inputs"),
        (
            '{"format": 5, "experiment": "a/b", "quantities": {"q": {"predictions": 3}}}',
            "quantities.q.predictions",
        ),
        ("[]", "not a whole record"),
        ("\udcff", "cannot be read|not a whole record"),
    ],
)
def test_a_broken_record_is_an_error_and_left_as_it_is(folders, text, says):
    path = record_file(folders, "")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(ReckonError, match=says):
        records.read_record("r", "a/b")
    assert path.read_bytes() == before


def test_a_reader_sees_the_old_or_the_new_file_never_half(folders):
    path = folders / "file"
    texts = {c * 200_000 for c in "ab"}
    records.write_whole(path, min(texts))
    done = threading.Event()

    def write():
        for i in range(40):
            records.write_whole(path, sorted(texts)[i % 2])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(path.read_text())
    writer.join()
    assert seen <= texts
    assert [p.name for p in folders.iterdir() if p.name.startswith(".file")] == []


def test_a_failed_write_leaves_the_old_file_and_no_scratch(folders, monkeypatch):
    path = folders / "file"
    records.write_whole(path, "old")

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ReckonError, match="cannot be written .No space left on device"):
        records.write_whole(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in folders.iterdir() if p.is_file()] == ["file"]


KILLED = """import os, signal, sys
from pathlib import Path
from reckon import records
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
records.write_whole(Path(sys.argv[1]), "half")"""


def test_what_a_killed_process_was_writing_is_removed_by_the_next_write(folders):
    path, others = folders / "file", folders / ".file.others"
    others.touch()
    finished(sys.executable, "-c", KILLED, path, cwd=ROOT)
    assert len([*folders.glob(".file.*")]) == 2 and not path.exists()
    records.write_whole(path, "whole")
    assert [*folders.glob(".file.*")] == [others] and path.read_text() == "whole"


def test_a_record_is_parsed_once_until_it_is_written_again(folders, monkeypatch):
    path = record_file(folders, '{"format": 5, "experiment": "a/b"}')
    parsed = []
    read_text = type(path).read_text
    monkeypatch.setattr(
        type(path),
        "read_text",
        lambda self, **options: parsed.append(self) or read_text(self, **options),
    )
    first = records.read_record("r", "a/b")
    first.quantities["mine"] = made_up.nothing("mine").entry  # a caller's own copy
    assert not records.read_record("r", "a/b").quantities
    assert parsed.count(path) == 1
    records.write_record("r", first)
    assert "mine" in records.read_record("r", "a/b").quantities
    assert parsed.count(path) == 2


def test_what_a_killed_process_left_in_its_temporary_folder_is_removed_by_the_next(tmp_path):
    code = (
        "import os, pathlib; from reckon.records.run_files import files\n"
        f"with files.temporary_folder(pathlib.Path({str(tmp_path)!r}), 'tables-') as made:\n"
        "    (made / 'large').touch(); os._exit(0)"
    )
    finished(sys.executable, "-c", code, cwd=ROOT)
    (left,) = tmp_path.iterdir()
    assert (left / "large").exists()
    with files.temporary_folder(tmp_path, "tables-") as made:
        assert list(tmp_path.iterdir()) == [made]
    assert list(tmp_path.iterdir()) == []

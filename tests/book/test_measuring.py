"""A short book that measures: built, rebuilt, with a probe that crashes, stopped."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from helpers.books import ShortProject, executing
from helpers.capabilities import other_users
from helpers.probes import in_python
from helpers.processes import descendants_named, running, until
from helpers.small_book import LOCAL_PAGES, SmallBook

from reckon.profiles import PROFILES

pytestmark = pytest.mark.book
PAGES = ["cpu/clock", "cpu/timer", "summary"]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of a few pages, measured once."""
    files = [f"notebooks/{page}" for page in PAGES] + ["book/method", "book/bibliography"]
    project = ShortProject(tmp_path_factory.mktemp("project"), files)
    project.first = project.build("--html")
    assert project.first.returncode == 0, project.first.stdout + project.first.stderr
    return project


def test_the_first_build_measures_everything_and_says_so(book):
    out = book.first.stdout
    assert f"Pages: {len(PAGES)} executed, 0 unchanged." in out
    assert executing(book.first.stdout) == PAGES and "to go" in out  # plain lines: no terminal here
    assert re.search(r"Quantities: .*\d+ measured", out) and "Site: " in out
    shown = set(re.findall(r"(cpu/\w+/\w+) (?:measured|cannot)", out))
    assert shown == {name for name, measurement in book.measurements().items() if measurement}


def test_a_page_may_use_what_a_later_page_measures(tmp_path):
    first = {"cpu/first": {"cpu/first/read": ("cpu/timer/rdtsc", "")}}
    project = SmallBook(tmp_path / "later", first | LOCAL_PAGES)
    path = project.base / "notebooks/cpu/first.ipynb"
    notebook = json.loads(path.read_text())
    source = "rk.say(f\"Of the next page: {len(rk.results('cpu/small')) > 0}.\")"
    notebook["cells"].append(nbformat.v4.new_code_cell(source, id="next"))
    path.write_text(json.dumps(notebook))
    done = project.build_pages()
    assert done.returncode == 0, done.stderr
    assert "cpu/first: rendering" in done.stdout
    assert "Of the next page: True." in project.executed("cpu/first")


def test_an_edited_prediction_leaves_the_samples_and_what_a_killed_build_left_is_removed(
    book, tmp_path
):
    """The killed one had executed all pages that show the edited prediction."""
    before = book.measurements()
    with (
        book.edited("cpu/timer", "rk.guess(300, ", "rk.guess(310, "),
        tempfile.TemporaryDirectory(prefix="rk-") as folder,
    ):
        environment = {"TMPDIR": folder, "RECKON_SCRATCH": str(tmp_path)}
        killed = book.build_pages("killed", **environment)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert {"cpu/timer", "summary"} <= {*executing(killed.stdout)}
        (sockets,) = Path(folder).iterdir()
        (tmp_path / sockets.name.replace("reckon-builder-", "reckon-files-")).mkdir()
        done = book.build_pages(**environment)
        assert "Pages: 0 executed" in done.stdout
        assert [*Path(folder).iterdir(), *tmp_path.iterdir()] == []
        assert "inputs revised: kernel" in book.executed("summary")
    assert book.measurements() == before


def test_pages_show_the_root_hash_or_that_a_record_was_changed(book):
    root = re.search(r"^Root hash: ([0-9a-f]{64})", book.first.stdout, re.M)[1]
    assert root in book.html("book/intro")
    path = book.run / "cpu/timer.json"
    whole = path.read_text()
    record = json.loads(whole)
    record["quantities"]["cpu/timer/pair"]["predictions"][0]["predicted"] *= 1.01
    path.write_text(json.dumps(record))
    try:
        done = book.build("--html")
        assert done.returncode == 0, done.stderr
        assert "Its record was changed after it was written" in book.html("notebooks/cpu/timer")
        assert "Its record was changed" not in book.html("notebooks/cpu/clock")
        assert "lists what" in book.html("book/intro")
    finally:
        path.write_text(whole)


def test_a_crash_of_a_probe_is_an_error_with_a_name_and_not_a_dead_kernel(book):
    with book.edited("cpu/timer", "fenced_pair: {}", 'fenced_pair: dict(probe=\\"test/crash\\")'):
        done = book.build_pages()
        assert done.returncode == 1
        assert "cpu/timer/fenced failed: test/crash died of signal 11" in done.stdout


def stop_when(project, line, **environment):
    """Begin a build and press Ctrl-C once it has printed that; all that it printed."""
    start = subprocess.Popen(
        [sys.executable, "-m", "reckon", "build", "--html"],
        cwd=project.base,
        text=True,
        env=project.environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    output = ""
    for printed in start.stdout:
        output += printed
        if line in printed:
            break
    os.killpg(start.pid, signal.SIGINT)
    out, err = start.communicate(timeout=60)
    assert start.returncode == 130 and "Stopped; complete records are kept" in err, err
    assert "Traceback" not in err
    assert until(lambda: not descendants_named(str(project.base)) + running("reckon-probe"))
    return output + out


def test_ctrl_c_keeps_whole_records_and_the_next_build_goes_on(tmp_path):
    files = [f"notebooks/{page}" for page in ("cpu/clock", "cpu/timer", "cpu/call")]
    project = ShortProject(tmp_path / "stopped", [*files, "book/bibliography"])
    stop_when(project, "cpu/timer/fenced measured")
    for path in project.run.rglob("*"):
        if path.is_file():
            assert not path.name.startswith("."), path
            json.loads(
                gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_text()
            )
    again = stop_when(project, "cpu/timer: done")
    assert "cpu/clock: executing" not in again
    assert "cpu/timer: executing" in again


def seconds_to_go(output, task):
    return float(re.search(rf"^{task} \(about (\d+) s to go\)", output, re.M)[1])


def test_a_build_that_was_stopped_between_visits_is_continued(tmp_path):
    """In the standard profile, whose quantities are visited several times."""
    files = ["notebooks/cpu/timer", "notebooks/machines", "book/bibliography"]
    project = ShortProject(tmp_path / "visits", [*files, "book/method"])
    output = stop_when(project, "Visit 2:", RECKON_PROFILE="standard")
    visiting = "cpu/timer: visiting again"
    before = {name: measurement["visits"] for name, measurement in project.measurements().items()}
    visit_s = sum(visits[0]["seconds"] for visits in before.values() if len(visits) > 1)
    assert seconds_to_go(output, visiting) > 2 * visit_s
    counts = {len(visits) for visits in before.values()}
    made_before = max(counts)  # perhaps another one before the signal came
    assert (
        counts == {1, made_before} and 2 <= made_before < PROFILES["standard"].visits
    )  # 1: a curve
    done = project.build_pages(RECKON_PROFILE="standard")
    assert done.returncode == 0, done.stderr
    assert executing(done.stdout) == ["cpu/timer", "machines"] and "Visit 2:" not in done.stdout
    visits = PROFILES["standard"].visits
    made = re.findall(r"^Visit (\d): \d+ quantities in", done.stdout, re.M)
    assert [*map(int, made)] == [*range(made_before + 1, visits + 1)]
    after = project.measurements()
    for name, measurement in after.items():
        assert measurement["visits"][: len(before[name])] == before[name]
        assert len(measurement["visits"]) == (1 if measurement["axis"] else visits), name
    described = json.loads((project.run / "run.json").read_text())
    assert described["between_visits"]["quantities"] >= 8
    tasks = (visiting, "cpu/timer: rendering", "machines: executing")
    to_go = [seconds_to_go(done.stdout, task) for task in tasks]
    assert to_go == sorted(to_go, reverse=True) and len(set(to_go)) == len(to_go), to_go
    again = project.build_pages(RECKON_PROFILE="standard")
    assert "Pages: 0 executed" in again.stdout and "Visit" not in again.stdout
    assert project.measurements() == after


def test_an_ordinary_user_measures_and_the_priority_is_a_warning(folders):
    """Dropping root inside Python: no priority, no dmidecode; the probes run all the same."""
    other_users()
    outcome = in_python(
        "from reckon.computer import fitness\nbecome(65534)\n"
        "samples = library.run('cpu/syscall/getpid')\n"
        "states = [c['state'] for c in fitness.check_all() if c['name'] == 'priority']\n"
        "say([samples.nice, states])"
    )
    assert outcome == [0, ["warn"]]

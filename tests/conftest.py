"""Shared by the tests: folders of their own, and skips that CI does not allow."""

import csv
import fcntl
import itertools
import json
import os
import shutil
import signal
from collections import Counter

import hypothesis
import pytest
from helpers import leaks
from helpers.peers import Peer
from helpers.project import LIBRARY, RECORDED, ROOT, forget, make_tests_library

from reckon import config
from reckon.build_context import BuildContext, current, set_current
from reckon.hosts import peer as other

# A shell's background job starts with SIGINT ignored, and so would everything that is tested here.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples each time: what is said of chance fails by chance now and then. Others each night.
hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.register_profile("random", derandomize=False, print_blob=True)
hypothesis.settings.load_profile("repeatable")

leaks.adopt_orphans()

# What the caller's shell or make has set must not reach the tests; reckon.config reads it at every call.
os.environ.pop("PYTHONUNBUFFERED", None)  # what a user's program prints is buffered
for name in [name for name in os.environ if name.startswith("RECKON_")]:
    del os.environ[name]
os.environ["RECKON_LIB"] = str(LIBRARY)
os.environ["RECKON_SCRATCH"] = str(leaks.scratch())
# Tests that run at once, here or in another checkout, do not wait for each other.
os.environ["RECKON_MACHINE_LOCK"] = f"reckon-tests-{os.getpid()}"

IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
controllers = leaks.controllers()
if not IS_WORKER:  # the workers start when this is done
    build = make_tests_library()
    if build.returncode:
        pytest.exit(f"The C library of the tests does not build:\n{build.stderr}", returncode=2)


def pytest_unconfigure():
    shutil.rmtree(leaks.scratch(), ignore_errors=True)
    if not IS_WORKER:
        leaks.take_back(leaks.controllers() - controllers)


def pytest_terminal_summary(terminalreporter):
    """Each reason why tests were skipped, once, with their number."""
    if terminalreporter.config.getoption("write_durations"):
        reports = itertools.chain(*terminalreporter.stats.values())
        _write_durations(report for report in reports if hasattr(report, "duration"))
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"Skipped {count}: {reason}")


# About the seconds of each file that takes more than some, as put there by `pytest -n 3 -m parallel
# --write-durations` of all files or of some: workers get the longest first, so that what comes last is short.
DURATIONS = ROOT / "tests" / "durations.json"
SHORT_S = 5
# It builds the book of book/conftest.py, and begins at once; files that read that book begin behind this
# number of others, when it is there.
BUILDS_THE_BOOK, MEANWHILE = "tests/book/test_building.py", 4


def pytest_addoption(parser):
    parser.addoption(
        "--write-durations", action="store_true", help="put what files took into durations.json"
    )


def _write_durations(reports):
    seconds = Counter()
    for report in reports:
        seconds[report.nodeid.partition("::")[0]] += report.duration
    known = Counter(json.loads(DURATIONS.read_text(encoding="utf-8")) | seconds)
    long = {
        file: round(taken)
        for file, taken in known.most_common()
        if taken > SHORT_S and (ROOT / file).exists()
    }
    DURATIONS.write_text(json.dumps(long, indent=1) + "\n", encoding="utf-8")


class LeftBehind(Exception):
    """A fixture failed after its test; no matter of time, so the test does not run again."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown():
    try:
        return (yield)
    except (Exception, pytest.fail.Exception) as error:
        raise LeftBehind(str(error)) from error


def pytest_collection_modifyitems(items):
    """A shared host disturbs a moment's times now and then: a test that asserts a time may run twice
    more. The whole run has few reruns (--max-suite-reruns in pyproject.toml), and -rR lists them."""
    for item in items:
        if not item.get_closest_marker("timed") and not item.get_closest_marker("alone"):
            item.add_marker("parallel")
        if item.get_closest_marker("timed"):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=5, rerun_except=LeftBehind))
    order = _in_order(
        {_file(item) for item in items}, {_file(item) for item in items if _reads(item)}
    )
    items.sort(key=lambda item: order.index(_file(item)))


def _in_order(files, readers):
    """The files as workers get them."""
    seconds = json.loads(DURATIONS.read_text(encoding="utf-8"))

    def begin(file):
        return file != BUILDS_THE_BOOK, -seconds.get(file, 0), file

    others = sorted(files - (readers - {BUILDS_THE_BOOK}), key=begin)
    first, later = others[: 1 + MEANWHILE], others[1 + MEANWHILE :]
    return first + sorted({*later, *readers} - {*first}, key=begin)


def _reads(item):
    """Whether the test reads the book of book/conftest.py."""
    return "built" in item.fixturenames


def _file(item):
    return item.path.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path_factory):
    """No process, mount, control group, scratch file or chosen setting outlives its test."""
    folder = tmp_path_factory.getbasetemp()
    before = leaks.remains(folder)
    yield
    config.use(None)
    set_current(None)
    added = leaks.added_since(before, folder)
    if added:
        pytest.fail(f"The test left behind:\n{leaks.described(added)}", pytrace=False)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """`shared_folder(name, fill)` is a folder that one worker fills, for all workers of this run."""
    base = tmp_path_factory.getbasetemp()
    if IS_WORKER:
        base = base.parent

    def share(name, fill):
        folder, is_filled = base / name, base / f"{name}.filled"
        with open(base / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_filled.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a worker that failed
                folder.mkdir()
                fill(folder)
                is_filled.touch()
        return folder

    return share


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A _build folder, a place for runs and no machine.toml, all of this test's own."""
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path / "_build"))
    monkeypatch.setenv("RECKON_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RECKON_MACHINE_TOML", str(tmp_path / "machine.toml"))
    monkeypatch.setenv("RECKON_PROFILE", "quick")
    forget()
    yield tmp_path
    forget()


@pytest.fixture
def build(tmp_path, monkeypatch):
    """The _build folder of this test, into which figures are drawn."""
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    return tmp_path


@pytest.fixture
def data(build):
    """`data(name)` is the table of numbers of a figure that was drawn."""

    def read(name):
        with open(build / "figures" / f"{name}.csv") as file:
            return list(csv.reader(file))

    return read


@pytest.fixture
def build_context(folders):
    """As in a page that is executed for the book, whose build watches these files."""
    set_current(BuildContext(folders / "events", folders / "reads"))
    return current()


@pytest.fixture(scope="session")
def recorded_samples(shared_folder):
    """The recorded run where its files can be linked, and the repository's cannot be changed by that."""

    def fill(folder):
        shutil.copytree(RECORDED / "recorded", folder, dirs_exist_ok=True)

    return shared_folder("recorded", fill)


def _link_samples(source, target):
    """No test writes into a file of samples, of which there are 506; records are copied."""
    if source.endswith(".gz"):
        os.link(source, target)
    else:
        shutil.copy2(source, target)


@pytest.fixture
def recorded(folders, recorded_samples):
    """A copy of the recorded run, whose records may be edited."""
    shutil.copytree(recorded_samples, folders / "runs" / "recorded", copy_function=_link_samples)
    os.environ["RECKON_RUN"] = "recorded"
    forget()
    yield folders / "runs" / "recorded"
    os.environ.pop("RECKON_RUN")


@pytest.fixture
def peer():
    """Of this test's own; when it is ended no process and no service has failed."""
    with Peer() as peer:
        yield peer
    assert peer.program.returncode == 0, peer.log


@pytest.fixture
def no_host_is_set(monkeypatch):
    """No other host is set or chosen, before the test and after it."""
    for name in ("PEER", "PEER_AT", "PEER_TOKEN", "PEER_SPACE", "LINK_RTT", "LINK_RATE"):
        monkeypatch.setenv(f"RECKON_{name}", "")  # so that it is put back
        monkeypatch.delenv(f"RECKON_{name}")
    other.forget()
    yield
    other.forget()

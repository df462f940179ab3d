"""Shared by the tests: folders of their own, and skips that CI does not allow."""

import os
import shutil
import signal

import hypothesis
import pytest
from helpers import leaks
from helpers.peers import Peer
from helpers.project import RECORDED, ROOT, forget

# A shell's background job starts with SIGINT ignored, and so would everything that is tested here.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples each time: what is said of chance fails by chance now and then.
hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.load_profile("repeatable")

leaks.adopt_orphans()

# Read by reckon.config at every call, so set before anything else happens.
os.environ["RECKON_LIB"] = str(ROOT / "_build" / "lib")
for name in ("RECKON_RUN", "RECKON_PROFILE", "RECKON_FRESH", "RECKON_EVENTS", "RECKON_READS"):
    os.environ.pop(name, None)


class LeftBehind(Exception):
    """What the fixtures found after a test."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown():
    try:
        return (yield)
    except (Exception, pytest.fail.Exception) as found:
        raise LeftBehind(str(found)) from found


def pytest_collection_modifyitems(items):
    """A shared host spoils a moment's times now and then, so what asserts one has three tries in all. A wrong row
    fails each of them, and each one that failed is printed with its reason. What a test leaves behind is no
    matter of time, and has one try."""
    for item in items:
        if item.get_closest_marker("timed"):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=5, rerun_except=LeftBehind))


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path_factory):
    """No process, mount, control group or scratch file outlives the test that made it."""
    folder = tmp_path_factory.getbasetemp()
    before = leaks.remains(folder)
    yield
    added = leaks.added_since(before, folder)
    if added:
        pytest.fail(f"The test left behind:\n{leaks.described(added)}", pytrace=False)


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
def recorded(folders):
    """A copy of the recorded run, to be read (and, by mistake, written) freely."""
    shutil.copytree(RECORDED / "recorded", folders / "runs" / "recorded")
    os.environ["RECKON_RUN"] = "recorded"
    forget()
    yield folders / "runs" / "recorded"
    os.environ.pop("RECKON_RUN")


@pytest.fixture
def peer():
    """Of this test's own; when it is ended no process and no service has failed."""
    with Peer() as peer:
        yield peer
    assert peer.program.returncode == 0, peer.said

"""Two builds that are started at the same moment: both end well, and each quantity is measured once."""

import re
import shutil
import signal
import subprocess

import pytest
from helpers.books import measurements_of
from helpers.processes import until
from helpers.project import ROOT
from helpers.served import can_serve
from helpers.small_book import PAGES, QUANTITIES, SmallBook

from reckon.records.run_files import verify

pytestmark = pytest.mark.book
ENDS_S = 180.0


@pytest.fixture
def book(tmp_path):
    can_serve()
    return SmallBook(tmp_path / "book")


def outputs(builds):
    """What each build printed, once all have ended."""
    return [build.communicate(timeout=ENDS_S)[0] for build in builds]


def check_whole(run):
    """Each quantity of the run is measured, in one visit, and its chain is valid."""
    measurements = measurements_of(run)
    assert sorted(measurements) == QUANTITIES
    assert {measurement["state"] for measurement in measurements.values()} == {"measured"}
    assert {len(measurement["visits"]) for measurement in measurements.values()} == {1}
    assert verify.faults(run) == []


def waits_for(output):
    """The process that a build waited for, by what it printed."""
    return [
        int(pid) for pid in re.findall(r"^Waiting for process (\d+), which builds", output, re.M)
    ]


@pytest.mark.long_builds
def test_of_two_builds_of_one_run_the_second_waits_and_measures_nothing(book):
    builds = [book.start(), book.start()]
    said = outputs(builds)
    assert [build.returncode for build in builds] == [0, 0], said
    (second,) = [output for output in said if waits_for(output)]
    (first,) = [output for output in said if not waits_for(output)]
    assert waits_for(second) == [builds[said.index(first)].pid]
    assert f"Pages: {len(PAGES)} executed, 0 unchanged." in first
    assert f"Pages: 0 executed, {len(PAGES)} unchanged." in second
    check_whole(book.run)
    assert book.faults() == [] and book.left_behind() == []


@pytest.mark.long_builds
def test_builds_of_two_runs_take_turns(book):
    builds = [book.start(site=False, RECKON_RUN=name) for name in ("before", "after")]
    said = outputs(builds)
    assert [build.returncode for build in builds] == [0, 0], said
    assert sum(len(waits_for(output)) for output in said) == 1, said
    for name in ("before", "after"):
        check_whole(book.base / "book/runs" / name)
    assert book.left_behind() == []


@pytest.mark.long_builds
def test_two_trees_that_measure_into_one_run_measure_each_quantity_once(book, tmp_path):
    other = SmallBook(tmp_path / "other")
    runs = str(tmp_path / "runs")
    builds = [tree.start(site=False, RECKON_RUNS=runs, RECKON_RUN="one") for tree in (book, other)]
    said = outputs(builds)
    assert [build.returncode for build in builds] == [0, 0], said
    measured = re.findall(r"^  (\S+) measured$", "\n".join(said), re.M)
    assert sorted(measured) == QUANTITIES
    check_whole(tmp_path / "runs" / "one")
    assert book.left_behind() + other.left_behind() == []


@pytest.mark.long_builds
def test_a_waiting_build_goes_on_where_the_other_is_killed(book):
    builds = [book.start(site=False), book.start(site=False)]
    lock = book.base / "_build/.building"
    holder = until(lambda: lock.exists() and re.search(r"process (\d+)", lock.read_text()), 60.0)
    (killed,) = [build for build in builds if build.pid == int(holder[1])]
    assert until(lambda: [*(book.base / "book/runs").glob("*/cpu/small.json")], 60.0)
    killed.kill()
    said = outputs(builds)
    (goes_on,) = [build for build in builds if build is not killed]
    assert (killed.returncode, goes_on.returncode) == (-signal.SIGKILL, 0), said
    check_whole(book.run)
    assert book.faults(site=False) == [] and book.left_behind() == []


@pytest.mark.parametrize("target", ["setup", "lib"])
def test_two_makes_do_not_set_up_or_compile_at_the_same_time(tmp_path, target):
    """What is set up is set up once."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "csrc").mkdir()
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    alone = "mkdir working && sleep 0.3 && rmdir working && echo done >> log"
    setup = tmp_path / "tools/setup"
    setup.write_text(f"#!/bin/sh\n[ $1 = moved ] && exit 1\nmkdir -p .venv && {alone}\n")
    setup.chmod(0o755)
    (tmp_path / "csrc/Makefile").write_text(f"all:\n\t@{alone}\n")
    command = ["make", "-s", target]
    makes = [
        subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in "ab"
    ]
    said = [make.communicate(timeout=60)[1] for make in makes]
    assert [make.returncode for make in makes] == [0, 0], said
    log = tmp_path / ("log" if target == "setup" else "csrc/log")
    assert log.read_text() == {"setup": "done\n", "lib": "done\ndone\n"}[target]

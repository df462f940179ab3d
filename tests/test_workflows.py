"""The workflows of GitHub: correct, safe, and of actions that cannot change."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from helpers.capabilities import given, need
from helpers.project import ROOT, finished

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"


def test_every_action_is_pinned_by_its_hash():
    uses = [line for path in WORKFLOWS for line in path.read_text().splitlines() if "uses:" in line]
    assert uses and all(re.search(r"@[0-9a-f]{40} # v\d", line) for line in uses)


def test_each_committed_run_is_published_and_listed(tmp_path):
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for run in ("after", "before", "own"):
        (tmp_path / "book/runs" / run).mkdir(parents=True)
        (tmp_path / "book/runs" / run / "run.json").touch()
    (tmp_path / "Makefile").write_text(
        "publish:\n\t@mkdir -p $(TO)/_static && echo $(RUN) $(SITE_URL) > $(TO)/index.html\n"
    )
    for command in ("init -q", "add book/runs/before book/runs/after"):
        finished("git", *command.split(), cwd=tmp_path, check=True)
    finished(tmp_path / "tools/publish-runs", "site", "https://a.org/book", check=True)
    address = "https://a.org/book/before/"
    assert (tmp_path / "site/before/index.html").read_text() == f"before {address}\n"
    index = (tmp_path / "site/index.html").read_text()
    assert re.findall('href="(.*?)"', index) == ["after/index.html", "before/index.html"]
    for run in ("after", "before"):  # for the links to the same page of the other
        facts = (tmp_path / "site" / run / "_static/book.js").read_text()
        assert f'folder: "{run}", runs: ["after", "before"]' in facts


FILES = ("csrc/cpu/loop.c", "reckon/fleet/jobs.py", "book/method.md")


@pytest.fixture
def ci(tmp_path):
    """Runs .ci/run in a repository of its own whose make says what it was asked for; what make said."""
    for path in (".ci/run", *FILES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("1")
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    for name, script in {
        "bin/make": f'[ "$1" = "$FAILS" ] && exit 2; echo "$@" $PYTEST_ADDOPTS >> {tmp_path}/.git/made',
        "bin/id": "echo 0",
        "tools/setup": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    finished("git", "init", "-q", cwd=tmp_path, check=True)

    def run(edited=None, fails="", since="", *arguments):
        if edited:
            (tmp_path / edited).write_text((tmp_path / edited).read_text() + "\n")
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        for command in (("add", "-A"), (*who, "commit", "-q", "-m", "one", "--allow-empty")):
            finished("git", *command, cwd=tmp_path, check=True)
        made = tmp_path / ".git/made"
        made.unlink(missing_ok=True)
        path = f"{tmp_path}/bin:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "SINCE": since, "FAILS": fails}
        done = finished(tmp_path / ".ci/run", *arguments, env=environment)
        assert bool(done.returncode) == bool(fails), done.stderr
        return made.read_text().splitlines()

    return run


ALL, NO_PROBES = "test PARTS= csrc fleet builds", " --ignore=tests/csrc"


def test_ci_leaves_out_tests_of_what_has_not_changed_since_it_passed(ci, tmp_path):
    assert ci()[-2:] == [ALL, "test-install"]  # nothing to compare with
    assert ci("csrc/cpu/loop.c")[-1] == "test PARTS= csrc builds"
    assert ci("reckon/fleet/jobs.py")[-1] == f"test PARTS= fleet{NO_PROBES}"
    assert ci("book/method.md")[-1] == f"test PARTS={NO_PROBES}"
    ci("csrc/cpu/loop.c", fails="test")
    assert ci("book/method.md")[-1] == "test PARTS= csrc builds"  # which have not passed
    assert ci(".ci/run")[-1] == ALL
    assert ci("tools/setup")[-1] == "test-install"
    assert ci(since="0" * 40)[-2:] == [ALL, "test-install"]
    assert ci(None, "", "", "nightly")[-1] == "nightly"
    finished("git", "update-ref", "-d", "refs/ci/passed", cwd=tmp_path, check=True)  # a new clone
    assert ci("book/method.md")[-1] == "test PARTS="


@pytest.mark.parametrize("goal", ["test", "test PARTS=csrc", "test PARTS='csrc fleet builds'"])
def test_what_make_runs_of_the_tests_is_a_program_of_the_shell(goal):
    """CI above has another make."""
    old = "--old-file=setup-dev"
    recipe = finished(
        "sh", "-c", f"make -n --no-print-directory {old} {goal}", cwd=ROOT, check=True
    )
    assert "pytest" in recipe.stdout
    finished("bash", "-n", "-c", recipe.stdout, check=True)


def test_no_option_of_make_is_one_of_the_library_s():
    """With PARTS=csrc the library had no probe, and did not link."""
    (ROOT / "_build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "_build") as folder:
        lib = f"LIB=_build/{Path(folder).name}"
        made = finished("make", "-n", "lib", lib, "PARTS=csrc fleet builds", cwd=ROOT, check=True)
    assert "cpu/loop.o" in made.stdout


def test_actionlint_finds_nothing(tmp_path):
    actionlint = shutil.which("actionlint")
    if not actionlint:
        given(shutil.which("go"), "neither actionlint nor Go, which builds it, is installed")
        environment = {"GOBIN": str(tmp_path), "GOFLAGS": "-mod=mod"}
        built = finished(
            "env", *(f"{k}={v}" for k, v in environment.items()), "go", "install", ACTIONLINT
        )
        if built.returncode:
            pytest.skip(f"actionlint cannot be built: {built.stderr[-200:]}")
        actionlint = tmp_path / "actionlint"
    done = subprocess.run([actionlint, *WORKFLOWS], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_zizmor_finds_nothing():
    zizmor = shutil.which("zizmor") or shutil.which(ROOT / ".venv/bin/zizmor")
    need(zizmor, "zizmor is not installed")
    done = subprocess.run([zizmor, "--offline", *WORKFLOWS], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

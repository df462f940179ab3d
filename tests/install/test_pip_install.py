"""`pip install .` into an empty environment, and a book made from it in an empty folder."""

import os
import subprocess
import sys
import sysconfig
import venv

import pytest
from helpers.project import RECORDED, ROOT, finished

pytestmark = pytest.mark.install


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Runs the installed `reckon` in an empty folder, and returns what it printed.

    The dependencies are those of this environment, so that nothing is downloaded.
    """
    base = tmp_path_factory.mktemp("install")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    wheels = ["--no-deps", "--no-build-isolation", "--wheel-dir", base, ROOT]
    subprocess.run([*pip, "wheel", *wheels], check=True)
    venv.create(base / "venv", symlinks=True)
    python = base / "venv/bin/python"
    [wheel] = base.glob("reckon-*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", wheel], check=True)
    packages = next((base / "venv/lib").glob("python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    work = base / "work"
    work.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("RECKON_", "PYTHON"))}

    def run(*arguments, **settings):
        done = finished(
            base / "venv/bin/reckon", *arguments, cwd=work, env={**environment, **settings}
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.folder = work
    return run


def test_the_command_line_compiles_the_library_and_lists_the_probes(installed):
    assert installed("--version").startswith("reckon ")
    assert "cpu/syscall/getpid" in installed("probes")
    assert (installed.folder / "_build/lib/libreckon.so").exists()


def test_an_experiment_is_measured_into_the_current_folder(installed):
    output = installed("measure", "cpu/syscall", "--profile", "quick")
    assert "measured" in output
    assert list(installed.folder.glob("book/runs/*/cpu/syscall.json"))


def test_a_site_is_made_from_a_recorded_run(installed):
    output = installed("build", "--html", RECKON_RUNS=str(RECORDED), RECKON_RUN="recorded")
    site = installed.folder / "_build/html"
    assert f"Site: {site / 'index.html'}" in output
    assert "getpid" in (site / "notebooks/cpu/syscall.html").read_text(encoding="utf-8")

"""A notebook executed in a kernel of its own: what reaches it, and what does not."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from helpers.processes import pids_gone, until
from helpers.project import PROGRAMS, ROOT, finished
from matplotlib import get_cachedir

from reckon.book.execution.notebook_execution import NotebookExecution, NotebookFailed
from reckon.book.execution.warm_kernels import Surroundings
from reckon.build_context import BuildContext
from reckon.config import Settings

ONE_PAGE = [sys.executable, PROGRAMS / "one_page.py"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """A builder's, with a home of its own but for matplotlib's list of fonts, which takes long to make."""
    return {"PYTHONPATH": str(ROOT), "HOME": str(home), "MPLCONFIGDIR": get_cachedir(), **more}


# The same, killed at a moment.
KILLED = """import os, runpy, signal, sys, tempfile
def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
mkdtemp = tempfile.mkdtemp
{}
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")"""
WHEN_ITS_FOLDER_IS_MADE = "tempfile.mkdtemp = lambda **how: kill(mkdtemp(**how))"
WHEN_ITS_FOLDER_IS_EMPTY = "os.rmdir = kill"


def write_notebook(path, *sources):
    """A notebook of these cells, the first of which holds its parameters."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    path.write_text(nbformat.writes(notebook))
    return path


def start(notebook, **settings):
    folder = notebook.parent
    build = BuildContext(folder / "events", folder / "reads", notebook=notebook)
    parameters = {key: settings[key] for key in ("profile", "run") if key in settings}
    surroundings = Surroundings(folder, folder / "log", Settings(**settings), build)
    return NotebookExecution(notebook, surroundings, parameters)


def execute(notebook, **settings):
    return start(notebook, **settings).result()


def test_a_notebook_gets_its_profile_and_run_as_parameters(tmp_path):
    sources = "profile = None\nrun = None", "print(profile, run)"
    notebook = write_notebook(tmp_path / "page.ipynb", *sources)
    done = execute(notebook, profile="full", run="before")
    assert [cell.source for cell in done.cells] == [*sources]
    assert done.cells[1].outputs[0].text == "full before\n"


def test_a_full_disk_fails_the_notebook_alone(tmp_path, monkeypatch):
    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device", "page.events")

    monkeypatch.setattr(NotebookExecution, "_execute", fail)
    with pytest.raises(NotebookFailed, match="^page.events: No space left on device$"):
        execute(write_notebook(tmp_path / "page.ipynb", "profile = run = None"))


def test_a_failing_cell_is_named_by_its_place_in_the_source(tmp_path):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None", "1 / 0")
    with pytest.raises(NotebookFailed, match="^cell 2, line 1: a division by 0 has no value; "):
        execute(notebook)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("x = 1\nnull", "cell 2, line 2: there is no `null` in this notebook; cell 3 makes it (`"),
        ("x = (1", "cell 2, line 1: in `x = (1`, a bracket or a quote is never closed."),
        ("def f():\nx", "cell 2, line 2: in `x`, expected an indented block after function"),
        ("return 1", "cell 2, line 1: `return` without the line `def ...:` above it."),
    ],
)
def test_a_careless_cell_fails_with_its_line_and_what_is_wrong(tmp_path, source, says):
    sources = "profile = run = None", source, "null = 1"
    notebook = write_notebook(tmp_path / "page.ipynb", *sources)
    with pytest.raises(NotebookFailed) as failed:
        execute(notebook)
    assert str(failed.value).startswith(says) and "\n" not in str(failed.value)


def test_a_mistake_that_one_sentence_explains_has_no_name_of_an_exception(tmp_path):
    mistake = 'import reckon as rk\nrk.guess("90", "ns", "x", low=1, high=2)'
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None", mistake)
    with pytest.raises(NotebookFailed, match=r"^cell 2: 'x': the value is '90', not a number"):
        execute(notebook)


def test_a_notebook_that_is_no_longer_json_fails_with_a_sentence(tmp_path):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None")
    notebook.write_text(notebook.read_text().replace('"cells"', '"cells', 1))
    with pytest.raises(NotebookFailed, match=r"not a whole notebook .* line 2 .*; undo"):
        execute(notebook)


def test_a_stopped_page_removes_the_file_that_it_was_writing(tmp_path):
    writing = """import os, time
from pathlib import Path
from reckon import records
def sleep(_):
    Path("is_writing").touch()
    time.sleep(60)
os.fsync = sleep
records.write_whole(Path("record.json").absolute(), "{}")"""
    page = start(write_notebook(tmp_path / "page.ipynb", "profile = run = None", writing))
    until((tmp_path / "is_writing").exists)
    page.stop()
    assert list(tmp_path.glob("*record*")) == []


def test_a_killed_fork_server_is_named_and_the_next_page_has_another(tmp_path):
    writing = """import os, time
from reckon import records
from pathlib import Path
records.write_whole(Path("pids").absolute(), f"{os.getppid()} {os.getpid()}")
time.sleep(60)"""
    page = start(write_notebook(tmp_path / "page.ipynb", "profile = run = None", writing))
    assert until((tmp_path / "pids").exists, 60)
    server, kernel = map(int, (tmp_path / "pids").read_text().split())
    os.kill(server, signal.SIGKILL)
    says = "^its kernel was lost in cell 2: the process that starts kernels was killed, .* memory.$"
    with pytest.raises(NotebookFailed, match=says):
        page.result()
    assert pids_gone([kernel])
    execute(write_notebook(tmp_path / "next.ipynb", "profile = run = None"))


@pytest.mark.parametrize("end", ["", "import signal\nos.kill(os.getpid(), signal.SIGKILL)"])
def test_a_daemon_that_a_cell_started_ends_with_its_kernel(tmp_path, end):
    daemon = """import os, subprocess, time
subprocess.run("setsid sh -c 'sleep 300 & echo $! > pid' &", shell=True)
while not os.path.exists("pid") or not open("pid").read():
    time.sleep(0.01)
"""
    page = start(write_notebook(tmp_path / "page.ipynb", "profile = run = None", daemon + end))
    with pytest.raises(NotebookFailed, match="SIGKILL") if end else contextlib.nullcontext():
        page.result()
    assert pids_gone([int((tmp_path / "pid").read_text())])


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL (9)"),
        ("import ctypes\nctypes.string_at(0)", "was killed by SIGSEGV (11)"),
        ("import os\nos._exit(0)", "ended with status 0"),
    ],
)
def test_how_a_kernel_ended_is_said_with_the_cell(tmp_path, source, how):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None", source)
    with pytest.raises(NotebookFailed) as failed:
        execute(notebook)
    assert str(failed.value).startswith(f"its kernel {how} in cell 2; ")


def test_a_page_does_not_wait_for_threads_and_cuts_endless_output(tmp_path):
    thread = "import threading\nthreading.Thread(target=threading.Event().wait).start()"
    lines = "for _ in range(200):\n    print(1000 * ('x' * 99 + '\\n'), end='')"
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None", thread, lines)
    (output,) = execute(notebook).cells[2].outputs
    assert output.text.endswith("[Cut here: 20,000 of 20,000,000 characters are shown.]\n")


def test_a_home_that_does_not_exist_and_a_folder_too_long_for_a_socket_stop_no_page(tmp_path):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None", "1 + 1")
    folder = tmp_path / (100 * "x")
    folder.mkdir()
    variables = environment(Path("/proc/nohome"), PATH=os.environ["PATH"], TMPDIR=str(folder))
    del variables["MPLCONFIGDIR"]
    done = finished(*ONE_PAGE, notebook, tmp_path / "log", "0", env=variables)
    assert done.returncode == 0, done.stderr
    assert "Exception ignored" not in done.stderr + (tmp_path / "log").read_text()
    assert list(folder.iterdir()) == []


def test_ctrl_c_at_the_terminal_never_reaches_a_page_or_the_fork_server(tmp_path):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None")
    done = subprocess.run(
        [sys.executable, PROGRAMS / "pages_during_signals.py", notebook, tmp_path / "log"],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
    )
    assert done.returncode == 0 and done.stderr == ""


def test_a_builder_removes_the_sockets_of_a_killed_builder_alone(tmp_path):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None")

    def builder(sleep_s, folder):
        return subprocess.Popen(
            [*ONE_PAGE, notebook, tmp_path / "log", str(sleep_s)],
            env=environment(tmp_path, TMPDIR=folder),
            stdout=subprocess.PIPE,
        )

    # Its path is short, because it takes the address of a socket.
    with tempfile.TemporaryDirectory(prefix="rk-") as folder:
        killed, living = builder(60, folder), builder(60, folder)
        for process in (killed, living):
            assert process.stdout.readline() == b"done\n"
        others = Path(folder) / "pymp-others"
        others.mkdir()
        killed.kill()
        killed.communicate()
        assert len([*Path(folder).iterdir()]) == 3
        assert builder(0, folder).communicate(timeout=60) == (b"done\n", None)
        assert len([*Path(folder).iterdir()]) == 2 and others.exists()
        living.kill()
        living.communicate()
        others.rmdir()
        assert builder(0, folder).communicate(timeout=60) == (b"done\n", None)
        assert [*Path(folder).iterdir()] == []


@pytest.mark.parametrize("moment", [WHEN_ITS_FOLDER_IS_MADE, WHEN_ITS_FOLDER_IS_EMPTY])
def test_no_moment_of_a_kill_leaves_sockets_that_no_builder_removes(tmp_path, moment):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None")
    python, program = ONE_PAGE
    arguments = [program, notebook, tmp_path / "log", "0"]
    with tempfile.TemporaryDirectory(prefix="rk-") as folder:
        variables = environment(tmp_path, TMPDIR=folder)
        killed = finished(python, "-c", KILLED.format(moment), *arguments, env=variables)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert [*Path(folder).iterdir()]
        finished(python, *arguments, env=variables, check=True)
        assert [*Path(folder).iterdir()] == []


TWO_AT_ONCE = """import pathlib, runpy, sys, threading, time
mkdir = pathlib.Path.mkdir
def slow_mkdir(*args, **how):
    time.sleep(0.5)
    mkdir(*args, **how)
pathlib.Path.mkdir = slow_mkdir
program = sys.argv[1]
sys.argv.pop(0)
threads = [threading.Thread(target=runpy.run_path, args=[program, None, "__main__"]) for _ in "12"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()"""


def test_two_threads_may_start_the_first_pages_at_once(tmp_path):
    notebook = write_notebook(tmp_path / "page.ipynb", "profile = run = None")
    python, program = ONE_PAGE
    done = finished(python, "-c", TWO_AT_ONCE, program, notebook, tmp_path / "log", "0")
    assert done.stdout.count("done") == 2, done.stderr

"""The check of each project: a right solution passes, the wrong ones and the unsolved one fail."""

import re
import sys

import pytest
from helpers.project import LIBRARY, ROOT, finished

SOLUTIONS = sorted((ROOT / "tests/exercises").glob("*/*.inc"))
STARTS = sorted((ROOT / "csrc/exercises").glob("*.c"))
BY_COUNTS = {"backwards", "one_request", "sendfile", "token"}  # their checks compare no times
CASES = [
    pytest.param(
        path,
        id=f"{path.parent.name}-{path.stem}",
        marks=() if path.parent.name in BY_COUNTS else pytest.mark.timed,
    )
    for path in SOLUTIONS
]

GAP = re.compile(r"    \(void\)out, \(void\)n; /\* Your part: .*\n    return rk_unsupported\(.*\n")


def checked(name, file):
    """The finished check of a file as the project's solution."""
    command = [sys.executable, ROOT / "tools/exercise", name, file]
    return finished(*command, env={"RECKON_LIB": str(LIBRARY), "PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize("file", CASES)
def test_a_right_solution_passes_and_wrong_ones_fail(file, tmp_path):
    """Each is the starting point with its gap filled in."""
    name = file.parent.name
    before, after = GAP.split((ROOT / f"csrc/exercises/{name}.c").read_text())
    solution = tmp_path / f"{name}.c"
    solution.write_text(before + file.read_text() + after)
    done = checked(name, solution)
    is_right = file.stem == "right"
    assert (done.returncode == 0) == is_right, done.stdout + done.stderr
    assert done.stdout.endswith("right.\n") == is_right
    measured = re.search(rf"^exercises/{name}.*: .+s for each \w+, .+s in the fastest", done.stdout)
    assert (measured is not None) == is_right, done.stdout


@pytest.mark.parametrize("file", STARTS, ids=lambda path: path.stem)
def test_a_starting_point_compiles_and_says_what_is_missing(file):
    done = checked(file.stem, file)
    assert done.returncode == 1 and "not written yet" in done.stdout, done.stdout + done.stderr


def test_every_project_has_a_check_and_two_wrong_solutions():
    for file in STARTS:
        solutions = [path.stem for path in SOLUTIONS if path.parent.name == file.stem]
        assert file.with_suffix(".py").exists() and "right" in solutions and len(solutions) > 2

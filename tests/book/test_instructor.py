"""The students' site and the instructor's edition of the same run."""

import json
import re

import pytest
from helpers.books import ShortRecordedProject

from reckon.show.block import FOR_INSTRUCTORS

pytestmark = pytest.mark.book

SAYS_SO = "The instructor's edition"
PAGE = "notebooks/cpu/division"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with both sites, the students' made last."""
    project = ShortRecordedProject(tmp_path_factory.mktemp("editions"), [PAGE, "book/bibliography"])
    for environment in ({"RECKON_INSTRUCTOR": "1"}, {}):
        done = project.build("--html", **environment)
        assert done.returncode == 0, done.stdout + done.stderr
    return project


def words(html):
    """The words of a page without its tags."""
    return " ".join(re.sub(r"<[^>]*>", "", html).replace("\xa0", " ").split())


def test_only_the_instructor_s_edition_has_all_solutions(project):
    cells = json.loads(project.executed("cpu/division"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = ["".join(output.get("data", {}).get("text/markdown", "")) for output in outputs]
    written = re.findall(rf"dropdown\}} {FOR_INSTRUCTORS}\n(\w[\w ,]+)", "\n".join(texts))
    assert written
    build = project.base / "_build"
    instructors = (build / "instructor/html" / f"{PAGE}.html").read_text("utf-8")
    assert FOR_INSTRUCTORS in instructors and SAYS_SO in instructors
    for sentence in written:
        assert sentence in words(instructors)
        for path in [*(build / "html").rglob("*"), *(build / "stage").rglob("*")]:
            if path.is_file() and path.suffix in (".html", ".js", ".json", ".ipynb", ".md", ".txt"):
                assert sentence not in path.read_text("utf-8").replace("\xa0", " "), path
    students = project.html(PAGE)
    assert "Solution" in students
    assert FOR_INSTRUCTORS not in students and SAYS_SO not in students

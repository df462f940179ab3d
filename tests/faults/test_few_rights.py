"""A rootless container, an ordinary user, a kernel without namespaces: the book is built, and what
could not be measured has its reason."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from helpers.capabilities import installed, other_users, own_mounts, x86_only
from helpers.probes import HEAD, NOBODY_ELSE
from helpers.project import ROOT
from helpers.small_book import BUILD_PAGES, PAGES, SmallBook

pytestmark = [pytest.mark.book, pytest.mark.long_builds]

EINVAL, UNSHARE = 22, 272  # x86-64
AS_USER = ["setpriv", f"--reuid={NOBODY_ELSE}", f"--regid={NOBODY_ELSE}", "--clear-groups"]


def within_limits(limits, *then):
    """In a user namespace of its own, whose root sets these limits (user_namespaces(7))."""
    set_them = " && ".join(f"echo 0 >/proc/sys/user/max_{limit}_namespaces" for limit in limits)
    return [*AS_USER, "unshare", "-Ur", "sh", "-c", f'{set_them} && exec "$@"', "sh", *then]


def with_python(folder):
    """With mounts of its own in which every user reaches this Python, which may lie in root's home."""
    own_mounts()
    python, copy = Path(sys.base_prefix), folder / "python"
    closed = [parent for parent in python.parents if not parent.stat().st_mode & 1]
    if not closed:
        return []
    copy.mkdir(exist_ok=True)
    steps = [
        f"mount --bind {python} {copy}",
        f"mount -t tmpfs -o mode=0755 none {closed[-1]}",
        f"mkdir -p {python}",
        f"mount --bind {copy} {python}",
        'exec "$@"',
    ]
    return ["unshare", "--mount", "sh", "-c", " && ".join(steps), "sh"]


WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
WITHOUT_NAMESPACES = [
    sys.executable,
    "-c",
    f"{HEAD}\nforbid([({UNSHARE}, {EINVAL}, 0, 0)])\nos.execvp(sys.argv[1], sys.argv[1:])",
]
NO_SERVER = r"nfs-ganesha needs root outside any user namespace"
CASES = {
    "rootless": (within_limits(["net"]), "network namespaces are switched off here", NO_SERVER),
    "user": (
        within_limits(["user"], *WITHOUT_RIGHTS),
        "user namespaces are switched off here",
        NO_SERVER,
    ),
    "kernel": (
        WITHOUT_NAMESPACES,
        "this kernel is built without a network namespace",
        "this kernel is built without a network namespace",
    ),
}


@pytest.fixture(scope="module")
def book():
    """A small book that every user may build: pytest's folders are this user's alone."""
    other_users()
    installed("setpriv", "unshare")
    with tempfile.TemporaryDirectory(prefix="reckon-rights-", dir="/var/tmp") as folder:
        book = SmallBook(Path(folder) / "book")
        for path in [Path(folder), book.temporary]:
            subprocess.run(["chown", "-R", str(NOBODY_ELSE), path], check=True)
        yield book


def outputs(book, page):
    """All that the cells of an executed page gave, as text."""
    cells = nbformat.read(book.base / f"_build/executed/{page}.ipynb", 4).cells
    return [output for cell in cells for output in cell.get("outputs", [])]


@pytest.mark.parametrize("name", CASES)
def test_the_book_is_built_and_says_what_it_could_not_do(book, name):
    x86_only()
    prefix, no_host, no_server = CASES[name]
    book.empty()
    done = subprocess.run(
        [*with_python(book.base), *prefix, *BUILD_PAGES],
        cwd=book.base,
        env=book.environment(HOME=str(book.base), PYTHONPATH=f"{book.base}:{ROOT}/tests"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in output, output
    states = {name: measurement["state"] for name, measurement in book.measurements().items()}
    reasons = {name: measurement["reason"] for name, measurement in book.measurements().items()}
    assert states.pop("network/small/there") == states.pop("files/small/null") == "unsupported"
    assert set(states.values()) == {"measured"}, reasons
    assert re.search(no_host, reasons["network/small/there"]), reasons
    assert re.search(no_server, reasons["files/small/null"]), reasons
    for page in PAGES:
        assert not [output for output in outputs(book, page) if output.output_type == "error"], page
    assert done.stdout.partition("Quantities: ")[2].count(no_host) == 1, "a line for each reason"
    assert not book.left_behind()

"""From a bare Debian to the book: root and a user without sudo set Reckon up, in a tree of debootstrap.

Each release has one tree; the tests of a release run in their order and share it. To save time, not
every user makes every book:

                 example           quick book
    Debian 12    root with PDFs    root
                 user              user
    Debian 13    root with PDFs    root
                 user

In a chroot nobody makes a user namespace, so the user has no simulated host.
"""

import re
import shutil

import pytest
from helpers.bare_debian import BareDebian
from helpers.capabilities import installed, own_mounts

pytestmark = pytest.mark.install

USER = BareDebian.USER
SITE = "_build/html/index.html"


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def debian(request, tmp_path_factory):
    """The tree of a release, with a checkout of root's and one of the user's."""
    installed("debootstrap")
    own_mounts()
    folder = tmp_path_factory.mktemp(request.param)
    tree = BareDebian(folder, request.param)
    tree.clone("root")
    tree.clone(USER)
    yield tree
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def packages_before(debian):
    """The packages of the bare tree."""
    return debian.packages()


@pytest.fixture(scope="module")
def example_of_root(debian, packages_before):
    """What `make book RUN=example` printed in the bare tree, as root: the first that sets up."""
    return debian.succeed("make", "book", "RUN=example")


@pytest.fixture(autouse=True)
def nothing_is_left_in_the_tree(debian):
    """No scratch file outlives its command. (Processes and mounts: conftest.py.)"""
    yield
    assert not debian.scratch_files()


def _is_new_site(output: str, debian: BareDebian, user: str) -> bool:
    """Whether the command says that it made the site, and there is one."""
    return (
        bool(re.search(rf"^Site: \S+/{SITE}$", output, re.M))
        and (debian.checkout(user) / SITE).exists()
    )


def _count(output: str, state: str) -> int:
    """How many quantities the summary line of a build counts in this state."""
    [counts] = re.findall(r"^Quantities: (.*)\.$", output, re.M)
    return int(re.search(rf"(\d+) {state}", counts)[1])


def _unsupported(output: str) -> dict[str, int]:
    """How many quantities have no value, by reason: each has one line below the summary line."""
    summary = output.split("\nQuantities: ")[1]
    line = r"^  \w+/\S+(?: and (\d+) more)? unsupported: (.*)$"
    found = re.findall(line, summary, re.M)
    by_reason = {reason: 1 + int(others or 0) for others, reason in found}
    assert len(by_reason) == len(found)
    return by_reason


def test_doctor_names_what_a_bare_tree_lacks(debian, packages_before):
    done = debian.run("make", "doctor")
    assert done.returncode == 0, done.stdout
    for missing in (
        "Python 3.11 or newer",
        "a C compiler with its headers",
        "tex",
        "libnfs",
        "nfs",
    ):
        assert f"MISSING  {missing}: " in done.stdout
    [command] = re.findall(r"One command installs what is missing: (.*)", done.stdout)
    packages, server = command.split("--no-install-recommends ")[1].split(" && ")
    assert server == "make nfs"
    debian.succeed("apt-get", "install", "--simulate", "--no-install-recommends", *packages.split())
    assert debian.packages() == packages_before


@pytest.mark.parametrize(("user", "option"), [("root", "NO_APT=1"), (USER, "NO_APT=")])
def test_what_may_not_be_installed_is_named(debian, user, option):
    done = debian.run("make", "html", "RUN=example", option, user=user)
    assert done.returncode == 2
    assert "Reckon needs Python 3.11 or newer and a C compiler with its headers." in done.stdout
    assert "--no-install-recommends python3 python3-venv gcc libc6-dev\n" in done.stdout


def test_root_makes_the_example_with_its_pdfs(debian, example_of_root):
    assert _is_new_site(example_of_root, debian, "root")
    names = re.findall(r"^PDF:  /root/reckon/(\S+)$", example_of_root, re.M)
    assert len(names) == 2
    for name in names:
        assert (debian.checkout("root") / name).read_bytes().startswith(b"%PDF")


def test_root_measures_a_quick_book(debian, example_of_root):
    output = debian.succeed("make", "html", "PROFILE=quick")
    assert _is_new_site(output, debian, "root")
    assert _count(output, "measured") > 400


def test_a_user_makes_the_example(debian, example_of_root):
    """With the system's packages that root installed."""
    assert _is_new_site(debian.succeed("make", "html", "RUN=example", user=USER), debian, USER)


@pytest.mark.parametrize("debian", ["bookworm"], indirect=True)
def test_a_user_measures_a_quick_book(debian, example_of_root):
    output = debian.succeed("make", "html", "PROFILE=quick", user=USER)
    assert _is_new_site(output, debian, USER)
    assert _count(output, "measured") > 300
    unsupported = _unsupported(output)
    assert any("root" in reason for reason in unsupported), output[-3000:]
    assert sum(unsupported.values()) == _count(output, "unsupported")


def test_a_user_runs_tests_and_reads_once_why_some_are_skipped(debian, example_of_root):
    """root has installed what a book needs, and no program of the tests alone."""
    files = "TESTS=tests/test_units.py tests/book/test_pdf.py"
    output = debian.succeed("make", "test", files, user=USER)
    assert "One command installs what is missing, as root: tools/setup tests\n" in output
    reason = r"pdftotext is not installed; as root, `tools/setup tests` installs it"
    assert len(re.findall(rf"^Skipped \d+: {reason}$", output, re.M)) == 1
    assert re.search(r"^=.* \d+ passed, \d+ skipped", output, re.M)


@pytest.mark.parametrize("debian", ["trixie"], indirect=True)
def test_gcc_of_debian_13_has_no_warning(debian, example_of_root):
    options = ["OUT=/root/lib-tests", "WERROR=1", "TEST_PROBES=1"]
    assert debian.succeed("make", "-s", "-C", "csrc", *options) == ""
    library = debian.folder / "root/lib-tests"
    assert "Debian 14." in (library / "compiler.txt").read_text()
    assert (library / "libreckon.so").exists()


def test_uninstall_removes_what_set_up_installed(debian, packages_before, example_of_root):
    assert debian.packages() > packages_before
    debian.succeed("make", "uninstall")
    assert debian.packages() == packages_before
    checkout = debian.checkout("root")
    for name in (".venv", "_build", ".installed-packages"):
        assert not (checkout / name).exists()
    assert debian.run("git", "config", "filter.notebook.clean").returncode == 1
    assert list((checkout / "book/runs").glob("*/run.json"))

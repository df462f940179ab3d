"""The locks of what is installed; with made-up programs on the path, what set-up says is missing, and
what it removes again."""

import os
import re
import shutil
import tomllib

import pytest
from helpers.capabilities import other_users
from helpers.project import ROOT, finished

SHELL = ("bash", "cat", "chmod", "chown", "comm", "env", "grep", "rm", "sed", "sort", "tail", "tee")
# A package manager whose packages are lines of a file; `needed` stands on another package.
DPKG = 'sed "s/^/installed /" {state}/packages'
APT_GET = """case "$*" in
  *install*) printf '%s\\n' fio libaio1 needed >>{state}/packages ;;
  *autoremove*) for name in fio libaio1 orphan; do echo "Remv $name [1]"; done ;;
  *purge*) echo "$*" >>{state}/purged ;;
esac"""


def _write(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def setup(tmp_path):
    """Runs tools/setup of a copy of this checkout's tools, with few programs on its path."""
    programs, state = tmp_path / "bin", tmp_path / "state"
    for folder in (programs, state, tmp_path / "tools"):
        folder.mkdir()
    for name in SHELL:
        (programs / name).symlink_to(shutil.which(name))
    shutil.copy(ROOT / "tools/packages", tmp_path / "tools")
    script = (ROOT / "tools/setup").read_text().replace(":/usr/sbin:/sbin", "")
    script = script.replace("/usr/sbin/policy-rc.d", f"{state}/policy-rc.d")
    (tmp_path / "tools/setup").write_text(script)

    def run(*arguments, **environment):
        command = ["bash", tmp_path / "tools/setup", *arguments]
        return finished(*command, cwd=tmp_path, env={"PATH": str(programs), **environment})

    run.folder, run.state = tmp_path, state
    run.program = lambda name, text="": _write(programs / name, text.format(state=state))
    return run


def test_doctor_names_what_is_missing_and_one_command_for_it(setup):
    setup.program("apt-get")
    setup.program("apt-cache")
    setup.program("id", "echo 1000")
    setup.program("fio")
    done = setup("doctor", "python3")
    assert done.returncode == 0, done.stderr
    assert "MISSING  Python 3.11 or newer" in done.stdout
    assert "MISSING  a C compiler" in done.stdout
    assert "pass     fio" in done.stdout and "MISSING  tex: the PDF" in done.stdout
    [command] = [line for line in done.stdout.splitlines() if "One command" in line]
    words = command.split()
    assert "as root:" in command and {"python3", "gcc", "texlive-xetex", "libnfs16"} <= set(words)
    assert command.endswith(" && make nfs") and "nfs-ganesha" not in words  # it would be started
    assert "fio" not in words and "linux-perf" not in words
    assert "a sudo that does not ask" in done.stdout and "sudo -v" not in done.stdout


def test_a_user_gets_one_command_for_all_that_is_needed(setup):
    for name in ("apt-get", "apt-cache"):
        setup.program(name)
    setup.program("id", "echo 1000")
    setup.program("sudo", "exit 1")  # it asks for a password
    done = setup("venv", "python3", ".venv", "requirements.txt")
    assert done.returncode == 2
    assert "needs Python 3.11 or newer and a C compiler with its headers." in done.stderr
    assert ": sudo apt-get install --no-install-recommends python3 python3-venv gcc" in done.stderr
    assert "After `sudo -v`" in done.stderr


def test_all_that_is_needed_is_installed_at_once_and_remarks_are_not_printed(setup):
    setup.program(
        "apt-get", 'echo remark >&2; case "$*" in *install*) echo "$*" >>{state}/calls ;; esac'
    )
    setup.program("dpkg-query")
    setup.program("id", "echo 0")
    done = setup("venv", "python3", ".venv", "requirements.txt")
    assert done.returncode == 2  # this apt-get has installed nothing
    assert done.stdout == "Installing by apt-get: python3 python3-venv gcc libc6-dev\n"
    assert "although python3 python3-venv gcc libc6-dev was installed" in done.stderr
    assert "remark" not in done.stderr
    assert len((setup.state / "calls").read_text().splitlines()) == 1


def test_remarks_of_an_apt_get_that_fails_are_printed(setup):
    setup.program("apt-get", "echo remark >&2; exit 100")
    setup.program("dpkg-query")
    setup.program("id", "echo 0")
    done = setup("venv", "python3", ".venv", "requirements.txt")
    assert done.returncode == 2 and "remark" in done.stderr
    assert "apt-get could not install python3 python3-venv gcc libc6-dev." in done.stderr


def test_a_user_gets_one_command_for_all_that_the_tests_use(setup):
    for name in ("apt-get", "apt-cache", "dpkg-query"):
        setup.program(name)
    setup.program("id", "echo 1000")
    done = setup("tests")
    assert done.returncode == 0 and not done.stderr
    reason, command = done.stdout.splitlines()
    assert "will be skipped: " in reason
    assert {"chromium", "texlive-xetex", "iputils-ping"} <= set(reason.split())
    # apt-get alone would start the NFS server.
    assert command == "One command installs what is missing, as root: tools/setup tests"


@pytest.mark.parametrize(("version_exits", "sentence"), [(1, "is too old"), (0, "ensurepip")])
def test_doctor_says_why_a_python_does_not_serve(setup, version_exits, sentence):
    old = f'case "$2" in *version_info\\ *) exit {version_exits} ;; *ensurepip*) exit 1 ;; esac'
    setup.program("old", f"{old}; echo Python 3.9")
    assert sentence in setup("doctor", "old").stdout


def test_doctor_uses_fedoras_names_where_there_is_dnf(setup):
    setup.program("dnf")
    output = setup("doctor", "python3").stdout
    assert "dnf install" in output and "nmap-ncat" in output and "|" not in output


def test_doctor_says_that_no_apt_is_respected(setup):
    setup.program("apt-get", "echo called >{state}/called")
    setup.program("apt-cache")
    output = setup("doctor", "python3", NO_APT="1").stdout
    assert "NO_APT is set" in output and not (setup.state / "called").exists()


def test_an_nfs_server_is_installed_and_not_started_unless_a_real_one_is_named(setup):
    setup.program("apt-get", 'echo "$*" >>{state}/calls')
    setup.program("apt-cache", '[ "$1 $2 $3" = "show --no-all-versions libnfs14" ] || exit 100')
    setup.program("systemctl", 'echo "$*" >>{state}/services')
    setup.program("ldconfig", "echo none")
    setup.program("id", "echo 0")
    assert setup("nfs", NO_APT="1").returncode == 0 and not (setup.state / "calls").exists()
    for environment, last in (
        ({}, ["libnfs14", "nfs-ganesha", "nfs-ganesha-vfs", "rpcbind", "netbase"]),
        ({"RECKON_NFS": "host:/export"}, ["libnfs14"]),
    ):
        done = setup("nfs", **environment)
        assert done.returncode == 0 and not (setup.state / "policy-rc.d").exists(), done.stderr
        call = (setup.state / "calls").read_text().splitlines()[-1].split()
        assert call[-len(last) :] == last and ("nfs-ganesha" in call) == (len(last) > 1)
    assert "disable" in (setup.state / "services").read_text()


@pytest.fixture
def after_installing(setup):
    """Set-up that has installed packages for TeX on a machine that had `before`."""
    setup.program("apt-get", APT_GET)
    setup.program("apt-mark", "echo $* >>{state}/marked")
    setup.program("dpkg-query", DPKG)
    setup.program("id", "echo 0")
    (setup.state / "packages").write_text("before\n")
    setup("tex")
    return setup


def test_uninstall_removes_what_set_up_installed_and_nothing_needs(after_installing):
    setup = after_installing
    (setup.folder / ".venv").mkdir()
    done = setup("uninstall", ".venv")
    assert done.returncode == 0, done.stderr
    # `needed` stays, and so does an orphan that was there before.
    purged = (setup.state / "purged").read_text().split()
    assert purged[purged.index("-q") + 1 :] == ["fio", "libaio1"]
    assert "before" not in (setup.state / "marked").read_text()
    assert os.listdir(setup.folder / "tools") and not (setup.folder / ".venv").exists()


def test_the_list_of_what_was_installed_belongs_to_the_owner_of_the_checkout(setup):
    """As after `sudo make tex` in a user's checkout."""
    other_users()
    os.chown(setup.folder / "tools", 65534, 65534)
    for name in ("apt-get", "dpkg-query", "apt-cache"):
        setup.program(name)
    setup.program("id", "echo 0")
    setup("tex")
    assert (setup.folder / ".installed-packages").stat().st_uid == 65534


def test_uninstall_names_the_packages_that_it_may_not_remove(after_installing):
    done = after_installing("uninstall", ".venv", NO_APT="1")
    assert "These packages stay" in done.stdout and "fio libaio1 needed" in done.stdout
    assert not (after_installing.state / "purged").exists()


def test_uninstall_where_nothing_was_installed(setup):
    setup.program("apt-get", "echo called >{state}/called")
    assert setup("uninstall", ".venv").returncode == 0 and not (setup.state / "called").exists()


def test_a_virtual_environment_that_was_moved_or_copied_is_found(setup):
    folder = setup.folder / ".venv"
    assert setup("moved", ".venv").returncode == 1  # there is none
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/pip").write_text(f"#!{folder}/bin/python\n")
    assert setup("moved", ".venv").returncode == 1
    shutil.copytree(folder, setup.folder / "copy")
    assert setup("moved", "copy").returncode == 0


def test_another_system_is_refused_in_one_sentence(tmp_path):
    _write(tmp_path / "uname", "echo Darwin")
    path = f"{tmp_path}:{os.environ['PATH']}"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = finished("make", "book", cwd=ROOT, env={**inherited, "PATH": path})
    assert done.returncode == 2 and "on Darwin use a virtual machine" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not done.stdout


@pytest.mark.parametrize(
    "name", ["my book", "a$b", "a:b", "a%b", "a;b", "a&b", "a'b", "a(b)", "a=b"]
)
def test_a_folder_that_make_or_the_shell_would_misread_is_refused(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = finished("make", "-f", ROOT / "Makefile", "html", cwd=folder, env=inherited)
    assert done.returncode == 2 and not done.stdout
    assert len(done.stderr.splitlines()) == 1 and f'"{folder}"' in done.stderr


def test_a_folder_where_nothing_may_be_executed_is_named(tmp_path):
    """Where a file system is mounted with noexec, no file seems to be executable."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/setup").touch(0o644)
    done = finished("make", "-f", ROOT / "Makefile", "html", cwd=tmp_path)
    assert done.returncode == 2 and "is mounted with noexec" in done.stderr
    assert len(done.stderr.splitlines()) == 1


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("extra", [None, *PROJECT["optional-dependencies"]])
def test_each_lock_has_what_it_is_for(extra):
    name = f"requirements-{extra}.txt" if extra else "requirements.txt"
    lines = [line for line in (ROOT / name).read_text().splitlines() if not line.startswith("#")]
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"].get(extra, [])
    names = {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in wanted} - {"reckon"}
    assert names <= {line.partition("==")[0] for line in lines}, "run `make lock`"
    for line in lines:  # names and versions, no addresses
        assert re.match(r"[\w.-]+==[\w.]+( ; .*)?$", line), line


def test_the_locks_agree_in_every_version():
    """`make lab` after `make test` installs nothing older or newer."""
    everything = set((ROOT / "requirements-dev.txt").read_text().splitlines())
    for path in ROOT.glob("requirements*.txt"):
        of_dev = {line.partition(" ; ")[0] for line in everything}
        pins = {line.partition(" ; ")[0] for line in path.read_text().splitlines()}
        assert pins <= of_dev, f"{path.name}: run `make lock`"

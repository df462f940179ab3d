"""Folders without room, that cannot be written or whose disk fails, too few processes, too little
memory: one sentence, no half record, and the next build is whole."""

import errno
import gzip
import json
import os
import re
import resource
import subprocess

import pytest
from helpers.books import BUILD_PAGES
from helpers.capabilities import own_mounts
from helpers.probes import MIB, compiled, control_group, kills_in
from helpers.small_book import LOCAL_PAGES, SmallBook

pytestmark = [pytest.mark.book, pytest.mark.long_builds]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return SmallBook(tmp_path_factory.mktemp("project") / "book", LOCAL_PAGES)


@pytest.fixture(scope="module")
def book_with_files(tmp_path_factory):
    """The book with a page that needs a scratch file."""
    pages = LOCAL_PAGES | {"files/small": {"files/small/seek": ("files/read/lseek", "")}}
    return SmallBook(tmp_path_factory.mktemp("files") / "book", pages)


@pytest.fixture(scope="module")
def book_with_hosts(tmp_path_factory):
    """The book with its other host and its NFS server, which take longer than all else."""
    return SmallBook(tmp_path_factory.mktemp("hosts") / "book")


def build(book, before=(), limits=(), group=None, new=True, **environment):
    """A build of a new run (or of the one that is there) with mounts of its own, after these commands of
    the shell, within a control group and limits of its processes."""
    if new:
        book.empty()
    script = " && ".join([*before, 'exec "$@"'])

    def limit():
        if group:
            (group / "cgroup.procs").write_text("0")
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))

    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *BUILD_PAGES],
        cwd=book.base,
        env=book.environment(**environment),
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=limit,
    )


def check_records(book):
    """No file of the run is half written."""
    for path in (book.base / "book/runs").rglob("*.json*"):
        data = path.read_bytes()
        json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def check_whole(book):
    """No file of the run is half written, and the next build is whole."""
    check_records(book)
    done = book.build_pages()
    assert done.returncode == 0, done.stdout + done.stderr
    assert book.faults(site=False) == [] and not [*book.scratch.iterdir()]


PLACES = {"runs": "RECKON_RUNS", "scratch": "RECKON_SCRATCH", "_build": "RECKON_BUILD"}


def full(folder):
    """The shell's commands that mount a file system without room there."""
    fill = f"dd if=/dev/zero of={folder}/fill bs=4k 2>/dev/null; true"
    return [f"mount -t tmpfs -o size=60k none {folder}", fill]


def failing(folder, files, error, call="write"):
    """The environment in which that call fails for these files."""
    shim = compiled(folder, "failing_writes", "-shared", "-fPIC")
    return {"LD_PRELOAD": str(shim), "FAILING": files, "ERROR": str(error), "CALL": call}


def check_unusable(book, status, reason, before=(), **environment):
    """A build without that disk reports it."""
    own_mounts()
    done = build(book, before, **environment)
    output = done.stdout + done.stderr
    assert done.returncode == status and "Traceback" not in output, output
    assert reason in output, output


def check_full(book, place, status, reason):
    """A build without room at that place reports it."""
    folder = book.base / "disk" / place
    folder.mkdir(parents=True, exist_ok=True)
    check_unusable(book, status, reason, full(folder), **{PLACES[place]: str(folder)})


def test_a_full_disk_for_runs_is_reported(book):
    """Nothing is recorded, and nothing is to be mended."""
    check_full(book, "runs", 2, "run.json cannot be written (No space left on device).")


def test_a_full_disk_for_pages_is_reported_and_no_record_is_half_written(book):
    check_full(book, "_build", 2, "small.ipynb cannot be written (No space left on device).")
    check_records(book)


def test_a_disk_that_keeps_nothing_is_reported(book, tmp_path):
    disk = failing(tmp_path, "*/book/runs/*/.run.json.*", errno.EIO, "fsync")
    check_unusable(book, 2, "run.json cannot be written (Input/output error).", **disk)


def test_scratch_files_without_room_or_a_working_disk_are_reported(book_with_files, tmp_path):
    """The quantities that need files are unsupported without room, which is a choice of the user's; where
    the disk fails they have failed. Either way the next build measures them (of those that have failed:
    test_samples_or_a_record_that_cannot_be_written)."""
    check_full(book_with_files, "scratch", 0, "free in")
    check_whole(book_with_files)
    failed = "files/small/seek failed: No file can be written in"
    disk = failing(tmp_path, f"{book_with_files.scratch}/*", errno.EIO)
    check_unusable(book_with_files, 1, failed, **disk)


def test_a_disk_that_cannot_be_read(book, tmp_path):
    """What is there stays as it is, and the next build shows it."""
    own_mounts()
    if not (book.base / "_build/executed").exists():
        assert book.build_pages().returncode == 0
    shim = compiled(tmp_path, "failing_reads", "-shared", "-fPIC")
    before = book.recorded()
    for place, reason in (
        ("book/runs", "run.json cannot be read ([Errno 5] Input/output error)."),
        ("_build", "reckon: Input/output error; complete records are kept"),
        ("notebooks", "notebooks/cpu/small.ipynb cannot be read (Input/output error)."),
        ("_toc.yml", "_toc.yml cannot be read (Input/output error)."),
    ):
        done = build(book, new=False, LD_PRELOAD=str(shim), FAILING=f"{book.base / place}*")
        output = done.stdout + done.stderr
        assert done.returncode == 2 and reason in done.stderr, output
        assert "Traceback" not in output, output
        assert book.recorded() == before
    check_whole(book)
    assert book.recorded() == before


def test_samples_or_a_record_that_cannot_be_written(book_with_files, tmp_path):
    """Of that page nothing is half written; the other pages are measured, and the next build is whole."""
    own_mounts()
    book, runs = book_with_files, "*/book/runs/*"
    for is_new, files, named, error in (
        (True, f"{runs}/samples/cpu/small/read/*", "read/1.json.gz", errno.ENOSPC),
        (False, f"{runs}/cpu/.small.json.*", "cpu/small.json", errno.EIO),
    ):
        done = build(book, new=is_new, **failing(tmp_path, files, error))
        output = done.stdout + done.stderr
        assert done.returncode == 1 and "Traceback" not in output, output
        assert f"{named} cannot be written ({os.strerror(error)})." in output, output
        assert set(book.recorded()) >= {"files/small/seek"}
        assert "cpu/small/read" not in book.recorded()
        check_records(book)
    check_whole(book)


PAGE_DOES_NOT_START = (
    "reckon: The process of a page does not start (its server has ended); allow more processes "
    "(ulimit -u, pids.max) or memory."
)


def check_few_processes(book, limit, status, reason):
    """A build with that number of processes and threads reports it, and the next is whole: what a limit
    stopped has failed. It is never unsupported, which would outlive the limit."""
    own_mounts()
    with control_group("pids", max=limit) as group:
        done = build(book, group=group)
    output = done.stdout + done.stderr
    assert done.returncode == status and re.search(reason, output), output
    assert "Traceback" not in output and "unsupported" not in output, output
    if status == 1:  # else nothing was measured
        check_whole(book)


@pytest.mark.parametrize(
    ("limit", "status", "reason"),
    [
        # The fork server has ended, or cannot be started.
        (
            3,
            2,
            r"reckon: The process of a page does not start \((its server has ended|"
            r"Resource temporarily unavailable)\); allow more processes "
            r"\(ulimit -u, pids\.max\) or memory\.",
        ),
        # A kernel has some dozen threads.
        (
            14,
            1,
            r"Failed: notebooks/cpu/small\.ipynb, its kernel (was killed by SIGABRT \(6\)|ended with "
            r"status 1) before its first cell; look into \S+/kernel\.log, or allow more processes "
            r"\(ulimit -u, pids\.max\) or memory\.",
        ),
    ],
)
def test_too_few_processes_for_a_page(book, limit, status, reason):
    check_few_processes(book, limit, status, reason)


def test_too_few_processes_for_a_host(book_with_hosts):
    """ganesha starts at most in part: it ends, or never serves."""
    reason = "files/small/null failed: (Cannot start the lab host|The lab host has ended)"
    check_few_processes(book_with_hosts, 32, 1, reason)


def test_a_build_that_lacks_memory_says_what_died(book):
    """The kernel kills the largest process, the one that starts the pages' processes."""
    own_mounts()
    with control_group("memory", max=180 * MIB) as group:
        done = build(book, group=group)
        assert kills_in(group)
    output = done.stdout + done.stderr
    assert "Traceback" not in output and done.returncode == 2, output
    assert done.stderr.strip().endswith(PAGE_DOES_NOT_START), output
    check_records(book)


def test_a_limit_on_the_size_of_files_is_reported(book):
    """RLIMIT_FSIZE: what is longer is refused with EFBIG, once SIGXFSZ is ignored as Python does."""
    own_mounts()
    done = build(book, limits=[(resource.RLIMIT_FSIZE, 4096)])
    output = done.stdout + done.stderr
    assert done.returncode == 2 and "Traceback" not in output, output
    assert "run.json cannot be written (File too large)." in output
    assert list(book.run.iterdir()) == []


def test_a_build_needs_no_home_that_can_be_written_and_no_shared_memory(book, tmp_path):
    """matplotlib then makes a folder of its own, which goes with the build."""
    own_mounts()
    home = tmp_path / "home"
    home.mkdir()
    read_only = f"mount --bind -o ro {home} {home}"
    no_memory = "mount -t tmpfs -o size=8k none /dev/shm"
    fill = "dd if=/dev/zero of=/dev/shm/fill bs=4k 2>/dev/null; true"
    done = build(book, [read_only, no_memory, fill], HOME=str(home))
    output = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in output, output
    assert book.faults(site=False) == [] and not book.left_behind()

"""What the tests of the files share: a small disk, and one whose time is known and that tells what it
was asked for (sleepfs.py)."""

import contextlib
import os

import pytest

from helpers.capabilities import own_mounts
from helpers.probes import in_python
from reckon.computer import scratch

# with known_disk(microseconds, bytes) as told: the run's file lies on such a disk; told() gives the reads
# since it was last asked, as [offset, bytes]. Mounts are the script's own.
KNOWN_DISK = """
import contextlib, subprocess, sys
@contextlib.contextmanager
def known_disk(delay_us, size=8 << 20):
    folder, log = f"{base}/disk-{delay_us}", f"{base}/log-{delay_us}"
    os.makedirs(folder, exist_ok=True)
    server = subprocess.Popen([sys.executable, "tests/helpers/sleepfs.py", folder, str(delay_us), str(size), log],
                              stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\\n"
    os.environ["RECKON_FILES"] = folder
    seen = 0
    def told():
        nonlocal seen
        lines = open(log).read().splitlines()
        new, seen = lines[seen:], len(lines)
        return [[int(word) for word in line.split()] for line in new]
    try:
        yield told
    finally:
        os.environ.pop("RECKON_FILES", None)
        subprocess.run(["umount", folder], check=True)
        assert server.wait(20) == 0
        server.stdout.close()
"""


@contextlib.contextmanager
def shared_files():
    """A folder of files, which the environment names to the probes that run meanwhile."""
    with scratch.shared() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECKON_FILES", str(folder))
        yield folder


def on_a_known_disk(script, base):
    """What the script says, which may use known_disk(). No package can provide FUSE: without it, CI
    skips as well."""
    own_mounts()
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no file systems in user space here")
    return in_python(f"base = {str(base)!r}\n" + KNOWN_DISK + script, prefix=["unshare", "-m"])

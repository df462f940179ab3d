"""What the tests of files share: mounts, the run's files, and a disk of known latency that logs its reads."""

import contextlib
import os

import pytest

from helpers.capabilities import given, own_mounts
from helpers.probes import in_python
from reckon.computer import scratch


@contextlib.contextmanager
def shared_files():
    """A folder of files, which the environment names to the probes that run in its block."""
    with scratch.shared_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECKON_FILES", str(folder))
        yield folder


def on_a_known_disk(program, base, *arguments):
    """What a function of programs/known_disk.py says, with disks below the folder `base`."""
    own_mounts()
    given(os.access("/dev/fuse", os.R_OK | os.W_OK), "no file systems in user space here")
    return in_python(program, str(base), *arguments, prefix=["unshare", "-m"])


def mounted(command):
    """A prefix that runs a program after the command, with mounts of its own."""
    own_mounts()
    return ["unshare", "-m", "sh", "-c", f'{command} && exec "$@"', "sh"]

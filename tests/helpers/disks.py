"""What the tests of files share: refusals, mounts, and a disk of known latency that logs its reads
(sleepfs.py)."""

import contextlib
import os
import re

import pytest

from helpers.capabilities import own_mounts
from helpers.probes import in_python
from reckon.computer import scratch
from reckon.measurement import library


@contextlib.contextmanager
def shared_files():
    """A folder of files, which the environment names to the probes that run in its block."""
    with scratch.shared() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECKON_FILES", str(folder))
        yield folder


def on_a_known_disk(script, base):
    """What the script says, which may use known_disk(base, ...). No package can provide FUSE: without it, CI
    skips as well."""
    own_mounts()
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no file systems in user space here")
    return in_python(
        f"from helpers.sleepfs import known_disk\nbase = {str(base)!r}\n{script}",
        prefix=["unshare", "-m"],
    )


def answers(probes, params=None, before="", prefix=(), **environment):
    """[[probe, "ran" or its error]] in a process of its own, each probe isolated and not. A probe is
    given those of the parameters that it has."""
    given = {}
    for name in probes:
        names = {parameter.name for parameter in library.probe(name).parameters}
        given[name] = {key: value for key, value in (params or {}).items() if key in names}
    return in_python(
        f"{before}\nsay([[probe, attempt(probe, params, isolated=isolated)]\n"
        f"     for probe, params in {given}.items() for isolated in (True, False)])",
        prefix=prefix,
        **environment,
    )


def assert_unsupported(found, pattern):
    """Each of the answers is that the probe is unsupported here, for a reason of that pattern."""
    assert found
    for probe, answer in found:
        assert re.search(f"^ProbeUnsupported: {pattern}$", answer), (probe, answer)


def mounted(command):
    """A prefix that runs a script after the command, with mounts of its own."""
    own_mounts()
    return ["unshare", "-m", "sh", "-c", f'{command} && exec "$@"', "sh"]

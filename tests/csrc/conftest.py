"""Fixtures of several parts: a small disk, and programs replaced by made-up ones."""

import itertools
import os
import shutil
import subprocess

import pytest
from helpers.capabilities import installed, need, own_mounts, own_network, two_cpus
from helpers.probes import MIB
from helpers.project import LIBRARY_PROGRAMS, ROOT, finished, make_library
from helpers.tools import NETWORK, REAL, private


@pytest.fixture(scope="session")
def sanitized():
    """The folder of a build of the library and its programs with gcc's sanitizers, for all tests."""
    out = ROOT / "_build" / "lib-sanitized"
    extra = "-fsanitize=address,undefined -fno-sanitize-recover=all"
    done = make_library(out, f"EXTRA={extra}", names=LIBRARY_PROGRAMS)
    need("cannot find" not in done.stderr, "gcc has no sanitizer libraries here")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def leaks_are_errors(monkeypatch):
    """Programs that were built with the sanitizers report at their end what they leaked."""
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=1")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, of 8 MiB."""
    installed("mkfs.ext4")
    own_mounts()
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    image.write_bytes(bytes(8 * MIB))
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    done = finished("mount", "-o", "loop", image, folder)
    if done.returncode:
        pytest.skip(f"no loop mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def fio():
    """fio is installed."""
    installed("fio")


@pytest.fixture
def programs():
    """The other programs that measure a network are installed, and both ends have a CPU."""
    installed(*NETWORK.values())
    two_cpus()


@pytest.fixture
def own_space():
    """Mounts, processes and a network of the test's own are possible."""
    own_network()


@pytest.fixture
def pretend(tmp_path):
    """Gives what a script runs under so that it finds a program replaced by shell scripts: one as a
    client and one as a server, where $REAL is the program itself."""
    own_mounts()
    numbers = itertools.count()

    def build(program, client=REAL, server=REAL):
        path = os.path.realpath(shutil.which(program))
        folder = tmp_path / f"pretended-{next(numbers)}"
        folder.mkdir()
        real, script = folder / "real", folder / program
        shutil.copy2(path, real)
        script.write_text(
            f'#!/bin/sh\nREAL={real}\ncase "$1" in -s|server)\n{server}\n;;*)\n{client}\n;;esac\n'
        )
        script.chmod(0o755)
        return private(f"mount --bind {script} {path}")

    return build

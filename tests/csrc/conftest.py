"""Fixtures of several parts: a small disk, and programs replaced by made-up ones."""

import os
import shutil
import subprocess

import pytest
from helpers.project import need
from helpers.rows import MIB, two_cpus
from helpers.tools import PROGRAM, private


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, of 8 MiB."""
    need(os.geteuid() == 0 and shutil.which("mkfs.ext4"), "a small file system needs root")
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    image.write_bytes(bytes(8 * MIB))
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    done = subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no loop mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def programs():
    for program in PROGRAM.values():
        need(shutil.which(program), f"{program} is not installed")
    two_cpus()


@pytest.fixture
def pretend(tmp_path):
    """Gives what a script runs under so that it finds a program replaced by shell scripts: one as a
    client and one as a server, where $REAL is the program itself."""
    need(os.geteuid() == 0 and shutil.which("unshare"), "a mount of its own needs root")

    def build(program, client='exec "$REAL" "$@"', server='exec "$REAL" "$@"'):
        path = os.path.realpath(shutil.which(program))
        real, script = tmp_path / f"real-{program}", tmp_path / f"pretended-{program}"
        shutil.copy2(path, real)
        script.write_text(
            f'#!/bin/sh\nREAL={real}\ncase "$1" in -s|server)\n{server}\n;;*)\n{client}\n;;esac\n'
        )
        script.chmod(0o755)
        return private(f"mount --bind {script} {path}")

    return build

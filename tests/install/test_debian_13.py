"""The C library by the gcc of Debian 13, in a root of its own that debootstrap fills from a mirror."""

import os
import shutil
import subprocess

import pytest
from helpers.capabilities import installed, own_mounts
from helpers.project import ROOT

pytestmark = pytest.mark.install

MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")


@pytest.fixture(scope="module")
def trixie(tmp_path_factory):
    """The folder of such a root, with a compiler and make."""
    installed("debootstrap")
    own_mounts()
    folder = tmp_path_factory.mktemp("trixie")
    options = ["--variant=minbase", "--include=gcc,libc6-dev,make"]
    command = ["debootstrap", *options, "trixie", folder, MIRROR]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    yield folder
    shutil.rmtree(folder)


def test_gcc_of_debian_13_has_no_warning(trixie):
    shutil.copytree(ROOT / "csrc", trixie / "csrc")
    make = ["make", "-s", "-C", "/csrc", "OUT=/lib-reckon", "WERROR=1", "TEST_PROBES=1"]
    done = subprocess.run(["chroot", trixie, *make], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stderr
    compiler = (trixie / "lib-reckon/compiler.txt").read_text()
    assert "Debian 14." in compiler and (trixie / "lib-reckon/libreckon.so").exists()

"""Fixtures of the files: data on a disk, a server of them, and control groups."""

import os
import tempfile
from pathlib import Path

import pytest
from helpers.capabilities import capable
from helpers.disks import shared_files
from helpers.labs import gone, living_in, spaces_of
from helpers.programs.lab import machine
from helpers.served import FILE_BYTES, Served, can_serve, clean_environment, server_labs

from reckon.computer import scratch
from reckon.hosts import nfs
from reckon.measurement import library


@pytest.fixture
def files(monkeypatch):
    """Makes a number of files of real data where the probes look for the run's; returns their paths."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="reckon-test-") as folder:

        def make(count, size_bytes):
            paths = [Path(folder) / f"data-{index}" for index in range(count)]
            for path in paths:
                with open(path, "wb") as file:
                    file.write(os.urandom(size_bytes))
                    file.flush()
                    os.fsync(file.fileno())
            monkeypatch.setenv("RECKON_FILES", folder)
            return paths

        yield make


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Both servers; none is left, nor any file, nor a mount, nor a namespace."""
    can_serve()
    before = machine()
    with clean_environment():
        disk = Path("/var/tmp") / f"reckon-test-{os.getpid()}"
        disk.mkdir()
        os.environ["RECKON_SCRATCH"] = str(disk)
        nfs.forget()
        try:
            with shared_files():
                servers = Served(scratch.prepare_files(1, FILE_BYTES)[0].parent)
                for server in ("near", "far"):  # or the first test that needs one leaves it behind
                    servers.start(server)
                yield servers
                labs = [lab for _, lab in server_labs() if lab.running]
                spaces = spaces_of(*(pid for lab in labs for pid in (lab.pid, lab.peer_pid)))
                nfs.forget()
                assert gone(spaces, set()), living_in(spaces)
            assert list(disk.iterdir()) == []
        finally:
            nfs.forget()
            disk.rmdir()
    assert machine() == before


@pytest.fixture
def root():
    """Groups can be made here."""
    capable("sys_admin", "a control group")
    try:
        library.run("files/cache/limited", samples=1)
    except library.ProbeUnsupported as error:
        pytest.skip(str(error))

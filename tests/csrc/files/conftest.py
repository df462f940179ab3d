"""Fixtures of the files: data on a disk, a server of them, and control groups."""

import contextlib
import os
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import capable, installed
from helpers.disks import shared_files
from helpers.labs import gone, living_in, machine, spaces_of
from helpers.served import FILE_BYTES, Served, can_serve, clean_environment

from reckon.computer import scratch
from reckon.hosts import nfs
from reckon.measurement import library


@pytest.fixture
def fio():
    """fio is installed."""
    installed("fio")


@pytest.fixture
def files(tmp_path_factory, monkeypatch):
    """Makes so many files of real data where the probes look for the run's; returns their paths."""
    folder = Path("/var/tmp") / f"reckon-test-{os.getpid()}"

    def make(count, size_bytes):
        folder.mkdir(exist_ok=True)
        paths = [folder / f"data-{index}" for index in range(count)]
        for path in paths:
            with open(path, "wb") as file:
                file.write(np.random.default_rng().bytes(size_bytes))
                file.flush()
                os.fsync(file.fileno())
        monkeypatch.setenv("RECKON_FILES", str(folder))
        return paths

    yield make
    for path in folder.glob("*"):
        path.unlink()
    with contextlib.suppress(FileNotFoundError):
        folder.rmdir()


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
                servers = Served(scratch.prepare(1, FILE_BYTES)[0].parent)
                for server in ("near", "far"):  # or the first test that needs one leaves it behind
                    servers.start(server)
                yield servers
                spaces = set().union(
                    *(
                        spaces_of(pid)
                        for one in nfs._started
                        for pid in (one.pid, one.peer_pid)
                        if one.running
                    )
                )
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

"""The file cache's probes: what their file may meet, a sentence each."""

import ctypes
import mmap
import os
import re
import threading
import time

import pytest
from helpers.disks import shared_files
from helpers.leaks import groups_in_use
from helpers.probes import MIB
from helpers.processes import until

from reckon.computer import scratch
from reckon.measurement import library

pytestmark = pytest.mark.alone  # the page cache is the machine's


def test_a_file_that_another_program_holds_in_memory_is_reported(root, tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    with shared_files():
        (path,) = scratch.prepare(1, 8 * MIB)
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            held = (ctypes.c_char * len(mapped)).from_buffer(mapped)
            if ctypes.CDLL(None).mlock(held, ctypes.c_size_t(len(mapped))):
                pytest.skip("no right to hold memory")
            try:
                with pytest.raises(
                    library.ProbeUnsupported, match="of the file stays in the page cache"
                ):
                    library.run("files/cache/limited", samples=1)
            finally:
                del held
        library.run("files/cache/limited", samples=1)


def test_what_is_available_is_what_the_kernel_says():
    samples = library.run("files/cache/available", samples=2)
    with open("/proc/meminfo") as file:
        available = 1024 * int(re.search(r"MemAvailable:\s+(\d+)", file.read())[1])
    assert 0 < samples.ops[0] < 1.1 * available


@pytest.mark.parametrize("times", ["once", "always"])
def test_a_cache_that_others_empty_is_filled_again_or_reported(root, tmp_path, monkeypatch, times):
    """By advice on the file alone, where drop_caches would meet everybody."""
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    ended = threading.Event()

    def empty(fd):  # in step with the reader, whatever else runs here
        os.sched_setaffinity(
            0, os.sched_getaffinity(0) - {library.default_cpu()} or {library.default_cpu()}
        )
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -20)
        until(groups_in_use)
        time.sleep(0.05)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        while times == "always" and not ended.wait(0.002):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)

    with shared_files():
        (path,) = scratch.prepare(1, 16 * MIB)
        fd = os.open(path, os.O_RDONLY)
        other = threading.Thread(target=empty, args=[fd])
        other.start()
        params = {"file_bytes": 16 * MIB, "limit_bytes": 32 * MIB, "passes": 40}
        try:
            if times == "always":
                with pytest.raises(
                    library.ProbeFailed, match="another program emptied the page cache each time"
                ):
                    library.run("files/cache/limited", params, samples=200)
            else:
                samples = library.run("files/cache/limited", params, samples=200)
                assert (samples.ticks / library.tick_hz() > 25e-6).mean() < 0.1
        finally:
            ended.set()
            other.join()
            os.close(fd)

"""The file cache's probes where another program holds the file in memory, or drops it."""

import ctypes
import mmap
import re

import pytest
from helpers.disks import shared_files
from helpers.probes import MIB, in_python, preloaded

from reckon.computer import scratch
from reckon.measurement import library


def test_a_file_that_another_program_holds_in_memory_is_reported(root, tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_SCRATCH", str(tmp_path))
    with shared_files():
        (path,) = scratch.prepare_files(1, 8 * MIB)
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


CACHE_EMPTIED = "ProbeFailed: another program emptied the page cache each time"


@pytest.mark.parametrize(
    ("times", "done", "answer"), [(1, "fef", "ran"), (1000, "fe" * 4, CACHE_EMPTIED)]
)
def test_a_cache_that_others_empty_is_filled_again_or_reported(root, tmp_path, times, done, answer):
    """It is emptied `times` times, after the file was read into it and before the first sample."""
    hook, noted = preloaded(tmp_path, "emptied"), tmp_path / "noted"
    noted.touch()
    script = "say(attempt('files/cache/limited', {'passes': 1}, samples=200, isolated=False))"
    outcome = in_python(script, LD_PRELOAD=hook, EMPTIED=noted, TIMES=times)
    assert outcome.startswith(answer) and noted.read_text() == done

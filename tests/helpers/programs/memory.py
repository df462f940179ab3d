"""Probes of memory in this process."""

import ctypes
from pathlib import Path

from helpers.probe_script import attempt
from reckon.measurement import library

SMALL_PAGE = 4096
PR_SET_THP_DISABLE = 41


def without_huge_pages():
    """Refuse huge pages to this process and its children from now on."""
    assert ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0


def kept_without_huge_pages(requests):
    """[[probe, outcome, bytes of addresses that its second run added]] of each in this process."""

    def mapped():
        return int(Path("/proc/self/statm").read_text().split()[0]) * SMALL_PAGE

    without_huge_pages()
    results = []
    for probe, params in requests:
        attempt(probe, params, isolated=False)
        before = mapped()
        outcome = attempt(probe, params, isolated=False)
        results.append([probe, outcome, mapped() - before])
    return results


def beside_faults_of_another_thread(probe, params, samples):
    """The operations of each sample of a probe in this process, in which another thread raises faults."""
    import mmap
    import threading

    ended = threading.Event()

    def fault():
        while not ended.is_set():
            with mmap.mmap(-1, 1 << 20) as memory:
                memory.write(bytes(1 << 20))

    other = threading.Thread(target=fault)
    other.start()
    ops = library.run(probe, params, samples=samples, isolated=False).ops.tolist()
    ended.set()
    other.join()
    return ops

"""Values that make no sense are refused in a sentence, before anything is measured."""

import pytest
from helpers.capabilities import installed, two_cpus
from helpers.probes import cases

from reckon.measurement import library


@pytest.mark.parametrize(("probe", "params", "reason"), cases("refused"))
def test_a_value_that_makes_no_sense_is_refused(probe, params, reason):
    if probe.endswith("load"):
        two_cpus()
    if probe.endswith("fio"):
        installed("fio")
    with pytest.raises(library.ProbeUnsupported, match=reason):
        library.run(probe, params, samples=4, warmup=0)


def test_more_bytes_than_64_bits_count_are_refused():
    """2^24 touches 2^30 bytes apart for each of 1024 samples: 2^64 bytes, which are 0 in 64 bits."""
    params = {"touches": 1 << 24, "step_bytes": 1 << 30}
    with pytest.raises(library.ProbeUnsupported, match="/.* has no room"):
        library.run("memory/fault/minor", params, samples=1024, warmup=0)

"""Every probe runs, or says exactly what this machine or user lacks, and leaves nothing behind."""

import tempfile

import pytest
from helpers.capabilities import other_users
from helpers.everything import check_outcome
from helpers.probes import NOBODY_ELSE, NOTHING, in_python
from helpers.programs import every_probe

ONE_CPU = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"
ANOTHER_USER = f"become({NOBODY_ELSE})"


@pytest.mark.parametrize(
    ("before", "isolated"),
    [("", True), ("", False), (ONE_CPU, True), (ONE_CPU, False), (ANOTHER_USER, True)],
    ids=["isolated", "in this process", "one CPU", "one CPU, in this process", "another user"],
)
def test_each_probe_runs_or_says_what_is_missing_and_leaves_nothing(before, isolated):
    if before == ANOTHER_USER:
        other_users()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="reckon-test-") as folder:
        outcomes = in_python(
            every_probe.outcomes,
            [isolated],
            folder,
            before=f"os.chmod({folder!r}, 0o777)\n{before}",
            timeout_s=400,
        )
    for name, outcome, reason, left in outcomes:
        assert left == [NOTHING, []], name
        check_outcome(name, outcome, reason)

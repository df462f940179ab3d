"""Probes that take memory, in a control group with less: refused before it is touched, and none is killed."""

import re

import pytest
from helpers.probe_script import few
from helpers.probes import MEMORY, MIB, control_group, in_python, kills_in
from helpers.programs import attempts

from reckon.measurement import library

LIMIT = 512 * MIB
DOES_NOT_FIT = (
    r"ProbeUnsupported: \d+ MiB with their page tables do not fit into the \d+ MiB available"
)
WITH_SIZE = [
    probe
    for probe in MEMORY
    if "fault" not in probe
    and "size_bytes" in {parameter.name for parameter in library.probe(probe).parameters}
]
EVICTED = {"size_bytes": 200 * MIB, "evict_bytes": 100 * MIB}
BEYOND = [
    *([probe, few(probe, size_bytes=1 << 30)] for probe in WITH_SIZE),
    ["cpu/task/fork", {"resident_bytes": 1 << 30}],
    ["cpu/switch/ring", {"processes": 8, "working_set_bytes": 128 * MIB}],
    ["network/throughput/t470", {"size_bytes": 512 * MIB}],
    ["memory/bandwidth/read", {"size_bytes": 600 * MIB, "threads": 2}],
    ["memory/bandwidth/copy", {"size_bytes": 300 * MIB}],
    ["memory/bandwidth/i7_10750h_two_read", EVICTED],
    ["memory/bandwidth/x510uq_read", {"size_bytes": MIB, "evict_bytes": 1 << 30}],
    ["memory/fault/anonymous", {"touches": 1 << 18}],
    ["memory/fault/huge", {"touches": 512}],
    ["memory/fault/cold", {"touches": 1 << 18, "idle_ms": 1}],
    ["memory/fault/i7_10750h_anonymous", {"touches": 1 << 18}],
    ["memory/fault/hpe_i7_860_memory", {"stride_pages": 1 << 18}],
]
WITHIN = [
    *([probe, few(probe, size_bytes=16 * MIB)] for probe in WITH_SIZE),
    ["cpu/task/fork", {"resident_bytes": 64 * MIB}],
    ["cpu/task/fork", {"resident_bytes": 384 * MIB}],
    ["network/throughput/t470", {"size_bytes": 16 * MIB}],
]


def within(limit, requests, isolated):
    """[outcome] of these requests in a control group with that memory, in which nothing was killed."""
    with control_group("memory", max=limit) as group:
        outcomes = in_python(attempts.outcomes, requests, [isolated], group=group)
        assert kills_in(group) == 0
    return outcomes


@pytest.mark.parametrize("isolated", [True, False])
def test_more_memory_than_the_control_group_has_is_not_touched(isolated):
    assert len(WITH_SIZE) > 25
    outcomes = within(LIMIT, [*BEYOND, *WITHIN], isolated)
    for probe, outcome in outcomes[: len(BEYOND)]:
        assert re.fullmatch(DOES_NOT_FIT, outcome), (probe, outcome)
    assert outcomes[len(BEYOND) :] == [[probe, "ran"] for probe, _ in WITHIN]


@pytest.mark.parametrize("pages", ["small", "huge"])
def test_a_sweep_of_sizes_goes_as_far_as_memory_does(pages):
    sweep = [
        ["memory/latency/random", {"size_bytes": 1024 << i, "pages": pages}] for i in range(21)
    ]
    outcomes = [outcome for _, outcome in within(LIMIT, sweep, isolated=True)]
    ran = [outcome == "ran" for outcome in outcomes]
    assert ran == sorted(ran, reverse=True)  # none runs that is bigger than an unsupported one
    assert 18 <= sum(ran) < 20  # 128 MiB runs and 512 MiB does not
    assert all(re.fullmatch(DOES_NOT_FIT, outcome) for outcome in outcomes if outcome != "ran")


def test_a_file_bigger_than_the_control_group_is_read_through_its_page_cache():
    """The kernel gives the cached pages of a file back by itself."""
    request = ["memory/fault/major", {"size_bytes": 256 * MIB}]
    assert within(128 * MIB, [request], isolated=True) == [["memory/fault/major", "ran"]]


@pytest.mark.parametrize(
    ("file_bytes", "expected"),
    [
        (16 * MIB, "ran"),
        (256 * MIB, "ProbeUnsupported: the file's pages do not stay in the page cache"),
    ],
)
def test_minor_faults_need_a_page_cache_that_holds_the_file(file_bytes, expected):
    params = {"touches": file_bytes // 65536, "step_bytes": 65536}
    outcomes = within(128 * MIB, [["memory/fault/minor", params]], isolated=True)
    assert outcomes == [["memory/fault/minor", expected]]

"""The notebooks are whole where something is not supported; all are executed against the recorded run."""

import re

import pytest
from helpers import pages
from helpers.pages import shown_with

from reckon.book import contents


@pytest.fixture
def run(tmp_path):
    """A copy of the recorded run."""
    return pages.copy_recorded(tmp_path)


# Probes that need x86 instructions or int 0x80, which other machines lack.
_X86 = (
    "rdtsc",
    "cpuid",
    "paoloni",
    "mbp2016",
    "t470",
    "int80",
    "hpe_i7_860",
    "x510uq",
    "i7_10750h",
)
_ON_DISK = ("minor", "major", "t470", "x510uq", "mbp2016", "_file", "hpe_i7_860")
_ALL_CPUS = ("two_read", "two_write", "loaded_latency", "/load")
# What is not supported on a smaller machine: (page, the quantities' last letters, why).
_SMALLER = [
    *(
        (page, (ending,), why)
        for page in ("network/rtt", "network/throughput", "network/connect")
        for ending, why in (("_peer", "no other host"), ("_across", "one CPU"))
    ),
    ("cpu/switch", ("_across",), "one CPU"),
    ("memory/bandwidth", _ALL_CPUS, "one CPU"),
    ("memory/latency", ("/l1", "/l2", "/l3", "/memory", "_huge"), "no huge pages"),
    ("memory/fault", ("/huge",), "no huge pages"),
    ("memory/fault", _ON_DISK, "files in memory"),
]
_WITHOUT_X86 = sorted({*contents.notebooks()} - {"machine", "cpu/clock", "machines", "reports"})


def assert_says_why(shown):
    assert re.search("(unsupported|not measured): no such instruction", shown, re.I)
    for table in re.findall(r"^:::{table}.*?^:::$", shown, re.M | re.S):
        assert table.count("no such instruction") <= 1, table  # a line a reason
    assert not re.search(r"\bnan\b", shown)  # methods says "nanoseconds"


@pytest.mark.parametrize("page", _WITHOUT_X86)
def test_pages_are_whole_without_x86(page, run):
    """As on AArch64, where no report's method is supported."""

    def is_refused(name):
        return "cpu/clock" not in name and any(word in name for word in _X86)

    assert_says_why(shown_with(page, run, is_refused))


@pytest.mark.parametrize(
    "page",
    [
        "cpu/loop",
        "cpu/call",
        "cpu/syscall",
        "cpu/task",
        "cpu/switch",
        "memory/latency",
        "memory/bandwidth",
        "memory/fault",
        "network/rtt",
        "network/throughput",
        "network/connect",
        "files/read",
    ],
)
def test_pages_are_whole_where_nothing_is_supported(page, run):
    """As in a sandbox that forbids the calls themselves."""
    assert_says_why(shown_with(page, run, lambda name: name.startswith(page)))


@pytest.mark.parametrize(("page", "refused", "why"), _SMALLER)
def test_pages_are_whole_on_a_smaller_machine(page, refused, why, run):
    shown = shown_with(page, run, lambda name: name.endswith(refused))
    assert_says_why(shown)
    assert page != "cpu/switch" or "It was not measured here: no such instruction." in shown


@pytest.mark.parametrize("all_refused", [False, True])
def test_the_machines_page_without_measurements_or_without_an_experiment(run, all_refused):
    if not all_refused:
        (run / "cpu/syscall.json").unlink()
    shown = shown_with("machines", run, lambda name: all_refused)
    assert not re.search(r"\bnan\b", shown) and "There is one run only" in shown
    assert ("No other machine has a value" in shown) == all_refused

"""The notebooks, executed against the recorded run, show what tests/expected holds; and they are whole where
something could not be measured. `make expected` writes the expected pages."""

import difflib
import json
import re

import pytest
from helpers import pages
from helpers.pages import shown_with

from reckon.book import contents


@pytest.fixture
def run(tmp_path):
    """A copy of the recorded run."""
    return pages.copy_recorded(tmp_path)


def measurements(run):
    return {
        name: quantity["measurement"]
        for path in run.glob("*/*.json")
        for name, quantity in json.loads(path.read_text())["quantities"].items()
    }


@pytest.mark.parametrize("page", contents.notebooks())
def test_a_page_shows_what_is_expected_and_touches_no_sample(page, run, tmp_path):
    before = measurements(run)
    expected = pages.expected_path(page).read_text(encoding="utf-8")
    shown = pages.text(page, tmp_path)
    names = f"tests/expected/{page}.md", "shown now"
    difference = difflib.unified_diff(
        expected.splitlines(), shown.splitlines(), *names, lineterm=""
    )
    if expected != shown:
        pytest.fail("\n".join(difference) + f"\nIf this is right: make expected PAGE={page}", False)
    assert measurements(run) == before


def test_every_expected_page_has_a_notebook():
    there = {
        str(path.relative_to(pages.EXPECTED).with_suffix(""))
        for path in pages.EXPECTED.rglob("*.*")
    }
    assert there == set(contents.notebooks())


# Probes that need x86 instructions or the 32-bit gate: what another machine cannot run.
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


@pytest.mark.parametrize(
    "page",
    [
        *(
            p
            for p in contents.notebooks()
            if p not in ("machine", "cpu/clock", "machines", "reports")
        )
    ],
)
def test_pages_are_whole_where_probes_cannot_run(page, run):
    """No page fails, and each says why: as on AArch64, where no report's method can run."""
    shown = shown_with(
        page,
        run,
        lambda name: "cpu/clock" not in name and any(word in name for word in _X86),
    )
    assert "cannot: no such gate" in shown and not re.search(
        r"\bnan\b", shown
    )  # methods says "nanoseconds"


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
def test_pages_are_whole_where_nothing_can_run(page, run):
    """As in a sandbox that forbids the calls themselves."""
    shown = shown_with(page, run, lambda name: name.startswith(page))
    assert "cannot: no such gate" in shown and "nan" not in shown


@pytest.mark.parametrize("page", ["network/rtt", "network/throughput", "network/connect"])
@pytest.mark.parametrize("ending", ["_peer", "_across"])
def test_the_network_pages_without_another_host_or_cpu(page, ending, run):
    shown = shown_with(page, run, lambda name: name.endswith(ending))
    assert "cannot: no such gate" in shown and "nan" not in shown


def test_the_switch_page_on_one_cpu(run):
    shown = shown_with("cpu/switch", run, lambda name: name.endswith("_across"))
    assert "They cannot be compared here: no such gate." in shown and "nan" not in shown


@pytest.mark.parametrize("page", ["memory/latency", "memory/fault"])
def test_the_memory_pages_without_huge_pages(page, run):
    huge = {"memory/latency": ("/l1", "/l2", "/l3", "/memory", "_huge"), "memory/fault": ("/huge",)}
    shown = shown_with(page, run, lambda name: name.endswith(huge[page]))
    assert "cannot: no such gate" in shown and "nan" not in shown


def test_the_bandwidth_page_on_one_cpu(run):
    alone = ("two_read", "two_write", "loaded_latency", "/load")
    shown = shown_with("memory/bandwidth", run, lambda name: name.endswith(alone))
    assert "cannot: no such gate" in shown and "nan" not in shown


def test_the_fault_page_without_a_disk(run):
    """As where /var/tmp lies in memory."""
    on_disk = ("minor", "major", "t470", "x510uq", "mbp2016", "_file", "hpe_i7_860")
    shown = shown_with("memory/fault", run, lambda name: name.endswith(on_disk))
    assert "cannot: no such gate" in shown and "nan" not in shown

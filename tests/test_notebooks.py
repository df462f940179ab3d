"""The notebooks, executed against the recorded run, give the expected outputs.

The expected copies are in tests/expected; `make expected` writes them anew.
"""

import json
import re

import pytest
from helpers.project import ROOT, forget

from reckon.book import execution

pytestmark = pytest.mark.beside

EXPECTED = ROOT / "tests" / "expected"


def code(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]


@pytest.mark.parametrize("page", execution.notebooks())
def test_outputs_follow_from_the_recorded_run(page, recorded, monkeypatch, nb_regression):
    expected = EXPECTED / f"{page}.ipynb"
    assert code(expected) == code(execution.source(page)), "run `make expected`"
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("RECKON_BOOK", "1")
    nb_regression.exec_cwd = str(ROOT)
    nb_regression.exec_timeout = 120
    nb_regression.diff_color_words = False
    nb_regression.diff_ignore = (
        "/metadata",
        "/cells/*/metadata",
        "/cells/*/execution_count",
        "/cells/*/outputs/*/execution_count",
        "/cells/*/outputs/*/data/text/plain",
    )
    before = {p: p.read_bytes() for p in recorded.rglob("*.json")}
    nb_regression.check(str(expected))
    # Nothing was measured, and no sample touched.
    for path, content in before.items():
        old, new = json.loads(content), json.loads(path.read_bytes())
        for name, quantity in old.get("quantities", {}).items():
            assert new["quantities"][name]["measurement"] == quantity["measurement"]


# Rows that need x86 instructions or the 32-bit gate: what another machine cannot run.
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


def shown_with(page, recorded, monkeypatch, refused):
    """What a page shows where the refused quantities of the recorded run "cannot"."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    for path in recorded.glob("*/*.json"):
        data = json.loads(path.read_text())
        for name, quantity in data["quantities"].items():
            if refused(name):
                quantity["measurement"].update(state="cannot", reason="no such gate", points=[])
        path.write_text(json.dumps(data))
    monkeypatch.setenv("RECKON_BOOK", "1")
    monkeypatch.chdir(ROOT)
    forget()
    shell = InteractiveShell.instance()
    shell.reset()
    found = []
    for cell in json.loads(execution.source(page).read_text())["cells"]:
        if cell["cell_type"] == "code":  # in this process: a kernel would take seconds to start
            with capture_output() as shown:
                done = shell.run_cell("".join(cell["source"]))
            done.raise_error()
            found += [output.data for output in shown.outputs]
            found.append(shell.display_formatter.format(done.result)[0])
    return "".join(data.get("text/markdown", "") for data in found)


@pytest.mark.parametrize(
    "page",
    [
        *(
            p
            for p in execution.notebooks()
            if p not in ("machine", "cpu/clock", "machines", "reports")
        )
    ],
)
def test_pages_are_whole_where_rows_cannot_run(page, recorded, monkeypatch):
    """No page fails, and each says why: as on AArch64, where no report's method can run."""
    shown = shown_with(
        page,
        recorded,
        monkeypatch,
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
def test_pages_are_whole_where_nothing_can_run(page, recorded, monkeypatch):
    """As in a sandbox that forbids the calls themselves."""
    shown = shown_with(page, recorded, monkeypatch, lambda name: name.startswith(page))
    assert "cannot: no such gate" in shown and "nan" not in shown


@pytest.mark.parametrize("page", ["network/rtt", "network/throughput", "network/connect"])
@pytest.mark.parametrize("ending", ["_peer", "_across"])
def test_the_network_pages_without_another_host_or_cpu(page, ending, recorded, monkeypatch):
    shown = shown_with(page, recorded, monkeypatch, lambda name: name.endswith(ending))
    assert "cannot: no such gate" in shown and "nan" not in shown


def test_the_switch_page_on_one_cpu(recorded, monkeypatch):
    shown = shown_with("cpu/switch", recorded, monkeypatch, lambda name: name.endswith("_across"))
    assert "They cannot be compared here: no such gate." in shown and "nan" not in shown


@pytest.mark.parametrize("page", ["memory/latency", "memory/fault"])
def test_the_memory_pages_without_huge_pages(page, recorded, monkeypatch):
    huge = {"memory/latency": ("/l1", "/l2", "/l3", "/memory", "_huge"), "memory/fault": ("/huge",)}
    shown = shown_with(page, recorded, monkeypatch, lambda name: name.endswith(huge[page]))
    assert "cannot: no such gate" in shown and "nan" not in shown


def test_the_bandwidth_page_on_one_cpu(recorded, monkeypatch):
    alone = ("two_read", "two_write", "loaded_latency", "/load")
    shown = shown_with("memory/bandwidth", recorded, monkeypatch, lambda name: name.endswith(alone))
    assert "cannot: no such gate" in shown and "nan" not in shown


def test_the_fault_page_without_a_disk(recorded, monkeypatch):
    """As where /var/tmp lies in memory."""
    on_disk = ("minor", "major", "t470", "x510uq", "mbp2016", "_file", "hpe_i7_860")
    shown = shown_with("memory/fault", recorded, monkeypatch, lambda name: name.endswith(on_disk))
    assert "cannot: no such gate" in shown and "nan" not in shown

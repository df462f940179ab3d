"""Each page is executed by pytest-notebook and shows what is expected of the recorded run; where much
could not be measured it is whole and says why."""

import json
import re

import pytest
from helpers import pages
from helpers.project import RECORDED, ROOT, share_statistics
from pytest_notebook.nb_regression import NBRegressionError

from reckon.book import contents

# What a small machine lacks: the instructions of x86 and int 0x80, another host, a second CPU, huge
# pages, files on a disk. In the words of the quantities' names.
_LACKING = re.compile(
    r"rdtsc|cpuid|paoloni|mbp2016|t470|int80|hpe_i7_860|x510uq|i7_10750h"
    r"|_peer|_across|two_read|two_write|loaded_latency|/load"
    r"|/l1|/l2|/l3|memory/latency/memory|_?huge|/minor|/major|_file"
)
_OWN_CLOCK = "cpu/clock/"
_WITHOUT_MEASUREMENTS = ("reading", "machine", "cpu/clock", "machines", "reports", "status")
# One of each shape: single values, a staircase, files and another host.
_WITHOUT_ANY = ("cpu/switch", "memory/latency", "files/remote")


@pytest.fixture
def run(tmp_path, nb_regression, monkeypatch):
    """A copy of the recorded run, on which pytest-notebook's fixture executes pages."""
    copied, build = pages.copy_recorded(tmp_path), tmp_path / "_build"
    share_statistics(build)
    for name, value in pages.environment(copied, tmp_path).items():
        monkeypatch.setenv(name, value)
    nb_regression.exec_cwd = str(ROOT)
    nb_regression.process_resources = {"run": copied, "figures": build / "figures"}
    return copied


@pytest.mark.parametrize("page", contents.notebooks())
def test_a_page_shows_what_is_expected(page, run, nb_regression, tmp_path):
    """With --nb-force-regen (make expected): writes it."""
    outputs = {} if nb_regression.force_regen else pages.expected_outputs(page)
    notebook = pages.lay_in_source(page, outputs, tmp_path)
    try:
        nb_regression.check(notebook)
    except NBRegressionError as difference:
        if nb_regression.force_regen:
            pages.write_expected(page, notebook)
            return
        difference.add_note(f"If this is right: make expected PAGE={page}")
        raise


def test_every_expected_page_has_a_notebook():
    there = {path.relative_to(pages.EXPECTED) for path in pages.EXPECTED.rglob("*.*")}
    assert {str(path.with_suffix("")) for path in there} == {*contents.notebooks()}


@pytest.fixture
def shown(run, nb_regression, tmp_path):
    """`shown(page, refused)`: the page's text where what matches that pattern is unsupported."""

    def shown(page, refused):
        for path in run.glob("*/*.json"):
            data = json.loads(path.read_text(encoding="utf-8"))
            for name, quantity in data["quantities"].items():
                if quantity["measurement"] and re.search(refused, name):
                    missing = dict(state="unsupported", reason="no such instruction", points=[])
                    quantity["measurement"].update(missing)
            path.write_text(json.dumps(data), encoding="utf-8")
        notebook = pages.lay_in_source(page, {}, tmp_path)
        executed = nb_regression.check(notebook, raise_errors=False).nb_final
        outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
        assert "error" not in {output.output_type for output in outputs}, outputs[-1]
        return "\n".join(map(pages.output_text, outputs))

    return shown


def assert_says_why(text):
    assert re.search("(unsupported|not measured): no such instruction", text, re.I)
    results = r"^:::{table} [^\n]*\n:name: (?!inputs).*?^:::$"  # inputs have a reason each
    for table in re.findall(results, text, re.M | re.S):
        assert table.count("no such instruction") <= 1, table  # a line a reason
    assert not re.search(r"\bnan\b", text)  # methods says "nanoseconds"


def refused_on_a_small_machine(page):
    """What a small machine lacks; where that is nothing of the page, all of the page."""
    lacking = rf"^(?!{_OWN_CLOCK}).*({_LACKING.pattern})"
    path = RECORDED / "recorded" / f"{page}.json"
    names = json.loads(path.read_text(encoding="utf-8"))["quantities"] if path.exists() else {}
    if names and not any(re.search(lacking, name) for name in names):
        return f"^{page}/"
    return lacking


@pytest.mark.parametrize("page", sorted({*contents.notebooks()} - {*_WITHOUT_MEASUREMENTS}))
def test_a_page_is_whole_on_a_small_machine(page, shown):
    """As on AArch64, where no report's method is supported."""
    assert_says_why(shown(page, refused_on_a_small_machine(page)))


@pytest.mark.parametrize("page", _WITHOUT_ANY)
def test_a_page_is_whole_where_nothing_is_supported(page, shown):
    """As in a sandbox that forbids the calls themselves."""
    assert_says_why(shown(page, f"^{page}/"))


def test_the_page_on_reading_shows_the_prediction_of_a_call_that_is_not_measured(run, shown):
    text = shown("reading", "^cpu/syscall/")
    assert_says_why(text)
    assert "So a null system call should take" in text
    (run / "cpu/syscall.json").unlink()
    assert "when the chapter on the system call has been measured" in shown("reading", "^$")


@pytest.mark.parametrize("all_refused", [False, True])
def test_the_machines_page_without_measurements_or_without_an_experiment(run, shown, all_refused):
    if not all_refused:
        (run / "cpu/syscall.json").unlink()
    text = shown("machines", "" if all_refused else "^$")
    assert not re.search(r"\bnan\b", text) and "There is one run only" in text
    assert ("No other machine has a value" in text) == all_refused

"""The page `methods`: its list, its rounds, its sentences."""

import dataclasses
import itertools
import json
import re

import numpy as np
import pytest
from helpers import made_up
from helpers.project import RECORDED, ROOT

import reckon as rk
from reckon import records
from reckon.measurement import library
from reckon.presentation import methods_page
from reckon.reports import methods
from reckon.reports.methods import Group, GroupResult, Method, MethodResult

# RUBRIC.md, the reports' methods of each experiment, by the last part of their rows' names; a star for
# what has no row, and so a reason.
RUBRIC = {
    "cpu/clock": "t470_sleep x510uq_second hpe_i7_860*",
    "cpu/timer": "t470 paoloni mbp2016 mbp2016_cpuid",
    "cpu/loop": "t470 i7_10750h mbp2016 hpe_i7_860",
    "cpu/call": "t470 mbp2016 x510uq i7_10750h hpe_i7_860",
    "cpu/syscall": "t470_getpid i7_10750h_getpid mbp2016_getpid mbp2016_getuid mbp2016_getppid x510uq_times "
    "hpe_i7_860_getcwd hpe_i7_860_getcwd_syscall hpe_i7_860_getcwd_int80 "
    "hpe_i7_860_getpid_syscall hpe_i7_860_getpid_int80",
    "cpu/task": "hpe_i7_860_process hpe_i7_860_thread t470_fork t470_fork_exec t470_thread x510uq_fork x510uq_thread "
    "i7_10750h_fork i7_10750h_thread mbp2016_process mbp2016_thread",
    "cpu/switch": "t470_process t470_thread x510uq_process x510uq_thread x510uq_pipe mbp2016_process mbp2016_thread "
    "i7_10750h_process i7_10750h_thread hpe_i7_860_process hpe_i7_860_thread",
    "memory/latency": "mountain_64 "
    + " ".join(
        f"{report}_{level}"
        for report in ("t470", "i7_10750h", "hpe_i7_860", "mbp2016")
        for level in ("l1", "l2", "l3", "memory")
    ),
    "memory/bandwidth": "t470_read t470_write x510uq_read x510uq_write i7_10750h_read i7_10750h_write "
    "i7_10750h_two_read i7_10750h_two_write mbp2016_loop_read mbp2016_loop_write mbp2016_loop_rw "
    "mbp2016_memset mbp2016_memcpy hpe_i7_860_read hpe_i7_860_write",
    "memory/fault": "t470 x510uq mbp2016 i7_10750h_file i7_10750h_anonymous hpe_i7_860 hpe_i7_860_memory",
    "network/rtt": "t470 mbp2016 i7_10750h hpe_i7_860 t470_peer mbp2016_peer hpe_i7_860_peer i7_10750h*",
    "network/throughput": "t470 mbp2016 i7_10750h i7_10750h_exchange hpe_i7_860 t470_peer mbp2016_peer i7_10750h_peer "
    "hpe_i7_860_peer",
    "network/connect": " ".join(
        f"{row}{end}"
        for end in ("", "_peer")
        for row in (
            "t470_connect",
            "i7_10750h_connect",
            "mbp2016_setup",
            "hpe_i7_860_setup",
            "t470_close",
            "i7_10750h_close",
            "mbp2016_close",
            "hpe_i7_860_teardown",
        )
    ),
    "files/cache": "t470_size i7_10750h_size hpe_i7_860_size mbp2016_size",
    "files/read": "i7_10750h_lseek "
    + " ".join(
        f"{report}_{order}"
        for order in ("sequential", "random")
        for report in ("t470", "mbp2016", "i7_10750h", "hpe_i7_860")
    ),
    "files/remote": "seek "
    + " ".join(
        f"{report}_{order}"
        for order in ("sequential", "random")
        for report in ("t470", "mbp2016", "i7_10750h", "hpe_i7_860")
    ),
    "files/contention": "t470 t470_written i7_10750h hpe_i7_860 mbp2016",
}


def test_every_method_that_the_rubric_names_is_there_or_has_a_reason():
    listed = {
        (group.baseline.rsplit("/", 1)[0], f"{row.report}*")
        if row.why_not
        else tuple(row.quantity.rsplit("/", 1))
        for group in methods.groups()
        for row in group.method
    }
    listed |= {("memory/latency", "mountain_64")}
    for experiment, rows in RUBRIC.items():
        for row in rows.split():
            assert (experiment, row) in listed, (experiment, row)


def test_every_method_of_a_report_is_in_one_group():
    recorded = {
        name: quantity["measurement"]["probe"]
        for path in (RECORDED / "recorded").glob("*/*.json")
        for name, quantity in json.loads(path.read_text())["quantities"].items()
        if quantity["measurement"]
    }
    rows = [row for group in methods.groups() for row in group.method]
    listed = [row.quantity for row in rows if row.quantity]
    assert len(listed) == len(set(listed)) and set(listed) <= set(recorded)
    named = {group.baseline for group in methods.groups()} | {row.includes for row in rows}
    assert named - {""} <= set(recorded)
    assert set(methods.not_ranked()) <= set(recorded)
    of_reports = {probe.name for probe in library.probes().values() if probe.reports}
    assert of_reports <= {recorded[name] for name in listed}


def test_the_page_shows_every_group_under_its_title():
    cells = json.loads((ROOT / "notebooks/methods.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    shown = [
        (title.removeprefix("### "), match[1])
        for title, source in itertools.pairwise(sources)
        if (match := re.search(r'methods_page\.group\(measured\["([\w-]+)"\]', source))
    ]
    assert shown == [(group.title, group.name) for group in methods.groups()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[group]]\nname = 'x'", "group.0.title"),
        ("[[", "methods.toml: "),
        (
            "[[group]]\nname='x'\ntitle='x'\nbaseline='a/b'\nmethod=[{quantity='a/c'}]",
            "give either",
        ),
    ],
)
def test_a_faulty_list_of_methods_is_refused(text, message, tmp_path, monkeypatch):
    (tmp_path / "methods.toml").write_text(text)
    monkeypatch.setattr(methods, "FILE", tmp_path / "methods.toml")
    methods._parsed.cache_clear()
    with pytest.raises(rk.ReckonError, match=message):
        methods.groups()
    methods._parsed.cache_clear()


def test_a_whole_file_is_divided_by_its_blocks():
    point = records.Point(x=None, params={"file_bytes": 1 << 20}, processes=[], stopped="precise")
    assert Method(quantity="files/a/b", differs="x", blocks_of="file_bytes").divisor(point) == 256
    assert Method(quantity="files/a/b", differs="x", per=16).divisor(point) == 16


def test_no_description_of_a_method_refers_to_another():
    """The methods stand in the order of their effect, so none can refer to the one above it."""
    for group in methods.groups():
        for row in group.method:
            assert not re.search(r"^the same|^with the same|the others have", row.differs), row


# Made-up methods: what the page says of them.


def method(quantity, values_ns, reports=("t470",), side_by_side=True, **more):
    """A method with one fresh process for each value."""
    result = made_up.single(quantity, 100, "ns", processes=len(values_ns))
    point = result.points[0]
    for process, value in zip(point.processes, values_ns, strict=True):
        process.ticks, process.ops = [round(1000 * value)] * 10, 1000
    row = Method(quantity=quantity, differs="in its way")
    repeated = result if side_by_side else None
    return dataclasses.replace(MethodResult(row, reports, result, point, repeated, ""), **more)


def in_a_group(*others, baseline_ns=(100,) * 6, **more):
    group = Group(name="g", title="A Figure", baseline="cpu/x/ours", method=())
    return GroupResult(group, method("cpu/x/ours", baseline_ns, (), **more), others)


def sentence(values_ns, **more):
    group = in_a_group(method("cpu/x/t470_fork", values_ns, **more))
    return methods_page.group(group).markdown.splitlines()[-1]


NOT_MEASURED = {"page": None, "point": None, "repeated": None, "reason": "unsupported: no gate"}


def test_a_ratio_is_taken_round_by_round_so_that_a_drift_cancels():
    drift = np.array([100, 120, 150, 200, 250, 300])
    group = in_a_group(method("cpu/x/t470", 2 * drift), baseline_ns=drift)
    ratio = group.ratio(group.methods[0])
    assert (ratio.middle, ratio.low, ratio.high, ratio.rounds) == (2, 2, 2, 6)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([291, 280, 302, 291, 291, 291], "gives 2.91 (2.80 to 3.02) times our figure"),
        ([101, 103, 100, 98, 102, 101], "makes no difference here (within 3.0 %)"),
        # An interval on one side of the baseline, a middle as good as it and an end far off.
        (
            [70, 99.2, 99.1, 99, 99.1, 99.9],
            "gives 0.991 (0.700 to 0.999) times our figure, and whether that matters cannot be told",
        ),
        ([0] * 6, "gives 0 ns (0 to 0), of which no ratio tells anything"),
        ([200, 210], "gives 2.05 (2.00 to 2.10) times our figure in 2 rounds"),
    ],
)
def test_the_sentence_on_a_method(values, words):
    assert sentence(values) == f"- **t470, fork** {words}: in its way."


def test_a_method_from_its_page_says_why():
    text = sentence([200] * 6, side_by_side=False, reason="one process of it takes 2 s")
    basis = "by the pages' figures (minutes apart: one process of it takes 2 s)"
    assert text == f"- **t470, fork** gives 2.00 times our figure {basis}: in its way."


def test_a_group_without_a_method_or_a_baseline():
    missing = "- **t470, fork** is not measured here (unsupported: no gate): in its way."
    assert sentence([1] * 6, **NOT_MEASURED) == missing
    baseline = method("cpu/x/ours", [1] * 6, (), **NOT_MEASURED)
    group = in_a_group(method("cpu/x/t470", [100] * 6))
    group = dataclasses.replace(group, baseline=baseline)
    text = methods_page.group(group).markdown
    assert text.startswith("Ours has no figure here: unsupported: no gate.")
    assert "**t470** cannot be held against ours" in text
    nothing = dataclasses.replace(group, methods=())
    assert (
        methods_page.group(nothing).markdown == "There is nothing to compare: unsupported: no gate."
    )
    assert "nothing can be compared" in methods_page.farthest({"g": nothing}).markdown
    assert methods_page.strips({"g": nothing}, "methods-none", "x").svg is None


@pytest.mark.parametrize(
    ("cost", "value", "explained"),
    [
        (190, 300, "190 ns here, which is the difference."),
        (120, 300, "120 ns here, 60 % of the difference."),
        (900, 300, "900 ns here, more than the difference."),
        (20, 300, "20.0 ns here, 10 % of the difference."),
        (9, 300, ""),  # too small a share
        (20, 102, ""),  # no difference that is sure
        (20, 50, ""),  # a difference the other way
    ],
)
def test_a_cost_inside_a_figure_is_compared_with_the_difference(cost, value, explained):
    entry = Method(quantity="cpu/x/t470_fork", differs="in its way", includes="cpu/timer/paoloni")
    included = method("cpu/timer/paoloni", [cost] * 6).page
    text = sentence([value] * 6, entry=entry, included=included)
    assert text.endswith(
        f": in its way. `cpu/timer/paoloni` is {explained}" if explained else "way."
    )


def test_how_well_figures_repeat_is_compared_with_what_chance_would_give():
    result = method("methods/cpu/x", [100] * 6).page
    seal = result.record.predictions[0]
    seal.low, seal.high = 1e-9, 1e-6
    again = method("cpu/x/t470", [100] * 6, repeated=result)
    text = methods_page.repeated({"g": in_a_group(again, side_by_side=False)}).markdown
    assert "of the 1 whose page gave an interval 100 % lie in it, where 95 % would" in text


def test_methods_are_ordered_by_effect_and_the_farthest_is_named(folders):
    far, near, below = (
        method(f"cpu/x/{name}", [value] * 6)
        for name, value in (("t470", 400), ("mbp2016", 101), ("i7_10750h", 20))
    )
    group = in_a_group(far, near, below)
    assert group.ranked == [near, far, below]
    text = methods_page.farthest({"g": group}).markdown
    assert text.startswith(
        "Of 3 ways on this machine 2 change their figure by more than chance and more than 5 %, 2 of "
    )
    assert "more lie" not in text and "0.200 times ours for *a Figure*: in its way." in text
    block = methods_page.strips({"g": group}, "methods-test", "Caption")
    assert block.svg and "cpu/x/i7_10750h 0.200 times" in block.markdown
    table = (folders / "_build/figures/methods-test.csv").read_text().splitlines()
    assert table[1].startswith("A Figure,cpu/x/mbp2016,t470,1.01,1.01,1.01,6") and len(table) == 4


def test_methods_of_few_rounds_or_of_their_pages_are_counted_apart():
    sure, few = method("cpu/x/t470", [400] * 6), method("cpu/x/made", [300] * 3)
    group = in_a_group(sure, few, method("cpu/x/page", [9], side_by_side=False))
    text = methods_page.farthest({"g": group}).markdown
    assert "Of 3 ways on this machine 1 change" in text
    assert "2 more lie farther off than 25 %, in too few rounds, or by the pages' figures" in text

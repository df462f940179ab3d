"""The page `methods`: its list, its rounds, its sentences."""

import dataclasses
import json
import re

import numpy as np
import pytest
from helpers import made_up
from helpers.project import RECORDED, ROOT, forget

import reckon as rk
from reckon import records
from reckon.measurement import library
from reckon.presentation import effects, methods_page
from reckon.records.result import Result
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
        (one.baseline.rsplit("/", 1)[0], f"{row.report}*")
        if row.why_not
        else tuple(row.quantity.rsplit("/", 1))
        for one in methods.groups()
        for row in one.method
    }
    listed |= {("memory/latency", "mountain_64")}
    for experiment, rows in RUBRIC.items():
        for row in rows.split():
            assert (experiment, row) in listed, (experiment, row)


def test_every_row_of_a_report_is_in_a_group_and_none_twice():
    recorded = {
        name: quantity["measurement"]["probe"]
        for path in (RECORDED / "recorded").glob("*/*.json")
        for name, quantity in json.loads(path.read_text())["quantities"].items()
        if quantity["measurement"]
    }
    listed = [row.quantity for one in methods.groups() for row in one.method if row.quantity]
    assert len(listed) == len(set(listed)) and set(listed) <= set(recorded)
    assert {one.baseline for one in methods.groups()} | {
        row.includes for one in methods.groups() for row in one.method
    } - {""} <= set(recorded)
    assert set(methods.not_ranked()) <= set(recorded)
    of_reports = {probe.name for probe in library.probes().values() if probe.reports}
    assert of_reports <= {recorded[name] for name in listed}


def test_the_page_shows_every_group_under_its_title():
    cells = json.loads((ROOT / "notebooks/methods.ipynb").read_text())["cells"]
    shown = [
        ("".join(before["source"]), re.search(r'found\["([\w-]+)"\]', "".join(cell["source"])))
        for before, cell in zip(cells, cells[1:], strict=False)
    ]
    shown = [(title.removeprefix("### "), found[1]) for title, found in shown if found]
    assert shown == [(one.title, one.name) for one in methods.groups()]


def test_a_wrong_list_is_told(tmp_path, monkeypatch):
    for text, told in (
        ("[[group]]\nname = 'x'", "group.0.title"),
        ("[[", "methods.toml: "),
        (
            "[[group]]\nname='x'\ntitle='x'\nbaseline='a/b'\nmethod=[{quantity='a/c'}]",
            "give either",
        ),
    ):
        (tmp_path / "methods.toml").write_text(text)
        monkeypatch.setattr(methods, "FILE", tmp_path / "methods.toml")
        methods._parsed.cache_clear()
        with pytest.raises(rk.ReckonError, match=told):
            methods.groups()
    methods._parsed.cache_clear()


def test_a_whole_file_is_divided_by_its_blocks():
    point = records.Point(x=None, params={"file_bytes": 1 << 20}, processes=[], stopped="precise")
    assert Method(quantity="files/a/b", differs="x", blocks_of="file_bytes").divisor(point) == 256
    assert Method(quantity="files/a/b", differs="x", per=16).divisor(point) == 16


# What is said of ways whose figures are made up.


def method(quantity, values_ns, reports=("t470",), side_by_side=True, **more):
    """A way with one fresh process for each value."""
    one = made_up.single(quantity, 100, "ns", processes=len(values_ns))
    point = one.measurement.points[0]
    processes = [
        p.model_copy(update={"ticks": [round(1000 * v)] * 10, "ops": 1000})
        for p, v in zip(point.processes, values_ns, strict=True)
    ]
    point = point.model_copy(update={"processes": processes})
    measured = one.measurement.model_copy(update={"points": [point]})
    found = Result(quantity, one.record.model_copy(update={"measurement": measured}), "measured")
    row = Method(quantity=quantity, differs="in its way")
    return dataclasses.replace(
        MethodResult(row, reports, found, point, found if side_by_side else None, ""), **more
    )


def beside(*others, ours=(100,) * 6, **more):
    group = Group(name="g", title="A Figure", baseline="cpu/x/ours", method=())
    return GroupResult(group, method("cpu/x/ours", ours, (), **more), others)


def sentence(values_ns, beside_ours=(100,) * 6, **more):
    one = beside(method("cpu/x/t470_fork", values_ns, **more), ours=beside_ours)
    return methods_page.group(one).markdown.splitlines()[-1]


def test_a_ratio_is_taken_round_by_round_so_that_a_drift_cancels():
    drift = np.array([100, 120, 150, 200, 250, 300])
    one = beside(method("cpu/x/t470", 2 * drift), ours=drift)
    ratio = one.ratio(one.methods[0])
    assert (ratio.middle, ratio.low, ratio.high, ratio.rounds) == (2, 2, 2, 6)


def test_what_a_way_does_is_told_in_a_sentence():
    assert sentence([291, 280, 302, 291, 291, 291]) == (
        "- **t470, fork** gives 2.91 (2.80 to 3.02) times our figure: in its way."
    )
    assert "makes no difference here (within 3.0 %): in" in sentence([101, 103, 100, 98, 102, 101])
    assert "no difference here that can be told (within 20 %)" in sentence(
        [101, 120, 100, 98, 102, 101]
    )
    assert "cannot be told from ours here (0.400 to 2.50 times it)" in sentence(
        [40, 250, 100, 98, 102, 101]
    )
    # An interval on one side of ours, and yet a middle as good as ours and an end far off.
    told = sentence([70, 99.2, 99.1, 99, 99.1, 99.9])
    assert (
        "gives 0.991 (0.700 to 0.999) times our figure, and whether that matters cannot be told: in"
        in told
    )
    assert "makes no difference here (within 2.0 %): in" in sentence(
        [98, 99.2, 99.1, 99, 99.1, 99.9]
    )
    assert "gives 0 ns (0 to 0), of which no ratio" in sentence([0] * 6)
    assert "gives 2.05 (2.00 to 2.10) times our figure in 2 rounds: in" in sentence(
        [200, 210]
    )  # least and most
    assert (
        "cannot be told from ours here (1.07 (1.05 to 1.10) times it in 2 rounds: too few"
        in sentence([105, 110])
    )
    assert (
        "cannot be told from ours here (2.00 times it (in a single round): too few to tell): in"
        in sentence([200])
    )
    told = sentence([200] * 6, side_by_side=False, reason="one process of it takes 2 s")
    assert (
        "gives 2.00 times our figure by the pages' figures (minutes apart: one process of it takes 2 s): in"
        in told
    )


def test_what_cannot_be_is_told_too():
    none = dict(page=None, point=None, repeated=None)
    assert sentence([1] * 6, reason="cannot: no gate", **none) == (
        "- **t470, fork** is not measured here (cannot: no gate): in its way."
    )
    ours = method("cpu/x/ours", [1] * 6, (), reason="cannot: no gate", **none)
    one = dataclasses.replace(beside(method("cpu/x/t470", [100] * 6)), baseline=ours)
    told = methods_page.group(one).markdown
    assert (
        told.startswith("Ours has no figure here: cannot: no gate.")
        and "**t470** cannot be held against ours" in told
    )
    nothing = dataclasses.replace(one, methods=())
    assert methods_page.group(nothing).markdown == "There is nothing to compare: cannot: no gate."
    assert "nothing can be compared" in methods_page.farthest({"g": nothing}).markdown
    assert methods_page.strips({"g": nothing}, "methods-none", "x").svg is None


def test_a_difference_of_few_steps_of_the_counter_is_told(folders):
    """Made-up ticks are nanoseconds; a single reading of this counter sees tens of them."""
    pair = made_up.single("cpu/timer/pair", 20, "ns")
    points = [
        p.model_copy(
            update={
                "processes": [
                    q.model_copy(update={"ticks": [20, 30, 20, 50], "ops": 1}) for q in p.processes
                ]
            }
        )
        for p in pair.measurement.points
    ]
    pair = dataclasses.replace(
        pair,
        record=pair.record.model_copy(
            update={"measurement": pair.measurement.model_copy(update={"points": points})}
        ),
    )
    assert methods_page.counter().markdown == ""  # not measured yet
    made_up.run(rk.run().name, [pair])
    forget()
    assert "in steps of 10.0 ns here" in methods_page.counter().markdown
    # A thousand operations between two readings: a step is 10 ps of each.
    assert "The difference is less than a step of the counter (10.0 ns, 1 000 of them" in sentence(
        [0.007] * 6, beside_ours=(0.001,) * 6
    )
    assert "The difference is 2.0 steps of the counter" in sentence(
        [0.021] * 6, beside_ours=(0.001,) * 6
    )
    assert "the counter" not in sentence([0.1] * 6, beside_ours=(0.001,) * 6)
    assert "the counter" not in sentence([100.001] * 6)  # no difference to explain


def test_a_part_that_lies_inside_is_held_against_the_difference():
    row = Method(quantity="cpu/x/t470_fork", differs="in its way", includes="cpu/timer/paoloni")

    single = method("cpu/x/ours", [100] * 6).point
    many = single.model_copy(update={"params": {"calls": 1000}})

    def told(part, values=(300,) * 6, point=single):
        inside = method("cpu/timer/paoloni", [part] * 6).page
        one = method("cpu/x/t470_fork", values, listed=row, included=inside)
        return effects.sentence(one, beside(one, point=point))

    assert told(190).endswith("`cpu/timer/paoloni` is 190 ns here, which is the difference.")
    assert told(120).endswith("is 120 ns here, 60 % of the difference.")
    assert told(900).endswith("is 900 ns here, more than the difference.")
    assert told(20).endswith("is 20.0 ns here, 10 % of the difference; the rest is not the stamps.")
    assert told(20, point=many).endswith(
        "the rest is not the stamps: single calls stand between them in place of many in a row."
    )
    # Too small a share, no difference that can be told, a difference the other way: nothing.
    for part, values in ((9, [300] * 6), (20, [50, 300, 100, 110, 102, 101]), (20, [50] * 6)):
        assert told(part, values).endswith(": in its way.")


def test_what_cannot_be_is_named_with_its_reason(recorded):
    """Of the recorded run, whose link carries so much; and times below a cycle."""
    carries = records.read_run("recorded").machine["peer"]["link_rate"]["value"]
    rate = method("network/throughput/x_peer", [1] * 6)
    point = rate.point.model_copy(update={"params": {"peer": "other"}})
    page = made_up.single("network/throughput/x_peer", 1, "Mbit/s")

    def told(**figures):
        made = {}
        for name, one in figures.items():
            made[name] = beside(one)
        return methods_page.plausible(made).markdown

    beyond, within = (
        dataclasses.replace(rate, page=page, point=point, divisor=1) for _ in range(2)
    )
    beyond.__dict__["values"], within.__dict__["values"] = (
        np.array([1.2 * carries]),
        np.array([carries]),
    )
    assert "none does." in told(g=within) and "is set to. Of 2 figures" in told(g=within)
    assert "1 does:" in told(g=beyond) and "is more than the link carries. In its way." in told(
        g=beyond
    )
    assert "is less than a cycle. In its way." in told(
        g=method("cpu/x/t470", [0.2] * 6)
    )  # three cycles a nanosecond


def test_texts_stand_alone():
    """The ways stand in the order of their effect, so that none can lean on the one above it."""
    for one in methods.groups():
        for row in one.method:
            assert not re.search(r"^the same|^with the same|the others have", row.differs), row


def test_how_well_figures_come_out_again_says_what_would_be_expected():
    one = method("methods/cpu/x", [100] * 6)
    seal = one.page.record.predictions[0].model_copy(update={"low": 1e-9, "high": 1e-6})
    again = Result(
        "methods/cpu/x", one.page.record.model_copy(update={"predictions": [seal]}), "measured"
    )
    told = methods_page.repeated(
        {"g": beside(method("cpu/x/t470", [100] * 6, repeated=again), side_by_side=False)}
    ).markdown
    assert (
        "of the 1 whose page gave an interval 100 % lie in it, where 95 % would if minutes did not matter"
        in told
    )


def test_a_cpuid_that_traps_is_told():
    row = Method(quantity="cpu/x/t470_fork", differs="in its way", includes="cpu/timer/cpuid")
    for ns, traps in ((3000, True), (50, False)):  # at three cycles a nanosecond
        told = sentence(
            [100 + ns] * 6, listed=row, included=method("cpu/timer/cpuid", [ns] * 6).page
        )
        assert (
            ", which is the difference" in told
            and told.endswith(": it traps, and the hypervisor answers it.") == traps
        )


def test_ways_stand_from_least_to_most_and_the_farthest_is_named(folders):
    far, near, below = (
        method(f"cpu/x/{name}", [v] * 6)
        for name, v in (("t470", 400), ("mbp2016", 101), ("i7_10750h", 20))
    )
    one = beside(far, near, below)
    assert one.ranked == [near, far, below]
    told = methods_page.farthest({"g": one}).markdown
    assert (
        "Of 3 ways on this machine 2 change their figure by more than chance and more than 5 %, 2 of them"
        in told
    )
    assert "more lie" not in told
    few = methods_page.farthest(
        {
            "g": beside(
                far, method("cpu/x/made", [300] * 3), method("cpu/x/page", [9], side_by_side=False)
            )
        }
    )
    assert "Of 3 ways on this machine 1 change" in few.markdown
    assert (
        "2 more lie farther off than 25 %, in too few rounds, or by the pages' figures"
        in few.markdown
    )
    assert "0.200 times ours for *a Figure*: in its way." in told
    block = methods_page.strips({"g": one}, "methods-test", "Caption")
    assert block.svg and "cpu/x/i7_10750h 0.200 times" in block.markdown
    table = (folders / "_build/figures/methods-test.csv").read_text().splitlines()
    assert table[1].startswith("A Figure,cpu/x/mbp2016,t470,1.01,1.01,1.01,6") and len(table) == 4

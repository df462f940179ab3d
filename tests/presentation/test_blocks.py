"""What a cell displays: MyST in the book, plain Markdown and pictures in JupyterLab."""

import math
from dataclasses import replace

import numpy as np
from helpers import made_up

import reckon as rk
from reckon import units
from reckon.presentation import among_reports
from reckon.presentation.block import Block, grid, plain
from reckon.records.result import Result, result
from reckon.reports import published


def test_a_table_is_numbered_in_the_book_and_plain_in_the_lab(monkeypatch):
    table = grid(
        ["A", "B", "C"],
        [["1", "–", "x|y"], ["2", "–", "{cite}`fog-tables`"]],
        "Two rows",
        "tab-two",
        [10, 20, 30],
    )
    monkeypatch.setenv("RECKON_BOOK", "1")
    (markdown,) = table._repr_mimebundle_().values()
    assert markdown.startswith(":::{table} Two rows\n:name: tab-two\n:widths: 10 30\n")
    assert "| A | C |" in markdown and "x\\|y" in markdown  # the column of dashes is gone
    monkeypatch.delenv("RECKON_BOOK")
    (markdown,) = table._repr_mimebundle_().values()
    assert markdown.startswith("*Two rows*\n\n| A | C |") and ":::" not in markdown
    assert "[fog-tables]" in markdown


def test_a_figure_is_a_directive_in_the_book_and_a_picture_in_the_lab(monkeypatch):
    figure = Block(":::{figure} /figures/x.*\n:alt: words\n\nCaption\n:::", "<svg></svg>")
    assert figure._repr_mimebundle_() == {"text/html": "<svg></svg>"}
    monkeypatch.setenv("RECKON_BOOK", "1")
    assert "text/html" not in figure._repr_mimebundle_()


def test_roles_become_words():
    assert plain("{download}`data </figures/x.csv>` and {cite}`a,b`") == "data and [a,b]"


def test_a_long_table_may_break_across_pages():
    assert ":class: longtable" in grid(["A"], [["1"]] * 13, "Long", "tab-long").markdown
    assert "longtable" not in grid(["A"], [["1"]] * 12, "Short", "tab-short").markdown


def test_a_long_curve_of_a_report_shows_every_so_many_places(monkeypatch, folders):
    one = made_up.curve(
        "files/read/t470_random",
        [2.0**k for k in range(-3, 15)],
        [2.0**k for k in range(18)],
        unit="ms",
        axis_unit="MiB",
        predicted=np.geomspace(0.1, 30_000, 18),
    )
    header, _, *rows = table_of(
        rk.show.among_curve(one, ["files/read/t470_random"], "Caption", "name", every=3)
    )
    assert header == ["Machine", "0.5", "4", "32", "256", "2048", "16384"]
    assert rows[3][1] == "122 µs" and rows[3][-1] == "3.58 s"  # each in a unit of its own


def test_points_without_samples_for_one_reason_are_one_row():
    one = made_up.curve(
        "files/read/size", [1, 2, 4, 8], [1, 2, 3, 4], axis_unit="MiB", missing=(2, 3)
    )
    rows = table_of(rk.show.table([one], "Caption", "name"))
    assert [row[0] for row in rows[2:]] == ["size, 1 MiB", "size, 2 MiB", "size, 4 MiB to 8 MiB"]
    assert "cannot: no memory for it" in rows[-1]


def test_a_file_is_not_held_against_a_block():
    """One method tells the time of a whole file, another that of a block of it."""
    block, other, file = (
        made_up.single(f"files/read/{name}", value, "µs")
        for name, value in (("ours", 50), ("theirs", 100), ("whole", 5000))
    )
    measured = file.measurement.model_copy(update={"op": "file"})
    file = Result(
        file.quantity, file.record.model_copy(update={"measurement": measured}), "measured"
    )
    _, _, *rows = table_of(rk.show.methods([block, other, file], block, "Caption", "name"))
    assert rows[0][-1] == "1.00×" and rows[1][-1].startswith("2.0") and rows[2][-1] == "–"


def test_a_method_may_have_a_row_title_and_no_ratio():
    one, other = (made_up.single(f"files/read/{name}", 50, "µs") for name in ("a", "b"))
    one = reported_as(one, ["t470"])
    header, _, *rows = table_of(
        rk.show.methods([one, other], None, "C", "n", titles={one.quantity: "with data"})
    )
    assert "Against ours" not in header and {row[0] for row in rows} == {"t470, with data", "ours"}
    header, _, first, *_ = table_of(
        rk.show.among(other, ["files/cache/t470_size"][:0], "C", "n", ratio=False)
    )
    assert "There over here" not in header and first[0] == "**this machine**"


def test_methods_that_time_different_things_have_yardsticks_of_their_own():
    call, other, theirs, lone = (
        made_up.single(f"cpu/syscall/{name}", value, "ns")
        for name, value in (("a", 100), ("b", 400), ("c", 800), ("d", 900))
    )
    yardsticks = {one.quantity: one for one in (call, other)} | {theirs.quantity: other}
    _, _, *rows = table_of(rk.show.methods([call, other, theirs, lone], yardsticks, "C", "n"))
    assert [row[-1][:3] for row in rows[:2]] == ["1.0", "1.0"]
    assert float(rows[2][-1][:-1]) == round(theirs.median / other.median, 2) and rows[3][-1] == "–"


def test_nothing_to_say_is_not_displayed():
    from IPython.core.interactiveshell import InteractiveShell

    shown = InteractiveShell.instance().display_formatter.format
    assert shown(rk.say("")) == ({}, {}) and "text/markdown" in shown(rk.say("a"))[0]


def test_a_report_is_held_against_this_machine_by_its_own_method(recorded):
    """Not against this book's: a method alone may make a figure many times as large."""
    ours, theirs = (
        result("recorded", f"cpu/syscall/{row}") for row in ("getpid", "hpe_i7_860_getcwd")
    )
    [f] = published.of(theirs.quantity)
    _, _, first, row = table_of(rk.show.among(ours, [theirs.quantity], "C", "n", cycles=True))
    value = f.base(f.measured, "ns")
    assert first[-1] == "by this book's method" and row[-1].startswith(f.what)
    assert (
        row[4] == units.amount(theirs.median, "ns")
        and row[5] == f"{units.number(value / theirs.median)}×"
    )


def test_on_a_curve_it_is_held_against_the_same_place(recorded):
    [f] = [f for f in published.of("cpu/call/x510uq") if f.at == 3]
    assert among_reports.here_by(f) == result("recorded", f.quantity).medians[3]
    assert math.isnan(among_reports.here_by(f.model_copy(update={"at": 99.0})))


def test_a_table_says_whose_method_this_machine_was_measured_by(recorded):
    name = "cpu/timer/paoloni"
    _, _, first, *_ = table_of(rk.show.among(result("recorded", name), [name], "C", "n"))
    assert first[-1].startswith("by x510uq and ") and first[-1].endswith("hpe_i7_860's method")
    # What no row of a report measures is held against nothing here; a slope against a slope.
    ours = next(f for f in published.figures() if f.quantity == "network/rtt/icmp_peer")
    assert math.isnan(among_reports.here_by(ours))
    slope = next(f for f in published.figures() if f.quantity == "cpu/loop/hpe_i7_860")
    assert among_reports.here_by(slope) == result("recorded", slope.quantity).line.slope


def test_impossible_places_of_a_curve_are_one_line_and_none_where_none_was_foreseen():
    one = made_up.curve("cpu/made", [0, 1, 2, 3], [0, 0, 10, 10], axis_unit="1")
    told = rk.overview.suspicions([one], []).markdown
    assert "not possible" not in told  # predicted as measured: nothing at two places
    seal = one.record.predictions[0].model_copy(update={"predicted": [0.0, 1e-9, 1e-8, 1e-8]})
    one = replace(one, record=one.record.model_copy(update={"predictions": [seal]}))
    points = [
        p.model_copy(
            update={
                "processes": [
                    q.model_copy(update={"ticks": [0] * len(q.ticks)}) for q in p.processes
                ]
            }
        )
        for p in one.measurement.points
    ]
    one = replace(
        one,
        record=one.record.model_copy(
            update={"measurement": one.measurement.model_copy(update={"points": points})}
        ),
    )
    told = rk.overview.suspicions([one], []).markdown
    assert (
        told.count("not possible") == 1 and "**0 ns at 3 of its 4 points is not possible**" in told
    )


def test_a_figure_of_no_place_on_a_curve_is_its_slope(recorded):
    """A report that tells a round of a loop by the slope is held against our slope, in both tables."""
    one = result("recorded", "cpu/loop/hpe_i7_860")
    [f] = [f for f in published.of(one.quantity) if f.measured is not None]
    assert f.at is None and among_reports.here_by(f) == one.line.slope
    header, _, row = table_of(rk.show.fits([one], "C", "n"))
    assert (
        header[-1] == "In the report"
        and row[-1] == f"hpe_i7_860: {units.amount(18 / f.clock_hz, 'ns')}"
    )
    assert (
        "In the report"
        not in table_of(rk.show.fits([result("recorded", "cpu/loop/o0_whole")], "C", "n"))[0]
    )


def reported_as(one, names):
    measured = one.measurement.model_copy(update={"reports": names})
    return Result(one.quantity, one.record.model_copy(update={"measurement": measured}), "measured")


def test_what_readers_got_together_is_held_against_the_drive(folders):
    """A block may take long enough for each of N readers, and yet too short for N blocks."""
    one = made_up.curve("files/contention/t470", [1, 2, 4], [10, 10, 10], unit="µs", axis_unit="1")
    limits = {
        "": rk.guess(1, "GB/s", "a disk", low=0.1, high=1.2),
        "t470": rk.given(1.8, "GB/s", "its data sheet"),
    }
    _, _, *rows = table_of(rk.show.drives([one], 4096, limits, "C", "n"))
    assert [row[0] for row in rows] == ["t470, this run", "t470, its report"]
    assert (
        rows[0][1].startswith("1.6")
        and rows[0][2] == "1.20 GB/s: at most, a disk"
        and rows[0][3] == "1 of 3"
    )
    known = len(published.of(one.quantity))
    assert rows[1][3] == f"{known} of {known}"
    text = rk.show.plausibility([one], 8, "µs", "why").markdown
    assert "`files/contention/t470` of t470: 6 figures, the worst 2.0" in text and text.endswith(
        "µs at 1."
    )
    assert (
        "of this run: 10"
        in rk.show.plausibility([one], 1, "µs", "why", most=5, with_reports=False).markdown
    )


def test_a_note_that_many_points_have_is_told_once():
    one = made_up.curve("files/read/size", [1, 2, 4, 8, 16], [1] * 5, axis_unit="MiB")
    summaries = [
        replace(s, warnings=w) for s, w in zip(one.summaries, [("a",)] * 4 + [("b",)], strict=True)
    ]
    one.__dict__["summaries"] = summaries
    assert rk.show.verdict(one, "it").markdown.endswith(
        " Note: at 4 of its 5 points a; at 16 MiB b."
    )
    one.__dict__["summaries"] = [
        replace(s, warnings=(w,)) for s, w in zip(summaries, "abcac", strict=True)
    ]
    text = rk.show.verdict(one, "it").markdown
    assert text.endswith(
        " Note: at 1 MiB and 8 MiB a; at 2 MiB b; 2 more of its 5 points have a note."
    )
    one.__dict__["summaries"] = (
        summaries[:1] + [replace(s, warnings=()) for s in summaries[1:4]] + summaries[4:]
    )
    assert " Note: at 1 MiB a; at 16 MiB b." in rk.show.verdict(one, "it").markdown


def table_of(block):
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in block.markdown.splitlines()
        if line.startswith("|")
    ]


def test_a_table_without_rows_is_a_sentence():
    """Sphinx's LaTeX ends with StopIteration at a table that has only a header."""
    shown = grid(["Quantity", "Value"], [], "What TCP did", "tcp").markdown
    assert "table" not in shown and shown.startswith("What TCP did: nothing")


def test_two_results_are_held_apart_by_their_processes():
    low, high = made_up.single("cpu/a", 100, "ns"), made_up.single("cpu/b", 150, "ns", seed=2)
    assert (high.apart(low), low.apart(high), low.apart(low)) == (1, -1, 0)
    assert high.apart(low, more=20e-9) == 1 and high.apart(low, more=80e-9) == 0
    assert high.untold(low) == "" and low.untold(low) == " (within their spread)"
    few = made_up.single("cpu/d", 100, "ns", processes=2)
    assert few.untold(low) == " (too few processes to tell)"
    missing = made_up.nothing("cpu/c")
    assert missing.apart(low) == low.apart(missing) == 0


def test_what_trials_hold_and_show_of_the_counter():
    one = made_up.single("cpu/a", 100, "ns", processes=2)
    first, second = one.points[0].processes
    first.ops, first.ticks = 4, [7] * 10
    second.ops, second.ticks = [4] * 9 + [2], [7] * 10
    assert one.ops_in_a_trial == 4  # a number and a list
    assert np.isnan(one.counter_step)
    second.ticks = [7, 17] * 5
    assert np.isclose(one.counter_step, 10e-9)
    assert np.isnan(made_up.nothing("cpu/c").counter_step)

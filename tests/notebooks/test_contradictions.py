"""The pages of the recorded run do not contradict themselves, one another or the record."""

import pytest
from helpers import contradictions, made_up, pages
from helpers.project import RECORDED

import reckon as rk
from reckon.book import contents
from reckon.measurement import library
from reckon.records.lookup import all_results

VERDICT = "**Verdict.** Predicted 965 Mbit/s, measured {}: the rate came out {}. The measured value lies {} the prediction’s interval, 869 Mbit/s to 965 Mbit/s."

GETPID = "[The system call: getpid](/notebooks/cpu/syscall.ipynb)"


def row(*cells):
    head = ("Operation", "Base hardware + software overhead", "Predicted")
    head += ("Measured, median (interval)", "Measured / predicted")
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * 5, cells)]
    return "\n".join([":::{table} Calls", ":name: calls", "", *lines, ":::"])


def spread(cell):
    head = "| Quantity | Median (minimum to 99th percentile) |\n| --- | --- |"
    return f":::{{table}} Spreads\n:name: spreads\n\n{head}\n| getpid [ns] | {cell} |\n:::"


@pytest.fixture(scope="module")
def results():
    return all_results(RECORDED / "recorded")


def test_the_recorded_run_is_shown_without_a_contradiction(results):
    shown = {page: pages.expected_path(page).read_text("utf-8") for page in contents.notebooks()}
    assert contradictions.contradictions(shown, results) == []


def test_a_page_gives_both_values_of_what_it_measures_twice(results):
    shown = {page: pages.expected_path(page).read_text("utf-8") for page in contents.notebooks()}
    defaults = {name: probe.defaults for name, probe in library.probes().items()}
    assert [*contradictions.measured_twice(shown, results, defaults)] == []
    shown["network/rtt"] = shown["network/rtt"].replace(", in the table ", " ")
    silent = [*contradictions.measured_twice(shown, results, defaults)]
    assert len(silent) == 2 and "network/rtt/tcp_size measures network/rtt/tcp again" in silent[0]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (VERDICT.format("967 Mbit/s", "as predicted", "outside"), 0),
        (VERDICT.format("965.2 Mbit/s", "as predicted", "outside"), 0),
        (VERDICT.format("965 Mbit/s", "as predicted", "outside"), 1),
        (VERDICT.format("965 Mbit/s", "as predicted", "at the upper end of"), 0),
        (VERDICT.format("965 Mbit/s", "as predicted", "at the lower end of"), 1),
        (VERDICT.format("970 Mbit/s (960 to 980)", "as predicted", "inside"), 1),
        (VERDICT.format("2.00 Gbit/s", "a factor of 2.1 higher than predicted", "outside"), 0),
        (VERDICT.format("2.00 Gbit/s", "12 % higher than predicted", "outside"), 1),
        (VERDICT.format("2.00 Gbit/s", "as predicted", "outside"), 1),
        ("It takes 196 ns (190 to 202), the other 1,020 ns (998 to 1,040).", 0),
        ("It takes 196 ns (197 to 202).", 1),
        (row("getpid", "24.7 ns + 41.2 ns", "66.0 ns", "196 ns (190 to 202)", "2.97×"), 0),
        (row("getpid", "24.7 ns + 51.2 ns", "66.0 ns", "196 ns (190 to 202)", "2.97×"), 1),
        (row("getpid", "24.7 ns + 41.2 ns", "66.0 ns", "196 ns (190 to 202)", "1.97×"), 1),
        (spread("20.0 (10.0 to 30.0)"), 0),
        (spread("20.0 (21.0 to 30.0)"), 1),
        (spread("20.0 (10.0 to 19.0)"), 1),
        ("Between processes: in 59 % of the turns it slept, in 41 % it ran.", 0),
        ("Between processes: in 59 % of the turns it slept, in 31 % it ran.", 1),
        (
            "A takes 10.0 µs (9.00 to 12.0), B 11.0 µs (10.0 to 13.0): the two cannot be told apart.",
            0,
        ),
        (
            "A takes 10.0 µs (9.00 to 11.0), B 13.0 µs (12.0 to 13.0): the two cannot be told apart.",
            1,
        ),
    ],
)
def test_a_contradiction_within_a_page_is_found(text, faults):
    assert len(contradictions.contradictions({"cpu/made_up": text}, [])) == faults


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (f"| null | {{}} | – | measured: {GETPID} |", 1),
        (f"null {{}} (measured: {GETPID})", 1),
        (f"{GETPID} is {{}} here.", 1),
        (row(GETPID, "–", "58.7 ns", "{}", "–"), 1),
        (row("getpid", "–", "58.7 ns", "{}", "–"), 1),
    ],
)
def test_a_second_value_of_a_quantity_is_found(results, text, faults):
    if text.startswith("| null"):
        head = "| Input | Value | Interval | Where it comes from |\n| --- | --- | --- | --- |"
        text = f":::{{table}} Inputs\n:name: inputs\n\n{head}\n{text}\n:::"
    of = {result.quantity: result for result in results}
    same, other = f"{of['cpu/syscall/getpid']}", "143 ns"
    assert contradictions.contradictions({"cpu/syscall": text.replace("{}", same)}, results) == []
    contradicting = contradictions.contradictions(
        {"cpu/syscall": text.replace("{}", other)}, results
    )
    assert len(contradicting) == faults and same in contradicting[0] and other in contradicting[0]


def test_a_bound_that_a_value_of_the_page_contradicts_is_found(results):
    rule = "No median here can be below {} cycles: it takes as long. None is."
    assert contradictions.contradictions({"cpu/timer": rule.format("1.00")}, results) == []
    [*contradicting] = contradictions.contradictions({"cpu/timer": rule.format("60.0")}, results)
    assert any("cpu/timer/rdtsc" in fault for fault in contradicting)
    rule = "No median of a pair with fences can be below 60.0 cycles: it takes as long. None is."
    assert contradictions.contradictions({"cpu/timer": rule}, results) == []
    rule = "No median here can be below 0.200 GHz or above 3.00 GHz: none is sold. None is."
    assert len(contradictions.contradictions({"cpu/clock": rule}, results)) == 2


@pytest.mark.parametrize(
    ("factor", "words"), [(1 - 1e-6, "at the upper end of"), (1 + 1e-6, "inside"), (0.9, "outside")]
)
def test_a_value_beside_the_end_of_its_interval_is_said_to_be_there(factor, words):
    """Both are printed alike: "outside its interval, 869 to 965" at 965 would be no verdict."""
    result = made_up.single("network/made_up/rate", 965, "Mbit/s")
    result.seal.low, result.seal.high = 0.5 * result.median, factor * result.median
    text = rk.show.verdict(result, "the rate").markdown
    assert f"lies {words} the prediction’s interval" in text
    assert [*contradictions.verdicts(text)] == []

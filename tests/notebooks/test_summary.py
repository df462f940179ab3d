"""The summary's sentences on how good the predictions were."""

import re
from dataclasses import replace

import pytest
from helpers import made_up

import reckon as rk
from reckon import records, units
from reckon.book import contents
from reckon.show.tables import headlines, scores
from reckon.statistics import SampleWarning

SUMMARY, FRONT = contents.findings_of("summary"), contents.findings_of("summary_front")
DISCUSSION = contents.findings_of("summary_discussion")


def predicted(factor, **interval):
    """A quantity measured at 10 ns whose prediction was `factor` times that."""
    result = made_up.single(f"cpu/made/{factor}", 10, "ns")
    result.seal.predicted = factor * result.median
    result.seal.low, result.seal.high = interval.get("low"), interval.get("high")
    return result


def test_the_score_counts_predictions_and_intervals_that_held():
    results = [predicted(1.0, low=0.0, high=1.0), predicted(4.0, low=0.0, high=1e-9)]
    assert SUMMARY.score(results).markdown == (
        "**Of 2 sealed predictions, 50 % are within 1.25 times, 50 % within 2 times and 100 % within 10 "
        "times of the measured value.** By the geometric mean they were off by a factor of 2.00. Of the "
        "measured values, 0 lie more than a factor of 1.25 above the prediction and 1 more than that "
        "factor below it. 1 of 2 "
        "intervals contain the measured value or overlap its interval: 50 %; the goal is 95 %."
    )
    assert "interval" not in SUMMARY.score([predicted(2.0)]).markdown
    results += [predicted(1.0, low=6e-9, high=2e-8), predicted(4.1, low=2e-8, high=6e-8)]
    text = SUMMARY.score(results).markdown
    assert (
        "Of the 2 intervals up to 4 times wide, 1 held, 50 %. "
        "Counting the wider ones as well, which seldom miss, 2 of 4 intervals" in text
    )
    derived = with_inputs(
        predicted(2.0), {"origin": "measured", "unit": "ns", "reference": "cpu/made/else"}
    )
    assert (
        "1 of the 1 uses what was measured earlier in this run."
        in SUMMARY.score([derived]).markdown
    )
    assert SUMMARY.score([]).markdown == "No estimate has been measured yet."


def test_a_cache_is_judged_by_the_value_of_its_chapter(monkeypatch):
    """Its probe may lie beyond the cache: no prediction of the cache is off by that."""
    probe, walk = made_up.single("memory/latency/l3", 100, "ns"), predicted(0.5)
    probe.seal.predicted = 0.1 * probe.median
    monkeypatch.setattr(headlines, "result_of", lambda headline, by_quantity: walk)
    text = SUMMARY.best_and_worst([probe]).markdown
    assert "memory/latency.ipynb) (2.00×)" in text and "10." not in text


def link_to(name):
    return f"[cpu/made: {name}](/notebooks/cpu/made.ipynb)"


def test_the_best_and_the_worst_predictions_are_named():
    sure, unsure = {"low": 9.9e-9, "high": 1.01e-8}, {"low": 5e-9, "high": 5e-8}
    results = [predicted(0.25), predicted(1.0, **sure), predicted(20.0), predicted(1.1, **unsure)]
    text = SUMMARY.best_and_worst(results).markdown
    nearest, farthest = text.split(" The predictions that are farthest off are: ")
    assert nearest == (
        f"The best predictions, of those with an interval wider than 1.25 times, are: {link_to('1.1')} (0.909×)."
    )
    assert farthest.startswith(f"{link_to('20.0')} (0.0500×); {link_to('0.25')} (4.00×)")
    assert SUMMARY.best_and_worst([]).markdown == ""
    assert "Nearest" not in SUMMARY.best_and_worst(results[:1]).markdown


def test_the_front_page_counts_what_is_unsupported():
    measured, absent = (made_up.single(f"cpu/made/{name}", 10, "ns") for name in "ab")
    absent = replace(absent, state="unsupported")
    assert FRONT.unsupported([measured]).markdown == ""
    text = FRONT.unsupported([measured, absent]).markdown
    assert text.startswith("1 of 2 quantities is [unsupported](")


def test_chapters_are_drawn_by_their_medians(folders):
    high, low = (
        made_up.single("cpu/made/high", 10, "ns"),
        made_up.single("memory/made/low", 10, "ns"),
    )
    high.seal.predicted, low.seal.predicted = 1e-9, 1e-7
    text = figure_of_ratios([low, high])
    assert "; the median ratio is highest for *cpu/made* and lowest for *memory/made*" in text
    assert "lowest" not in figure_of_ratios([low])


def figure_of_ratios(results):
    return rk.draw.prediction_ratios(results, "ratios", "Ratios").markdown


def with_inputs(result, *inputs):
    result.seal.inputs = [
        records.InputRecord(name=f"input{i}", value=1.0, source="made up", **given)
        for i, given in enumerate(inputs)
    ]
    return result


def test_predictions_are_scored_apart_by_what_they_were_made_from():
    clock = {"origin": "measured", "unit": "GHz", "reference": "cpu/clock/core"}
    guess = {"origin": "guess", "unit": "cycle"}
    link = {"origin": "machine", "unit": "us", "reference": "peer.link_rtt"}
    earlier = {"origin": "measured", "unit": "ns", "reference": "cpu/made/else"}
    of_another = earlier | {"reference": "cpu/syscall/getpid"}
    results = [
        with_inputs(predicted(ratio), *inputs)
        for ratio, inputs in (
            (1.0, (guess, clock)),
            (2.0, (guess, earlier)),
            (20.0, (earlier, link)),
            (30.0, (earlier,)),
        )
    ]
    results[-1].seal.inputs[0].value = results[-1].seal.predicted
    assert [scores.basis(result) for result in results] == [*scores.BASES]
    # One time as the guess of another may be far off: a seek's that of the null call.
    guessed = with_inputs(predicted(30.0), of_another)
    guessed.seal.inputs[0].value = guessed.seal.predicted
    assert scores.basis(guessed) == scores.DERIVED
    # What was known beforehand is in the table, and in no sentence on how good the predictions are.
    text = SUMMARY.score(results).markdown
    assert text.startswith("**Of 2 sealed predictions, 50 % are within 1.25 times")
    assert text.endswith(
        "2 more predictions only repeat a setting or an earlier result; they are not counted in the 2."
    )
    assert f"farthest off is {link_to('2.0')}" in SUMMARY.score_in_short(results).markdown
    assert "30.0" not in SUMMARY.best_and_worst(results).markdown
    assert SUMMARY.score(results[2:]).markdown == "No estimate has been measured yet."


def test_the_interval_score_is_the_width_and_forty_times_the_miss():
    measured = predicted(1.0).median
    held = predicted(1.0, low=measured / 10, high=measured * 10)
    assert scores.interval_score(held) == pytest.approx(2.0)
    missed = predicted(1.0, low=measured * 10, high=measured * 100)
    assert scores.interval_score(missed) == pytest.approx(1 + 40 * 1)
    assert scores.interval_score(predicted(1.0)) is None


def test_caveats_have_a_line_for_each_cause():
    noisy = made_up.single("cpu/made/noisy", 10, "ns")
    summary = replace(noisy.summary, warnings=(SampleWarning("wide", 25.0),))
    noisy.__dict__["summaries"] = [summary]
    other = made_up.single("memory/made/other", 10, "ns")
    other.__dict__["summaries"] = [summary]
    check = {"name": "load", "state": "warn", "found": "3 of 2", "advice": "Wait."}
    assert SUMMARY.caveats([noisy, other], [check]).markdown.splitlines() == [
        "- **Load**: 3 of 2. Wait.",
        "- **Fresh processes differ from one another** (2 quantities). It concerns "
        "“noisy” in [cpu/made](/notebooks/cpu/made.ipynb) and "
        "“other” in [memory/made](/notebooks/memory/made.ipynb).",
    ]
    assert SUMMARY.caveats([], []).markdown == "Nothing suspicious was found."


def test_a_miss_is_blamed_on_a_guess_whose_interval_holds_the_value_it_needs(recorded):
    rk.begin(run="recorded")
    ours = SUMMARY.by_own_methods(rk.results())
    text = DISCUSSION.misses(ours).markdown
    first, *rest = [line for line in text.splitlines() if line.startswith("- ")]
    worst = scores.open_results(ours)[-1]
    assert first.startswith(f"- {SUMMARY.link(worst.quantity)}: ") and len(rest) == 7
    assert any("It would be right with " in line for line in rest) and " instead of " in text
    assert "No guess explains it alone." in text
    assert DISCUSSION.misses([predicted(1.0)]).markdown == (
        "No prediction was off by more than 2 times."
    )


def test_the_abstract_has_the_machine_the_score_and_the_worst(recorded):
    rk.begin(run="recorded")
    ours = SUMMARY.by_own_methods(rk.results())
    text = SUMMARY.abstract(rk.run().machine, ours).markdown
    assert scores.shares_sentence(scores.open_results(ours)) in text
    assert rk.literal(rk.run().machine.value("processor.model")) in text
    assert SUMMARY.link(scores.open_results(ours)[-1].quantity) in text


def timed(value, predicted_value):
    """A time that was predicted as another."""
    result = made_up.single(f"cpu/made/{value}", value, "ns")
    result.seal.predicted = predicted_value * 1e-9
    return result


def test_the_conclusion_counts_the_pairs_of_times_in_their_predicted_order():
    times = {"a call": timed(1, 2), "a fault": timed(10, 400), "a fork": timed(100, 300)}
    text = DISCUSSION.conclusion([predicted(1.0)], times).markdown
    assert re.search(
        r"span (2\.0|1\.9) powers of ten, from \*a call\* \(.* ns\) to \*a fork\* \(.* ns\)", text
    )
    assert (
        "Take any two of these 3 results (3 pairs): in 2 pairs the predictions name the longer time"
        in text
    )
    assert "the predictions did not put the costs in their order. Times so far apart" in text
    times["a fault"] = timed(10, 4)
    text = DISCUSSION.conclusion([predicted(1.0)], times).markdown
    order = "So the predictions put the costs in their order"
    assert f"in 3 pairs the predictions name the longer time. {order}" in text
    assert "from *a call* (" in text and ") to *a fault* (" in text and "caches" not in text
    assert "powers of ten" not in DISCUSSION.conclusion([predicted(1.0)], {}).markdown


def test_the_conclusion_says_what_the_machine_takes(recorded):
    earlier = {"origin": "measured", "unit": "ns", "reference": "cpu/made/else"}
    times = {"a call": timed(1, 2), "a fork": with_inputs(timed(100, 300), earlier)}
    text = DISCUSSION.conclusion([predicted(1.0)], times).markdown
    assert "1 of the 2 predictions" in text
    rk.begin(run="recorded")
    results = SUMMARY.by_own_methods(rk.results())
    seen = headlines.usable_caches({result.quantity: result for result in results})
    text = DISCUSSION.conclusion(results, times, rk.run().machine).markdown
    assert all(units.size(size, "byte") in text for size in seen.values() if size) and seen
    split = sum(result.is_of_two_groups for result in results)
    assert split and f"{split} of {len(results)} quantities had two groups" in text


def test_the_conclusion_compares_kinds_of_predictions_only_where_they_differ():
    guess = {"origin": "guess", "unit": "cycle"}
    earlier = {"origin": "measured", "unit": "ns", "reference": "cpu/made/else"}
    of_guesses, of_earlier = (
        with_inputs(predicted(4.0), guess),
        with_inputs(predicted(2.0), earlier),
    )
    text = DISCUSSION.conclusion([of_guesses, of_earlier], {}).markdown
    assert (
        "Predictions from earlier measurements of this run were off by a factor of 2.00, predictions "
        "from data sheets, the clock and guesses by 4.00." in text
    )
    alike = with_inputs(predicted(4.4), earlier)
    text = DISCUSSION.conclusion([of_guesses, alike], {}).markdown
    assert "by 4.40. Neither kind was clearly better." in text
    assert "Predictions " not in DISCUSSION.conclusion([of_guesses], {}).markdown


def test_the_conclusion_says_what_the_predictions_lack(recorded):
    held, missed = {"low": 1e-9, "high": 1e-7}, {"low": 8e-8, "high": 9e-8}
    text = DISCUSSION.conclusion([predicted(1.0, **held), predicted(8.0, **missed)], {}).markdown
    assert (
        "1 of their 2 intervals contained the measured value or overlapped its interval; the goal is 95 %, so they were too narrow."
        in text
    )
    assert "1 was off by more than 2 times; for 0 of them, another value of one guess" in text
    assert "No single guess explains the other 1: a formula" in text
    text = DISCUSSION.conclusion([predicted(1.0, **held)], {}).markdown
    assert (
        "1 of their 1 intervals contained the measured value or overlapped its interval." in text
        and "off by more than" not in text
    )
    rk.begin(run="recorded")
    ours = SUMMARY.by_own_methods(rk.results())
    known = DISCUSSION.misses(ours).markdown
    count = re.search(r"(\d+) of the \d+ would be right", known)[1]
    assert (
        f"for {count} of them, another value of one guess"
        in DISCUSSION.conclusion(ours, {}).markdown
    )
    assert DISCUSSION.conclusion([], {}).markdown == "No estimate has been measured yet."

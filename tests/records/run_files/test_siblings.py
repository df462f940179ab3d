"""Samples with the core alone and with a busy sibling, made up with a known truth."""

import re

import numpy as np
import pytest
from helpers import made_up

from reckon.show.sentences import verdicts, warning_sentences

ALONE, BUSY = 126.0, 168.0  # ns
UNSHARED, SHARED = 0.28, 0.49  # an add among independent ones over one in a chain


def processes(shares, *, witnessed=True, clock=1.0, busy=BUSY, seed=1):
    """Six processes of ten trials in each visit, of which that share has a busy sibling."""
    random = np.random.default_rng(seed)
    for visit, share in enumerate(shares, 1):
        for _ in range(6):
            process = made_up.process(ALONE * 1e-9, "ns", random)
            is_busy = random.random(10) < share
            chain = clock * random.normal(0.8, 0.005, 10)
            wide = chain * np.where(is_busy, SHARED, UNSHARED)
            ticks = np.asarray(process.ticks) * np.where(is_busy, busy / ALONE, 1.0)
            witnesses = {"chain_ticks": chain.tolist(), "wide_ticks": wide.tolist()}
            yield process.model_copy(
                update={"ticks": [round(t) for t in ticks], "visit": visit}
                | (witnesses if witnessed else {})
            )


def result_of(processes, kind="plain"):
    result = made_up.single("cpu/made/call", ALONE, "ns")
    result.seal.kind = kind
    result.points[0].processes = list(processes)
    return result


def summary_of(processes, kind="plain"):
    return result_of(processes, kind).summary


def ns(value):
    return pytest.approx(value * 1e-9, rel=0.02)


@pytest.mark.parametrize("kind", ["plain", "mean"])
def test_the_value_is_that_of_the_core_alone_and_the_busy_one_is_kept(kind):
    summary = summary_of(processes([0.8, 0.8, 0.8, 0.1, 0.8]), kind)
    assert summary.median == ns(ALONE) and summary.sibling.median == ns(BUSY)
    assert summary.sibling.share == pytest.approx(
        0.66 * BUSY / (0.66 * BUSY + 0.34 * ALONE), abs=0.1
    )
    assert not summary.sibling.is_mixed and summary.interval.high < 0.9e-9 * BUSY


def test_without_witnesses_the_value_is_the_mixture():
    summary = summary_of(processes([0.8] * 5, witnessed=False))
    assert summary.median == ns(BUSY)
    assert summary.sibling is None


def test_too_few_visits_with_the_core_alone_give_the_mixture_and_say_so():
    summary = summary_of(processes([0, 1, 1, 1, 0]))
    assert summary.median == ns(BUSY) and summary.sibling.is_mixed
    assert summary.sibling.median == ns(BUSY) and summary.sibling.share > 0.5


def test_another_clock_is_no_sibling():
    slow = [p.model_copy(update={"visit": 6}) for p in processes([0], clock=1.3, seed=2)]
    summary = summary_of([*processes([0] * 5), *slow])
    assert summary.sibling is None
    assert summary.processes == 36 and summary.n == 360


def test_a_core_that_was_never_shared_loses_no_sample():
    with_witnesses = summary_of(processes([0] * 5))
    without = summary_of(processes([0] * 5, witnessed=False))
    assert with_witnesses.sibling is None
    assert (with_witnesses.median, with_witnesses.medians) == (without.median, without.medians)


def test_processes_whose_trials_were_all_busy_are_not_summarised():
    result = result_of(processes([0, 1, 0, 0, 1]))
    summarised = result.summarised_processes(result.points[0])
    assert {process.visit for process in summarised} == {1, 3, 4}
    assert len(result.process_medians(result.points[0])) == len(summarised) == 18
    assert result.core_cycles.processes == 18


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        (
            [0.8, 0.8, 0.8, 0.1, 0.8],
            r"this value is from trials that seemed to have the core to themselves. For 7\d % of .*busy sibling.* 16\d ns",
        ),
        (
            [0, 1, 1, 1, 0],
            r"for 6\d % of the time a .*busy sibling.* seemed to share the core; then the value is 16\d ns. Too",
        ),
    ],
)
def test_the_box_shows_the_share_and_the_value_with_a_busy_sibling(shares, says):
    (note, *_) = verdicts.warnings(result_of(processes(shares)))
    assert re.match(says, note), note


def test_a_sibling_that_moved_the_value_by_less_than_its_interval_is_named_as_well():
    result = result_of(processes([0.8, 0.8, 0.8, 0.1, 0.8], busy=ALONE * 1.001))
    assert result.summary.interval.holds(result.summary.sibling.median)
    assert "trials that seemed to have the core to themselves" in verdicts.warnings(result)[0]


def test_a_sibling_that_was_hardly_busy_is_not_named():
    summary = summary_of(processes([0.02] * 5))
    assert 0 < summary.sibling.share < 0.05 and not warning_sentences.is_shared(summary)


def test_samples_that_are_faster_beside_a_sibling_are_not_divided():
    summary = summary_of(processes([0.8, 0.8, 0.8, 0.1, 0.8], busy=ALONE / 2))
    assert summary.median == ns(ALONE / 2) and summary.n == 300
    assert summary.sibling is None

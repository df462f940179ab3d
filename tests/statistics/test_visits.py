"""The interval for one more visit: its coverage on simulated machines that drift, and its cases."""

import json
import math
import re
import sys

import numpy as np
import pytest
from helpers.project import ROOT, output_of

from reckon import statistics
from reckon.statistics.visits import CONFIDENCE

VISITS = 3


def simulated(random, quantities, visits, spread=0.05, uneven=1.0):
    """Medians of visits around 100, whose standard deviations differ from quantity to quantity."""
    deviations = spread * np.exp(uneven * random.normal(size=quantities))
    return 100 * np.exp(random.normal(size=(quantities, visits)) * deviations[:, None])


def coverage(random, *, pool, runs=40, quantities=60, **machine):
    """The share of further visits inside the intervals, and the median width of their logarithm."""
    held, widths = [], []
    for _ in range(runs):
        visits = simulated(random, quantities, VISITS + 1, **machine)
        before, after = visits[:, :VISITS], visits[:, VISITS]
        pooled = statistics.pooled_variance(before) if pool else None
        ends = np.array([statistics.revisit_interval(medians, pooled) for medians in before])
        held += list((ends[:, 0] <= after) & (after <= ends[:, 1]))
        widths += list(np.log(ends[:, 1] / ends[:, 0]))
    return np.mean(held), np.median(widths)


@pytest.mark.parametrize("uneven", [0.0, 0.5, 1.0])
def test_the_interval_holds_the_next_visit_as_often_as_it_says(uneven):
    """Whether quantities vary alike or by factors; 2400 intervals, so 0.995 is known to 0.0015."""
    share, width = coverage(np.random.default_rng(1), pool=True, uneven=uneven)
    assert CONFIDENCE - 0.005 < share < CONFIDENCE + 0.003
    alone, wider = coverage(np.random.default_rng(1), pool=False, uneven=uneven)
    assert alone == pytest.approx(CONFIDENCE, abs=0.003) and width < 0.7 * wider


def test_the_pooled_variance_is_that_of_the_simulated_machine():
    random = np.random.default_rng(2)
    alike = statistics.pooled_variance(simulated(random, 2000, VISITS, spread=0.05, uneven=0))
    assert math.sqrt(alike.variance) == pytest.approx(0.05, rel=0.05) and alike.degrees > 15
    uneven = statistics.pooled_variance(simulated(random, 2000, VISITS, spread=0.05, uneven=1))
    assert uneven.degrees < 4 and uneven.quantities == 2000
    # Scaled inverse chi-squared variances are what the method assumes: it finds their parameters.
    variances = 0.01 * 6 / random.chisquare(6, 4000)
    visits = np.exp(random.normal(size=(4000, 5)) * np.sqrt(variances)[:, None])
    result = statistics.pooled_variance(visits)
    assert result.degrees == pytest.approx(6, rel=0.1)
    assert result.variance == pytest.approx(0.01, rel=0.05)


def test_quantities_may_have_different_numbers_of_visits():
    random = np.random.default_rng(3)
    visits = [simulated(random, 1, 2 + n % 3, uneven=0)[0] for n in range(600)]
    result = statistics.pooled_variance(visits)
    assert math.sqrt(result.variance) == pytest.approx(0.05, rel=0.1)


def test_a_variance_that_follows_the_spread_inside_visits_is_found_and_used():
    """Of quantities from exact to coarse: without it the exact ones take the others' variance."""
    random = np.random.default_rng(5)
    spreads = np.exp(random.uniform(math.log(1e-5), math.log(0.1), size=300))
    noise = random.normal(size=(300, VISITS)) * np.exp(0.3 * random.normal(size=300))[:, None]
    visits = 100 * np.exp(0.5 * spreads[:, None] * noise)
    result = statistics.pooled_variance(visits, spreads)
    assert result.slope == pytest.approx(1, abs=0.1) and result.degrees > 4
    assert result.typical_spread == pytest.approx(1e-3, rel=0.3)
    exact = int(spreads.argmin())
    low, high = statistics.revisit_interval(visits[exact], result, spread=spreads[exact])
    assert 0 < high - low < 0.02
    without = statistics.pooled_variance(visits)
    assert without.slope == 0 and without.degrees < 1
    assert without.expected(spreads[exact]) > 100 * result.expected(spreads[exact])


def test_few_companions_pool_nothing():
    random = np.random.default_rng(4)
    assert statistics.pooled_variance(simulated(random, 7, VISITS)) is None
    assert statistics.pooled_variance(simulated(random, 8, VISITS)).quantities == 8
    unlike = [[5.0, 5.0, 5.0], [1.0], [-1.0, 2.0, 3.0], [0.0, 1.0, 2.0]]  # none of them counts
    assert statistics.pooled_variance([*simulated(random, 7, VISITS), *unlike]) is None


def test_alone_it_is_students_t_on_logarithms():
    low, high = statistics.revisit_interval([90, 100, 110], None, 0.95)
    logs = np.log([90, 100, 110])
    reach = 4.302653 * logs.std(ddof=1) * math.sqrt(4 / 3)  # t, two degrees of freedom
    assert (low, high) == pytest.approx(
        (math.exp(logs.mean() - reach), math.exp(logs.mean() + reach))
    )


def test_what_is_not_positive_stays_on_its_own_scale_and_out_of_the_pool():
    pooled = statistics.PooledVariance(0.01, 10, 50)
    low, high = statistics.revisit_interval([-1, 0, 1], pooled, 0.95)
    assert (low, high) == pytest.approx((-4.302653 * math.sqrt(4 / 3), 4.302653 * math.sqrt(4 / 3)))


def test_a_summary_over_visits_keeps_its_median_and_holds_it():
    processes = [[value] * 3 for value in (100, 101, 99, 100, 102, 98, 200, 201, 199)]
    summary = statistics.summarise(processes, [1, 1, 1, 2, 2, 2, 5, 5, 5])
    assert summary.visit_medians == (100, 100, 200)
    sure = statistics.PooledVariance(1e-6, math.inf, 50)
    over = summary.over_visits(sure)
    assert over.median == summary.median == 100
    assert over.interval.low == 100  # beside the visits' mean, 126
    assert (summary.interval.kind, over.interval.kind) == ("median", "next visit")
    result = statistics.summarise(processes)
    assert result.visit_medians == (101,) and result.over_visits(sure) == result


def test_visits_count_alike_however_many_processes_they_have():
    """As a system call's: a bad second of the first visit, which had most of the processes."""
    processes = [[193.0] * 3] * 20 + [[139.6] * 3] * 12
    summary = statistics.summarise(processes, [1] * 20 + [2] * 6 + [3] * 6)
    assert summary.median == 139.6 and summary.visit_medians == (193, 139.6, 139.6)


def test_the_method_page_prints_what_the_estimators_do_to_the_recorded_visits():
    """And the one in use is not outvoted by one slow visit."""
    out = output_of(sys.executable, ROOT / "tools/drift/estimators.py", cwd=ROOT)
    results = re.findall(
        r"^(.+?) +off by (.+?); beyond 10 %: (.+?) of \d+;.* off by (.+)$", out, re.M
    )
    rows = re.findall(
        r"^\| \**(\d visits.*?)\** \| \**(.+?)\** \| \**(.+?)\** \| \**(.+?)\** \|$",
        (ROOT / "book/method.md").read_text(),
        re.M,
    )
    assert len(results) == 4 and rows == results
    slowed = [float(row[-1].split()[0]) for row in rows]
    assert slowed[-1] == min(slowed) < slowed[0] / 4


def test_one_visit_far_off_does_not_put_the_ends_far_beyond_all_processes():
    pooled = statistics.PooledVariance(1e-4, 4, 50)
    visits, extremes = (100, 101, 10_000), (98, 10_300)
    low, high = statistics.revisit_interval(visits, pooled)
    assert low < 98 / 10 and high > 10 * 10_300
    low, high = statistics.revisit_interval(visits, pooled, extremes=extremes)
    reach = pooled.reach(math.nan, len(visits), CONFIDENCE)
    assert (low, high) == pytest.approx((98 * math.exp(-reach), 10_300 * math.exp(reach)))
    assert 0.03 < reach < 0.035
    steady, extremes = (100, 101, 102), (90, 112)
    free = statistics.revisit_interval(steady, pooled)
    assert statistics.revisit_interval(steady, pooled, extremes=extremes) == free


def test_without_a_known_spread_no_end_lies_beyond_what_the_visits_alone_give():
    """A full link: five visits of two processes within 0.1 %, where others vary by 2 %."""
    pooled = statistics.PooledVariance(4e-4, 4, 50)
    full = (965.0, 965.2, 965.4, 965.6, 966.0)
    alone = statistics.revisit_interval(full, None, 0.999)
    assert statistics.revisit_interval(full, pooled) == pytest.approx(alone)
    assert 960 < alone[0] < alone[1] < 970
    low, high = statistics.revisit_interval(full, pooled, spread=0.02)  # scatters in each visit
    assert low < 950 and high > 980
    two = statistics.revisit_interval(full[:2], pooled)
    assert two[1] / two[0] < 1.3  # two visits alone give no bound


def test_one_process_below_zero_leaves_the_lower_end_where_the_visits_put_it():
    """A difference of two times: one process came out at -14 us, the visits at 1 us."""
    pooled = statistics.PooledVariance(1e-4, 4, 50)
    visits = (1.047e-6, 1.046e-6, 1.007e-6)
    free = statistics.revisit_interval(visits, pooled)
    bounded = statistics.revisit_interval(visits, pooled, extremes=(-14e-6, 1.1e-6))
    assert bounded == free and 0 < free[0] < 1e-6


def test_visits_that_differ_are_no_drift():
    steady = [[100.0 + step] * 3 for step in range(0, 24, 2)]
    assert "drift" in [warning.kind for warning in statistics.summarise(steady).warnings]
    visits = [1] * 4 + [2] * 4 + [3] * 4
    warnings = statistics.summarise(steady, visits).warnings
    assert "drift" not in [warning.kind for warning in warnings]


def test_alike_quantities_are_rarely_shown_to_differ_visit_by_visit():
    pairs = np.random.default_rng(1).normal(100, 1, (2_000, 2, VISITS))
    assert sum(abs(statistics.apart_in_visits(*pair)) for pair in pairs.tolist()) < 20


def test_the_method_page_prints_the_coverage_that_tools_drift_gives():
    """And the interval in use holds at least 90 % of re-measurements at 1.5 times the oracle's width."""
    script = [sys.executable, ROOT / "tools/drift/coverage.py"]
    out = output_of(*script, cwd=ROOT)
    results = re.findall(r"^(.+?) +holds +([\d.]+) % of \d+; ([\d.]+) times", out, re.M)
    measured = {name: (share, width) for name, share, width in results}
    table = re.findall(
        r"^\| \**(.+?)\** \| \**([\d.]+) %\** \| \**([\d.]+)\** \|$",
        (ROOT / "book/method.md").read_text(),
        re.M,
    )
    level = f"nominal {100 * CONFIDENCE:g} %"
    used = f"5 visits, pooled by spread, bounded, {level}"
    others = ["today: processes of one visit", "5 visits, alone, nominal 95 %"]
    names = [*others, f"5 visits, pooled, {level}", used]
    assert [(share, width) for _, share, width in table] == [measured[name] for name in names]
    assert float(measured[used][0]) >= 90 and float(measured[used][1]) <= 1.5


def test_the_pages_print_the_numbers_of_changes_that_tools_drift_gives():
    measured = json.loads((ROOT / "tools/drift/changes.json").read_text())
    unchanged, checked = measured["unchanged"], measured["checked"]
    eleven, six = (series["later_visits"] for series in (unchanged, checked))
    shares = [f"{100 * later['held'] / later['pairs']:.1f} %" for later in (eleven, six)]
    counts = (eleven["pairs"], six["pairs"], unchanged["comparisons"], checked["comparisons"])
    text = " ".join((ROOT / "book/method.md").read_text().split())
    numbers = [*shares, *(f"{count:,}" for count in counts)]
    assert [number for number in numbers if number not in text] == []
    assert f"{shares[1]} and {shares[0]}" in (ROOT / "notebooks/summary.ipynb").read_text()
    # What the pages say of them in words.
    assert all(later["held"] / later["pairs"] > 0.9 for later in (eleven, six))
    assert len([*filter(None, unchanged["named_in_each_pair"])]) == 1  # all in one pair
    assert not any(checked["named_in_each_pair"])
    changed = measured["changed"].values()
    assert all(set(change["affected"]) == set(change["named"]) for change in changed)

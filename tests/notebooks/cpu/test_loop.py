"""What the chapter cpu/loop concludes of made-up results: the names of its findings."""

import numpy as np
from helpers import made_up
from helpers.findings import CYCLE_NS, GIVEN_CLOCK, cycles, names, with_more_processes

from reckon.book import contents
from reckon.prediction.inputs import guess

LOOP = contents.findings_of("cpu/loop")


def test_the_faster_of_two_groups_is_the_core_s_pace():
    """Half of the processes at half a cycle, half at 1.1: their middle is near one cycle."""
    o2 = with_more_processes(cycles("cpu/loop/o2", 0.5), cycles("cpu/loop/o2", 1.1, seed=2), 0)
    assert names(LOOP.one_cycle(o2, GIVEN_CLOCK)) == {"additions folded", "two groups"}
    assert LOOP.answer(o2, GIVEN_CLOCK).name == "round folded"


def test_slow_visits_are_a_busy_sibling_s():
    o2 = with_more_processes(cycles("cpu/loop/o2", 1), cycles("cpu/loop/o2", 1.9, seed=2))
    found = names(LOOP.one_cycle(o2, GIVEN_CLOCK))
    assert found == {"one cycle", "a busy sibling in some visits"}


def test_an_interval_around_one_cycle_that_is_wide_says_nothing():
    o2 = cycles("cpu/loop/o2", 0.7, processes=2)
    for more in (0.75, 0.8, 0.85, 0.9, 1, 1.1):
        with_more_processes(o2, cycles("cpu/loop/o2", more, processes=2), 0)
    assert names(LOOP.one_cycle(o2, GIVEN_CLOCK)) == {"one cycle or not"}


def test_a_loop_minds_its_place_by_its_faster_processes():
    """Most of the processes across two lines were slowed to 1.9 cycles."""
    o2, slowed = cycles("cpu/loop/o2", 1), cycles("cpu/loop/o2_across_lines", 1.9, seed=2)
    across = cycles("cpu/loop/o2_across_lines", 1, processes=5, seed=3)
    assert names(LOOP.place(with_more_processes(across, slowed), o2)) == {"does not mind"}
    across = cycles("cpu/loop/o2_across_lines", 2, seed=3)
    assert names(LOOP.place(across, o2)) == {"minds its place"}


def with_clocks(result, hz, ticks=None):
    """The result with two processes in each of that many visits, at these clocks beside them."""
    of_visits = [process for process in result.measurement.points[0].processes[: 2 * len(hz)]]
    for number, process in enumerate(of_visits):
        at = hz[number // 2]
        process.visit, process.ticks = (
            number // 2,
            [round(ticks[number // 2] if ticks else 3333)] * 10,
        )
        process.cycles_per_tick_before = process.cycles_per_tick_after = at
    result.measurement.points[0].processes = of_visits
    return result


def test_a_clock_that_was_disturbed_beside_a_steady_loop_leaves_its_cycles_known():
    o2 = with_clocks(cycles("cpu/loop/o2", 1, processes=10), [2.7, 2.8, 3, 3, 3])
    assert names(LOOP.one_cycle(o2, GIVEN_CLOCK)) == {"one cycle", "clock disturbed"}
    assert (
        "In 2 of 5 visits" in LOOP.disturbed_clocks(o2)[0]
        and "10 % off" in LOOP.disturbed_clocks(o2)[0]
    )


def test_a_clock_that_the_loop_follows_was_not_disturbed():
    hz = [2.7, 2.8, 3, 3, 3]
    followed = with_clocks(
        cycles("cpu/loop/o2", 1, processes=10), hz, [10_000 / each for each in hz]
    )
    assert names(LOOP.one_cycle(followed, GIVEN_CLOCK)) == {"one cycle"}
    assert LOOP.answer(followed, GIVEN_CLOCK).name == "round's cycles"


def test_forwarding_is_what_a_counter_in_memory_takes_beyond_its_addition():
    free, waits = (cycles("cpu/loop/counter_in_memory", each) for each in (1, 5))
    assert LOOP.forwarding_seen(free).name == "no forwarding"
    assert LOOP.forwarding_seen(waits).name == "forwarding"


def test_a_guessed_width_explains_no_round():
    chain, o0 = cycles("cpu/loop/counter_in_memory", 1), cycles("cpu/loop/o0", 1.4)
    width = guess(3, "1/cycle", "made up", low=1.5, high=6)
    found = LOOP.unoptimised_round(chain, o0, width)
    assert "width fits" in names(found) and "chain explains" not in names(found)
    assert found[-1].strength == "consistent with"


def test_the_measured_chain_explains_a_round_as_long():
    chain, o0 = cycles("cpu/loop/counter_in_memory", 5), cycles("cpu/loop/o0", 5.1)
    width = guess(3, "1/cycle", "made up", low=1.5, high=6)
    assert "chain explains" in names(LOOP.unoptimised_round(chain, o0, width))


def whole(bend):
    """A whole loop of half a cycle a round, beyond 25 rounds with that number of cycles more."""
    rounds = np.arange(0, 51, 5)
    in_ns = (1 + 0.5 * rounds + bend * (rounds > 25)) * CYCLE_NS
    result = made_up.curve("cpu/loop/o0_whole", rounds, in_ns, "ns", "1", predicted=0.1 * rounds)
    for point in result.points:
        for process in point.processes:
            process.ticks = [round(np.median(process.ticks))] * len(process.ticks)
    return result


def test_the_slope_over_a_bend_is_no_round():
    o0 = cycles("cpu/loop/o0", 1.4)
    bent, straight = whole(60), whole(0)
    assert LOOP.slope(bent, "unoptimised").name == "no straight line"
    assert LOOP.slope(straight, "unoptimised").name == "slope"
    assert LOOP.unoptimised_elsewhere(cycles("cpu/loop/o0", 0.5), bent).name == "unoptimised unsure"
    assert LOOP.unoptimised_elsewhere(o0, straight).name == "for its program alone"
    assert LOOP.missed_slope(bent) == ""
    assert "one value of a round" in names(LOOP.a_round(o0, bent, o0, bent))


def test_points_below_their_rounds_show_that_loops_overlap_although_they_bend():
    """From 30 rounds on the whole loop takes what its rounds take in the long loop; below, a third."""
    o0, bent = cycles("cpu/loop/o0", 1.5), whole(50)
    (why,) = LOOP.why_two_values(o0, bent)
    assert why.name == "loops overlap" and "of 5, 10, 15, 20 and 25 rounds" in why
    elsewhere = LOOP.unoptimised_elsewhere(o0, bent)
    assert elsewhere.name == "for its program alone" and "25 unoptimised rounds" in elsewhere
    assert LOOP.why_two_values(cycles("cpu/loop/o0", 0.5), bent) == []


def test_points_that_are_off_are_named_where_the_median_is_not():
    o0, bent = cycles("cpu/loop/o0", 1.5), whole(50)
    rounds = bent.axis_in_unit
    bent.seal.predicted = np.where(rounds < 20, 3, 1) * bent.medians
    found = LOOP.missed_points(bent, o0)
    assert "at 0, 5, 10 and 15 rounds, 0.333 times" in found and found.strength == "consistent with"
    bent.seal.predicted = np.where(rounds > 40, 3, 1) * bent.medians
    assert LOOP.missed_points(bent, o0).strength == "not explained"


def test_a_slope_that_does_not_differ_shows_no_other_cost():
    o0 = cycles("cpu/loop/o0", 0.5)
    assert LOOP.unoptimised_elsewhere(o0, whole(0)).name == "unoptimised alike"


def test_a_chain_explains_no_round_whose_interval_is_wide():
    """The chain takes 94 % of the round's median; its processes run from 1 to 1.5 cycles."""
    chain, o0 = cycles("cpu/loop/counter_in_memory", 1), cycles("cpu/loop/o0", 1, processes=3)
    for more in (1.06, 1.07, 1.2, 1.35, 1.5):
        with_more_processes(o0, cycles("cpu/loop/o0", more, processes=1), 0)
    width = guess(3, "1/cycle", "made up", low=1.5, high=6)
    found = LOOP.unoptimised_round(chain, o0, width)
    assert "chain or not" in names(found) and "chain explains" not in names(found)


def test_a_chain_of_the_faster_group_says_so():
    chain, o0 = cycles("cpu/loop/counter_in_memory", 1), cycles("cpu/loop/o0", 1.02)
    with_more_processes(o0, cycles("cpu/loop/o0", 1.5, seed=2), 0)
    width = guess(3, "1/cycle", "made up", low=1.5, high=6)
    found = LOOP.unoptimised_round(chain, o0, width)
    assert "faster of its two groups" in found[-1]


def test_loops_whose_intervals_overlap_show_no_effect_of_the_place():
    o2 = cycles("cpu/loop/o2", 1)
    alike, apart = (cycles("cpu/loop/o2_across_lines", n, seed=2) for n in (1.001, 1.5))
    assert "no effect of the place" in LOOP.a_line_above(o2, alike)[1]
    assert "explains a part at most" in LOOP.a_line_above(o2, apart)[1]


def test_loops_whose_two_spreads_disagree_do_not_vary_alike():
    """Both run from one cycle to two: half of the unoptimised trials, a few of the optimised."""
    o0, o2 = cycles("cpu/loop/o0", 1), cycles("cpu/loop/o2", 1)
    for result, slow in ((o0, 5), (o2, 1)):
        for process in result.measurement.points[0].processes:
            process.ticks = [3000] * (10 - slow) + [6000] * slow
    found = LOOP.variation(o0, o2)
    assert found.name == "both vary" and "alike" not in found and "35 % and 29 %" in found


def test_many_trials_of_a_single_round_are_off_by_more_than_their_scatter():
    single, o0 = cycles("cpu/loop/t470", 100), cycles("cpu/loop/o0", 1)
    assert LOOP.single_round(single, o0).name == "round not alone"
    assert LOOP.single_round(cycles("cpu/loop/t470", 1, seed=2), o0).name == "round shows"


def test_steps_of_the_counter_do_not_hide_how_far_a_single_round_is_off():
    """Its readings are 0 and 10 ns, few of them 10, so the median is 0; a round takes 3 ns."""
    o0 = cycles("cpu/loop/o0", 9)
    for share, name in ((1, "round not alone"), (3, "round shows")):
        single = cycles("cpu/loop/t470", 9)
        for process in single.measurement.points[0].processes:
            process.ops, process.ticks = 1, [10] * share + [0] * (10 - share)
        assert LOOP.single_round(single, o0).name == name

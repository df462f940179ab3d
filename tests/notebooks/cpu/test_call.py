"""What the chapter cpu/call concludes of made-up results: the names of its findings."""

import numpy as np
from helpers import made_up
from helpers.findings import GIVEN_CLOCK, cycles

from reckon import records
from reckon.book import contents
from reckon.prediction.inputs import guess

CALL = contents.findings_of("cpu/call")


def with_arguments(times_ns, predicted_each=0.2, processes=8):
    predicted = 1 + predicted_each * np.arange(8)
    return made_up.curve(
        "cpu/call/o2", np.arange(8), times_ns, "ns", "1", predicted, processes=processes
    )


def test_an_argument_that_takes_time_off_is_not_explained():
    falling = with_arguments(2 - 0.1 * np.arange(8))
    found = CALL.each_argument(falling, "Optimised", GIVEN_CLOCK)
    assert found.name == "argument takes off" and found.strength == "not explained"
    assert CALL.overlapping(falling, falling) == []


def test_a_seventh_argument_costs_more_only_where_the_intervals_are_apart():
    steps = 1 + 0.01 * np.arange(8)
    steps[7] += 0.2
    few, many = (with_arguments(steps, processes=count) for count in (2, 12))
    assert CALL.seventh(few, "Optimised", GIVEN_CLOCK).name != "seventh costs more"
    assert CALL.seventh(many, "Optimised", GIVEN_CLOCK).name == "seventh costs more"


def test_a_call_that_takes_longer_than_a_store_and_a_load_does_not_tell():
    waits = CALL._no_wait_for_the_return
    assert waits(3.2, 4.5).name == "return not awaited"
    assert waits(7.0, 4.5).name == "return unclear"


def test_where_forwarding_is_free_or_unknown_a_fast_call_proves_nothing():
    for forwarding in (0.01, np.nan):
        waits = CALL._no_wait_for_the_return(3.2, forwarding)
        assert waits.name == "return unclear" and "nan" not in waits
    assert "takes no measurable time" in CALL._no_wait_for_the_return(3.2, 0.01)


def test_the_jumps_take_at_most_what_the_fastest_call_takes():
    falling = with_arguments(2 - 0.1 * np.arange(8))
    jumps, a_round = (
        guess(value, unit, "made up", low=0, high=9) for value, unit in ((3, "cycle"), (1, "ns"))
    )
    found = CALL.two_jumps(falling, jumps, a_round, None, GIVEN_CLOCK)
    assert "take that at most, 1.9" in found[0]  # 1.3 ns are 3.9 cycles, of two jumps
    assert "for each jump, where 1.50 were guessed" in found[0]


def test_the_answer_is_of_the_call_without_arguments_at_the_sealed_clock():
    falling = with_arguments(2 - 0.1 * np.arange(8))
    falling.seal.inputs.append(
        records.InputRecord(
            name="clock", origin="measured", value=2e9, unit="GHz", source="made up"
        )
    )
    assert "It takes 4.0" in CALL.answer(falling, guess(3, "cycle", "made up", low=0, high=9))


def test_points_that_scatter_show_no_slope():
    scattered = with_arguments(1 + 0.3 * (np.arange(8) % 2))
    assert CALL.overlapping(scattered, scattered) == []
    assert CALL.off_slope(scattered, 0.1).name == "slope of scatter"
    flat = with_arguments(np.ones(8))
    assert CALL.off_slope(flat, 0.1).name == "moves overlap"


def test_points_off_the_line_do_not_say_in_a_caption_what_an_argument_adds():
    scattered, flat = with_arguments(1 + 0.3 * (np.arange(8) % 2)), with_arguments(np.ones(8))
    assert CALL.curves(scattered, flat, GIVEN_CLOCK).name == "no straight line"
    assert CALL.curves(flat, flat, GIVEN_CLOCK).name == "what an argument adds"


def test_a_residual_is_a_share_of_the_call_that_it_belongs_to():
    call = with_arguments([2, 2, 2, 2, 2, 2, 0.5, 2])
    off = abs(call.line.residuals[6]) / call.medians[6]
    assert CALL.largest_residual(call) == off
    assert "at 6 of the 7" in CALL.straight(call, "Optimised:")


def test_a_falling_line_is_not_extended():
    falling, rising = (with_arguments(2 + each * np.arange(8)) for each in (-0.1, 0.2))
    solution = CALL.twenty_arguments(falling, rising)[1]
    assert "Not the optimised one" in solution and "unoptimised one" not in solution


def test_a_round_is_subtracted_too_often_only_where_a_single_one_shows_more():
    low, o0 = with_arguments(np.full(8, 0.1)), with_arguments(np.ones(8))
    loops = {"t470": cycles("cpu/loop/t470", 9), "o0": cycles("cpu/loop/o0", 1)}
    assert CALL.loop_subtracted(low, o0, loops).name == "too much subtracted"
    assert CALL.loop_subtracted(low, o0, {}).name == "loop subtracted"

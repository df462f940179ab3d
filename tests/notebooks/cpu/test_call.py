"""What the chapter cpu/call concludes of made-up results: the names of its findings."""

import numpy as np
from helpers import made_up
from helpers.findings import GIVEN_CLOCK, cycles

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
    assert "the one with 7 arguments, takes 3.9" in found[0]  # 1.3 ns are 3.9 cycles
    assert "or 1.9" in found[0] and "1.50 each were guessed" in found[0]


def test_the_answer_has_the_cycles_of_the_questions_and_the_table():
    falling = with_arguments(2 - 0.1 * np.arange(8))
    cycles = f"{CALL.cycles_without_arguments(falling):.2f}"
    assert f"takes {cycles} cycles" in CALL.answer(
        falling, guess(3, "cycle", "made up", low=0, high=9)
    )


def test_points_that_scatter_show_no_slope():
    scattered = with_arguments(1 + 0.3 * (np.arange(8) % 2))
    assert CALL.overlapping(scattered, scattered) == []
    assert CALL.missed_slope(scattered, "Optimised") == ""
    flat = with_arguments(np.ones(8))
    assert CALL.missed_slope(flat, "Optimised").name == "moves overlap"


def test_points_off_the_line_do_not_say_in_a_caption_what_an_argument_adds():
    scattered, flat = with_arguments(1 + 0.3 * (np.arange(8) % 2)), with_arguments(np.ones(8))
    caption = CALL.curves(scattered, flat, GIVEN_CLOCK)
    assert caption.name == "no straight line" and "the optimised one does not" in caption
    assert CALL.curves(flat, flat, GIVEN_CLOCK).name == "what an argument adds"


def test_a_rise_of_which_one_step_is_the_most_is_no_line():
    """The calls rise by a quarter, most of it with the sixth argument, and lie within 5 % of a line."""
    call = with_arguments([1.62, 1.63, 1.67, 1.73, 1.75, 1.78, 2, 2], processes=200)
    assert (abs(call.line.residuals) / call.medians).max() < 0.05
    assert CALL.straight(call, "Optimised:").name == "not straight"
    found = CALL.each_argument(call, "Optimised,", GIVEN_CLOCK)
    assert found.name == "no one number" and "argument 6 alone by 0.2" in found
    assert CALL.seventh(call, "Optimised,", GIVEN_CLOCK).name == "seventh like others"


def test_a_jump_before_the_seventh_argument_does_not_hide_it():
    times = [1, 1, 1, 1.3, 1.3, 1.3, 1.3, 1.6]
    found = CALL.seventh(with_arguments(times, processes=50), "Optimised,", GIVEN_CLOCK)
    assert found.name == "seventh unclear" and "too" in found


def test_a_falling_line_is_not_extended():
    falling, rising = (with_arguments(2 + each * np.arange(8)) for each in (-0.1, 0.2))
    solution = CALL.twenty_arguments(falling, rising)[1]
    assert (
        "The optimised points lie on no rising" in solution and "unoptimised line gives" in solution
    )


def test_a_round_is_subtracted_too_often_only_where_a_single_one_shows_more():
    low, o0 = with_arguments(np.full(8, 0.1)), with_arguments(np.ones(8))
    loops = {"t470": cycles("cpu/loop/t470", 9), "o0": cycles("cpu/loop/o0", 1)}
    assert CALL.loop_subtracted(low, o0, loops).name == "too much subtracted"
    assert CALL.loop_subtracted(low, o0, {}).name == "loop subtracted"

"""What a method does to a value, case by case."""

import pytest

from reckon.book import contents
from reckon.comparison.reports.method_groups import Ratio


def ratio(middle, low, high, rounds=6):
    return Ratio(middle, low=low, high=high, minimum=low, maximum=high, rounds=rounds)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ratio(2, 1.9, 2.1), "gives 2.00 (1.90 to 2.10) times Reckon's value"),
        (ratio(1.01, 0.99, 1.03), "makes no difference here (within 3.0 %)"),
        (
            ratio(1.04, 1.01, 1.08),
            "gives 1.04 (1.01 to 1.08) times Reckon's value; the difference may be less than 5 %",
        ),
        (ratio(1.1, 0.9, 1.2), "makes no significant difference here (within 20 %)"),
        (
            ratio(1.1, 0.5, 2),
            "cannot be distinguished from Reckon's method here (0.500 to 2.00 times its value)",
        ),
        (
            Ratio(3, minimum=2.9, maximum=3.1, rounds=3),
            "gives 3.00 (2.90 to 3.10) times Reckon's value in 3 rounds, too few to exclude chance",
        ),
        (
            Ratio(3, minimum=3, maximum=3, rounds=1),
            "was not measured in enough rounds here (3.00 times Reckon's value (in a single round))",
        ),
        (
            Ratio(3),
            "is not shown to differ from Reckon's (3.00 times its value from the pages' values)",
        ),
        (
            Ratio(3, is_apart=True),
            "gives 3.00 times Reckon's value from the pages' values, whose intervals do not overlap",
        ),
        (
            Ratio(1.1),
            "is not shown to differ from Reckon's (1.10 times its value from the pages' values)",
        ),
    ],
)
def test_what_a_method_does_to_a_value(value, words):
    assert contents.findings_of("methods").effect(value) == words

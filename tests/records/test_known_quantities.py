"""A misspelt quantity and one that is not measured yet are reported differently."""

import pytest

from reckon.prediction.expression import PredictionError
from reckon.records.known_quantities import refuse_unknown
from reckon.records.lookup import all_results


def test_every_quantity_of_the_book_is_known_before_it_is_measured(recorded, folders):
    for result in all_results("recorded"):
        refuse_unknown("empty", result.quantity)


@pytest.mark.parametrize("run", ["recorded", "empty"])
def test_a_misspelt_one_is_refused_and_the_nearest_named(run, recorded):
    for quantity, nearest in (("cpu/clock/cor", "core"), ("cpu/clok/core", "cpu/clock")):
        with pytest.raises(PredictionError, match=f"did you mean {nearest}"):
            refuse_unknown(run, quantity)

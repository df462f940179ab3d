"""What a notebook shows of a prediction whose cell has just run."""

from types import SimpleNamespace

from reckon.edits.tried_predictions import Tried


def test_a_measured_input_that_moved_since_it_was_recorded_changes_no_value():
    recorded = SimpleNamespace(predicted=[64.6e-9])
    result = SimpleNamespace(current=recorded, unit="ns")
    today = SimpleNamespace(predicted=65.1e-9, unit="ns")
    assert Tried(today, result).predicted == "64.6 ns"

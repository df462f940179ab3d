"""Values that are computed from another quantity's samples, as a record holds them."""

import pytest
from helpers import made_up

from reckon import records
from reckon.records.quantities.derived import (
    derived_measurement,
    derived_process,
    underived_measurement,
)
from reckon.records.run_files.unit_conversion import values_of


@pytest.fixture
def source():
    return made_up.curve("test/curve", [1024, 2048], [10, 20]).measurement


def test_a_derived_value_has_the_conditions_of_its_process_and_no_time(source):
    process = source.points[-1].processes[0]
    process.chain_ticks = process.wide_ticks = [0.5] * len(process.ticks)
    measurement = derived_measurement(
        source, "byte", "computed", [derived_process(process, 4096.4)]
    )
    (point,) = measurement.points
    assert measurement.is_derived and measurement.axis is None and measurement.visits == []
    assert [[*values_of(process, measurement, "MiB", "plain")] for process in point.processes] == [
        [4096]
    ]
    assert point.processes[0].chain_ticks is None and point.processes[0].wide_ticks is None
    same = set(records.Process.model_fields)
    same -= {"ticks", "ops", "chain_ticks", "wide_ticks", "visit"}
    assert point.processes[0].model_dump(include=same) == process.model_dump(include=same)


def test_a_value_that_could_not_be_computed_has_a_reason_and_no_point(source):
    measurement = underived_measurement(source, "byte", "computed", "failed", "it broke")
    assert (measurement.state, measurement.reason, measurement.points) == ("failed", "it broke", [])

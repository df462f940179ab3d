"""Values of one quantity that stand in two places, and which of them do not agree."""

import numpy as np
import pytest
from helpers import made_up
from helpers.project import RECORDED

from reckon import records
from reckon.book import contents
from reckon.comparison.reports import method_groups
from reckon.measurement.same_quantity import disagreements
from reckon.records.quantities.lookup import results_of

DISAGREEMENTS = contents.findings_of("methods_disagreements")
PROBE = "cpu/made/probe"


def value(name, ns, visits=(1.0,), **params):
    """A quantity of the probe `PROBE`; each of `visits` is the value of a visit over `ns`."""
    result = made_up.single(f"cpu/made/{name}", ns, "ns", processes=8 * len(visits))
    result.measurement.probe = PROBE
    point = result.points[0]
    point.params.update(params)
    for k, process in enumerate(point.processes):
        process.visit = k // 8 + 1
        process.ticks = [round(t * visits[k // 8]) for t in process.ticks]
    return result


def pairs(*results):
    return [
        (pair.first.result.quantity, pair.second.result.quantity) for pair in disagreements(results)
    ]


def test_the_recorded_run_names_the_faults_that_an_engineer_found():
    run = RECORDED / "recorded"
    found = disagreements(results_of(run, records.experiments(run), samples=False))
    named = {(pair.first.result.quantity, pair.second.result.quantity) for pair in found}
    assert {
        ("memory/fault/anonymous", "memory/fault/anonymous_each"),
        ("memory/fault/minor", "methods/memory/fault/minor"),
        ("memory/fault/hpe_i7_860_memory", "methods/memory/fault/hpe_i7_860_memory"),
    } <= named
    assert [pair.factor for pair in found] == sorted((p.factor for p in found), reverse=True)


def test_values_that_agree_are_not_named():
    assert pairs(value("a", 100), value("b", 101)) == []


def test_the_same_probe_with_the_same_parameters_is_one_quantity():
    a, b = value("a", 100, calls=10), value("b", 120, calls=10)
    assert pairs(a, b) == [("cpu/made/a", "cpu/made/b")]
    assert pairs(a, value("b", 120, calls=11)) == []
    b.measurement.probe = "cpu/made/other"
    assert pairs(a, b) == []


@pytest.mark.parametrize(("size", "is_same"), [(1000, True), (1040, True), (1100, False)])
def test_a_size_of_a_curve_may_lie_beside_the_one_of_a_quantity(size, is_same):
    a, b = value("a", 100, size_bytes=1000), value("b", 120, size_bytes=size)
    assert bool(pairs(a, b)) == is_same


def test_a_parameter_that_was_not_given_is_the_default_of_the_probe():
    a, b = value("a", 100), value("b", 120, resident_bytes=0)
    c = value("c", 140, resident_bytes=1 << 20)
    for result in (a, b, c):
        result.measurement.probe = "cpu/task/fork"
    assert pairs(a, b, c) == [("cpu/made/a", "cpu/made/b")]


def test_points_of_one_curve_are_no_pair():
    curve = made_up.curve("cpu/made/curve", [1, 2], [100, 200])
    assert pairs(curve) == []


def test_what_is_listed_as_the_same_says_what_differs():
    same = method_groups.same_quantities()[0]
    a, b = (
        made_up.single(place.quantity, ns, "ns")
        for place, ns in zip(same.values, (100, 150), strict=True)
    )
    (pair,) = disagreements([a, b])
    assert pair.is_explained and pair.differs == same.differs
    text = DISAGREEMENTS.apart([a, b]).markdown
    assert f"times apart. What differs: {same.differs}." in text
    assert text.startswith("1 pair")


def test_every_listed_value_is_recorded():
    run = RECORDED / "recorded"
    by_name = {r.quantity: r for r in results_of(run, records.experiments(run), samples=False)}
    for same in method_groups.same_quantities():
        for place in same.values:
            result = by_name[place.quantity]
            assert not result.has_samples or result.point_index(place.at) is not None


def test_a_difference_that_visits_of_the_chapter_show_too_may_be_drift():
    a, b = value("a", 100), value("b", 115)
    (pair,) = disagreements([a, b])
    assert np.isnan(pair.drift) and not pair.is_explained
    assert (
        "does not show how much another visit would differ" in DISAGREEMENTS.apart([a, b]).markdown
    )

    drifting = value("c", 1000, (1.0, 1.3), calls=2)
    (pair,) = disagreements([a, b, drifting])
    assert pair.is_explained and pair.drift == pytest.approx(1.3, abs=0.05)
    assert "so this may be drift" in DISAGREEMENTS.apart([a, b, drifting]).markdown

    steady = value("c", 1000, (1.0, 1.05), calls=2)
    (pair,) = disagreements([a, b, steady])
    assert not pair.is_explained
    assert (
        "times; this difference is not explained." in DISAGREEMENTS.apart([a, b, steady]).markdown
    )


def test_an_interval_over_visits_holds_the_drift():
    a, b = value("a", 100, (1.0, 1.02, 0.99)), value("b", 200)
    drifting = value("c", 1000, (1.0, 9.0), calls=2)
    (pair,) = disagreements([a, b, drifting])
    assert not pair.is_explained
    text = DISAGREEMENTS.apart([a, b, drifting]).markdown
    assert "does not contain the other value; this is not explained." in text


def test_values_that_agree_are_said_to():
    assert DISAGREEMENTS.apart([value("a", 100), value("b", 101)]).markdown == (
        "All values of one quantity agree: their intervals overlap."
    )

"""Results made up from numbers, for tests of tables and figures."""

import numpy as np

from reckon import records, units
from reckon.comparison.two_runs import compare
from reckon.records.quantities.result import Result

# A trial covers this many loads or bytes; the counter ticks each nanosecond.
OPS, BYTES, TICK_HZ = 10_000, 10_000_000, 1e9


def process(value, unit, random):
    """Ten trials of a fresh process with 2 % of noise; a time for each load, or a rate of bytes."""
    around = value * random.normal(1, 0.02) * random.normal(1, 0.01, 10)
    if units.dimension(unit) == units.dimension("s"):
        ops, ticks = OPS, around * OPS * TICK_HZ
    else:
        ops, ticks = BYTES, BYTES * TICK_HZ / around
    return records.Process(
        ticks=[max(1, round(t)) for t in ticks],
        ops=ops,
        started_s=0.1,
        cpu=1,
        nice=0,
        policy=0,
        wall_ns=10**6,
        minor_faults=0,
        major_faults=0,
        voluntary_switches=0,
        involuntary_switches=0,
        migrations=0,
        steal_ms=0,
        cycles_per_tick_before=3.0,
        cycles_per_tick_after=3.0,
        seed=1,
    )


def curve(
    quantity, x, y, unit="ns", axis_unit="KiB", predicted=None, missing=(), processes=8, seed=1
):
    """A measured curve: `y` in `unit` at `x` in `axis_unit`, without the points of these indices."""
    random = np.random.default_rng(seed)
    x, y = (units.to_base(np.asarray(v, float), u) for v, u in ((x, axis_unit), (y, unit)))
    sealed = units.to_base(np.broadcast_to(1.0 if predicted is None else predicted, x.shape), unit)
    axis = records.InputRecord(
        name="size", origin="axis", value=x.tolist(), unit=axis_unit, source="made up"
    )
    seal = records.PredictionRecord(
        made_at=records.now(),
        unit=unit,
        kind="plain",
        hardware_tree=None,
        software_tree=None,
        predicted_tree=["const", 1.0],
        formula_id="1:0",
        inputs=[axis],
        hardware=None,
        software=None,
        predicted=sealed.tolist(),
    )
    points = [
        records.Point(
            x=at, params={}, processes=[], stopped="unsupported", reason="no memory for it"
        )
        if k in missing
        else records.Point(
            x=at,
            params={},
            stopped="precise",
            processes=[process(value, unit, random) for _ in range(processes)],
        )
        for k, (at, value) in enumerate(zip(x.tolist(), y, strict=True))
    ]
    measured = records.Measurement(
        probe=quantity,
        op="load" if units.dimension(unit) == units.dimension("s") else "byte",
        timed="made up",
        reports=[],
        axis="size",
        params={},
        samples=10,
        warmup=1,
        priority="nice",
        profile="quick",
        key="0",
        tick_hz=TICK_HZ,
        started_at=records.now(),
        seconds=1.0,
        state="measured",
        reason=None,
        points=points,
    )
    return Result(quantity, records.Quantity(predictions=[seal], measurement=measured), "measured")


def unmeasured(quantity, like):
    """The same prediction of a quantity that this machine cannot measure."""
    measured = like.measurement.model_copy(
        update={"state": "unsupported", "reason": "needs huge pages", "points": []}
    )
    quantity_record = records.Quantity(predictions=like.entry.predictions, measurement=measured)
    return Result(quantity, quantity_record, "unsupported", "needs huge pages")


def single(quantity, value, unit, processes=8, seed=1):
    """A quantity that is no curve, measured around `value` and predicted exactly."""
    result = curve(quantity, [1], [value], unit, processes=processes, seed=seed)
    result.measurement.axis = result.measurement.points[0].x = None
    result.seal.inputs = []
    result.seal.predicted = result.seal.hardware = float(units.to_base(value, unit))
    return result


def in_visits(result, values, unit="ns"):
    """Makes the processes of a result of as many visits as there are lists of values, one each."""
    processes = result.measurement.points[0].processes
    each = [(visit, value) for visit, of_visit in enumerate(values) for value in of_visit]
    for process, (visit, value) in zip(processes, each, strict=True):
        ticks = units.to_base(value, unit) * OPS * TICK_HZ
        process.visit, process.ticks = visit, [round(ticks)] * 10
    return result


def in_two_groups(result):
    """Adds processes to a result that take twice as long as those it has: two in five, all of one
    new visit."""
    measurement, (point,) = result.measurement, result.measurement.points
    fast = [process.model_copy(update={"visit": 0}) for process in point.processes]
    slow = [
        process.model_copy(update={"ticks": [2 * ticks for ticks in process.ticks]})
        for process in fast[: 2 * len(fast) // 3]
    ]
    point.processes[:], point.summary = fast + slow, None
    measurement.visits, measurement.statistics = [], None
    return result


def nothing(quantity, reason="this machine cannot"):
    """A quantity that could not be measured."""
    return Result(
        quantity, unmeasured(quantity, single(quantity, 1, "ns")).entry, "unsupported", reason
    )


NAMES = [f"cpu/made/q{i}" for i in range(20)]


def results(seed, factors=None, processes=8):
    """Twenty times, each with its own value; factors: {name: times as much as usual}."""
    return [
        single(
            name, 50 * (k + 1) * (factors or {}).get(name, 1), "ns", processes, seed=100 * seed + k
        )
        for k, name in enumerate(NAMES)
    ]


def run(name, results, identity="one machine", machine=None, fitness=(), **more):
    """A run with these results in the folder of runs."""
    opened = records.now()
    records.write_run(
        records.Run(
            name=name,
            identity=identity,
            opened_at=opened,
            machine=machine or {},
            fitness=list(fitness),
            **{"id": f"{name:0>32}", **more},
        )
    )
    experiments = {}
    for result in results:
        experiments.setdefault(result.quantity.rpartition("/")[0], {})[result.quantity] = (
            result.entry
        )
    for experiment, quantities in experiments.items():
        records.write_record(name, records.Record(experiment=experiment, quantities=quantities))


def compared(a, b, **how):
    """The comparison of two lists of results, as the runs `a` and `b`."""
    run("a", a)
    run("b", b)
    return compare("a", "b", **how)


def negate(result, processes=None):
    """Makes the first trials of a result negative; of `processes` processes, or of all."""
    for process in result.measurement.points[0].processes[:processes]:
        process.ticks[:] = [-tick for tick in process.ticks]

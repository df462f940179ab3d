"""Predictions of the probe test/chain, whose work is known, and what the run holds of them."""

import reckon as rk
from reckon import records
from reckon.records.session import current_session


def predict_chain(
    cycles=6400.0, quantity="test/chain", axis=None, kind="sum", source="counted", cite=None
):
    @rk.predict(quantity, unit="ns", kind=kind)
    def chain(cycles, clock):
        return cycles / clock, 0

    return chain(
        cycles=axis or rk.given(cycles, "cycle", source, cite=cite),
        clock=rk.guess(3, "GHz", "a clock", low=1, high=6),
    )


def predict_curve():
    @rk.predict("test/curve", unit="ns")
    def chain(instructions, clock):
        return instructions / clock, 0

    return chain(
        instructions=rk.axis((5120, 10240, 20480), "cycle", "length of the chain"),
        clock=rk.guess(3, "GHz", "a clock", low=1, high=6),
    )


def stored(quantity="test/chain"):
    return records.read_record(current_session().run.name, "test").quantities[quantity]

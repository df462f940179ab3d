"""Reckon predicts what this computer should do, then measures it.

What a notebook uses:
    rk.predict, rk.given, rk.machine, rk.measured, rk.guess             predictions and inputs
    rk.axis, rk.octaves                                                 the variable of a curve
    rk.measure, rk.measure_together, rk.by_profile                      measuring
    rk.measure_capacities                                               a capacity, found in a curve
    rk.measure_methods, rk.methods                                      every way of measuring, side by side
    rk.show, rk.draw, rk.overview, rk.say                               tables, figures, sentences
    rk.machines                                                         this run among other machines
    rk.published                                                        the reports, held against themselves
    rk.run(), rk.results()                                              what the run holds
    rk.other_host(), rk.nfs_server()                                    the other end of the network, of files

Some of these names are modules' names too, so modules import from one another by
`from .results import ...`, never by `from . import results`.
"""

from . import blocks, draw, machines, methods, overview, published, show
from .blocks import say
from .capacity import measure_capacities
from .measure import measure, measure_together
from .paired import measure_methods
from .predict import axis, given, guess, machine, measured, octaves, predict
from .results import Result, all_results
from .session import nfs_server, other_host, session
from .settings import ByProfile as by_profile
from .settings import ReckonError
from .units import amount, number


def run():
    """The run this notebook works on: its machine description and fitness."""
    return session().run


def results(experiment: str | None = None) -> list[Result]:
    """Every quantity that the run's records hold."""
    return all_results(run().name, experiment)


__all__ = [
    "ReckonError", "amount", "axis", "blocks", "by_profile", "draw", "given", "guess", "machine", "machines", "measure",
    "measure_capacities", "measure_methods", "measure_together", "measured", "methods", "nfs_server", "number", "octaves",
    "other_host", "overview", "predict", "published", "results", "run", "say", "show",
]  # fmt: skip

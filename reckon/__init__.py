"""Reckon predicts what this computer should do, then measures it.

What a notebook uses:
    rk.begin                                                    the profile and the run
    rk.predict                                                  a prediction, and its inputs:
    rk.given, rk.machine, rk.processor, rk.measured, rk.guess
    rk.axis, rk.octaves                                         the variable of a curve
    rk.measure, rk.measure_together, rk.by_profile              measuring
    rk.measure_capacities                                       a capacity, from a curve
    rk.measure_methods                                          all methods, side by side
    rk.keep, rk.reset                                           what was tried in JupyterLab
    rk.by_name, rk.title_of                                     results by their short names; titles
    rk.show, rk.draw, rk.blocks                                 tables, sentences and figures
    rk.front_page, rk.machine_page, rk.machines_page,           those of one page
    rk.methods_page, rk.reports_page, rk.summary_page,
    rk.text_summary
    rk.say, rk.sentence, rk.is_miss                             sentences, and their cases
    rk.literal, rk.why                                          text from outside, without markup
    rk.amount, rk.number, rk.plain, rk.percent,                 numbers in sentences
    rk.more_or_less, rk.percent_more_or_less
    rk.run(), rk.results()                                      what the run holds
    rk.parts()                                                  the parts of the book
    rk.other_host(), rk.nfs_server()                            the other end of network and files
"""

from reckon import config, interactive, show
from reckon.book.contents import parts
from reckon.config import ByProfile as by_profile
from reckon.config import ReckonError
from reckon.hosts.host_facts import nfs_server, other_host
from reckon.interactive import keep, reset
from reckon.measurement.capacity import measure_capacities
from reckon.measurement.side_by_side import measure_methods
from reckon.measurement.visit import measure, measure_together
from reckon.prediction.formula import predict
from reckon.prediction.inputs import axis, given, guess, octaves
from reckon.prediction.ratios import is_miss
from reckon.presentation import block as blocks
from reckon.presentation import figures as draw
from reckon.presentation import (
    front_page,
    machine_page,
    machines_page,
    methods_page,
    reports_page,
    summary_page,
    text_summary,
)
from reckon.presentation.block import say
from reckon.presentation.text import (
    literal,
    more_or_less,
    percent,
    percent_more_or_less,
    sentence,
    why,
)
from reckon.presentation.titles import title_of
from reckon.records.lookup import all_results, by_name
from reckon.records.result import Result
from reckon.records.run_inputs import machine, measured, processor
from reckon.records.session import current_session
from reckon.units import amount, number, plain


def begin(*, profile: str | None = None, run: str | None = None) -> None:
    """Work under this profile ("quick", "standard", "full") and on the run of this name.

    None: as the environment says.
    """
    config.use(config.settings().with_choices(profile=profile, run=run))
    current_session.cache_clear()
    interactive.begin()


def run():
    """The run this notebook works on: its machine description and fitness."""
    return current_session().run


def results(experiment: str | None = None) -> list[Result]:
    """Every quantity that the run's records hold."""
    return all_results(run().name, experiment)


__all__ = [
    "ReckonError",
    "amount",
    "axis",
    "begin",
    "blocks",
    "by_name",
    "by_profile",
    "draw",
    "front_page",
    "given",
    "guess",
    "is_miss",
    "keep",
    "literal",
    "machine",
    "machine_page",
    "machines_page",
    "measure",
    "measure_capacities",
    "measure_methods",
    "measure_together",
    "measured",
    "methods_page",
    "more_or_less",
    "nfs_server",
    "number",
    "octaves",
    "other_host",
    "parts",
    "percent",
    "percent_more_or_less",
    "plain",
    "predict",
    "processor",
    "reports_page",
    "reset",
    "results",
    "run",
    "say",
    "sentence",
    "show",
    "summary_page",
    "text_summary",
    "title_of",
    "why",
]

"""Reckon predicts what this computer should do, then measures it.

What a notebook uses:
    rk.begin                                                    the profile and the run
    rk.predict                                                  a prediction, and its inputs:
    rk.given, rk.machine, rk.processor, rk.measured, rk.guess
    rk.axis, rk.octaves                                         the variable of a curve
    rk.measure, rk.measure_together, rk.by_profile              measuring
    rk.measure_capacities                                       a capacity, from a curve
    rk.measure_methods                                          all methods, side by side
    rk.keep, rk.reset, rk.reseal                                what was tried in JupyterLab
    rk.by_name, rk.title_of                                     results by their short names; titles
    rk.show, rk.draw, rk.blocks                                 tables, sentences and figures
    rk.samples, rk.frame                                        trials and results as pandas frames
    rk.front_page, rk.machine_page, rk.machines_page,           those of one page
    rk.methods_page, rk.reports_page, rk.status_page, rk.summary_page,
    rk.text_summary
    rk.say, rk.sentence, rk.is_miss                             sentences, and their cases
    rk.literal, rk.why                                          text from outside, without markup
    rk.amount, rk.number, rk.plain, rk.percent,                 numbers in sentences
    rk.more_or_less, rk.percent_more_or_less
    rk.run(), rk.results()                                      what the run holds
    rk.parts()                                                  the parts of the book
    rk.other_host(), rk.nfs_server()                            the other end of network and files
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from reckon import config, records
from reckon.book.contents import all_notebooks, parts
from reckon.edits import notebook as interactive
from reckon.edits.notebook import keep, reseal, reset
from reckon.errors import ReckonError
from reckon.hosts.host_facts import nfs_server, other_host
from reckon.measurement.capacity import measure_capacities
from reckon.measurement.side_by_side import measure_methods
from reckon.measurement.visit import measure, measure_together
from reckon.prediction.formula import predict
from reckon.prediction.inputs import axis, given, guess, octaves
from reckon.prediction.ratios import is_miss
from reckon.profiles import ByProfile as by_profile
from reckon.records.lookup import all_results, by_name
from reckon.records.result import Result
from reckon.records.run_inputs import machine, measured, processor
from reckon.records.session import current_session
from reckon.show import block as blocks
from reckon.show import in_notebooks as show
from reckon.show.block import say
from reckon.show.frames import frame, samples
from reckon.show.pages import (
    front_page,
    machine_page,
    machines_page,
    methods_page,
    reports_page,
    status_page,
    summary_page,
    text_summary,
)
from reckon.show.text import literal, more_or_less, percent, percent_more_or_less, sentence, why
from reckon.show.titles import title_of
from reckon.units import amount, number, plain


def _imported_when_used(name: str) -> ModuleType:
    """The module, whose own code runs when one of its attributes is first asked for."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    assert spec and spec.loader
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    setattr(sys.modules[parent], child, module)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from reckon.show import figures as draw
else:  # matplotlib takes as long to import as all the rest, and most commands draw nothing
    draw = _imported_when_used("reckon.show.figures")


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
    """Every quantity that the run's records hold; none of an experiment yet to be measured."""
    name = run().name
    if experiment in all_notebooks() and experiment not in records.experiments(name):
        return []
    return all_results(name, experiment)


__all__ = [
    "ReckonError",
    "amount",
    "axis",
    "begin",
    "blocks",
    "by_name",
    "by_profile",
    "draw",
    "frame",
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
    "reseal",
    "reset",
    "results",
    "run",
    "samples",
    "say",
    "sentence",
    "show",
    "status_page",
    "summary_page",
    "text_summary",
    "title_of",
    "why",
]

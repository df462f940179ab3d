"""Reckon predicts what this computer should do, then measures it.

A notebook uses, as rk.NAME:
"""

from __future__ import annotations

import contextlib
import pkgutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from reckon.records.quantities.result import Result
    from reckon.records.run_files.models import Run

# Each is imported when it is first used: most commands use few, and some import slowly.
_API = {
    "the profile, the run, and what it holds": {
        "begin": "reckon:begin",
        "run": "reckon:run",
        "results": "reckon:results",
        "all_notebooks": "reckon.book.contents:all_notebooks",
        "parts": "reckon.book.contents:parts",
        "by_name": "reckon.records.quantities.lookup:by_name",
        "at_level": "reckon.records.quantities.cache_levels:at_level",
        "at_size": "reckon.records.quantities.cache_levels:at_size",
        "samples": "reckon.show.frames:samples",
        "frame": "reckon.show.frames:frame",
        "title_of": "reckon.show.titles:title_of",
    },
    "a prediction and its inputs": {
        "predict": "reckon.records.run_predictions:predict",
        "given": "reckon.prediction.inputs:given",
        "guess": "reckon.prediction.inputs:guess",
        "machine": "reckon.records.run_inputs:machine",
        "measured": "reckon.records.run_inputs:measured",
        "processor": "reckon.records.run_inputs:processor",
        "axis": "reckon.prediction.inputs:axis",
        "octaves": "reckon.prediction.inputs:octaves",
    },
    "measuring": {
        "measure": "reckon.measurement.visit:measure",
        "measure_together": "reckon.measurement.visit:measure_together",
        "measure_capacities": "reckon.measurement.capacity:measure_capacities",
        "measure_methods": "reckon.measurement.side_by_side:measure_methods",
        "by_profile": "reckon.profiles:ByProfile",
        "other_host": "reckon.hosts.host_facts:other_host",
        "nfs_server": "reckon.hosts.host_facts:nfs_server",
        "ReckonError": "reckon.errors:ReckonError",
    },
    "predictions that were tried in JupyterLab": {
        "keep": "reckon.edits.notebook:keep",
        "reset": "reckon.edits.notebook:reset",
        "reseal": "reckon.edits.notebook:reseal",
    },
    "conclusions": {
        "findings_of": "reckon.book.contents:findings_of",
        "finding": "reckon.show.findings:finding",
        "shown": "reckon.show.findings:shown",
        "consistent": "reckon.show.findings:consistent",
        "unexplained": "reckon.show.findings:unexplained",
        "missed": "reckon.show.findings:missed",
        "missed_item": "reckon.show.findings:missed_item",
        "missed_list": "reckon.show.findings:missed_list",
        "two_groups": "reckon.statistics:two_groups",
        "apart_in_visits": "reckon.statistics:apart_in_visits",
    },
    "tables, sentences and figures": {
        "show": "reckon.show",
        "draw": "reckon.show.figures",
        "blocks": "reckon.show.block",
        "say": "reckon.show.block:say",
        "join_words": "reckon.messages:join_words",
        "literal": "reckon.show.text:literal",
        "why": "reckon.show.text:why",
        "is_miss": "reckon.prediction.ratios:is_miss",
        "reports": "reckon.comparison.reports",
    },
    "numbers in sentences": {
        "amount": "reckon.units:amount",
        "amount_with_interval": "reckon.units:amount_with_interval",
        "median_text": "reckon.records.quantities.result:median_text",
        "number": "reckon.units:number",
        "plain": "reckon.units:plain",
        "percent": "reckon.show.text:percent",
        "more_or_less": "reckon.show.text:more_or_less",
        "percent_more_or_less": "reckon.show.text:percent_more_or_less",
        "times_as_long": "reckon.show.text:times_as_long",
    },
}
_PLACES = {name: place for names in _API.values() for name, place in names.items()}

__all__ = [*_PLACES]  # noqa: PLE0604
__doc__ += "\n".join(f"    {', '.join(names)}: {purpose}" for purpose, names in _API.items())


def __getattr__(name: str):
    if name not in _PLACES:
        module = sys.modules[__name__]
        raise AttributeError(f"module 'reckon' has no attribute {name!r}", name=name, obj=module)
    value = globals()[name] = pkgutil.resolve_name(_PLACES[name])
    return value


def __dir__() -> list[str]:
    return __all__


def load() -> None:
    """Import all that a notebook may use, for a process that the processes of pages fork from."""
    from reckon import show

    for name in __all__:
        __getattr__(name)
    for name in show.__all__:
        getattr(show, name)


def begin(*, profile: str | None = None, run: str | None = None) -> None:
    """Work under this profile ("quick", "standard", "full") and on the run of this name.

    None: as the environment says.
    """
    from reckon.edits import notebook

    _begin(profile, run)
    notebook.display_answers()


def _begin(profile: str | None = None, run: str | None = None) -> None:
    from reckon import config
    from reckon.edits import notebook
    from reckon.records.session import current_session
    from reckon.show.figures import style

    style.set_theme()
    config.use(config.settings().with_choices(profile=profile, run=run))
    current_session.cache_clear()
    notebook.begin()


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Give the first cell that is run `rk` and the run, whichever cell it is.

    The kernelspec of `make lab` has each new or restarted kernel call this."""
    from reckon.errors import ReckonError

    def begin_once(_: object) -> None:
        shell.events.unregister("pre_run_cell", begin_once)
        shell.user_ns.setdefault("rk", sys.modules[__name__])
        with contextlib.suppress(ReckonError):  # the cell has it again, and shows it
            _begin()

    shell.events.register("pre_run_cell", begin_once)


def run() -> Run:
    """The run this notebook works on: its machine description and fitness."""
    from reckon.records.session import current_session

    return current_session().run


def results(experiment: str | None = None, *, samples: bool = True) -> list[Result]:
    """Every quantity that the run's records hold; none of an experiment yet to be measured, which
    this book perhaps leaves out.

    Without `samples` a whole run is read in a tenth of a second: points have their summaries alone.
    """
    from reckon import records
    from reckon.book.contents import source
    from reckon.records.quantities.lookup import all_results

    name = run().name
    if experiment and source(experiment).exists():
        path = records.record_path(name, experiment)
        if not path.exists():
            records.note_read(path)  # the page follows when the record is there
            return []
    return all_results(name, experiment, samples=samples)

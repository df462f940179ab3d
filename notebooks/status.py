"""The page `status`: when and how long each chapter was measured."""

from __future__ import annotations

from collections import Counter

from reckon import records, units
from reckon.records.quantities.lookup import first_predicted
from reckon.records.run_files.models import Measurement, Quantity, Run
from reckon.show.block import Block, say, table
from reckon.show.figure_files import record_copy
from reckon.show.text import NONE, code, literal
from reckon.show.titles import page_link


def chapters(run: Run, caption: str, name: str) -> Block:
    """A line for each record, with a link to its copy."""
    rows = []
    for experiment, quantities in _records(run).items():
        measured = [each.measurement for each in quantities.values() if each.measurement]
        states = Counter(map(_state, quantities.values()))
        rows.append(
            [
                page_link(experiment.removeprefix(records.METHODS_PREFIX), _suffix(experiment)),
                ", ".join(f"{count} {state}" for state, count in states.items()),
                _span_of_time(measured),
                units.duration(sum(measurement.seconds for measurement in measured)),
                ", ".join(sorted({measurement.profile for measurement in measured})) or NONE,
                f"{{download}}`JSON </{record_copy(experiment)}>`",
            ]
        )
    columns = {
        "Chapter": 26,
        "Quantities": 22,
        "Measured": 18,
        "Took": 10,
        "Profile": 12,
        "Raw": 12,
    }
    return table(columns, rows, caption, name)


def _records(run: Run) -> dict[str, dict[str, Quantity]]:
    """The quantities of each record as they were measured, as a prediction's edit does not concern
    this page; the chapters in the order in which they were predicted, then the other methods."""
    quantities = {
        experiment: records.read_record(
            run.name, experiment, only_measured=True, samples=False
        ).quantities
        for experiment in records.experiments(run.name)
    }

    def order(experiment: str) -> tuple[bool, float]:
        is_other = experiment.startswith(records.METHODS_PREFIX)
        return is_other, first_predicted(quantities[experiment])

    return {experiment: quantities[experiment] for experiment in sorted(quantities, key=order)}


def _suffix(experiment: str) -> str:
    return ": other methods" if experiment.startswith(records.METHODS_PREFIX) else ""


def _state(quantity: Quantity) -> str:
    return quantity.measurement.state if quantity.measurement else "predicted"


def _span_of_time(measured: list[Measurement]) -> str:
    """The first and the last date of the samples, in UTC."""
    dates = sorted(measurement.started_at for measurement in measured)
    if not dates:
        return NONE
    first, last = (_time(f"{date:%Y-%m-%d}") for date in (dates[0], dates[-1]))
    return first if first == last else f"{first} to {last}"


def _time(text: str) -> str:
    """A date, which the style sheet keeps on one line."""
    return f"<time>{text}</time>"





def provenance(run: Run) -> Block:
    """What made the run, in a sentence."""
    compiler = str(run.machine.value("system.compiler") or "not reported").split(" · ")[0]
    return say(
        f"The run {code(run.name)} was opened on {run.opened_at:%Y-%m-%d};",
        f"it has format {run.format}. Its C library was compiled by {literal(compiler)}.",
        "Each quantity's key is a hash of the probe's C source, the support code that it links,",
        "compiler and flags, parameters, machine, kernel and microcode. As long as the key stays the same,",
        "the samples are used again and keep their date. The samples are in the run's folder,",
        f"a file for each quantity and visit: {code(f'book/runs/{run.name}/samples')}.",
    )

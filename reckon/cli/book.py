"""`reckon measure` and `reckon build`: one experiment, or the whole book."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reckon import config, records
from reckon.book import contents, sphinx
from reckon.book.stage import stage
from reckon.cli.commands import Commands
from reckon.cli.output import print_json
from reckon.cli.runs import results_at
from reckon.records import predictions_file, verify
from reckon.records.locks import lock
from reckon.records.session import Session, current_session

if TYPE_CHECKING:  # it imports slowly
    from reckon.book.execute import ExecutionResult


def add_commands(commands: Commands) -> None:
    """Adds `measure` and `build`."""
    one_experiment = commands.add(
        "measure",
        measure,
        "measure one experiment again, without making the book",
        "cpu/syscall",
        "cpu/syscall --profile quick",
    )
    one_experiment.add_argument("experiment", help="such as cpu/syscall")
    one_experiment.add_measuring()
    whole_book = commands.add(
        "build",
        build,
        "execute the notebooks and make the site and the PDF",
        "--html",
        "--html --run before         the book of a recorded run",
        "--fresh --profile full      measure everything again, at length",
    )
    whole_book.add_argument("--html", action="store_true", help="make the site alone")
    whole_book.add_argument("--pdf", action="store_true", help="make the PDF alone")
    whole_book.add_argument("--fresh", action="store_true", help="measure again what is recorded")
    whole_book.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help="a predictions.toml that the site's What if? panels gave, laid over the run",
    )
    whole_book.add_measuring()


def measure(arguments) -> int:
    """Executes one notebook and measures all of its quantities again."""
    _use_choices(arguments, fresh=True)
    from reckon.book.execute import execute  # imports slowly

    page = contents.find(arguments.experiment)
    with _building(arguments) as session:
        report = _report(execute(session, [page]), session.run.name)
    _print_report(report, arguments, [])
    return _exit_status(report)


def build(arguments) -> int:
    """Executes the notebooks, and makes the site and the PDF."""
    _use_choices(arguments, fresh=arguments.fresh or None)
    if arguments.predictions:
        file = arguments.predictions.absolute()
        config.use(config.settings().model_copy(update={"predictions": file}))
    from reckon.book.execute import execute  # imports slowly

    wants_html = arguments.html or not arguments.pdf
    wants_pdf = arguments.pdf or not arguments.html
    with _building(arguments) as session:
        _check_predictions(session.run.name)
        if session.is_replay:
            print(f"{session.read_only_reason}: it is read, and nothing is measured.")
        outcome = execute(session, contents.notebooks(), config.settings().profile.visits)
        makes_pdf = wants_pdf and sphinx.have_tex()
        staged = stage(session.run, pdf_link=makes_pdf or sphinx.pdf_path().exists())
        is_html_new = wants_html and sphinx.html(staged)
        is_pdf_new = makes_pdf and sphinx.pdf(staged)
        executed = len(outcome.executed_pages)
        print(f"Pages: {executed} executed, {len(contents.notebooks()) - executed} unchanged.")
        report = _report(outcome, session.run.name)
    site, pdf = sphinx.site_dir() / "index.html", sphinx.pdf_path()
    report |= {"site": str(site) if wants_html else None, "pdf": str(pdf) if makes_pdf else None}
    lines = [f"Records: {report['records']}"]
    if report["root_hash"]:
        lines.append(f"Root hash: {report['root_hash']} (`reckon verify` checks the run)")
    if wants_html:
        lines.append(f"Site: {site}{'' if is_html_new else ' (unchanged)'}")
    if makes_pdf:
        lines.append(f"PDF:  {pdf}{'' if is_pdf_new else ' (unchanged)'}")
    elif wants_pdf:
        lines.append(sphinx.TEX_HINT)
    _print_report(report, arguments, lines)
    return _exit_status(report)


def _check_predictions(run: str) -> None:
    """Raises ReckonError where the predictions' file has a quantity or an input that is not there,
    before anything is executed."""
    file = config.settings().predictions
    for quantity in predictions_file.changes(file) if file else {}:
        results_at(run, quantity)


def _use_choices(arguments, *, fresh: bool | None) -> None:
    config.use(
        config.settings().with_choices(profile=arguments.profile, run=arguments.run, fresh=fresh)
    )


@contextlib.contextmanager
def _building(arguments) -> Iterator[Session]:
    """The run that is built, under the lock on what is generated: two builds would write the same
    files.

    With --json the progress goes to standard error."""
    output = sys.stderr if arguments.json else sys.stdout
    with (
        lock(config.settings().build_dir / ".building", "builds the book"),
        contextlib.redirect_stdout(output),
    ):
        yield current_session()


def _report(outcome: ExecutionResult, run: str) -> dict:
    """What was done, for `--json`; the states are written down for `reckon results`."""
    last = config.settings().build_dir / "last.json"
    records.write_whole(last, json.dumps({"run": run, "states": outcome.states}, indent=1) + "\n")
    states = {
        quantity: {"state": state, "reason": reason}
        for quantity, (state, reason) in outcome.states.items()
    }
    return {
        "run": run,
        "records": str(records.run_dir(run)),
        "root_hash": verify.root_hash(run),
        "executed": outcome.executed_pages,
        "failed": outcome.failed,
        "quantities": states,
    }


def _print_report(report: dict, arguments, lines: list[str]) -> None:
    """Prints how many quantities were measured, reused, skipped and why; then the lines."""
    if arguments.json:
        print_json(report)
        return
    quantities = report["quantities"]
    counts = Counter(quantity["state"] for quantity in quantities.values())
    if counts:
        texts = [f"{count} {state}" for state, count in sorted(counts.items())]
        print(f"Quantities: {', '.join(texts)}.")
    by_reason: dict[str, list[str]] = {}
    for state in ("unsupported", "failed"):
        for name, quantity in quantities.items():
            if quantity["state"] == state:
                by_reason.setdefault(f"{state}: {quantity['reason']}", []).append(name)
    for reason, (name, *others) in by_reason.items():
        print(f"  {name}{f' and {len(others)} more' if others else ''} {reason}")
    for line in lines:
        print(line)


def _exit_status(report: dict) -> int:
    """1 if a page or a quantity failed; names the pages."""
    for page, error in report["failed"].items():
        print(f"Failed: notebooks/{page}.ipynb, {error}", file=sys.stderr)
    states = {quantity["state"] for quantity in report["quantities"].values()}
    return 1 if report["failed"] or "failed" in states else 0

"""`reckon measure` and `reckon build`: one experiment, or the whole book."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reckon import config, records, units
from reckon.book import contents, publish, sphinx
from reckon.book.stage import Stage, stage
from reckon.cli.commands import CommandParser, Commands
from reckon.cli.output import print_json
from reckon.cli.runs import results_at
from reckon.errors import ReckonError
from reckon.messages import join_words
from reckon.records import revisions, verify
from reckon.records.locks import lock
from reckon.records.session import Session, current_session
from reckon.statistics import cache

if TYPE_CHECKING:  # it imports slowly
    from reckon.book.execute import ExecutionResult

_FRESH_HELP = "measure again what is recorded"


def add_commands(commands: Commands) -> None:
    """Adds `measure` and `build`."""
    one_experiment = commands.add(
        "measure",
        measure,
        "measure without making the book: one experiment again, or what the run lacks",
        "cpu/syscall                  again",
        "--profile quick              what the run lacks of all experiments",
        '--pages "cpu/* files/*"   of those',
    )
    one_experiment.add_argument(
        "experiment",
        nargs="?",
        help="such as cpu/syscall; without one, what the run lacks of all is measured",
    )
    one_experiment.add_argument(
        "--pages", metavar="PATTERNS", help='of which experiments: "cpu/* files/*"'
    )
    one_experiment.add_argument("--fresh", action="store_true", help=_FRESH_HELP)
    one_experiment.add_measuring()
    whole_book = commands.add(
        "build",
        build,
        "execute the notebooks and make the site and the PDFs",
        "--html",
        "--html --run before         the book of a recorded run",
        "--fresh --profile full      measure everything again, at length",
    )
    whole_book.add_argument(
        "--publish",
        type=Path,
        metavar="FOLDER",
        help="also copy the site to that folder; names of hosts and users and addresses are hashed",
    )
    whole_book.add_argument("--html", action="store_true", help="make the site alone")
    whole_book.add_argument("--pdf", action="store_true", help="make the PDFs alone")
    whole_book.add_argument("--fresh", action="store_true", help=_FRESH_HELP)
    add_choices(whole_book)


def add_choices(command: CommandParser) -> None:
    """Adds what a book may be made of, for the commands that make one."""
    command.add_argument(
        "--pages",
        metavar="PATTERNS",
        help='make a part of the book, of the notebooks that match: "cpu/* summary"',
    )
    command.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help="a predictions.toml that the site's What if? panels gave, laid over the run",
    )
    command.add_measuring()


def measure(arguments) -> int:
    """Measures one experiment again, or what the run lacks of all."""
    if arguments.experiment and arguments.pages:
        raise ReckonError("Give an experiment or --pages, not both.")
    _use_choices(arguments, fresh=bool(arguments.experiment) or arguments.fresh or None)
    from reckon.book.execute import execute  # imports slowly

    if arguments.experiment:
        pages, visits = [contents.find(arguments.experiment)], 1
    else:
        pages = [page for page in contents.notebooks() if contents.is_of_experiment(page)]
        visits = config.settings().profile.visits
    with _building(arguments) as session:
        renders = arguments.experiment is not None
        report = _report(execute(session, pages, visits, renders=renders), session.run.name)
    _print_report(report, arguments, [])
    return _exit_status(report)


def build(arguments) -> int:
    """Executes the notebooks, and makes the site and the PDFs."""
    _use_choices(arguments, fresh=arguments.fresh or None)
    _use_choices_of_book(arguments)
    from reckon.book.execute import execute  # imports slowly

    wants_html = arguments.html or not arguments.pdf
    wants_pdf = arguments.pdf or not arguments.html
    if config.settings().blind:
        if arguments.pdf:
            raise ReckonError("A PDF cannot cover what was measured: run it without BLIND=1.")
        wants_pdf = False
        sphinx.remove_pdfs()  # they would show everything
    # Staging shows what the pages' processes have computed.
    cache.store_in(config.settings().build_dir / "cache")
    with _building(arguments) as session:
        _check_predictions(session.run.name)
        if session.is_replay:
            print(f"{session.read_only_reason}: it is read, and nothing is measured.")
        outcome = execute(session, contents.notebooks(), config.settings().profile.visits)
        made = _make_outputs(
            arguments, session, outcome, wants_html=wants_html, wants_pdf=wants_pdf
        )
        publishes = arguments.publish and not made.faults
        if publishes:
            publish.publish(arguments.publish, with_pdf=made.has_pdf)
        executed = len(outcome.executed_pages)
        print(f"Pages: {executed} executed, {len(contents.notebooks()) - executed} unchanged.")
        print(_where_the_time_went(outcome.seconds))
        report = _report(outcome, session.run.name)
    site, pdfs = sphinx.site_dir() / "index.html", [*map(str, sphinx.pdf_paths())]
    report["not_made"] = {output: str(error) for output, error in made.faults.items()}
    report["site"] = str(site) if made.has_site else None
    report["pdfs"] = pdfs if made.has_pdf else []
    lines = [f"Records: {report['records']}"]
    if report["root_hash"]:
        lines.append(f"Root hash: {report['root_hash']} (`reckon verify` checks the run)")
    if made.has_site:
        lines.append(f"Site: {site}{made.state('site')}")
    if publishes:
        lines.append(f"Published: {arguments.publish.absolute()}")
    if made.has_pdf:
        lines += [f"PDF:  {pdf}{made.state('PDF')}" for pdf in pdfs]
    elif wants_pdf and "PDF" not in made.faults:
        lines.append(sphinx.TEX_HINT)
    _print_report(report, arguments, lines)
    return _exit_status(report)


def build_edited(arguments) -> bool:
    """Makes the site with the edited page, which its author waits for, before the pages that follow
    from it; False, and nothing is done, where it is not one page that was edited."""
    from reckon.book.execute import edited_pages, execute  # imports slowly

    with _building(arguments) as session:
        edited = edited_pages(session, contents.notebooks())
        if len(edited) != 1:
            return False
        sphinx.prepare("html")
        outcome = execute(session, edited)
        made = _make_outputs(arguments, session, outcome, wants_html=True, wants_pdf=False)
        return made.has_site and not outcome.failed


@dataclass
class _Outputs:
    """The site and the PDFs: which there are, which are new, and what is wrong with them."""

    has_site: bool = False
    has_pdf: bool = False
    new: set[str] = field(default_factory=set)
    faults: dict[str, ReckonError] = field(default_factory=dict)

    def make(self, name: str, function: Callable[[Stage], bool], staged: Stage) -> bool:
        """Whether there is such an output now. What keeps it from being made is kept."""
        try:
            if function(staged):
                self.new.add(name)
        except ReckonError as error:
            self.faults[name] = error
        if staged.faults and not self.faults:
            self.faults[name] = sphinx.PagesWarn(" ".join(staged.faults))
        return isinstance(self.faults.get(name), sphinx.PagesWarn | None)

    def state(self, name: str) -> str:
        """What to print behind the name of the output's file."""
        if name in self.faults:
            return " (with faults)"
        return "" if name in self.new else " (unchanged)"


def _make_outputs(
    arguments, session: Session, outcome: ExecutionResult, *, wants_html: bool, wants_pdf: bool
) -> _Outputs:
    """Make what is wanted; an output that cannot be made does not keep the others."""
    made = _Outputs()
    makes_pdf = wants_pdf and sphinx.have_tex()
    old_pdfs = sphinx.have_pdfs() and not arguments.publish
    if wants_html and outcome.executed_pages:  # else perhaps nothing has changed
        sphinx.prepare("html")
    staged = _staged(arguments, session, pdf_link=makes_pdf or old_pdfs)
    if wants_html:
        with outcome.timing("site"):
            made.has_site = made.make("site", sphinx.html, staged)
    if makes_pdf:
        with outcome.timing("PDF"):
            made.has_pdf = made.make("PDF", sphinx.pdf, staged)
    if made.has_site and "PDF" in made.faults and not old_pdfs:
        # The front page would link to files that are not there.
        made.has_site = made.make("site", sphinx.html, _staged(arguments, session, pdf_link=False))
    return made


def _staged(arguments, session: Session, *, pdf_link: bool) -> Stage:
    return stage(session.run, pdf_link=pdf_link, hides_names=arguments.publish is not None)


def _where_the_time_went(seconds: dict[str, float]) -> str:
    parts = [f"{name} {units.duration(spent)}" for name, spent in seconds.items() if spent >= 0.5]
    total = units.duration(sum(seconds.values()))
    return f"Time: {total}{f' ({join_words(parts)})' if len(parts) > 1 else ''}."


def _check_predictions(run: str) -> None:
    """Raises ReckonError where the predictions' file has a quantity or an input that is not there,
    before anything is executed."""
    file = config.settings().predictions
    for quantity in revisions.changes_in_file(file) if file else {}:
        results_at(run, quantity)


def _use_choices(arguments, *, fresh: bool | None) -> None:
    config.use(
        config.settings().with_choices(
            profile=arguments.profile, run=arguments.run, fresh=fresh, pages=arguments.pages
        )
    )


def _use_choices_of_book(arguments) -> None:
    if arguments.predictions:
        file = arguments.predictions.absolute()
        config.use(config.settings().model_copy(update={"predictions": file}))
    if arguments.publish:
        publish.check(arguments.publish)


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
    """1 if a page, an output or a quantity failed; names the pages and the outputs."""
    for page, error in report["failed"].items():
        print(f"Failed: notebooks/{page}.ipynb, {error}", file=sys.stderr)
    not_made = report.get("not_made", {})
    for output, error in not_made.items():
        print(f"Failed: the {output}: {error}", file=sys.stderr)
    states = {quantity["state"] for quantity in report["quantities"].values()}
    return 1 if report["failed"] or not_made or "failed" in states else 0

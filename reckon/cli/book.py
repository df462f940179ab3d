"""`reckon measure` and `reckon build`: one experiment, or the whole book."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reckon import config, records, units
from reckon.book import contents, poster, publish, sphinx
from reckon.book.staging.stage import POSTER, TEX_PDFS, Stage, stage, stage_page
from reckon.cli.commands import command, fresh_option, own_run_option, pages_option, profile_option
from reckon.cli.output import print_json
from reckon.cli.run_choice import results_at
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words
from reckon.records.quantities import revisions
from reckon.records.run_files import verify
from reckon.records.run_files.locks import lock
from reckon.records.session import Session, current_session
from reckon.show import figure_files
from reckon.statistics import cache

if TYPE_CHECKING:  # it imports slowly
    from reckon.book.execution.execute import ExecutionResult


@command(
    "measure",
    "cpu/syscall                  again",
    "--profile quick              what the run lacks of all experiments",
    '--pages "cpu/* files/*"   of those',
)
@click.argument("experiment", required=False, help="such as cpu/syscall; default: all")
@pages_option
@fresh_option
@profile_option
@own_run_option
def measure(*, experiment: str | None, fresh: bool, as_json: bool, **choices) -> int:
    """Measure without making the book: one experiment again, or what the run lacks of all."""
    if experiment and choices["pages"]:
        raise ReckonError("Give an experiment or --pages, not both.")
    use_choices(fresh=bool(experiment) or fresh, **choices)
    from reckon.book.execution.execute import execute  # imports slowly

    if experiment:
        pages, visits = [contents.find(experiment)], 1
    else:
        pages = [page for page in contents.notebooks() if contents.is_of_experiment(page)]
        visits = config.settings().profile.visits
    with _building(as_json=as_json) as session:
        renders = experiment is not None
        report = _report(execute(session, pages, visits, renders=renders), session.run.name)
    return _end(report, [], as_json=as_json)


def book_options(function: Callable[..., int]) -> Callable[..., int]:
    """A decorator: the options of what a book is made of, for the commands that make one."""
    file = click.option(
        "--predictions",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A predictions.toml that the site's What if? panels gave, laid over the run.",
    )
    for option in (own_run_option, profile_option, file, pages_option):
        function = option(function)
    return function


@command(
    "build",
    "--html",
    "--html --run before         the book of a recorded run",
    "--fresh --profile full      measure everything again, at length",
)
@click.option("--html", is_flag=True, help="Make the site alone.")
@click.option("--pdf", is_flag=True, help="Make the PDFs alone.")
@click.option(
    "--publish",
    "publish_to",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Also copy the site to that folder; names of hosts and users and addresses are hashed.",
)
@fresh_option
@book_options
def build(*, html: bool, pdf: bool, publish_to: Path | None, as_json: bool, **choices) -> int:
    """Execute the notebooks, and make the site and the PDFs."""
    use_choices(**choices)
    if pdf and not html and not sphinx.have_tex():
        raise ReckonError(sphinx.TEX_HINT)
    outputs = Outputs(wants_html=html or not pdf, wants_pdf=pdf or not html, publish_to=publish_to)
    return build_book(outputs, as_json=as_json)


@dataclass
class Outputs:
    """The site and the PDFs: which are wanted, which there are, and what is wrong with them."""

    wants_html: bool = True
    wants_pdf: bool = False
    publish_to: Path | None = None
    has_site: bool = False
    pdfs: dict[str, str] = field(default_factory=dict)  # by the file's name the output that it is
    keeps_site: bool = False  # as it is where a page fails
    new: set[str] = field(default_factory=set)
    faults: dict[str, ReckonError] = field(default_factory=dict)

    def figures(self) -> list[str]:
        """What the files of figures end in that are needed besides those of the pages."""
        of_site = [figure_files.PHONE] if self.wants_html else []
        return of_site + ([figure_files.PRINT] if self.wants_pdf and sphinx.have_tex() else [])

    def make(self, session: Session, outcome: ExecutionResult) -> None:
        """Make what is wanted; an output that cannot be made does not keep the others."""
        if self.keeps_site and (sphinx.site_dir() / "index.html").exists():
            _raise_failed(outcome)
        makes_pdf = self.wants_pdf and sphinx.have_tex()
        old = [path.name for path in sphinx.pdf_paths() if path.exists() and not self.publish_to]
        wanted = [*([POSTER] if self.wants_pdf else []), *(TEX_PDFS if makes_pdf else [])]
        if self.wants_html and (outcome.executed_pages or sphinx.edited_texts()):
            sphinx.prepare("html")  # else perhaps nothing has changed
        staged = self._staged(session, {*old, *wanted})
        if self.publish_to:
            sphinx.remove_pages()
        if self.wants_html:
            with outcome.timing("site"):
                self.has_site = self._make("site", sphinx.html, staged)
        if self.wants_pdf:
            bare = replace(staged, faults=())  # they are the pages', of which it shows none
            made = self._make("poster", partial(poster.make, session.run), bare)
            self.pdfs |= {POSTER: "poster"} if made else {}
        if makes_pdf:
            with outcome.timing("PDF"):
                made = self._make("PDF", sphinx.pdf, staged)
            self.pdfs |= dict.fromkeys(TEX_PDFS if made else [], "PDF")
        there = {*old, *self.pdfs}
        if self.has_site and not there.issuperset(wanted):
            # Pages would link to files that are not there.
            self.has_site = self._make("site", sphinx.html, self._staged(session, there))

    def make_page(self, page: str, session: Session, outcome: ExecutionResult) -> None:
        """Make the site with that page as it is now, and all others as they were."""
        _raise_failed(outcome)
        self.has_site = self._make("site", sphinx.html, stage_page(session.run, page))

    def _staged(self, session: Session, pdfs: Collection[str]) -> Stage:
        return stage(session.run, pdfs=pdfs, hides_names=self.publish_to is not None)

    def _make(self, name: str, function: Callable[[Stage], bool], staged: Stage) -> bool:
        """Whether there is such an output now. What keeps it from being made is kept."""
        try:
            if function(staged):
                self.new.add(name)
        except ReckonError as error:
            self.faults[name] = error
        if staged.faults and name not in self.faults:
            self.faults[name] = sphinx.PagesWarn(" ".join(staged.faults))
        return isinstance(self.faults.get(name), sphinx.PagesWarn | None)

    def to_dict(self) -> dict:
        """What there is, for `--json`."""
        return {
            "not_made": {output: str(error) for output, error in self.faults.items()},
            "site": str(sphinx.site_dir() / "index.html") if self.has_site else None,
            "pdfs": [str(path) for path in sphinx.pdf_paths() if path.name in self.pdfs],
        }

    def lines(self) -> list[str]:
        """Where each output is."""
        lines = []
        if self.has_site:
            lines.append(f"Site: {sphinx.site_dir() / 'index.html'}{self._state('site')}")
        elif "site" in self.faults and (sphinx.site_dir() / "index.html").exists():
            lines.append(f"Site: {sphinx.site_dir() / 'index.html'} (as it was before)")
        if self.publish_to and not self.faults:
            lines.append(f"Published: {self.publish_to.absolute()}")
        for path in sphinx.pdf_paths():
            if output := self.pdfs.get(path.name):
                lines.append(f"PDF:  {path}{self._state(output)}")
        if self.wants_pdf and "PDF" not in {*self.pdfs.values(), *self.faults}:
            lines.append(sphinx.TEX_HINT)
        return lines

    def _state(self, name: str) -> str:
        if name in self.faults:
            return " (with faults)"
        return "" if name in self.new else " (unchanged)"


def build_book(outputs: Outputs, *, as_json: bool) -> int:
    """Execute the notebooks and make the outputs; the exit status."""
    from reckon.book.execution.execute import execute  # imports slowly

    if outputs.publish_to:
        publish.check(outputs.publish_to)
    if config.settings().blind is not None:
        if not outputs.wants_html:
            raise ReckonError("A PDF cannot cover what was measured: run it without BLIND=1.")
        outputs.wants_pdf = False
        sphinx.remove_pdfs()  # they would show everything
    elif config.settings().votes or config.settings().own:
        raise ReckonError("VOTES= and OWN= are of a blind book: add BLIND=1, or leave them out.")
    # Staging shows what the pages' processes have computed.
    cache.store_in(config.settings().build_dir / "cache")
    with _building(as_json=as_json) as session:
        _check_predictions(session.run.name)
        later_questions = _check_questions(session.run.name, config.settings().blind or ())
        if session.is_replay:
            print(f"{session.read_only_reason}: it is read, and nothing is measured.")
        visits, figures = config.settings().profile.visits, outputs.figures()
        outcome = execute(session, contents.notebooks(), visits, figures=figures)
        _check_questions(session.run.name, later_questions)
        outputs.make(session, outcome)
        if outputs.publish_to and not outputs.faults:
            publish.publish(outputs.publish_to, pdfs=outputs.pdfs)
        executed = len(outcome.executed_pages)
        print(f"Pages: {executed} executed, {len(contents.notebooks()) - executed} unchanged.")
        print(_where_the_time_went(outcome.seconds))
        report = _report(outcome, session.run.name) | outputs.to_dict()
    lines = [f"Records: {report['records']}"]
    if report["root_hash"]:
        lines.append(f"Root hash: {report['root_hash']} (`reckon verify` checks the run)")
    return _end(report, [*lines, *outputs.lines()], as_json=as_json)


def _raise_failed(outcome: ExecutionResult) -> None:
    """Raises ReckonError for the first page that failed."""
    for page, error in outcome.failed.items():
        raise ReckonError(f"notebooks/{page}.ipynb, {error}")


def build_edited(*, as_json: bool) -> bool:
    """Makes the site with the one page whose notebook or module was edited, which its author waits
    for, before all that follows from it; False, and nothing is done, where it is not one page.

    Raises ReckonError where that page fails; the site stays as it is."""
    from reckon.book.execution.execute import edited_pages, execute  # imports slowly

    with _building(as_json=as_json) as session:
        pages, texts = contents.notebooks(), sphinx.edited_texts()
        edited = {*edited_pages(session, pages)}
        edited |= {page for page in pages if contents.source(page) in texts}
        if len(edited) != 1 or not sphinx.have_site():
            return False
        sphinx.prepare("html")
        outputs, page = Outputs(), edited.pop()
        outputs.make_page(page, session, execute(session, [page], figures=outputs.figures()))
        return outputs.has_site


def _where_the_time_went(seconds: dict[str, float]) -> str:
    parts = [f"{name} {units.duration(spent)}" for name, spent in seconds.items() if spent >= 0.5]
    total = units.duration(sum(seconds.values()))
    return f"Time: {total}{f' ({join_words(parts)})' if len(parts) > 1 else ''}."


def _check_predictions(run: str) -> None:
    """Raises ReckonError where the predictions' file has a quantity or an input that is not there,
    or a value of its own, before anything is executed."""
    file = config.settings().predictions
    for quantity, prediction in revisions.predictions_in(file).items() if file else ():
        results_at(run, quantity)
        if prediction.stated:
            raise ReckonError(
                f"{file}: {quantity} has a value of its own, and changes no formula; compare it by "
                "`reckon predict --file`."
            )


def _check_questions(run: str, questions: Collection[str]) -> list[str]:
    """Raises ReckonError where a blind book is to ask for what nobody can predict. Returns the
    questions of chapters that have no record yet, of which that is not known."""
    unrecorded = {*contents.notebooks()}.difference(records.experiments(run))
    later = [name for name in questions if records.experiment_of(name) in unrecorded]
    for name in questions:
        if name in later:
            continue
        asked = [
            result.quantity
            for result in results_at(run, name)
            if result.measurement and result.has_samples and not result.measurement.reports
        ]
        if name not in asked:
            hint = did_you_mean(name, asked, "`reckon results` lists what was measured.")
            raise ReckonError(f"BLIND= cannot ask for {name}: it is no measured quantity; {hint}")
    return later


def use_choices(*, predictions: Path | None = None, fresh: bool = False, **choices) -> None:
    """Work by these choices instead of the environment's, where they are made."""
    settings = config.settings().with_choices(fresh=fresh or None, **choices)
    if predictions:
        settings = settings.model_copy(update={"predictions": predictions.absolute()})
    config.use(settings)


@contextlib.contextmanager
def _building(*, as_json: bool) -> Iterator[Session]:
    """The run that is built, under the lock on what is generated: two builds would write the same
    files.

    With --json the progress goes to standard error."""
    output = sys.stderr if as_json else sys.stdout
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


def _end(report: dict, lines: list[str], *, as_json: bool) -> int:
    """Prints how many quantities were measured, reused, skipped and why; then the lines.

    1 if a page, an output or a quantity failed, which are named; else 0."""
    if as_json:
        print_json(report)
    else:
        for line in [*_quantity_lines(report["quantities"]), *lines]:
            print(line)
    not_made = report.get("not_made", {})
    for page, error in report["failed"].items():
        print(f"Failed: notebooks/{page}.ipynb, {error}", file=sys.stderr)
    for output, error in not_made.items():
        print(f"Failed: the {output}: {error}", file=sys.stderr)
    has_failed = any(quantity["state"] == "failed" for quantity in report["quantities"].values())
    return 1 if report["failed"] or not_made or has_failed else 0


def _quantity_lines(quantities: dict[str, dict]) -> list[str]:
    counts = Counter(quantity["state"] for quantity in quantities.values())
    if not counts:
        return []
    texts = [f"{count} {state}" for state, count in sorted(counts.items())]
    lines = [f"Quantities: {', '.join(texts)}."]
    by_reason: dict[str, list[str]] = {}
    for state in ("unsupported", "failed"):
        for name, quantity in quantities.items():
            if quantity["state"] == state:
                by_reason.setdefault(f"{state}: {quantity['reason']}", []).append(name)
    for reason, (name, *others) in by_reason.items():
        lines.append(f"  {name}{f' and {len(others)} more' if others else ''} {reason}")
    return lines

"""`reckon measure` and `reckon build`: one experiment, or the whole book."""

from __future__ import annotations

import json
import sys

from reckon import config, records
from reckon.book import contents, sphinx
from reckon.book.stage import stage
from reckon.records import verify
from reckon.records.locks import lock
from reckon.records.session import current_session


def _print_outcome(outcome, run: str) -> None:
    """Prints what was measured, reused, skipped and why; `reckon results` reads it later."""
    last = config.settings().build_dir / "last.json"
    records.write_whole(last, json.dumps({"run": run, "states": outcome.states}, indent=1) + "\n")
    by_state: dict[str, list[str]] = {}
    for quantity, (state, _) in outcome.states.items():
        by_state.setdefault(state, []).append(quantity)
    counts = [f"{len(names)} {state}" for state, names in sorted(by_state.items())]
    if counts:
        print(f"Quantities: {', '.join(counts)}.")
    for state in ("unsupported", "failed"):
        for quantity in by_state.get(state, []):
            print(f"  {quantity} {state}: {outcome.states[quantity][1]}")


def _exit_status(outcome) -> int:
    """1 if a page or a quantity failed; names the pages."""
    for page, error in outcome.failed.items():
        print(f"Failed: notebooks/{page}.ipynb, {error}", file=sys.stderr)
    return 1 if outcome.failed or "failed" in {s for s, _ in outcome.states.values()} else 0


def _building():
    """Holds the lock on what is generated: two builds would write the same files."""
    return lock(config.settings().build_dir / ".building", "builds the book")


def measure(arguments) -> int:
    """Executes one notebook and measures all of its quantities again."""
    config.use(
        config.settings().with_choices(profile=arguments.profile, run=arguments.run, fresh=True)
    )
    from reckon.book.execute import execute  # imports slowly

    page = contents.find(arguments.experiment)
    with _building():
        outcome = execute([page])
    _print_outcome(outcome, current_session().run.name)
    return _exit_status(outcome)


def build(arguments) -> int:
    """Executes the notebooks, and makes the site and the PDF."""
    fresh = arguments.fresh or None
    config.use(
        config.settings().with_choices(profile=arguments.profile, run=arguments.run, fresh=fresh)
    )
    with _building():
        return _build_alone(arguments)


def _build_alone(arguments) -> int:
    from reckon.book.execute import execute  # imports slowly

    want_html = arguments.html or not arguments.pdf
    want_pdf = arguments.pdf or not arguments.html
    run = current_session()
    if run.replay:
        print(
            f"The run {run.run.name} was recorded on another machine or kernel: it is read, and "
            "nothing is measured."
        )
    outcome = execute(contents.notebooks(), config.settings().profile.visits)
    make_pdf = want_pdf and sphinx.have_tex()
    staged = stage(pdf_link=make_pdf or sphinx.pdf_path().exists())
    fresh_html = want_html and sphinx.html(staged)
    fresh_pdf = make_pdf and sphinx.pdf(staged)
    print(
        f"Pages: {len(outcome.executed)} executed, "
        f"{len(contents.notebooks()) - len(outcome.executed)} unchanged."
    )
    _print_outcome(outcome, run.run.name)
    print(f"Records: {records.run_dir(run.run.name)}")
    if root := verify.root_hash(run.run.name):
        print(f"Root hash: {root} (`reckon verify` checks the run)")
    if want_html:
        print(f"Site: {sphinx.site_dir() / 'index.html'}{'' if fresh_html else ' (unchanged)'}")
    if make_pdf:
        print(f"PDF:  {sphinx.pdf_path()}{'' if fresh_pdf else ' (unchanged)'}")
    elif want_pdf:
        print(sphinx.TEX_HINT)
    return _exit_status(outcome)

"""`reckon collect` and `reckon export`: the runs of many machines."""

from __future__ import annotations

import secrets
import shutil
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace

import click
from rich.console import Console
from rich.progress import track

from reckon import records
from reckon.cli.commands import command, run_option
from reckon.cli.output import print_json
from reckon.cli.run_choice import chosen_run
from reckon.errors import ReckonError
from reckon.fleet.commands import extra_packages
from reckon.records.quantities.lookup import all_results
from reckon.records.run_files import files
from reckon.show.frames import frame, samples
from reckon.show.text import plural

_SOURCE_HELP = "a folder of runs, an archive, or an address of one"
_WORDS = {  # for the rows of what was written
    "runs": ("run", "runs"),
    "quantities": ("value", "values"),
    "trials": ("trial", "trials"),
    "lines": ("line", "lines"),
}


_trust_option = click.option(
    "--trust-medians",
    is_flag=True,
    help="Do not compute each median again from its samples, which takes seconds a run.",
)


@command(
    "collect",
    "handed-in                           a folder of packed runs",
    "rack1 rack2 --out site",
    "https://example.org/runs --no-names",
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", help=_SOURCE_HELP)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="collected",
    metavar="FOLDER",
    help="The site's folder.",
)
@click.option("--no-names", is_flag=True, help="Number the machines instead.")
@click.option(
    "--grading", is_flag=True, help="Add a table of what each run's predictions are worth."
)
@_trust_option
def collect(**options) -> int:
    """Make a site of the runs of many machines: which are outliers, and what a change did."""
    from reckon.book import publish  # imports slowly

    arguments = SimpleNamespace(**options)
    with extra_packages("collect"):  # pyarrow and duckdb take long to import
        from reckon.fleet.collection import export as writing
        from reckon.fleet.collection import gather, network, tables
        from reckon.fleet.collection.database import Collection
        from reckon.fleet.pages import site as pages

    out = arguments.out
    publish.check(out)
    _check_holds_no_source(out, arguments.sources)
    with _temporary_folder(out) as unpacked:
        found = gather.find(arguments.sources, unpacked)
        of_runs = gather.tables_of(found, recompute=not arguments.trust_medians)
        if arguments.no_names:
            key = secrets.token_bytes(32)
            of_runs = (tables.without_names(of_run, key) for of_run in of_runs)
        shown = _shown(of_runs, "Runs", len(found.folders))
        rows = writing.write_parquet(shown, unpacked / "data")
        for sentence in found.skipped:
            print(f"Skipped: {sentence}", file=sys.stderr)
        if not rows.get("runs"):
            raise ReckonError(_nothing(arguments.sources))
        with publish.replacing(out) as made:
            shutil.move(unpacked / "data", made / "data")
            with Collection(made / "data") as collection:
                between = network.merged(found.networks)
                with_names = not arguments.no_names
                site = pages.Site(collection, found.skipped, between, with_names=with_names)
                count = pages.write(site, made, _shown, grading=arguments.grading)
                outliers = [
                    {"machine": each["name"], "why": each["why"]} for each in site.outlying_machines
                ]
                summary, of_network = site.summary, site.of_network
    if arguments.as_json:
        print_json({"rows": rows, "pages": count, "outliers": outliers, "skipped": found.skipped})
        return 0
    print(summary)
    for each in outliers:
        print(f"{each['machine']}: {each['why']}")
    for sentence in of_network:
        print(sentence)
    print(f"Site: {out / 'index.html'} ({count:,} pages)")
    return 0


def _temporary_folder(target: Path) -> AbstractContextManager[Path]:
    """For what is unpacked: beside what is written, as nothing else has to be writable."""
    return files.temporary_folder(target.absolute().parent, ".unpacked-")


def _nothing(sources: Iterable[str]) -> str:
    return f"No run is left of {', '.join(sources)}; a run is a folder with a run.json."


def _check_holds_no_source(out: Path, sources: list[str]) -> None:
    """Raises ReckonError if a source lies in the folder of the site."""
    for source in sources:
        if Path(source).exists() and Path(source).resolve().is_relative_to(out.resolve()):
            raise ReckonError(f"{source} lies in {out}, which is replaced; choose another --out.")


@command(
    "export",
    "                                 this machine's run, into the folder export",
    "book/runs/* handed-in --out all  many runs: folders, archives, addresses",
    "--trials                         with every timed sample",
    "--prometheus reckon.prom         for node_exporter's textfile collector",
    "--csv                            one run as rk.frame and rk.samples have it",
)
@click.argument(
    "sources", nargs=-1, metavar="[SOURCE]...", help=f"{_SOURCE_HELP}; default: this machine's run"
)
@run_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="export",
    metavar="FOLDER",
    help="Where the tables go.",
)
@click.option("--csv", is_flag=True, help="Write results.csv and samples.csv of one run instead.")
@click.option("--trials", is_flag=True, help="Write trials.parquet too.")
@click.option(
    "--prometheus",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write this file instead.",
)
@_trust_option
def export(**options) -> int:
    """Write runs as tables: Parquet for notebooks, or Prometheus' text format for a dashboard."""
    arguments = SimpleNamespace(**options)
    if arguments.csv:
        return _export_frames(arguments)
    with extra_packages("export"):  # pyarrow takes long to import
        from reckon.fleet.collection import export as writing
        from reckon.fleet.collection import gather

    if arguments.sources and arguments.run:
        raise ReckonError("Give sources or --run, not both.")
    with _temporary_folder(arguments.prometheus or arguments.out) as unpacked:
        if arguments.sources:
            found = gather.find(arguments.sources, unpacked)
        else:
            found = gather.Found([records.run_dir(chosen_run(arguments.run))])
        of_runs = gather.tables_of(
            found, trials=arguments.trials, recompute=not arguments.trust_medians
        )
        shown = _shown(of_runs, "Runs", len(found.folders))
        if arguments.prometheus:
            text, runs = writing.prometheus(shown)
            rows = {"runs": runs, "lines": text.count("\n")}
        else:
            rows = writing.write_parquet(shown, arguments.out)
    for sentence in found.skipped:
        print(f"Skipped: {sentence}", file=sys.stderr)
    if not rows.get("runs"):
        raise ReckonError(_nothing(arguments.sources or map(str, found.folders)))
    if arguments.prometheus:
        records.write_whole(arguments.prometheus, text)
    if arguments.as_json:
        print_json({"rows": rows, "skipped": found.skipped})
    else:
        counts = ", ".join(
            f"{count:,} {plural(count, *_WORDS[name])}" for name, count in rows.items()
        )
        print(f"{arguments.prometheus or arguments.out}: {counts}")
    return 0


def _export_frames(arguments) -> int:
    """Writes the frames of one run as CSV, and prints how many rows they have."""
    if arguments.sources:
        raise ReckonError("--csv writes one run; name it with --run.")
    results = all_results(chosen_run(arguments.run))
    rows = {}
    for name, rows_of in (("results", frame), ("samples", samples)):
        table = rows_of(*results)
        rows[name] = len(table)
        records.make_folder(arguments.out)
        records.write_whole(arguments.out / f"{name}.csv", table.to_csv(index=False))
    if arguments.as_json:
        print_json({"rows": rows})
    else:
        print(f"{arguments.out}: {', '.join(f'{n:,} {name}' for name, n in rows.items())}")
    return 0


def _shown(items: Iterable, what: str = "Pages", total: int | None = None) -> Iterable:
    """The items as they are; on a terminal with a bar."""
    console = Console(stderr=True)
    return track(
        items, what, total, console=console, transient=True, disable=not sys.stderr.isatty()
    )

"""`reckon pack`: a run as one file, with names hidden."""

from __future__ import annotations

from pathlib import Path

import click

from reckon import records
from reckon.book import pack as packing
from reckon.cli.commands import command, run_option
from reckon.cli.output import print_json
from reckon.cli.run_choice import chosen_run
from reckon.errors import ReckonError
from reckon.records.run_files import verify


@command(
    "pack",
    "                              this machine's run",
    "--run before --as my-laptop   called my-laptop where it is collected",
)
@run_option
@click.option("--as", "called", metavar="NAME", help="What the run is called in it.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file, or a folder for it; default: NAME.reckon.tar.gz.",
)
def pack(*, run: str | None, called: str | None, out: Path | None, as_json: bool) -> int:
    """Make one file of a run, to hand in or to collect, with names and addresses hidden."""
    chosen = chosen_run(run)
    name = called or records.run_dir(chosen).name
    if name != Path(name).name or name.startswith("."):
        raise ReckonError(f"{name!r} cannot name a run; use letters, digits, - and _.")
    faults = verify.faults(chosen)
    if faults:
        raise ReckonError(
            f"The run {chosen} was changed after it was written ({faults[0].rstrip('.')}), so "
            "nobody would take it; measure again with FRESH=1."
        )
    packed = packing.pack(chosen, name)
    file = out or Path()
    if file.is_dir():
        file /= f"{name}{packing.SUFFIX}"
    records.write_whole(file, packed.content)
    size_mb = len(packed.content) / 1e6
    if as_json:
        print_json({"file": str(file), "bytes": len(packed.content), "hidden": packed.hidden})
        return 0
    for hidden, stand_in in packed.hidden.items():
        print(f"Hidden: {hidden} (there: {stand_in})")
    if not packed.hidden:
        print("It names no host, no user and no address.")
    print(f"{file}: {size_mb:.1f} MB, called {name} where it is collected")
    if len(packed.content) > packing.HANDED_IN_BYTES:
        limit_mb = packing.HANDED_IN_BYTES / 1e6
        print(f"That is more than {limit_mb:g} MB; a run of the standard profile is smaller.")
    return 0

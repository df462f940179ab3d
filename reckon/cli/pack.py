"""`reckon pack`: a run as one file, with names hidden."""

from __future__ import annotations

from pathlib import Path

from reckon import records
from reckon.book import pack as packing
from reckon.cli.commands import Commands
from reckon.cli.output import print_json
from reckon.cli.runs import chosen_run
from reckon.errors import ReckonError
from reckon.records import verify


def add_commands(commands: Commands) -> None:
    """Adds `pack`."""
    pack = commands.add(
        "pack",
        pack_run,
        "make one file of a run, to hand in or to collect, with names and addresses hidden",
        "                              this machine's run",
        "--run before --as my-laptop   called my-laptop where it is collected",
    )
    pack.add_run()
    pack.add_argument("--as", dest="called", metavar="NAME", help="what the run is called in it")
    pack.add_argument("--out", type=Path, metavar="FILE", help="default: NAME.reckon.tar.gz")


def pack_run(arguments) -> int:
    """Writes the archive, after what it hides was shown."""
    run = chosen_run(arguments)
    name = arguments.called or records.run_dir(run).name
    if name != Path(name).name or name.startswith("."):
        raise ReckonError(f"{name!r} cannot name a run; use letters, digits, - and _.")
    faults = verify.faults(run)
    if faults:
        raise ReckonError(
            f"The run {run} was changed after it was written ({faults[0].rstrip('.')}), so nobody "
            "would take it; measure again with FRESH=1."
        )
    packed = packing.pack(run, name)
    out = arguments.out or Path(f"{name}{packing.SUFFIX}")
    records.write_whole(out, packed.content)
    size_mb = len(packed.content) / 1e6
    if arguments.json:
        print_json({"file": str(out), "bytes": len(packed.content), "hidden": packed.hidden})
        return 0
    for hidden, stand_in in packed.hidden.items():
        print(f"Hidden: {hidden} (there: {stand_in})")
    if not packed.hidden:
        print("It names no host, no user and no address.")
    print(f"{out}: {size_mb:.1f} MB, called {name} where it is collected")
    if len(packed.content) > packing.HANDED_IN_BYTES:
        limit_mb = packing.HANDED_IN_BYTES / 1e6
        print(f"That is more than {limit_mb:g} MB; a run of the standard profile is smaller.")
    return 0

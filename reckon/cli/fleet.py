"""`reckon fleet`: many hosts measured at once, and the network between them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from reckon import config, records, units
from reckon.book import contents
from reckon.cli.commands import Commands
from reckon.cli.output import print_json
from reckon.config import PROFILES, ReckonError
from reckon.presentation.text import plural

if TYPE_CHECKING:  # Dask imports slowly
    from reckon.collection.network import Pair
    from reckon.fleet.hosts import Host
    from reckon.fleet.jobs import Job
    from reckon.fleet.measuring import Outcome

ARCHIVE = ".reckon.tar.gz"
_BUILD_S = 30.0  # the C library, on a host that has none
_PROBE_S = 3.0  # of a pair, with its start


def add_commands(commands: Commands) -> None:
    """Adds `fleet`."""
    fleet_ = commands.add(
        "fleet",
        fleet,
        "measure every host of a Dask cluster, and the network between them",
        "--scheduler tcp://10.0.0.1:8786 --plan     which hosts, and how long it will take",
        "--scheduler tcp://10.0.0.1:8786 --profile quick",
        '--scheduler tcp://10.0.0.1:8786 --hosts "web*" --pages "cpu/* files/*"',
    )
    fleet_.add_argument(
        "--scheduler", required=True, metavar="ADDRESS", help="such as tcp://10.0.0.1:8786"
    )
    fleet_.add_argument("--profile", choices=list(PROFILES), help="how long to measure")
    fleet_.add_argument(
        "--pages", metavar="PATTERNS", help='which experiments; default: all: "cpu/* files/*"'
    )
    fleet_.add_argument("--hosts", default="*", metavar="PATTERN", help='which hosts: "web*"')
    fleet_.add_argument(
        "--out", type=Path, default=Path("fleet"), metavar="FOLDER", help="default: fleet"
    )
    fleet_.add_argument("--fresh", action="store_true", help="measure again what hosts have")
    fleet_.add_argument(
        "--no-network", action="store_true", help="leave out the network between the hosts"
    )
    fleet_.add_argument("--plan", action="store_true", help="say what would be done, and end")
    fleet_.add_argument(
        "--silent",
        type=float,
        default=900.0,
        metavar="SECONDS",
        help="a host that says nothing for this long hangs; default: 900",
    )
    fleet_.add_argument(
        "--away",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="how long to wait for a worker or the scheduler that went away; default: 120",
    )


def fleet(arguments) -> int:
    """Says the plan, measures the hosts, then each pair of them; 1 where one of them failed."""
    from reckon.fleet import hosts, jobs
    from reckon.fleet.cluster import Cluster

    config.use(config.settings().with_choices(profile=arguments.profile))
    if arguments.pages:
        config.use(config.settings().model_copy(update={"pages": arguments.pages}))
    profile = config.settings().profile.name
    pages = [page for page in contents.notebooks() if contents.is_of_experiment(page)]
    cluster = Cluster(arguments.scheduler)
    try:
        found = hosts.find(cluster)
        for sentence in found.passed_over:
            print(f"Passed over: {sentence}", file=sys.stderr)
        chosen = [host for host in found.hosts if fnmatchcase(host.name, arguments.hosts)]
        if not chosen:
            raise ReckonError(_no_host(found.hosts, arguments.hosts))
        of_hosts = [
            jobs.HostJob(host, profile, arguments.pages, fresh=arguments.fresh) for host in chosen
        ]
        pairs = [] if arguments.no_network else jobs.pairs_in_order(chosen)
        of_pairs = [jobs.PairJob(*pair, _probes()) for pair in pairs]
        plan = _plan(of_hosts, of_pairs, pages)
        if arguments.plan and arguments.json:
            print_json({"hosts": [host.name for host in chosen], "pairs": len(pairs), **plan})
            return 0
        print(_plan_text(chosen, len(pairs), plan), file=sys.stderr)
        if arguments.plan:
            return 0
        return _measure(arguments, cluster, of_hosts, of_pairs)
    finally:
        cluster.close()


def _no_host(known: list[Host], pattern: str) -> str:
    from reckon.fleet.hosts import START_WORKER

    if known:
        names = ", ".join(host.name for host in known)
        return f"No host is named {pattern}; there are {names}."
    return f"The scheduler has no worker that can measure; start one on each host: {START_WORKER}"


def _probes() -> list[list[str]]:
    from reckon.collection.network import measurements

    return [[each.probe, *each.parameters] for each in measurements()]


def _plan(of_hosts: Sequence[Job], of_pairs: Sequence[Job], pages: list[str]) -> dict[str, float]:
    """How long the hosts take and the pairs, in seconds."""
    from reckon.book.execute import unmeasured_s  # imports slowly
    from reckon.fleet.jobs import rounds

    a_host_s = _BUILD_S + config.settings().profile.visits * sum(map(unmeasured_s, pages))
    a_pair_s = _PROBE_S * len(_probes())
    return {
        "a_host_s": a_host_s,
        "hosts_s": rounds(of_hosts) * a_host_s,
        "pairs_s": rounds(of_pairs) * a_pair_s,
    }


def _plan_text(chosen: list[Host], pairs: int, plan: dict[str, float]) -> str:
    machines = Counter(host.machine for host in chosen)
    names, count = ", ".join(host.name for host in chosen), len(chosen)
    text = f"{count} {plural(count, 'host', 'hosts')}: {names}."
    shared = [count for count in machines.values() if count > 1]
    if shared:
        text += f" {sum(shared)} of them share a machine with another: they are measured in turn."
    text += f"\nAbout {units.duration(plan['a_host_s'])} a host"
    if pairs:
        text += f", then {pairs} {plural(pairs, 'pair', 'pairs')}"
        text += f" in about {units.duration(plan['pairs_s'])}"
    return f"{text}; about {units.duration(plan['hosts_s'] + plan['pairs_s'])} in all."


# --- measuring ------------------------------------------------------------------------------------


class _Display:
    """What each host does: a live line for each, or plain lines where that is no terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=self._console,
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def line(self, name: str, text: str) -> None:
        """Shows what the host or the pair does now."""
        if not sys.stderr.isatty():
            if not text.startswith(" "):  # not each quantity
                self.say(f"{name}: {text}")
            return
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task("", total=None)
        self._bar.update(self._tasks[name], description=f"{name}: {text.strip()}")

    def done(self, name: str, text: str) -> None:
        """Shows what became of it."""
        if name in self._tasks:
            self._bar.remove_task(self._tasks.pop(name))
        self.say(f"{name}: {text}")

    def say(self, text: str) -> None:
        """Prints a line above the live ones."""
        self._console.print(text, markup=False)


def _measure(arguments, cluster, of_hosts: Sequence[Job], of_pairs: Sequence[Job]) -> int:
    from reckon.collection import network
    from reckon.fleet.measuring import Measuring, Patience

    out: Path = arguments.out
    records.make_folder(out)
    pairs: list[Pair] = []
    with _Display() as display:

        def take_run(job) -> None:
            measured = job.result()
            records.write_whole(out / f"{job.name}{ARCHIVE}", measured.archive)
            counts = [f"{count} {state}" for state, count in measured.states.items()]
            display.done(job.name, f"done ({', '.join(counts) or 'measured before'})")
            for sentence in measured.failed:
                display.say(f"{job.name}: {sentence}")

        def take_pair(job) -> None:
            names = job.hosts[0].name, job.hosts[1].name
            pairs.append(network.pair_of(names, job.result()))
            network.write(out, pairs)
            display.done(job.name, _values_text(pairs[-1]))

        patience = Patience(silent_s=arguments.silent, away_s=arguments.away)
        try:
            hosts_done = Measuring(cluster, display.line, take_run, patience).run(of_hosts)
            measured = {job.name for job in hosts_done.done}
            able = [job for job in of_pairs if {host.name for host in job.hosts} <= measured]
            pairs_done = Measuring(cluster, display.line, take_pair, patience).run(able)
        except KeyboardInterrupt:
            kept = len(list(out.glob(f"*{ARCHIVE}")))
            runs = plural(kept, "run is", "runs are")
            display.say(f"\n{kept} {runs} in {out}; the hosts keep what else they have measured.")
            raise
    for job in pairs_done.failed:
        first, second = job.split(" and ")
        pairs.append(
            network.Pair(
                hosts=(first, second), measured_at=records.now(), failed=pairs_done.failed[job]
            )
        )
    if pairs:
        network.write(out, pairs)
    return _end(arguments, out, hosts_done, pairs_done)


def _values_text(pair: Pair) -> str:
    from reckon.collection.network import measurements

    return ", ".join(
        f"{each.name.lower()} {each.text(pair.values[each.name].median)}"
        for each in measurements()
        if each.name in pair.values
    )


def _end(arguments, out: Path, hosts_done: Outcome, pairs_done: Outcome) -> int:
    failed = hosts_done.failed | pairs_done.failed
    if arguments.json:
        print_json(
            {
                "out": str(out),
                "hosts": [job.name for job in hosts_done.done],
                "pairs": [job.name for job in pairs_done.done],
                "failed": failed,
            }
        )
    else:
        total = len(hosts_done.done) + len(hosts_done.failed)
        print(f"{len(hosts_done.done)} of {total} hosts measured, in {out}.")
        print(f"`reckon collect {out}` makes a site of them.")
    for name, why in failed.items():
        print(f"Failed: {name}: {why}.", file=sys.stderr)
    return 1 if failed else 0

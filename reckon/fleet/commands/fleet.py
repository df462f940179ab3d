"""`reckon fleet`: many hosts measured at once, and the network between them."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from reckon import config, records, units
from reckon.book import contents
from reckon.book.pack import SUFFIX
from reckon.cli.commands import SECONDS, command, fresh_option, pages_option, profile_option
from reckon.cli.output import print_json
from reckon.errors import ReckonError
from reckon.fleet.commands import extra_packages
from reckon.show.text import plural

if TYPE_CHECKING:  # Dask imports slowly
    from reckon.fleet.cluster import Cluster
    from reckon.fleet.collection.network import Pair
    from reckon.fleet.hosts import Host
    from reckon.fleet.jobs import HostJob, Job, PairJob
    from reckon.fleet.measuring import Outcome
    from reckon.fleet.on_host import Measured

_BUILD_S = 30.0  # the C library, on a host that has none
_BUILD_CHECK_S = 2.0  # whether it is current
_PROBE_S = 3.0  # of a pair, with its start
# Longer than any quantity takes: a host says something when one is done.
_SILENT_S = {"quick": 900.0, "standard": 900.0, "full": 7200.0}
_WRITE_EVERY_S = 5.0  # the file of the pairs, which may be large


@command(
    "fleet",
    "--scheduler tcp://10.0.0.1:8786 --plan     which hosts, and how long it will take",
    "--scheduler tcp://10.0.0.1:8786 --profile quick",
    '--scheduler tcp://10.0.0.1:8786 --hosts "web*" --pages "cpu/* files/*"',
)
@click.option("--scheduler", required=True, metavar="ADDRESS", help="Such as tcp://10.0.0.1:8786.")
@profile_option
@pages_option
@click.option("--hosts", default="*", metavar="PATTERN", help='Which hosts: "web*".')
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="fleet",
    metavar="FOLDER",
    help="Where the runs of the hosts go.",
)
@fresh_option
@click.option("--no-network", is_flag=True, help="Leave out the network between the hosts.")
@click.option("--plan", is_flag=True, help="Say what would be done, and end.")
@click.option(
    "--silent",
    type=SECONDS,
    metavar="SECONDS",
    help="A host that says nothing for this long hangs; default: "
    + ", ".join(f"{seconds:g} ({profile})" for profile, seconds in _SILENT_S.items()),
)
@click.option(
    "--away",
    type=SECONDS,
    default=300.0,
    metavar="SECONDS",
    help="How long to wait for a worker or the scheduler that went away.",
)
def fleet(**options) -> int:
    """Measure every host of a Dask cluster, and the network between them."""
    arguments = SimpleNamespace(**options)
    with extra_packages("fleet"):
        from reckon.fleet.cluster import Cluster, SchedulerLost

    settings = config.settings()
    config.use(settings.with_choices(profile=arguments.profile, pages=arguments.pages))
    cluster = Cluster(arguments.scheduler)
    try:
        found = cluster.find()
        for sentence in found.skipped:
            print(f"Skipped: {sentence}", file=sys.stderr)
        chosen = [host for host in found.hosts if fnmatchcase(host.name, arguments.hosts)]
        if not chosen:
            raise ReckonError(_no_host(found.hosts, arguments.hosts))
        work = _Work.of(arguments, chosen)
        if arguments.plan and arguments.as_json:
            print_json(work.plan_to_dict())
            return 0
        print(work.plan_text(), file=sys.stderr)
        return 0 if arguments.plan else _measure(arguments, cluster, work)
    except SchedulerLost:
        raise ReckonError(
            f"The scheduler at {arguments.scheduler} went away; call again."
        ) from None
    finally:
        cluster.close()


def _no_host(known: list[Host], pattern: str) -> str:
    from reckon.fleet.hosts import START_WORKER

    if known:
        names = ", ".join(host.name for host in known)
        return f"No host is named {pattern}; there are {names}."
    return f"The scheduler has no worker that can measure; start one on each host: {START_WORKER}"


def _probes() -> list[list[str]]:
    from reckon.fleet.collection.network import measurements

    return [[each.probe, *each.parameters] for each in measurements()]


@dataclass
class _Work:
    """What is to be done, and the pairs that were measured before."""

    hosts: list[HostJob]
    pairs: list[PairJob]
    known_pairs: list[Pair]

    @classmethod
    def of(cls, arguments, chosen: list[Host]) -> _Work:
        """The work on these hosts; pairs that are on file are left out unless --fresh."""
        from reckon.fleet import jobs
        from reckon.fleet.collection import network

        profile, pages = config.settings().profile.name, config.settings().pages
        hosts = [jobs.HostJob(host, profile, pages, fresh=arguments.fresh) for host in chosen]
        file = arguments.out / network.FILE
        known = network.read(file).pairs if file.exists() else []
        pairs = [] if arguments.no_network else jobs.pairs_in_order(chosen)
        measured = {frozenset(pair.hosts) for pair in known if not pair.failed}
        due = [
            pair
            for pair in pairs
            if arguments.fresh or frozenset(host.name for host in pair) not in measured
        ]
        probes = _probes()
        return cls(hosts, [jobs.PairJob(*pair, probes) for pair in due], known)

    def plan_to_dict(self) -> dict[str, Any]:
        """Who, how many pairs, and how long: of a host, of all hosts, of all pairs."""
        from reckon.book.execution.execute import unmeasured_s  # imports slowly
        from reckon.fleet.jobs import rounds

        pages = [page for page in contents.notebooks() if contents.is_of_experiment(page)]
        a_host_s = _BUILD_S + config.settings().profile.visits * sum(map(unmeasured_s, pages))
        a_pair_s = _BUILD_CHECK_S + _PROBE_S * len(_probes())
        return {
            "hosts": [job.name for job in self.hosts],
            "pairs": len(self.pairs),
            "a_host_s": a_host_s,
            "hosts_s": rounds(self.hosts) * a_host_s,
            "pairs_s": rounds(self.pairs) * a_pair_s,
        }

    def plan_text(self) -> str:
        """The same in sentences."""
        plan = self.plan_to_dict()
        names, count, pairs = ", ".join(plan["hosts"]), len(self.hosts), len(self.pairs)
        machines = Counter(machine for job in self.hosts for machine in job.machines)
        shared = sum(number for number in machines.values() if number > 1)
        text = f"{count} {plural(count, 'host', 'hosts')}: {names}."
        if shared:
            text += f" {shared} of them share a machine with another: they are measured in turn."
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


class _Results:
    """What came back, in a folder: an archive of each host's run, and the pairs in one file."""

    def __init__(self, out: Path, known_pairs: list[Pair], display: _Display):
        self._out, self._display = out, display
        self._pairs = {frozenset(pair.hosts): pair for pair in known_pairs}
        self._written_s = float("-inf")
        self.incomplete: dict[str, str] = {}  # hosts whose run lacks something that failed
        records.make_folder(out)

    def take_run(self, job: Job, measured: Measured) -> None:
        """Keeps a host's run."""
        records.write_whole(self._out / f"{job.name}{SUFFIX}", measured.archive)
        counts = [f"{count} {state}" for state, count in measured.states.items()]
        self._display.done(job.name, f"done ({', '.join(counts) or 'measured before'})")
        for sentence in measured.failed:
            self._display.say(f"{job.name}: {sentence}")
        if not measured.is_complete:
            reasons = [*measured.failed, f"{measured.states.get('failed', 0)} quantities failed"]
            self.incomplete[job.name] = reasons[0]

    def take_pair(self, job: Job, answers: list[dict[str, Any]]) -> None:
        """Keeps what a pair measured."""
        from reckon.fleet.collection import network

        pair = network.pair_of((job.hosts[0].name, job.hosts[1].name), answers)
        self._add(pair)
        values = [
            f"{each.name.lower()} {each.text(pair.values[each.name].median)}"
            for each in network.measurements()
            if each.name in pair.values
        ]
        self._display.done(job.name, ", ".join(values))
        if time.monotonic() > self._written_s + _WRITE_EVERY_S:
            self.write_pairs()

    def fail_pair(self, job: Job, why: str) -> None:
        """Keeps why a pair was not measured, unless it was before."""
        from reckon.fleet.collection import network

        names = job.hosts[0].name, job.hosts[1].name
        before = self._pairs.get(frozenset(names))
        if before is None or before.failed:
            self._add(network.Pair(hosts=names, measured_at=records.now(), failed=why))

    def _add(self, pair: Pair) -> None:
        self._pairs[frozenset(pair.hosts)] = pair

    def write_pairs(self) -> None:
        """Writes the file, with what it held before."""
        from reckon.fleet.collection import network

        if self._pairs:
            network.write(self._out, list(self._pairs.values()))
        self._written_s = time.monotonic()


def _measure(arguments, cluster: Cluster, work: _Work) -> int:
    from reckon.fleet.measuring import Measuring, Patience

    silent_s = arguments.silent or _SILENT_S[config.settings().profile.name]
    patience = Patience(silent_s=silent_s, away_s=arguments.away)
    with _Display() as display:
        results = _Results(arguments.out, work.known_pairs, display)
        says = {"on_line": display.line, "on_news": display.done}
        try:
            hosts = Measuring(cluster, patience, on_done=results.take_run, **says).run(work.hosts)
            measured = {job.name for job in hosts.done}
            able = [job for job in work.pairs if {host.name for host in job.hosts} <= measured]
            pairs = Measuring(cluster, patience, on_done=results.take_pair, **says).run(able)
        except KeyboardInterrupt:
            kept = len(list(arguments.out.glob(f"*{SUFFIX}")))
            runs = plural(kept, "run is", "runs are")
            display.say(
                f"\n{kept} {runs} in {arguments.out}; the hosts keep what else they have measured."
            )
            raise
        finally:
            results.write_pairs()
    for job, why in pairs.failed.items():
        results.fail_pair(job, why)
    for job in set(work.pairs) - set(able):
        results.fail_pair(job, "one of them was not measured")
    results.write_pairs()
    failed = {job.name: why for job, why in (hosts.failed | pairs.failed).items()}
    return _end(arguments, hosts, pairs, failed | results.incomplete)


def _end(arguments, hosts: Outcome, pairs: Outcome, failed: dict[str, str]) -> int:
    total = len(hosts.done) + len(hosts.failed)
    if arguments.as_json:
        print_json(
            {
                "out": str(arguments.out),
                "hosts": [job.name for job in hosts.done],
                "pairs": [job.name for job in pairs.done],
                "failed": failed,
            }
        )
    else:
        print(f"{len(hosts.done)} of {total} hosts measured, in {arguments.out}.")
        print(f"`reckon collect {arguments.out}` makes a site of them.")
    for name, why in failed.items():
        print(f"Failed: {name}: {why}.", file=sys.stderr)
    return 1 if failed else 0

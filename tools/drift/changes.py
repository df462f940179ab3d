"""changes.py: how often `reckon compare` names a change where there was none, and where there was.

    changes.py unchanged [--runs 11] [--name unchanged] [--like RUN] [--only NAME] [--measured]
    changes.py changed [--like RUN] [--measured]

`unchanged` measures runs of this machine one after another, in the standard profile with its three
visits but without a page, compares each with the one before, and counts how many intervals hold
what was measured 10 to 20 minutes later. `changed` measures one more run under each change of
CHANGES and one without, with those quantities that it affects and those of UNAFFECTED, which show
how far a quantity varies between visits; what a change does not affect must not be named.

Quantities are the single ones of the run --like that are measured by the book's own methods. The
runs lie in _build/changes: stop it with Ctrl-C and call it again, and it goes on. With --measured
it compares the runs that are there. What was named is kept in changes.json, beside this file.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import reckon as rk
from reckon import build_context, config, records
from reckon.comparison import two_runs
from reckon.errors import ReckonError
from reckon.hosts import lab
from reckon.measurement import library, revisit
from reckon.measurement.plan import options_of
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.result import Result
from reckon.records.session import current_session

FOLDER = config.ROOT / "_build" / "changes"
NAMED = Path(__file__).with_name("changes.json")
GROUPS = Path("/sys/fs/cgroup")
LATER = timedelta(minutes=10), timedelta(minutes=20)


@dataclass(frozen=True)
class Conditions:
    """Under which a run is measured."""

    filtered: bool = False  # system calls pass a seccomp filter
    link_rtt: str = ""
    limit_mib: int = 0  # of memory
    slowed: bool = False  # getpid's probe takes 150 cycles more, about as many as a mitigation


@dataclass(frozen=True)
class Change:
    """Something that differs between two runs, and the quantities that it must change."""

    affects: tuple[str, ...]
    before: Conditions
    after: Conditions


CHANGES = {
    "system calls pass a seccomp filter": Change(
        (
            "cpu/syscall/getpid",
            "cpu/syscall/getppid",
            "cpu/syscall/getuid",
            "cpu/timer/clock_gettime_syscall",
        ),
        Conditions(),
        Conditions(filtered=True),
    ),
    "the link takes 12 ms instead of 10": Change(
        ("network/rtt/tcp_peer", "network/rtt/icmp_peer", "network/connect/connect_peer"),
        Conditions(link_rtt="10 ms"),
        Conditions(link_rtt="12 ms"),
    ),
    "a limit leaves 480 MiB instead of 512": Change(
        ("files/cache/available",), Conditions(limit_mib=512), Conditions(limit_mib=480)
    ),
    "getpid takes 150 cycles more": Change(
        ("cpu/syscall/getpid",), Conditions(), Conditions(slowed=True)
    ),
}
UNAFFECTED = ("cpu/call", "cpu/loop", "cpu/timer")
# Fifty dependent multiplications of three cycles each, before each call.
_GETPID = "TIME_CALLS(run_getpid, RK_TIME_TRIALS, syscall(SYS_getpid), result == self)"
_SLOWED_GETPID = """static void take_150_cycles(void)
{
    unsigned long product = 3;
    for (int k = 0; k < 50; k++) {
        product *= product;
        __asm__ volatile("" : "+r"(product));
    }
}
TIME_CALLS(run_getpid, RK_TIME_TRIALS, (take_150_cycles(), syscall(SYS_getpid)), result == self)"""


# --- one run --------------------------------------------------------------------------------------


def _whole(value):
    return 0, value


def _rate(value):
    return value, value


def _plain(value):
    return value


_PREDICTED = {"sum": _whole, "mean": _whole, "rate": _rate, "plain": _plain}


def single_quantities(like: str, only: list[str]) -> list[Result]:
    """The single quantities of that run that a probe measured by the book's own method."""
    results = [
        result
        for result in all_results(records.find(like))
        if result.measurement
        and result.has_samples
        and not result.is_curve
        and not result.measurement.reports
        and not result.measurement.is_derived
        and result.measurement.probe in library.probes()
    ]
    return [
        result
        for result in results
        if not only or result.quantity in only or result.quantity.rpartition("/")[0] in only
    ]


def measure_run(name: str, profile: str, like: str, only: list[str]) -> None:
    """Measure the quantities in all visits of the profile, into a run of that name."""
    quantities = single_quantities(like, only)
    rk.begin(profile=profile, run=name)
    visits = config.settings().profile.visits
    log = FOLDER / f"{name}.log"
    build_context.set_current(
        build_context.BuildContext(log, FOLDER / f"{name}.reads", visits=visits)
    )
    of_experiments: dict[str, list[Result]] = {}
    for result in quantities:
        of_experiments.setdefault(result.quantity.rpartition("/")[0], []).append(result)
    for results in of_experiments.values():
        rk.measure_together(
            {
                _prediction(result): options_of(result.measurement, result.points[0])
                for result in results
            }
        )
    session = current_session()
    for visit in range(2, visits + 1):
        for experiment in revisit.experiments_to_visit(session.run.name, visit):
            revisit.visit_again(session, experiment, visit)
    revisit.write_pooled_variance(session.run.name)


def _prediction(result: Result):
    kind, unit = result.seal.kind, result.seal.unit
    formula = rk.predict(result.quantity, unit=unit, kind=kind)(_PREDICTED[kind])
    return formula(value=rk.guess(1, unit, "any", low=0, high=1e9))


def filter_system_calls() -> None:
    """Let every system call of this process and its children pass a filter of 200 instructions.

    It reads an argument of the call: the kernel remembers the result of a filter that does not."""
    code = [(0x20, 0, 0, 16)] * 200 + [(0x06, 0, 0, 0x7FFF0000)]  # load a word; allow
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(text))
    head = ctypes.create_string_buffer(program)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int] + 4 * [ctypes.c_void_p]
    no_new_privileges, set_seccomp, by_filter = 38, 22, 2
    if prctl(no_new_privileges, 1, None, None, None) or prctl(
        set_seccomp, by_filter, ctypes.addressof(head), None, None
    ):
        raise ReckonError("This kernel takes no seccomp filter.")


@contextmanager
def limited_memory(mib: int):
    """A control group for a child process with that limit; removed afterwards."""
    is_first_version = (GROUPS / "memory").is_dir()
    base = GROUPS / "memory" if is_first_version else GROUPS
    limit = "memory.limit_in_bytes" if is_first_version else "memory.max"
    group = base / f"changes-{os.getpid()}"
    group.mkdir()
    try:
        (group / limit).write_text(str(mib << 20), "utf-8")
        yield group / "cgroup.procs"
    finally:
        for _ in range(50):  # the last process may still be on its way out
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def slowed_library() -> Path:
    """A library whose getpid takes 150 cycles more, from a copy of its sources."""
    sources, library_dir = FOLDER / "csrc", FOLDER / "lib"
    shutil.copytree(config.ROOT / "csrc", sources, dirs_exist_ok=True)
    shutil.copytree(config.settings().library_dir, library_dir, dirs_exist_ok=True)
    probe = sources / "cpu/syscall.c"
    text = probe.read_text("utf-8")
    if _GETPID not in text:
        raise ReckonError(f"{probe} times getpid in another way; adapt _GETPID.")
    probe.write_text(text.replace(_GETPID, _SLOWED_GETPID), "utf-8")
    subprocess.run(["make", "-s", "-C", sources, f"OUT={library_dir}"], check=True)
    return library_dir


def run(arguments) -> None:
    """The command `run`: measure one run under one of the changes."""
    if arguments.filtered:
        filter_system_calls()
    # Two links are two peers, whose quantities are not compared: here one changes unnoticed.
    lab.Lab.describe = lambda self: "a host behind a link"  # type: ignore[method-assign]
    measure_run(arguments.name, arguments.profile, arguments.like, arguments.only)


# --- all runs -------------------------------------------------------------------------------------


def start(name: str, arguments, only, conditions: Conditions = Conditions()) -> None:
    """Measure that run in a process of its own."""
    if arguments.measured:
        return
    print(f"{name}: measuring", flush=True)
    command = [sys.executable, __file__, "run", name, "--profile", arguments.profile]
    command += ["--like", arguments.like, *(f"--only={quantity}" for quantity in only)]
    command += ["--filtered"] * conditions.filtered
    environment = {**os.environ, "RECKON_LINK_RTT": conditions.link_rtt}
    if conditions.slowed:
        environment["RECKON_LIB"] = str(slowed_library())
    if not conditions.limit_mib:
        subprocess.run(command, env=environment, check=True)
        return
    with limited_memory(conditions.limit_mib) as processes:
        subprocess.run(
            command,
            env=environment,
            check=True,
            preexec_fn=lambda: processes.write_text("0", "utf-8"),
        )


def unchanged(arguments) -> None:
    """Measure runs of the unchanged machine, and print what compare names between neighbours."""
    names = [f"{arguments.name}-{number}" for number in range(1, arguments.runs + 1)]
    for name in names:
        start(name, arguments, arguments.only)
    judged, named = 0, []
    for a, b in zip(names, names[1:], strict=False):
        comparison = two_runs.compare(a, b)
        judged += len(comparison.judged)
        named.append(_named(comparison))
        print(f"{a} → {b}: {_in_words(named[-1])} of {len(comparison.judged)}")
    total = sum(map(len, named))
    print(f"False changes: {total} of {judged} comparisons in {len(names) - 1} pairs")
    held = held_later(names)
    share = 100 * sum(held) / len(held)
    print(f"Held: {share:.1f} % of {len(held)} pairs of an interval and a visit 10 to 20 min later")
    later = {"pairs": len(held), "held": sum(held)}
    measured = {"runs": len(names), "comparisons": judged, "named_in_each_pair": named}
    _keep(arguments.name, {**measured, "later_visits": later})


def held_later(names: list[str]) -> list[bool]:
    """For each pair of an interval and a visit that a later run began 10 to 20 minutes after the
    interval's last visit: whether the interval holds the median of that visit."""
    visits: dict[str, list] = {}  # of each quantity: when each began, and its median
    intervals = []
    for name in names:
        for result in all_results(name):
            if result.has_samples and result.summary.interval.kind == "next visit":
                times = [visit.started_at for visit in result.measurement.visits]
                medians = zip(times, result.summary.visit_medians, strict=True)
                visits.setdefault(result.quantity, []).extend(medians)
                intervals.append((result.quantity, times[-1], result.summary.interval))
    return [
        interval.low <= median <= interval.high
        for quantity, last, interval in intervals
        for begun, median in visits[quantity]
        if LATER[0] <= begun - last < LATER[1]
    ]


def _named(comparison: two_runs.Comparison) -> dict[str, float]:
    """The quantities that the comparison names, each with its ratio."""
    return {each.quantity: round(each.ratio, 3) for each in comparison.changed}


def _in_words(named: dict[str, float]) -> str:
    changes = [f"{quantity} ({ratio:.3f}×)" for quantity, ratio in named.items()]
    return f"{len(changes)} named{': ' if changes else ''}{', '.join(changes)}"


def _keep(part: str, results: dict) -> None:
    """Write the results of a command into changes.json; those of others stay."""
    before = json.loads(NAMED.read_text("utf-8")) if NAMED.exists() else {}
    named = json.dumps(before | {part: results}, indent=1, ensure_ascii=False)
    NAMED.write_text(f"{named}\n", "utf-8")


def changed(arguments) -> None:
    """Measure under each change and without it, and print what compare names."""
    effects = {}
    for number, (what, change) in enumerate(CHANGES.items(), 1):
        before, after = f"change-{number}-before", f"change-{number}-after"
        start(before, arguments, change.affects + UNAFFECTED, change.before)
        start(after, arguments, change.affects + UNAFFECTED, change.after)
        comparison = two_runs.compare(before, after)
        named = _named(comparison)
        effects[what] = {"affected": change.affects, "named": named}
        print(f"{what}: {_in_words(named)}; {len(change.affects)} affected")
        for quantity in comparison.same:
            if quantity.quantity not in change.affects:
                continue
            visible = quantity.visible_from(comparison.minimum_change)
            ratios = f"{quantity.ratio:.3f}×; named from {visible:.3f}× on"
            print(f"  not named: {quantity.quantity}, {ratios}")
        for quantity in comparison.unjudged:
            print(f"  not judged: {quantity.quantity}: {quantity.why}")
    _keep("changed", effects)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for command in (unchanged, changed, run):
        subparser = commands.add_parser(command.__name__)
        subparser.set_defaults(command=command)
        subparser.add_argument("--profile", default="standard")
        subparser.add_argument("--like", default=str(config.ROOT / "tests/runs/recorded"))
        subparser.add_argument(
            "--only",
            action="append",
            default=[],
            metavar="NAME",
            help="an experiment or a quantity",
        )
        if command is not run:
            subparser.add_argument("--measured", action="store_true", help="measure nothing")
        if command is unchanged:
            subparser.add_argument("--runs", type=int, default=11)
            subparser.add_argument("--name", default="unchanged", help="of the runs, less number")
        if command is run:
            subparser.add_argument("name")
            subparser.add_argument("--filtered", action="store_true")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    config.set_environment(RECKON_RUNS=str(FOLDER))
    arguments.command(arguments)


if __name__ == "__main__":
    try:
        main()
    except ReckonError as error:
        sys.exit(f"changes.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)

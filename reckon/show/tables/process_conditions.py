"""What happened while the samples were taken: faults, preemptions, CPUs, events of TCP."""

from __future__ import annotations

from reckon.records import Process
from reckon.records.quantities.result import Result
from reckon.show.block import Block, items, join_blocks, say
from reckon.show.block import table as columns_table
from reckon.show.text import NONE, join_words, plural
from reckon.show.titles import title_of

_NOT_KNOWN = "not known"


def processes_of(result: Result) -> list[Process]:
    return [process for point in result.points for process in point.processes]


def _total(processes: list[Process], count: str) -> str:
    """The sum of a count over all processes; -1 means that the system does not report it."""
    counts = [getattr(process, count) for process in processes]
    return _NOT_KNOWN if min(counts, default=-1) < 0 else str(sum(counts))


_CONDITION_COLUMNS = {
    "Quantity": 26,
    "Trials (fresh processes)": 14,
    "Minor faults": 12,
    "Preempted": 12,
    "Moved": 10,
    "Stolen ms": 10,
    "Stopped because": 16,
}
_COUNTED = ("minor_faults", "involuntary_switches", "migrations", "steal_ms")
_STOPPED = {"precise": "precise", "time": "time up", "processes": "enough runs"}


def conditions(results: list[Result], caption: str, name: str) -> Block:
    """What happened while the samples were taken, a row for each quantity that has any."""
    rows = []
    measured = [result for result in results if result.has_samples]
    for result in measured:
        processes = processes_of(result)
        rows.append(
            [
                title_of(result.quantity),
                f"{sum(len(p.ticks) for p in processes)} ({len(processes)})",
                *(_total(processes, count) for count in _COUNTED),
                ", ".join(sorted({_STOPPED[point.stopped] for point in result.points})),
            ]
        )
    counts = columns_table(_CONDITION_COLUMNS, rows, caption, name)
    return join_blocks([counts, _where(measured), _partners(results)])


def _where(results: list[Result]) -> Block:
    """On which CPU and with which priority the processes ran."""
    quantities: dict[str, list[str]] = {}
    for result in results:
        processes = processes_of(result)
        cpus = sorted({process.cpu for process in processes})
        where = f"{plural(len(cpus), 'CPU', 'CPUs')} {join_words(map(str, cpus))}"
        where += f" at nice {processes[0].nice}"
        quantities.setdefault(where, []).append(title_of(result.quantity))
    if len(quantities) == 1:
        return say(*(f"All ran on {where}." for where in quantities))
    return items(f"On {where}: {_quoted(names)}." for where, names in quantities.items())


_RELATIONS = {
    "": "",
    "sibling": "the other thread of the core",
    "same_cache": "another core that shares the last-level cache",
    "same_socket": "another core of the same socket",
    "other_socket": "a core of another socket",
}


def _partners(results: list[Result]) -> Block:
    """On which CPU the partner ran, where the probe chose another one for it."""
    quantities: dict[str, list[str]] = {}
    for result in results:
        for process in processes_of(result):
            if process.partner_cpu >= 0:
                where = f"CPU {process.partner_cpu}"
                relation = _RELATIONS[process.partner_relation]
                if relation:
                    where += f". According to the machine, this is {relation}"
                quantities.setdefault(where, []).append(title_of(result.quantity))
    return items(
        f"The other end ran on {where}. This holds for {_quoted(names)}."
        for where, names in quantities.items()
    )


def _quoted(titles: list[str]) -> str:
    """Each title once, in quotation marks, because titles have commas."""
    return join_words(f"“{title}”" for title in dict.fromkeys(titles))


_TCP_COLUMNS = {
    "Quantity": 20,
    "Other end": 24,
    "Segments sent again": 14,
    "Accept queue overflowed": 14,
    "Connections dropped there": 14,
    "Maximum in TIME_WAIT": 14,
}


def tcp(results: list[Result], caption: str, name: str) -> Block:
    """TCP's events while the samples were taken, by the counters of this side's network namespace.

    The accept queue of the other host is not among them.
    """
    rows = []
    for result in results:
        processes = processes_of(result)
        if all(process.retransmits < 0 for process in processes):  # not counted
            continue
        is_remote = result.measurement is not None and result.measurement.peer
        waiting = max(process.time_wait for process in processes)
        rows.append(
            [
                title_of(result.quantity),
                "other host" if is_remote else "loopback",
                _total(processes, "retransmits"),
                NONE if is_remote else _total(processes, "listen_overflows"),
                NONE if is_remote else _total(processes, "listen_drops"),
                str(waiting) if waiting >= 0 else _NOT_KNOWN,
            ]
        )
    return columns_table(_TCP_COLUMNS, rows, caption, name)

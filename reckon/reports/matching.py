"""Which figures are alike: what of a report is held against what of a run, and how it is named and told."""

from __future__ import annotations

import math
import re

from reckon import records
from reckon.records.result import Result
from reckon.reports import published

# What a report did on another scale than this book does, so that the figures are no ratio of machines.
NOT_ALIKE = {
    "files/cache": "the reports filled all of their memory, this book a group with little memory that stands for it",
}
# This book's own rows that a report's figure is held against, since no row measures in the report's way (or
# the report does not tell it).
HELD_AGAINST_OURS = {
    "cpu/clock/ticks",
    "network/rtt/icmp_peer",
    "network/rtt/tcp_peer",
    "files/remote/penalty",
    "files/remote/penalty_in_order",
    "files/remote/seek",
}
_MANY_A_FAULT = "here one fault may serve many pages, and then it is no time of a fault"
_FITS = "its 4 MB did not fit into its machine's caches, and do into many of today's"
_NO_SPEED = "how often a counter counts is a constant of its processor, and no speed"
# Rows whose ratio tells of no machine's speed: they stand in table and heat map without colour, not ranked.
NOT_RANKED = {
    "cpu/clock/ticks": _NO_SPEED,
    "cpu/clock/t470_sleep": _NO_SPEED,
    "cpu/clock/x510uq_second": _NO_SPEED,
    "cpu/syscall/mbp2016_getpid": "the C library answered it there from memory, and the kernel does here",
    "memory/fault/mbp2016": _MANY_A_FAULT,
    "memory/fault/i7_10750h_file": _MANY_A_FAULT,
    "memory/bandwidth/x510uq_read": _FITS,
    "memory/bandwidth/x510uq_write": _FITS,
    "files/contention/i7_10750h": "no disk of that report answers so soon: its blocks came from memory",
    "files/remote/seek": "libnfs only notes an offset here, and no message goes out",
}
_OVER_THE_LINK = "goes over the link to the peer, and that is none of the machine's"
# Named as if they were the same as another report's, and another thing.
LINES = {
    "cpu/loop/mbp2016": "optimised",
    "cpu/timer/t470": "pair, not fenced",
    "cpu/timer/mbp2016": "single read",
    "cpu/switch/hpe_i7_860_thread": "thread, by a condition variable",
    "cpu/switch/i7_10750h_process": "process, from its fork",
    "cpu/switch/i7_10750h_thread": "thread, from its creation",
    "cpu/task/hpe_i7_860_process": "process, until the first runs",
    "cpu/task/hpe_i7_860_thread": "thread, until the first runs",
    "cpu/task/x510uq_thread": "thread, not joined",
    "memory/fault/t470": "from disk",
    "memory/fault/x510uq": "from disk",
    "memory/fault/hpe_i7_860": "from disk",
    "memory/fault/hpe_i7_860_memory": "file in memory",
    "memory/fault/mbp2016": "cached",
    "memory/fault/i7_10750h_file": "file just filled",
    "network/rtt/i7_10750h": "through a pipe",
    "network/rtt/hpe_i7_860": "to the acknowledgement",
    "network/rtt/hpe_i7_860_peer": "to the acknowledgement, peer",
    "network/connect/hpe_i7_860_setup": "setup, on the wire",
    "network/connect/hpe_i7_860_setup_peer": "setup peer, on the wire",
    "network/connect/mbp2016_setup": "setup, socket() and connect()",
    "network/connect/mbp2016_setup_peer": "setup peer, socket() and connect()",
    "files/read/t470_sequential": "sequential, never written",
    "files/read/t470_random": "random, never written",
    "files/contention/t470": "never written",
    "files/contention/mbp2016": "threads on one file",
}
BLOCK_BYTES = 4096  # a whole file, and a larger piece of one, is told by its blocks of so many
BLOCKS = {
    "files/remote/i7_10750h_sequential": 16.0,
    "files/remote/i7_10750h_random": 16.0,
}  # 64 KiB each
# How many bytes of a file a report's time is of; 0 where it is a file as large as its place on the axis.
READS = {
    "files/read/t470_sequential": 0,
    "files/read/t470_random": 0,
    "files/read/i7_10750h_sequential": 128_000_000,
    "files/read/i7_10750h_random": 128_000_000,
    **{
        f"files/read/{report}_{order}": BLOCK_BYTES
        for report in ("mbp2016", "hpe_i7_860")
        for order in ("sequential", "random")
    },
}
# What a report's page works out of other figures of it.
DERIVED = re.compile(
    r"^(a|one) byte|\b(less|over (a|one|that|its|light|reading)|against|share|slope|intercept|difference|each further|"
    r"further time|in switches|in bytes|line's value|adds|too low|time of one cycle|size (at|from) which|throughput "
    r"of reads from|of the (first )?file that|file that the cache|in the cache|past the cache)\b"
)


def alike(quantity: str) -> list[published.Figure]:
    """The reports' figures of a quantity, where they measured the same."""
    return [] if quantity.rpartition("/")[0] in NOT_ALIKE else published.of(quantity)


def not_ranked(quantity: str) -> str:
    """Why no machine is quicker or slower by it; nothing where one is."""
    if quantity in NOT_RANKED:
        return NOT_RANKED[quantity]
    return _OVER_THE_LINK if "_peer" in quantity or quantity.startswith("files/remote/") else ""


def line_of(quantity: str) -> tuple[str, str]:
    """The experiment and what is measured, without the name of the report whose method it is."""
    experiment, _, last = quantity.rpartition("/")
    if quantity in LINES:
        return experiment, LINES[quantity]
    for report in published.all_reports():
        last = re.sub(rf"(^|_){report.name}(_|$)", "_", last).strip("_")
    return experiment, last


def told_by_slope(one: Result, figure: published.Figure) -> bool:
    """A report's figure of no place on a curve's axis is the slope of a line through it."""
    return one.is_curve and figure.at is None and figure.measured is not None


def like(one: Result, figure: published.Figure) -> float:
    """This run's figure that a report's is held against, in base units; nan where it has none."""
    if told_by_slope(one, figure):
        return one.line.slope if one.line else math.nan
    place = one.place(figure.at, figure.at_unit)
    return math.nan if place is None else float(one.medians[place])


def file_blocks(point: records.Point) -> float:
    """How many blocks a whole file has that was read at that point."""
    return (
        next(point.params[name] for name in ("file_bytes", "size_bytes") if name in point.params)
        / BLOCK_BYTES
    )

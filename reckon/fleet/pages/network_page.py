"""The page of a collection on the network between its hosts: a table for each measurement."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from reckon.fleet.collection.network import (
    Measurement,
    Network,
    WorstConnected,
    worst_connected,
)
from reckon.messages import join_words
from reckon.show.text import plural
from reckon.units import number

MOST_IN_A_TABLE = 24  # hosts; of more, each has a row with what its pairs measured

_Values = dict[tuple[str, str], float]  # a measurement's medians by pair of hosts


def content(network: Network) -> dict[str, Any]:
    """A table for each measurement, and the pairs that measured nothing, with the reason."""
    return {
        "tables": [
            _table(measurement, values, worst_connected(network.pairs, measurement))
            for measurement, values in _measured(network)
        ],
        "failures": [
            f"{join_words(pair.hosts)}: {pair.failed}" for pair in network.pairs if pair.failed
        ],
    }


def findings(network: Network) -> list[str]:
    """A sentence for each measurement: the host that is badly connected, or that there is none."""
    return [
        _finding(measurement, values, worst_connected(network.pairs, measurement))
        for measurement, values in _measured(network)
    ]


def _measured(network: Network) -> Iterator[tuple[Measurement, _Values]]:
    for measurement in network.measurements:
        name = measurement.name
        values = {p.hosts: p.values[name].median for p in network.pairs if name in p.values}
        if values:
            yield measurement, values


def _finding(measurement: Measurement, values: _Values, worst: WorstConnected | None) -> str:
    if worst is None:
        middle, count = measurement.text(median(values.values())), len(values)
        return (
            f"{measurement.name}: {middle} in the median of {count} "
            f"{plural(count, 'pair', 'pairs')}; no host is badly connected."
        )
    return (
        f"{measurement.name}: even the best pair of {worst.host} has "
        f"{measurement.text(worst.best)}; that of the median host has "
        f"{measurement.text(worst.middle)} ({number(worst.factor)} times)."
    )


def _table(
    measurement: Measurement, values: _Values, worst: WorstConnected | None
) -> dict[str, Any]:
    """Hosts by hosts, or of many hosts a row each; a cell is its text and whether it is marked."""
    hosts = sorted({host for pair in values for host in pair})
    marked = worst.host if worst else None
    if len(hosts) <= MOST_IN_A_TABLE:
        columns, rows = hosts[1:], _matrix(measurement, hosts, values, marked)
    else:
        columns = ["Least", "Median", "Most", "Pairs"]
        rows = _ranges(measurement, hosts, values, marked)
    finding = _finding(measurement, values, worst)
    return {"title": measurement.name, "finding": finding, "columns": columns, "rows": rows}


def _matrix(
    measurement: Measurement, hosts: list[str], values: _Values, marked: str | None
) -> list[dict[str, Any]]:
    """A row for each host but the last: it has a cell for each host after it."""
    either_way = values | {(b, a): value for (a, b), value in values.items()}
    rows = []
    for index, host in enumerate(hosts[:-1]):
        cells = [("", False)] * index
        for other in hosts[index + 1 :]:
            value = either_way.get((host, other))
            text = "" if value is None else measurement.text(value)
            cells.append((text, value is not None and marked in (host, other)))
        rows.append({"host": host, "cells": cells})
    return rows


def _ranges(
    measurement: Measurement, hosts: list[str], values: _Values, marked: str | None
) -> list[dict[str, Any]]:
    """A row for each host: the range of what its pairs measured, the greatest median first."""
    of_host = {host: [value for pair, value in values.items() if host in pair] for host in hosts}
    rows = []
    for host in sorted(hosts, key=lambda host: -median(of_host[host])):
        own = of_host[host]
        texts = [measurement.text(value) for value in (min(own), median(own), max(own))]
        cells = [(text, host == marked) for text in [*texts, str(len(own))]]
        rows.append({"host": host, "cells": cells})
    return rows

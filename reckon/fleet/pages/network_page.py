"""The page of a collection on the network between its hosts: a table for each measurement."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from reckon.fleet.collection.network import Apart, Measurement, Network, Pair, worst_connected
from reckon.messages import join_words
from reckon.show.text import plural
from reckon.units import number

MOST_IN_A_TABLE = 24  # hosts; of more, each has a row with what its pairs measured


def findings(network: Network) -> list[str]:
    """A sentence for each measurement: the host that stands apart, or how alike they are."""
    return [
        _finding(measurement, values, worst_connected(network.pairs, measurement))
        for measurement, values in _measured(network)
    ]


def tables(network: Network) -> list[dict[str, Any]]:
    """A table for each measurement: hosts by hosts, or of many hosts a row each."""
    found = []
    for (measurement, values), finding in zip(_measured(network), findings(network), strict=True):
        hosts = sorted({host for both in values for host in both})
        apart = worst_connected(network.pairs, measurement)
        table: dict[str, Any] = {"title": measurement.name, "finding": finding}
        if len(hosts) <= MOST_IN_A_TABLE:
            table |= {"columns": hosts[1:], "rows": _matrix(measurement, hosts, values, apart)}
        else:
            table |= {"columns": ["Least", "Median", "Most", "Pairs"]}
            table |= {"rows": _ranges(measurement, hosts, values, apart)}
        found.append(table)
    return found


def failures(network: Network) -> list[str]:
    """The pairs that measured nothing, and why."""
    return [
        f"{join_words(list(pair.hosts))}: {pair.failed}" for pair in network.pairs if pair.failed
    ]


def _measured(network: Network) -> Iterator[tuple[Measurement, dict[tuple[str, str], Pair]]]:
    for measurement in network.measurements:
        values = {pair.hosts: pair for pair in network.pairs if measurement.name in pair.values}
        if values:
            yield measurement, values


def _finding(measurement: Measurement, values: dict, apart: Apart | None) -> str:
    medians = [pair.values[measurement.name].median for pair in values.values()]
    if apart is None:
        return (
            f"{measurement.name}: {measurement.text(median(medians))} in the median of "
            f"{len(medians)} {plural(len(medians), 'pair', 'pairs')}; no host stands apart."
        )
    best, middle = measurement.text(apart.best), measurement.text(apart.middle)
    return (
        f"{measurement.name}: even the best pair of {apart.host} has {best}; that of the median "
        f"host has {middle} ({number(apart.factor)} times)."
    )


def _matrix(
    measurement: Measurement, hosts: list[str], values: dict, apart: Apart | None
) -> list[dict[str, Any]]:
    """A row for each host but the last: it has a cell for each host behind it."""
    either_way = values | {(b, a): pair for (a, b), pair in values.items()}
    rows = []
    for index, host in enumerate(hosts[:-1]):
        cells = []
        for other in hosts[1:]:
            pair = either_way.get((host, other)) if other in hosts[index + 1 :] else None
            cells.append(
                {
                    "text": measurement.text(pair.values[measurement.name].median) if pair else "",
                    "is_odd": bool(pair and apart and apart.host in (host, other)),
                }
            )
        rows.append({"host": host, "cells": cells})
    return rows


def _ranges(
    measurement: Measurement, hosts: list[str], values: dict, apart: Apart | None
) -> list[dict[str, Any]]:
    """A row for each host: the range of what its pairs measured, the greatest median first."""
    rows = []
    for host in hosts:
        own = [
            pair.values[measurement.name].median for both, pair in values.items() if host in both
        ]
        is_odd = bool(apart and apart.host == host)
        texts = [measurement.text(value) for value in (min(own), median(own), max(own))]
        cells = [{"text": text, "is_odd": is_odd} for text in [*texts, str(len(own))]]
        rows.append({"host": host, "cells": cells, "median": median(own)})
    return sorted(rows, key=lambda row: -row["median"])

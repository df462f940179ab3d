"""The network between the hosts of a fleet: what each pair measured, in a file beside the runs."""

from __future__ import annotations

import datetime
import functools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median_high, median_low
from typing import Any

import pydantic

from reckon import config, records, toml_files, units
from reckon.errors import ReckonError
from reckon.messages import first_fault

FILE = "network.json"  # beside the runs
_MEASUREMENTS = config.ROOT / "book" / "fleet.toml"


class Measurement(toml_files.Entry):
    """What is measured between two hosts: a probe, its parameters, and how it is shown."""

    name: str
    probe: str
    parameters: list[str]
    unit: str
    is_rate: bool  # the probe gives the time of a byte, which is shown as a rate

    def value(self, time_ns: float | None) -> float | None:
        """The time in s or the rate in byte/s, of the time in ns that the probe gives."""
        if not time_ns or time_ns <= 0:
            return None
        time_s = units.to_base(time_ns, "ns")
        return 1 / time_s if self.is_rate else time_s

    def text(self, base_value: float) -> str:
        """The value with its unit, as it is shown."""
        return units.amount(base_value, self.unit)


class Value(toml_files.Entry):
    """A median with its 95 % interval, in base units: s or byte/s."""

    median: float
    low: float | None
    high: float | None


class Pair(toml_files.Entry):
    """What two hosts measured between one another: the second sent, the first answered."""

    hosts: tuple[str, str]
    measured_at: datetime.datetime
    values: dict[str, Value] = {}  # by the measurement's name
    failed: str | None = None


class Network(toml_files.Entry):
    """What `FILE` holds."""

    format: int = 1
    measurements: list[Measurement]
    pairs: list[Pair]


class _File(toml_files.Entry):
    measurement: list[Measurement]


@functools.cache
def measurements() -> list[Measurement]:
    """What is measured between two hosts, as book/fleet.toml lists it."""
    return toml_files.read(_MEASUREMENTS, _File).measurement


def pair_of(hosts: tuple[str, str], answers: Iterable[dict[str, Any]]) -> Pair:
    """The pair, from what its probes printed, in the order of measurements()."""
    values = {}
    for measurement, answer in zip(measurements(), answers, strict=True):
        ends = [measurement.value(answer[name]) for name in ("low", "high")]
        middle = measurement.value(answer["median"])
        if middle is not None:
            low, high = reversed(ends) if measurement.is_rate else ends
            values[measurement.name] = Value(median=middle, low=low, high=high)
    return Pair(hosts=hosts, measured_at=records.now(), values=values)


def write(folder: Path, pairs: list[Pair]) -> None:
    """Writes the file, whole or not at all."""
    network = Network(measurements=measurements(), pairs=pairs)
    records.write_whole(folder / FILE, network.model_dump_json(indent=1) + "\n")


def read(path: Path) -> Network:
    """The file's content. Raises ReckonError where it is none."""
    try:
        return Network.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ReckonError(f"{path} cannot be read ({error.strerror}).") from None
    except pydantic.ValidationError as error:
        raise ReckonError(f"{path}: {first_fault(error)}.") from None


def merged(networks: dict[Path, Network]) -> Network | None:
    """All of them as one; None where no pair was measured.

    networks: by folder, whose name is put before a host's name that occurs in another one too. Of a
    pair that was measured more than once in a folder, the newest counts."""
    folders_of: dict[str, set[Path]] = defaultdict(set)
    for folder, network in networks.items():
        for pair in network.pairs:
            for host in pair.hosts:
                folders_of[host].add(folder)
    names = _names([*networks])
    pairs: dict[frozenset[str], Pair] = {}
    for folder, network in networks.items():
        for pair in sorted(network.pairs, key=lambda pair: pair.measured_at):
            hosts = tuple(
                f"{names[folder]}/{host}" if len(folders_of[host]) > 1 else host
                for host in pair.hosts
            )
            pairs[frozenset(hosts)] = pair.model_copy(update={"hosts": hosts})
    measured = {each.name: each for network in networks.values() for each in network.measurements}
    if not pairs:
        return None
    return Network(measurements=list(measured.values()), pairs=list(pairs.values()))


def _names(folders: list[Path]) -> dict[Path, Path]:
    """The last parts of each path, as few as tell all of them apart."""
    count = 1
    while True:
        names = {folder: Path(*folder.parts[-count:]) for folder in folders}
        if len({*names.values()}) == len(folders):
            return names
        count += 1


@dataclass(frozen=True)
class WorstConnected:
    """A host that is worse connected than the others: even its best pair is worse than theirs."""

    host: str
    best: float  # of its pairs
    middle: float  # what the host in the middle has as its best
    factor: float  # by which it is worse


_BADLY_FACTOR = 1.5


def worst_connected(pairs: list[Pair], measurement: Measurement) -> WorstConnected | None:
    """The host whose best pair is worst; None where it is about as good as those of the others.

    By the best and not the median, because a pair has two hosts: every host has a bad pair with
    the one that is badly connected."""
    name, best_of = measurement.name, max if measurement.is_rate else min
    of_host: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        for host in pair.hosts:
            if name in pair.values:
                of_host[host].append(pair.values[name].median)
    if not of_host:
        return None
    best = {host: best_of(values) for host, values in of_host.items()}
    # Of an even number the worse one: half of the hosts may be on a better path than the others.
    middle = (median_low if measurement.is_rate else median_high)(best.values())
    worse = {
        host: middle / own if measurement.is_rate else own / middle for host, own in best.items()
    }
    host = max(sorted(worse), key=lambda each: worse[each])
    if worse[host] < _BADLY_FACTOR:
        return None
    return WorstConnected(host, best[host], middle, worse[host])


def without_names(network: Network) -> Network:
    """The same with numbers for hosts, and without reasons, which may hold addresses."""
    hosts = dict.fromkeys(host for pair in network.pairs for host in pair.hosts)
    numbers = {host: f"Host {number}" for number, host in enumerate(hosts, 1)}
    pairs = [
        Pair(
            hosts=(numbers[pair.hosts[0]], numbers[pair.hosts[1]]),
            measured_at=pair.measured_at,
            values=pair.values,
            failed="failed" if pair.failed else None,
        )
        for pair in network.pairs
    ]
    return network.model_copy(update={"pairs": pairs})

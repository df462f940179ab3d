"""The main results of a run, as book/headlines.toml lists them."""

from __future__ import annotations

import re
from dataclasses import replace

from reckon import config, records, toml_files, units
from reckon.computer.facts import Machine
from reckon.messages import join_words
from reckon.records.quantities.cache_levels import at_level
from reckon.records.quantities.result import Result
from reckon.show.tables.plateau_tables import capacities, seen_levels
from reckon.statistics.plateaus import Level

FILE = config.ROOT / "book" / "headlines.toml"

VIRTUAL_DISK = "virtual disk"


class Headline(toml_files.Entry):
    """A quantity with the name and the note that stand for it."""

    quantity: str
    name: str
    note: str
    cache: str = ""  # of a cache: the input of `walks` that is its capacity
    walks: tuple[str, ...] = ()  # curves over sizes that show where it ends; the first measured one
    drawn_in: str = ""  # the part of the machine's portrait; of a cache that cache; "": in none

    @property
    def part(self) -> str:
        return self.quantity.partition("/")[0]


class _File(toml_files.Entry):
    headline: list[Headline]


def main_results() -> list[Headline]:
    """The main results, in the file's order. Raises ReckonError if it cannot be read."""
    records.note_read(FILE)
    return toml_files.read_once(FILE, _File).headline


def of_parts(*parts: str) -> list[Headline]:
    """Those of some parts of the book."""
    return [headline for headline in main_results() if headline.part in parts]


def result_of(headline: Headline, by_quantity: dict[str, Result]) -> Result | None:
    """Its result; of a cache whose probe lies beyond it, the curve's within the cache."""
    result, walk = by_quantity.get(headline.quantity), _walk(headline, by_quantity)
    if result is None or walk is None:
        return result
    return at_level(result, walk, _levels(walk).get(headline.cache))


def full_name(headline: Headline, result: Result, machine: Machine) -> str:
    """ "4 KiB from virtual disk, random": its name with what of the value is not this machine's."""
    note = not_its_own(headline, result, machine)
    if note == VIRTUAL_DISK and "disk" in headline.name:
        return headline.name.replace("disk", note)
    return f"{headline.name}, {note}" if note else headline.name


def not_its_own(headline: Headline, result: Result, machine: Machine) -> str:
    """What of the value is not this machine's own: "virtual disk" or "link set to 200 µs"; ""."""
    if headline.drawn_in == "disk" and is_virtual_disk(machine):
        return VIRTUAL_DISK
    is_over_link = bool(result.measurement and result.measurement.peer)
    part = "nfs" if headline.drawn_in == "remote" else "peer"
    return set_link(machine, part) if is_over_link else ""


def set_link(machine: Machine, part: str) -> str:
    """ "link set to 200 µs": the round trip that Reckon gave the link to the host of that part; ""
    of a real host."""
    rtt = machine.number(f"{part}.link_rtt")
    return f"link set to {units.size(rtt, 's')}" if rtt is not None else ""


def is_virtual_disk(machine: Machine) -> bool:
    """Whether what is read lies on a disk that a hypervisor makes."""
    name = re.search(r"/dev/([a-z]+)", str(machine.value("scratch.lies_on") or ""))
    return name is not None and f"{name[1]} (virtual" in str(machine.value("disk.devices") or "")


def below(results: dict[str, Result]) -> str:
    """What the intervals of main results mean, by their names, and which are of one visit only; ""
    without intervals."""
    bases = {name: result.interval_from for name, result in results.items()}
    single = [f"“{name}”" for name, basis in bases.items() if basis.endswith("of one visit")]
    is_repeat = len(single) < sum(map(bool, bases.values()))
    sentences = {
        "A repeat some minutes later lies in the interval ( ) about "
        "[nine times in ten](/book/method.md).": is_repeat,
        f"From a single visit, which describes only its own seconds: {join_words(single)}.": single
        and is_repeat,
        "The intervals are from a single visit and describe only its seconds.": single
        and not is_repeat,
    }
    return " ".join(sentence for sentence, applies in sentences.items() if applies)


def reported_caches(machine: Machine) -> dict[str, float | None]:
    """The size of each cache of data in bytes, as the system reports it."""
    keys = {"l1": "processor.l1d", "l2": "processor.l2", "l3": "processor.l3"}
    return {cache: machine.number(key) for cache, key in keys.items()}


def usable_caches(by_quantity: dict[str, Result]) -> dict[str, float | None]:
    """The largest measured size at the pace of each cache, in bytes, by the curve that shows the
    last of them; None where its data show no such level, {} where it was not measured."""
    *_, last = [each for each in main_results() if each.cache]
    walk = _walk(last, by_quantity)
    if walk is None:
        return {}
    seen = _levels(walk)
    return {cache: seen[cache].x_last if cache in seen else None for cache in capacities(walk)}


def _walk(headline: Headline, by_quantity: dict[str, Result]) -> Result | None:
    walks = [by_quantity[walk] for walk in headline.walks if walk in by_quantity]
    return next((walk for walk in walks if walk.has_samples), None)


def _levels(walk: Result) -> dict[str, Level]:
    reported = capacities(walk)
    return seen_levels(walk, [*reported, "main memory"], reported)


def with_chapters_values(results: list[Result]) -> list[Result]:
    """The results; of a cache whose probe lies beyond it, the value that its chapter gives."""
    by_quantity = {result.quantity: result for result in results}
    caches = {headline.quantity: headline for headline in main_results() if headline.cache}
    return [
        replace(result_of(caches[result.quantity], by_quantity) or result, quantity=result.quantity)
        if result.quantity in caches
        else result
        for result in results
    ]


def reason(result: Result | None) -> str:
    return ((result.reason if result else "") or "not measured yet").rstrip(".")


def unmeasured(absent: dict[Headline, Result | None]) -> str:
    """ "Not measured here: L2 hit and main memory (needs root)."; "" if nothing is absent."""
    names: dict[str, list[str]] = {}
    for headline, result in absent.items():
        names.setdefault(reason(result), []).append(headline.name)
    reasons = "; ".join(f"{join_words(each)} ({why})" for why, each in names.items())
    return f"Not measured here: {reasons}." if names else ""

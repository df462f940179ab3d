"""Sentences on the other host, the NFS server and the disk of a run."""

from __future__ import annotations

import math

from reckon import units
from reckon.computer import scratch_disk
from reckon.computer.facts import Machine
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say
from reckon.show.text import code, literal, more_or_less

LIGHT_IN_FIBRE_M_PER_S = 2.0e8  # two thirds of light in vacuum: a refractive index near 1.5
_NOT_MEASURED = "What needs one is predicted but not measured."


def is_built_in(machine: Machine, part: str = "peer") -> bool:
    """Whether Reckon itself set the length of the link to the host of that part."""
    return machine.value(f"{part}.link_rtt") is not None


def _amount(machine: Machine, field: str, unit: str) -> str:
    value = machine.number(field)
    return "not known" if value is None else units.amount(value, unit)


def _link(other: Machine) -> tuple[str, str]:
    """The round trip and the rate that the link is set to."""
    return _amount(other, "peer.link_rtt", "ms"), _amount(other, "peer.link_rate", "Mbit/s")


_BUILT_IN = (
    "**The other host is built into this machine**: a second network stack in namespaces of its "
    "own. Reckon itself carries the packets between the two, over a link that is set to a round "
    "trip of {} and {} of IP packets. So delay and rate are settings, no findings: a result "
    "shows what this machine's software adds to them. `PEER=host PEER_TOKEN=…` uses a real host."
)


def host(other: Machine) -> Block:
    """What the other host is; `other` is what rk.other_host() gives."""
    if other.value("peer.kind") is None:
        why = other.fact("peer.kind").source or "none was there when the run was recorded"
        return say(f"There is no other host here: {literal(why).rstrip('.')}.", _NOT_MEASURED)
    if is_built_in(other):
        return say(_BUILT_IN.format(*_link(other)))
    parts = [other.value("peer.processor"), other.value("peer.kernel")]
    details = ", ".join(literal(value) for value in parts if value)
    details = f" ({details})" if details else ""
    return say(f"The other host is {literal(other.value('peer.address'))}{details}.")


def server(nfs: Machine, results: list[Result]) -> Block:
    """What the NFS server is; `nfs` is what rk.nfs_server() gives, `results` were read from it."""
    measurements = [r.measurement for r in results if r.has_samples and r.measurement]
    peers = [measurement.peer for measurement in measurements if measurement.peer]
    built_in = is_built_in(nfs, "nfs")
    if not peers:
        why = next((r.reason for r in results if r.reason), "none was there").rstrip(".")
        there_is_none = f"There is no NFS server here: {literal(why)}."
        return say(there_is_none, _NOT_MEASURED) if built_in else say(there_is_none)
    if not built_in:
        address = literal(nfs.value("nfs.address") or "not known")
        return say(f"The NFS server is {address}; its link is not under Reckon's control.")
    far = _amount(nfs, "nfs.far_rtt", "ms")
    return say(
        f"The server: {literal(peers[0]).rstrip('.')}. A second and a third one, for comparison, "
        f"are behind a link without delay and one of {far}. `NFS=host:/export` uses a real server."
    )


def link_check(other: Machine, by_method: dict[str, Result]) -> Block:
    """The round trip that the built-in link is set to, and what was measured of it.

    by_method: {how it was measured: result}; their hardware part is what the link alone takes.
    """
    if not is_built_in(other):
        return say("The other host is a real one, or there is none: the link's delay is not set.")
    measured = {method: result for method, result in by_method.items() if result.has_samples}
    if not measured:
        return say("Nothing was measured over the link.")
    first = next(iter(measured.values()))
    minimum_s = float(first.sealed("hardware", first.current)[0])
    texts = []
    for method, result in measured.items():
        more = f", {more_or_less(result.median - minimum_s, 'µs')}"
        texts.append(f"{method} {result}{'' if result.is_of_two_groups else more}")
    rtt, rate = _link(other)
    return say(
        f"The link is set to {rtt} and {rate}; with the bytes of the packets a round trip takes at "
        f"least {units.amount(minimum_s, 'ms')}. Measured: {'; '.join(texts)}. The difference is "
        "the other host's work, the relay's delay and, for a program, this side's own work."
    )


_LAYERS = "**Layers**: reads go through to the file system below, which is not named here."
_IN_MEMORY = "**No disk is below it**, so what needs one is not available."
_GUEST = (
    "**This machine is a guest**, so its disk is a device as the guest sees it: the host's caches, "
    "its limits and other guests are part of every result."
)


def disk(machine: Machine) -> Block:
    """What the files of this run lie on; `machine` is the run's description."""
    folder = machine.value("scratch.folder")
    file_system = machine.value("scratch.filesystem")
    if not folder:
        return say("The run does not record on which disk it was measured.")
    is_in_memory = file_system in scratch_disk.IN_MEMORY
    is_on_disk_of_guest = machine.value("system.guest") and not is_in_memory
    return say(
        f"The files lie in {code(folder)} (`SCRATCH=` chooses another folder): "
        f"{literal(file_system)}, {literal(machine.value('scratch.lies_on'))}.",
        _LAYERS if file_system == "overlay" else "",
        _IN_MEMORY if is_in_memory else "",
        _GUEST if is_on_disk_of_guest else "",
        f"Disks of this machine: {literal(machine.value('disk.devices') or 'none is reported')}.",
    )


def distance(other: Machine, trip: Result) -> Block:
    """The round trip over what light takes through a fibre of that length, if it is known."""
    metres = other.number("peer.distance")
    if not metres or math.isnan(trip.median) or is_built_in(other):
        return say("")
    light_s = 2 * metres / LIGHT_IN_FIBRE_M_PER_S
    return say(
        f"Over {units.amount(metres, 'km')} light in a straight fibre takes "
        f"{units.amount(light_s, 'ms')} there and back; the round trip is "
        f"{units.number(trip.median / light_s)} times that."
    )

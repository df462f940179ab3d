"""What a page says of the other host, of the disk, and of other programs that measure the same."""

from __future__ import annotations

from reckon import units
from reckon.presentation.block import Block, grid, say
from reckon.presentation.block import table as columns_table
from reckon.presentation.text import NONE, described, machine_value
from reckon.presentation.text import ratio as times
from reckon.records.result import Result

LIGHT_IN_FIBRE_M_PER_S = 2.0e8  # two thirds of light in vacuum: a refractive index near 1.5
_OTHERWISE = "What needs one is predicted all the same, and not measured."


def _value(part: dict, key: str):
    """A value of one part of a machine's description; None if it is unknown."""
    return part.get(key, {}).get("value")


def _is_built_in(other: dict) -> bool:
    """Whether Reckon itself set the length of the link to it."""
    return _value(other, "link_rtt") is not None


def host(other: dict) -> Block:
    """What the other host is; `other` is what rk.other_host() gives."""
    if _value(other, "kind") is None:
        why = other.get("kind", {}).get("source") or "none was there when the run was recorded"
        return say(f"There is no other host here: {why.rstrip('.')}.", _OTHERWISE)
    if _is_built_in(other):
        rtt = units.amount(_value(other, "link_rtt"), "ms")
        rate = units.amount(_value(other, "link_rate"), "Mbit/s")
        return say(
            "**The other host is built into this machine**: a second network stack in namespaces "
            "of "
            "its own. Reckon itself carries the packets between the two, over a link that is set "
            "to "
            f"a round trip of {rtt} and {rate} of IP packets. So what the link does is known, and "
            "its "
            "figures tell about this machine's software, not about a wire. `PEER=host "
            "PEER_TOKEN=…` "
            "takes a real host."
        )
    known = [_value(other, key) for key in ("processor", "kernel")]
    details = ", ".join(str(value) for value in known if value)
    return say(f"The other host is {_value(other, 'address')}{details and f' ({details})'}.")


def server(nfs: dict, results: list[Result]) -> Block:
    """What the NFS server is; `nfs` is what rk.nfs_server() gives, `results` were read from it."""
    peers = [one.measurement.peer for one in results if one.summary and one.measurement.peer]
    if not peers:
        why = next((one.reason for one in results if one.reason), "none was there").rstrip(".")
        return say(f"There is no NFS server here: {why}.", _OTHERWISE if _is_built_in(nfs) else "")
    if not _is_built_in(nfs):
        address = _value(nfs, "address") or "not known"
        return say(f"The NFS server is {address}; what its link is like nobody here has set.")
    far = units.amount(_value(nfs, "far_rtt"), "ms")
    return say(
        f"The server: {peers[0].rstrip('.')}. A second and a third one, for comparison, are behind "
        f"links of no delay and of {far}. `NFS=host:/export` takes a real server."
    )


def ruler(other: dict, seen: dict[str, Result]) -> Block:
    """The length that the built-in link is set to, beside what was measured of it.

    seen: {how it was measured: result}; their hardware part is what the link alone takes.
    """
    if not _is_built_in(other):
        return say(
            "The other host is a real one, or there is none: nobody set the length of the link."
        )
    measured = {how: result for how, result in seen.items() if result.summary}
    if not measured:
        return say("Nothing was measured over the link.")
    least = float(next(iter(measured.values())).current.hardware)
    texts = []
    for how, result in measured.items():
        off = result.median - least
        more = "more" if off >= 0 else "less"
        texts.append(f"{how} {result}, {units.amount(abs(off), 'µs')} {more}")
    rtt = units.amount(_value(other, "link_rtt"), "ms")
    rate = units.amount(_value(other, "link_rate"), "Mbit/s")
    return say(
        f"Set are {rtt} and {rate}, which with the bytes of the packets come to "
        f"{units.amount(least, 'ms')}. Measured: {'; '.join(texts)}. The rest is the other host's "
        "work, the relay's lateness and, where a program looks, this side's own work."
    )


_LAYERS = "**Layers**: reads go through to the file system below, which is not named here."
_IN_MEMORY = "**No disk is below it**, so what needs one says that it cannot run."
_GUEST = (
    "**This machine is a guest**, so its disk is a device as the guest sees it: the host's caches, "
    "its "
    "limits and other guests are part of every figure."
)


def disk(machine: dict) -> Block:
    """What the files of this run lie on; `machine` is the run's description."""
    folder = described(machine, "scratch", "folder")
    kind = described(machine, "scratch", "filesystem")
    if not folder:
        return say("The run does not say on which disk it was measured.")
    in_memory = kind in ("tmpfs", "ramfs")
    is_guest = described(machine, "system", "guest") and not in_memory
    return say(
        f"The files lie in `{folder}` (`SCRATCH=` chooses another folder): {kind}, "
        f"{described(machine, 'scratch', 'lies_on')}.",
        _LAYERS if kind == "overlay" else "",
        _IN_MEMORY if in_memory else "",
        _GUEST if is_guest else "",
        f"Disks of this machine: {described(machine, 'disk', 'devices') or 'none is reported'}.",
    )


def distance(other: dict, trip: Result) -> Block:
    """The round trip over what light takes through a fibre of that length, if it is known."""
    metres = _value(other, "distance")
    if not metres or not trip.summary or _is_built_in(other):
        return say("")
    light_s = 2 * metres / LIGHT_IN_FIBRE_M_PER_S
    return say(
        f"Over {units.amount(metres, 'km')} light in a straight fibre takes "
        f"{units.amount(light_s, 'ms')} there and back; the round trip is "
        f"{units.number(trip.median / light_s)} times that."
    )


def _figure(result: Result) -> str:
    return f"{result:±}" if result.summary else result.reason or "not measured"


def cross_check(programs: dict[str, tuple[Result, Result]], caption: str, name: str) -> Block:
    """{program: (by it, by Reckon)}: both figures and their ratio, or why there is none."""
    rows = []
    for program, (by_it, ours) in programs.items():
        known = by_it.summary and ours.summary
        rows.append(
            [
                f"`{program}`",
                by_it.measurement.timed if by_it.measurement else NONE,
                _figure(by_it),
                _figure(ours),
                times(ours.median / by_it.median) if known else NONE,
            ]
        )
    columns = {"Program": 12, "What it times": 36, "Its figure": 20, "Ours": 20, "Ours / its": 12}
    return columns_table(columns, rows, caption, name)


# What a built-in host shares with this machine, and what only a built-in host has.
_SHARED = ("processor", "cores", "memory", "os", "kernel", "hypervisor")
_BUILT_IN_ONLY = ("link_", "queue", "path")
_IN_BYTES = ("mtu",)  # a size of which every byte counts


def _field(other: dict, key: str, title: str, unit: str) -> list[str] | None:
    """The row of one field; None if it does not apply."""
    value, source = _value(other, key), other.get(key, {}).get("source") or ""
    if value is not None:
        text = machine_value(value, unit)
        if key in _IN_BYTES:
            text = f"{units.plain(value)} byte"
        return [title, text, f"`{source}`" if source else ""]
    if _is_built_in(other):
        return [title, "this machine's", ""] if key in _SHARED else None
    return None if key.startswith(_BUILT_IN_ONLY) else [title, machine_value(None, unit), source]


def table(other: dict, fields: dict, caption: str, name: str, part: str = "peer") -> Block:
    """The other host (or another `part`) as the machine's own table has it.

    `fields` are computer.description.FIELDS. What a built-in host shares with this machine is not
    repeated.
    """
    if _value(other, "kind") is None:
        return say("")
    rows = [
        _field(other, key, title, unit)
        for (section, key), (title, unit) in fields.items()
        if section == part
    ]
    columns = ["What", "Value", "Source"]
    return grid(columns, [row for row in rows if row], caption, name, [30, 45, 25])

"""What a page says of the other host, and of other programs that measure the same."""

from __future__ import annotations

from reckon import units
from reckon.presentation.block import Block, grid, say
from reckon.records.result import Result

LIGHT_IN_FIBRE_M_PER_S = 2.0e8  # two thirds of light in vacuum: a refractive index near 1.5


def _value(other: dict, key: str):
    return other.get(key, {}).get("value")


def host(other: dict) -> Block:
    """Who is at the other end, in a sentence; `other` is what rk.other_host() gives."""
    kind = _value(other, "kind")
    if kind is None:
        why = other.get("kind", {}).get("source") or "none was there when the run was recorded"
        return say(
            f"There is no other host here: {why.rstrip('.')}. What needs one is predicted all the "
            "same, and not measured."
        )
    if _value(other, "link_rtt") is None:
        told = ", ".join(
            str(v) for v in (_value(other, key) for key in ("processor", "kernel")) if v
        )
        return say(
            f"The other host is {_value(other, 'address')}" + (f" ({told})." if told else ".")
        )
    return say(
        "**The other host is built into this machine**: a second network stack in namespaces of its own. "
        "Reckon itself carries the packets between the two, over a link that is set to a round trip of "
        f"{units.amount(_value(other, 'link_rtt'), 'ms')} and "
        f"{units.amount(_value(other, 'link_rate'), 'Mbit/s')} of IP packets. So what the link does is known, "
        "and its figures tell about this machine's software, not about a wire. `PEER=host PEER_TOKEN=…` takes "
        "a real host."
    )


def server(nfs: dict, found: list[Result]) -> Block:
    """The NFS server, in a sentence; `nfs` is what rk.nfs_server() gives, `found` what was read from it."""
    told = next(
        (one.measurement.peer for one in found if one.summary and one.measurement.peer), None
    )
    why = next((one.reason for one in found if one.reason), "none was there")
    if _value(nfs, "link_rtt") is None:
        return say(
            f"The NFS server is {_value(nfs, 'address') or 'not known'}; what its link is like nobody here has set."
            if told
            else f"There is no NFS server here: {why.rstrip('.')}."
        )
    if not told:
        return say(
            f"There is no NFS server here: {why.rstrip('.')}. What needs one is predicted all the same, and not "
            "measured."
        )
    return say(
        f"The server: {told.rstrip('.')}. A second and a third one, for comparison, are behind links of no delay and "
        f"of {units.amount(_value(nfs, 'far_rtt'), 'ms')}. `NFS=host:/export` takes a real server."
    )


def ruler(other: dict, seen: dict[str, Result]) -> Block:
    """A link that was set, held against what was measured of it: {how it was seen: result}."""
    rtt, rate = _value(other, "link_rtt"), _value(other, "link_rate")
    if rtt is None:
        return say(
            "The other host is a real one, or there is none: nobody set the length of the link."
        )
    found = {how: one for how, one in seen.items() if one.summary}
    if not found:
        return say("Nothing was measured over the link.")
    least = float(next(iter(found.values())).current.hardware)
    off = {how: one.median - least for how, one in found.items()}
    told = "; ".join(
        f"{how} {one}, {units.amount(abs(off[how]), 'µs')} {'more' if off[how] >= 0 else 'less'}"
        for how, one in found.items()
    )
    return say(
        f"Set are {units.amount(rtt, 'ms')} and {units.amount(rate, 'Mbit/s')}, which with the bytes of the "
        f"packets come to {units.amount(least, 'ms')}. Measured: {told}. The rest is the other host's work, "
        "the relay's lateness and, where a program looks, this side's own work."
    )


def disk(machine: dict) -> Block:
    """What the files of this run lie on, in a sentence; `machine` is the run's description."""
    told = lambda section, key: machine.get(section, {}).get(key, {}).get("value")  # noqa: E731
    folder, kind = told("scratch", "folder"), told("scratch", "filesystem")
    if not folder:
        return say("The run does not say on which disk it was measured.")
    text = f"The files lie in `{folder}` (`SCRATCH=` chooses another folder): {kind}, {told('scratch', 'lies_on')}."
    if kind == "overlay":
        text += " **Layers**: reads go through to the file system below, which is not named here."
    if kind in ("tmpfs", "ramfs"):
        text += " **No disk is below it**, so what needs one says that it cannot run."
    elif told("system", "guest"):
        text += (
            " **This machine is a guest**, so its disk is a device as the guest sees it: the host's caches, "
            "its limits and other guests are part of every figure."
        )
    return say(text + f" Disks of this machine: {told('disk', 'devices') or 'none is reported'}.")


def distance(other: dict, trip: Result) -> Block:
    """The round trip against light in a fibre of that length, where the distance is known."""
    metres = _value(other, "distance")
    if not metres or not trip.summary or _value(other, "link_rtt") is not None:
        return say("")
    light = 2 * metres / LIGHT_IN_FIBRE_M_PER_S
    return say(
        f"Over {units.amount(metres, 'km')} light in a straight fibre takes {units.amount(light, 'ms')} there "
        f"and back; the round trip is {units.number(trip.median / light, 3)} times that."
    )


def cross_check(programs: dict[str, tuple[Result, Result]], caption: str, name: str) -> Block:
    """{program: (by it, by us)}: both figures and their ratio, or why there is none."""
    rows = []
    for program, (theirs, ours) in programs.items():
        known = theirs.summary and ours.summary
        rows.append(
            [
                f"`{program}`",
                theirs.measurement.timed if theirs.measurement else "–",
                f"{theirs:±}" if theirs.summary else theirs.reason or "not measured",
                f"{ours:±}" if ours.summary else ours.reason or "not measured",
                f"{units.number(ours.median / theirs.median, 3)}×" if known else "–",
            ]
        )
    return grid(
        ["Program", "What it times", "Its figure", "Ours", "Ours / its"],
        rows,
        caption,
        name,
        [12, 36, 20, 20, 12],
    )


def table(other: dict, fields: dict, caption: str, name: str, part: str = "peer") -> Block:
    """The other host (or with `part` another part) as the machine's own table has it; `fields` are
    machine.FIELDS. What a built-in host has from this machine is not said twice."""
    if _value(other, "kind") is None:
        return say("")
    built_in = _value(other, "link_rtt") is not None
    shared = ("processor", "cores", "memory", "os", "kernel", "hypervisor")
    rows = []
    for (section, key), (title, unit) in fields.items():
        if section != part:
            continue
        value, source = _value(other, key), other.get(key, {}).get("source") or ""
        if value is None and built_in:
            if key in shared:
                rows.append([title, "this machine's", ""])
            continue
        if value is None and key.startswith(("link_", "queue", "path")):
            continue  # of a built-in host alone
        shown = (
            "not reported"
            if value is None
            else (
                f"{units.plain(value)} byte"
                if key == "mtu"
                # a count of bytes, of which each matters
                else f"{value:g}"
                if unit == "count"
                else units.amount(value, unit)
                if unit
                else str(value)
            )
        )
        rows.append([title, shown, f"`{source}`" if source and value is not None else source])
    return grid(["What", "Value", "Source"], rows, caption, name, [30, 45, 25])

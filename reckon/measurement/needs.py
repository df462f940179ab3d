"""What probes need besides a CPU and memory: the peer, files on the disk, an NFS server."""

from __future__ import annotations

from reckon import config
from reckon.computer import scratch
from reckon.errors import Unavailable
from reckon.hosts import HostUnavailable, nfs, peer
from reckon.measurement.events import emit
from reckon.measurement.plan import Plan
from reckon.measurement.probe import Needs
from reckon.measurement.sampling import PointSampler
from reckon.profiles import PROFILES


def provide(plan: Plan) -> tuple[str | None, dict[str, str]]:
    """A description of the peer or the NFS server, and the locations of the hosts and files.

    Writes the files and starts the server or the peer. Points that cannot run without them,
    or that the profile has no time for, are given up with the reason."""
    _skip_what_takes_too_long(plan)
    host: str | None = None
    locations: dict[str, str] = {}
    if not plan.open_points():
        return host, locations
    if plan.uses_peer:
        host, locations = _connect_peer(plan)
    if plan.probe.needs & (Needs.DISK | Needs.SERVER) and not _is_users_server(plan.server):
        locations |= _write_files(plan)
    if plan.server:
        host, reached = _start_server(plan, plan.server)
        locations |= reached
    return host, locations


def _skip_what_takes_too_long(plan: Plan) -> None:
    name, until = plan.profile.name, plan.options.until
    for point in plan.points:
        if PROFILES[plan.options.min_profile].rank > plan.profile.rank:
            point.stop("unsupported", f"the {name} profile has no time for it")
        elif until and point.x is not None and point.x > until.at(name):
            point.stop(
                "unsupported", f"the {name} profile does not include such large sizes or counts"
            )


def _give_up(points: list[PointSampler], error: Unavailable) -> None:
    """Stop the points; what failed for a time is measured again by the next build."""
    for point in points:
        point.stop("failed" if error.temporary else "unsupported", str(error))


def _is_users_server(server: str | None) -> bool:
    return server is not None and nfs.is_real(server)


def _connect_peer(plan: Plan) -> tuple[str | None, dict[str, str]]:
    try:
        chosen = peer.connect()
    except HostUnavailable as error:
        _give_up(plan.open_points(), error)
        return None, {}
    return chosen.description, chosen.locations


def _write_files(plan: Plan) -> dict[str, str]:
    """The place of the files of the largest point that there is room for, once they are written.

    They serve smaller points too."""
    needed = [
        (files, point)
        for point in plan.open_points()
        if (files := plan.probe.files(point.run.parameters))
    ]
    for files, point in sorted(needed, key=lambda pair: pair[0].bytes_of_all, reverse=True):
        try:
            paths = scratch.prepare_files(
                files.count,
                files.bytes_each,
                lambda text: emit("preparing", quantity=plan.quantity, what=text),
            )
        except scratch.ScratchUnavailable as error:
            _give_up([point], error)
        else:
            return {"files": str(paths[0].parent)}
    return {}


def _start_server(plan: Plan, server: str) -> tuple[str | None, dict[str, str]]:
    """The server's description and place, once it runs; one on a lab host exports the files."""
    try:
        if _is_users_server(server):
            folder = config.settings().scratch_dir
        else:
            folder = scratch.prepare_files(1, scratch.SMALLEST_FILE_BYTES)[0].parent
        chosen = nfs.connect(server, folder)
    except (HostUnavailable, scratch.ScratchUnavailable) as error:
        _give_up(plan.open_points(), error)
        return None, {}
    return chosen.description, chosen.locations

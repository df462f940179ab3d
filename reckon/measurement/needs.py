"""What probes need besides a CPU and memory: the other host, files on the disk, an NFS server."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reckon import config
from reckon.computer import scratch
from reckon.config import PROFILES
from reckon.hosts import nfs, peer
from reckon.measurement.events import emit
from reckon.measurement.library import Needs

if TYPE_CHECKING:
    from reckon.measurement.plan import Plan
    from reckon.measurement.sampling import PointSampler

_LEAST_FILE_BYTES = 4096  # so that there is a folder to export


def provide(plan: Plan) -> str | None:
    """Start and write what the plan's probe needs; a description of the host at the other end.

    Points that cannot run without it, or that the profile has no time for, are refused with the
    reason."""
    _leave_to_longer_profiles(plan)
    if not plan.open_points():
        return None
    host = _greet_peer(plan) if plan.uses_peer else None
    if plan.probe.needs & (Needs.DISK | Needs.SERVER) and not _has_own_files(plan.server):
        _write_files(plan)
    return _start_server(plan) if plan.server else host


def _leave_to_longer_profiles(plan: Plan) -> None:
    name, until = plan.profile.name, plan.settings.until
    for point in plan.points:
        if PROFILES[plan.settings.least].rank > plan.profile.rank:
            point.refuse(f"the {name} profile has no time for it")
        elif until and point.x > until.at(name):
            point.refuse(f"the {name} profile does not go so far")


def _has_own_files(server: str | None) -> bool:
    return server is not None and nfs.is_real(server)


def _greet_peer(plan: Plan) -> str | None:
    try:
        return peer.chosen().describe
    except peer.PeerCannot as error:
        for point in plan.points:
            point.refuse(str(error))
        return None


def _write_files(plan: Plan) -> None:
    """Write the files of the largest point that there is room for: they serve smaller ones too."""

    def size(point: PointSampler) -> tuple[int, int]:
        values = plan.presets | point.run.parameters
        return values.get("files", 1), values["file_bytes"]

    if "file_bytes" not in plan.presets:
        return
    for point in sorted(plan.open_points(), key=lambda one: math.prod(size(one)), reverse=True):
        try:
            scratch.prepare(
                *size(point), lambda text: emit("preparing", quantity=plan.quantity, what=text)
            )
            return
        except scratch.ScratchCannot as error:
            point.refuse(str(error))


def _start_server(plan: Plan) -> str | None:
    """Start the server; one on a lab host exports the folder of the run's files."""
    try:
        if _has_own_files(plan.server):
            folder = config.scratch_dir()
        else:
            folder = scratch.prepare(1, _LEAST_FILE_BYTES)[0].parent
        return nfs.chosen(plan.server, folder).describe
    except (nfs.NfsCannot, scratch.ScratchCannot) as error:
        for point in plan.open_points():
            point.refuse(str(error))
        return None

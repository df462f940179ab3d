"""Reuse: the key of a quantity's samples, and whether those of a record can be reused."""

from __future__ import annotations

import hashlib
import json

from reckon import config, records
from reckon.computer import scratch_disk
from reckon.computer.identity import configuration
from reckon.errors import ReckonError
from reckon.hosts import nfs, peer
from reckon.measurement.compilation import source_key
from reckon.measurement.plan import Plan
from reckon.measurement.probe import Needs
from reckon.messages import join_words, nearest
from reckon.profiles import PROFILES, value_at
from reckon.records.quantities.lookup import from_entry
from reckon.records.quantities.result import Result
from reckon.records.run_files.models import Measurement, Quantity


def key(plan: Plan, *, profile: str) -> str:
    """Hash of everything that must be the same for samples taken under that profile to be reused.

    These are the C sources with compiler and flags, the machine with its kernel, mitigations,
    microcode, huge pages, clock source and limits, the CPU that is measured, trials in a process,
    warm-up, priority, the parameters at every point, how far along its axis a curve is measured,
    and what the probe needs: the peer, the server, the disk."""
    parts = [
        plan.probe.name,
        source_key(plan.probe.name),
        configuration(plan.session.run.machine),
        plan.session.run.measured_cpu,
        value_at(plan.options.samples, profile=profile),
        plan.options.warmup,
        plan.options.priority,
        [plan.parameters_at(value, profile=profile) for value in plan.swept_values],
    ]
    if plan.uses_peer:
        parts.append(peer.identity())
    if plan.server:
        parts.append(nfs.identity(plan.server))
    if plan.probe.needs & (Needs.DISK | Needs.SERVER):
        parts.append(scratch_disk.identity())
    if plan.options.until:
        parts.append(plan.options.until.at(profile))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def is_reusable(plan: Plan) -> bool:
    """Whether the record holds samples that can be reused."""
    stored = records.read_measured(plan.session.run.name, plan.quantity, samples=False)
    return stored is not None and _is_reusable(plan, stored.measurement)


def _is_reusable(plan: Plan, measurement: Measurement | None) -> bool:
    if measurement is None or measurement.state != "measured":
        return False
    if plan.session.is_replay:
        return True
    # Failed points are measured again, as a quantity that failed as a whole is; but no shorter
    # profile takes the place of a longer one's samples for their sake.
    is_to_repeat = _has_failed(measurement) and measurement.profile == plan.profile.name
    return not is_to_repeat and _is_valid(plan, measurement)


def _has_failed(measurement: Measurement) -> bool:
    return any(point.stopped == "failed" for point in measurement.points)


def _is_valid(plan: Plan, measurement: Measurement) -> bool:
    """Whether samples taken now would be of the same thing, and no longer profile is requested."""
    if config.settings().fresh or measurement.profile not in PROFILES:
        return False
    is_long_enough = PROFILES[measurement.profile].rank >= plan.profile.rank
    return is_long_enough and measurement.key == key(plan, profile=measurement.profile)


def _is_tried(plan: Plan, measurement: Measurement) -> bool:
    """Whether a cell that only follows from another shows what failed or is unsupported."""
    is_valid = measurement.state != "measured" or _is_valid(plan, measurement)
    return plan.session.follows and is_valid


def other_settings(plan: Plan, measurement: Measurement | None) -> str:
    """A line that says which settings of the call the samples do not have; "" if they have all, or
    if there are none."""
    if measurement is None or not measurement.points or None not in plan.swept_values:
        return ""
    requested = plan.parameters_at(None, profile=measurement.profile)
    recorded = measurement.points[0].params
    other = [name for name, value in requested.items() if recorded.get(name, value) != value]
    if not other:
        return ""
    settings = join_words(f"{name}={recorded[name]}" for name in other)
    return (
        f"{plan.quantity} was measured with {settings}; the run is only read, so nothing is "
        "measured with other settings.\n"
    )


def keep_good_points(plan: Plan) -> None:
    """Leave only those points of a curve to be measured that failed, if the others are valid."""
    stored = records.read_measured(plan.session.run.name, plan.quantity)
    measurement = stored.measurement if stored else None
    if measurement is None or measurement.profile != plan.profile.name:
        return
    if (
        measurement.state == "measured"
        and _has_failed(measurement)
        and _is_valid(plan, measurement)
    ):
        plan.keep_points(measurement)


def reused_result(plan: Plan, quantity: Quantity) -> Result | None:
    """The result by the samples of the record; None if they cannot be reused."""
    if not _is_reusable(plan, quantity.measurement):
        return None
    return from_entry(plan.quantity, quantity, "reused", plan.session.run.between_visits)


def shown_result(plan: Plan, quantity: Quantity) -> Result | None:
    """The result as the record has it, where the run or the page only shows what was measured.

    None if the quantity is to be measured. A run of another machine or kernel that has nothing of
    the experiment only predicts it. Raises ReckonError for one that lacks the quantity alone.
    """
    run, measurement = plan.session.run, quantity.measurement
    if measurement and (plan.session.only_shows or _is_tried(plan, measurement)):
        return from_entry(plan.quantity, quantity, between_visits=run.between_visits)
    if plan.session.is_replay:
        experiment = records.experiment_of(plan.quantity)
        if not records.record_path(run.name, experiment).exists():
            reason = f"the run {run.name} was recorded elsewhere, without this experiment"
            return Result(plan.quantity, quantity, "predicted", reason, run.between_visits)
        recorded = records.read_record(run.name, experiment, samples=False).quantities
        meant = nearest(plan.quantity, [name for name in recorded if name != plan.quantity])
        hint = f"did you mean {meant}? Otherwise " if meant else ""
        raise ReckonError(
            f"The run {run.name} was recorded elsewhere and holds no samples of {plan.quantity}; "
            f"{hint}measure it there, or leave RUN= away."
        )
    return None

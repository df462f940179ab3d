"""Chains of hashes: an event in the life of a quantity cannot be changed without trace later.

Each event has the digest of what was written (a prediction, a samples file, an attempt) and a hash
over that and the event before; the first follows the run's random id. The root hash of a run covers
the last event of every quantity: whoever noted it can prove any later change.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

import pydantic

from reckon.records.run_files.models import (
    Attempt,
    ChainEvent,
    EventName,
    Measurement,
    Quantity,
    Run,
)

_CANONICAL = json.JSONEncoder(sort_keys=True)

Events = list[tuple[EventName, str]]  # what happened, and the digest of what was written


def digest(content: pydantic.BaseModel) -> str:
    """sha256 of a model as canonical JSON. Defaults are left out, so that fields may be added."""
    values = json.loads(content.model_dump_json(exclude_defaults=True))
    return hashlib.sha256(_CANONICAL.encode(values).encode()).hexdigest()


def event_hash(previous: str, name: str, at: datetime, content_digest: str) -> str:
    """The hash of an event that follows the one with the hash `previous`, or the run's id."""
    text = "\n".join([previous, name, at.isoformat(), content_digest])
    return hashlib.sha256(text.encode()).hexdigest()


def current_events(quantity: Quantity) -> Events:
    """Everything the quantity holds, as its chain has to have it."""
    events: Events = [
        (prediction.role or "seal", digest(prediction)) for prediction in quantity.predictions
    ]
    if quantity.measurement:
        events += [("visit", visit.digest) for visit in quantity.measurement.visits]
    attempt = quantity.attempt or _attempt(quantity.measurement)
    return events + ([("attempt", digest(attempt))] if attempt else [])


def _attempt(measurement: Measurement | None) -> Attempt | None:
    """A measurement without samples as the attempt that it is."""
    if measurement is None or measurement.state == "measured":
        return None
    return Attempt(
        at=measurement.started_at,
        state=measurement.state,
        reason=measurement.reason,
        profile=measurement.profile,
    )


def chained_digests(quantity: Quantity) -> list[str]:
    """The digests of all that the quantity held at any time, by its chain."""
    return [event.digest for event in quantity.chain if event.event != "discard"]


def missing_digests(quantity: Quantity, events: Events) -> set[str]:
    """The digests that the chain has, of what the quantity neither holds nor has discarded.

    events: its current_events(), which take long to compute."""
    discarded = {event.digest for event in quantity.chain if event.event == "discard"}
    held = {content_digest for _, content_digest in events}
    return set(chained_digests(quantity)) - held - discarded


def extend(quantity: Quantity, run_id: str, at: datetime) -> Quantity:
    """The quantity with an event for everything that its chain does not have yet."""
    events = current_events(quantity)
    chained, missing = chained_digests(quantity), missing_digests(quantity, events)
    new: Events = [event for event in events if event[1] not in chained]
    new += [("discard", content_digest) for content_digest in chained if content_digest in missing]
    chain = list(quantity.chain)
    for name, content_digest in new:
        previous = chain[-1].hash if chain else run_id
        hash_ = event_hash(previous, name, at, content_digest)
        chain.append(ChainEvent(at=at, event=name, digest=content_digest, hash=hash_))
    return quantity.model_copy(update={"chain": chain})


def root_hash(run: Run, last_hashes: dict[str, str]) -> str:
    """The hash of a run: of what describes it and its machine, and of every quantity's last event.

    The pooled variance is part of it, because all intervals over several visits depend on it."""
    lines = [run.id, run.identity, run.opened_at.isoformat(), json.dumps(run.fitness)]
    lines.append(run.machine.model_dump_json())
    if run.between_visits:
        lines.append(repr(run.between_visits))
    lines += [f"{quantity} {last_hashes[quantity]}" for quantity in sorted(last_hashes)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()

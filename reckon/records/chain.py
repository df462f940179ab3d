"""Chains of hashes: an event in the life of a quantity cannot be changed without trace later.

Each link has the digest of what was written (a prediction, a samples file, an attempt) and a hash
over that and the link before; the first follows the run's random id. The root hash of a run covers
the last link of every quantity: whoever noted it can prove any later change.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

import pydantic

from reckon.records.models import Attempt, Event, Link, Measurement, Quantity, Run

Content = list[tuple[Event, str]]  # what happened, and the digest of what was written


def digest(content: pydantic.BaseModel) -> str:
    """sha256 of a model as canonical JSON. Defaults are left out, so that fields may be added."""
    values = json.loads(content.model_dump_json(exclude_defaults=True))
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def link_hash(previous: str, event: str, at: datetime, content: str) -> str:
    """The hash of a link that follows the one with the hash `previous`, or the run's id."""
    text = "\n".join([previous, event, at.isoformat(), content])
    return hashlib.sha256(text.encode()).hexdigest()


def contents(quantity: Quantity) -> Content:
    """Everything the quantity holds that its chain has to know."""
    # Older formats had the seal first and gave no roles.
    present: Content = [
        (prediction.role or ("revision" if place else "seal"), digest(prediction))
        for place, prediction in enumerate(quantity.predictions)
    ]
    if quantity.measurement:
        present += [("visit", visit.digest) for visit in quantity.measurement.visits]
    attempt = quantity.attempt or _attempt(quantity.measurement)
    return present + ([("attempt", digest(attempt))] if attempt else [])


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


def discarded(quantity: Quantity) -> set[str]:
    """The digests of what the quantity held once and holds no longer."""
    return {link.digest for link in quantity.chain if link.event == "discard"}


def extended(quantity: Quantity, run_id: str, at: datetime, *, imported: bool) -> Quantity:
    """The quantity with a link for everything that its chain does not have yet.

    imported: it comes from a format without chains, so nobody saw the events happen."""
    present = contents(quantity)
    linked = [link.digest for link in quantity.chain if link.event != "discard"]
    lost = set(linked) - {content for _, content in present} - discarded(quantity)
    events: Content = [
        ("import" if imported else event, content)
        for event, content in present
        if content not in linked
    ]
    events += [("discard", content) for content in linked if content in lost]
    links = list(quantity.chain)
    for event, content in events:
        previous = links[-1].hash if links else run_id
        hash_ = link_hash(previous, event, at, content)
        links.append(Link(at=at, event=event, digest=content, hash=hash_))
    return quantity.model_copy(update={"chain": links})


def root_hash(run: Run, last_hashes: dict[str, str]) -> str:
    """The hash of a run: of what describes it, and of every quantity's last link, by name.

    The pooled variance is part of it, because all intervals over several visits depend on it."""
    lines = [run.id or "", run.identity, run.opened_at.isoformat(), json.dumps(run.fitness)]
    if run.between_visits:
        lines.append(repr(run.between_visits))
    lines += [f"{quantity} {last_hashes[quantity]}" for quantity in sorted(last_hashes)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()

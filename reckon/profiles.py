"""The profiles: how long to measure, and settings that depend on it."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words


@dataclass(frozen=True, kw_only=True)
class Profile:
    name: str
    rank: int  # a record of a higher rank serves a lower one
    precision: float  # stop when the 95 % interval is within +- this share of the median ...
    min_processes: int  # ... and at least this many fresh processes have run
    max_processes: int
    budget_s: float  # ... or when this time is up, per quantity
    max_budgets: float  # after this many also with too few processes for an interval
    span_s: float  # the first min_processes are spread over this time
    samples_factor: float  # a process takes this multiple of the samples that a notebook requests
    visits: int  # periods, minutes apart, in which the build measures a quantity; they share time


PROFILES = {
    p.name: p
    for p in (
        Profile(
            name="quick",
            rank=0,
            precision=0.02,
            min_processes=6,
            max_processes=12,
            budget_s=0.4,
            max_budgets=2,
            span_s=0.1,
            samples_factor=0.5,
            visits=1,
        ),
        Profile(
            name="standard",
            rank=1,
            precision=0.01,
            min_processes=10,
            max_processes=60,
            budget_s=3.0,
            max_budgets=4,
            span_s=2.0,
            samples_factor=1.0,
            visits=5,
        ),
        Profile(
            name="full",
            rank=2,
            precision=0.005,
            min_processes=20,
            max_processes=500,
            budget_s=60.0,
            max_budgets=4,
            span_s=20.0,
            samples_factor=2.0,
            visits=5,
        ),
    )
}


def profile_named(name: str | Profile) -> Profile:
    """The profile of that name; a profile itself. Raises ReckonError, naming the nearest."""
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        hint = did_you_mean(name, PROFILES, f"choose {join_words(PROFILES, 'or')}.")
        raise ReckonError(f"There is no profile {name!r}; {hint}")
    return PROFILES[name]


@dataclass(frozen=True, kw_only=True)
class ByProfile:
    """A setting of a measurement that depends on the profile."""

    quick: float
    standard: float
    full: float

    def at(self, name: str) -> float:
        return getattr(self, name)


def value_at(setting, *, profile: str):
    """The value of a setting under that profile, on which it may depend."""
    return setting.at(profile) if isinstance(setting, ByProfile) else setting

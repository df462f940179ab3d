"""Levels: the plateaus of a curve and the ramps between them, found from the data alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reckon.statistics import change_points
from reckon.statistics.cache import cached

POINTS_FOR_A_LEVEL = 6  # a curve of fewer points is too short for levels
ANOTHER = "another level"  # the name of a further plateau inside one cache

_SAME = np.log(1.25)  # levels that differ by less are one: those of two caches differ by more
_STEEP = np.log(1.4)  # per octave: twice in two octaves, which no plateau does
_OCTAVE = 0.99  # a plateau lasts an octave, but for the rounding of sizes to cache lines


@dataclass(frozen=True, kw_only=True)
class Level:
    """A piece of a curve: a plateau, or a ramp from one to the next."""

    first: int  # indices of its points, both inclusive
    last: int
    x_first: float
    x_last: float
    y: float  # median over its points
    is_ramp: bool


class _Piece(NamedTuple):
    """The points first to end - 1 of a curve."""

    first: int
    end: int
    is_ramp: bool


@cached
def find(x, y) -> list[Level]:
    """The levels of `y` over `x`, in order; together they hold every point once.

    `x` (n,) ascends, `y` (n,) goes with it; both are positive, in any units. [] below six points.
    Raises ValueError for other values.

    Change points of the mean of log y (change_points.py). A ramp comes out of that as stairs:
    neighbouring pieces that one straight line (over log x) describes at less cost are joined,
    cheapest first (bottom-up segmentation, Keogh and others 2001). A piece is a ramp if it is
    shorter than an octave or changes by more than 1.4 times in one; neighbours less than 1.25 times
    apart are one.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or not (np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)).all():
        raise ValueError("find() needs as many x as y, all of them positive numbers")
    if (np.diff(x) <= 0).any():
        raise ValueError("find() needs x in ascending order")
    if len(x) < POINTS_FOR_A_LEVEL:
        return []
    curve = _Curve(np.log2(x), np.log(y))
    bounds = _without_costly_bounds(curve, change_points.pieces(curve.z, curve.penalty))
    pieces = _joined_ramps(_joined_plateaus(curve, bounds))
    return [
        Level(
            first=i,
            last=j - 1,
            x_first=float(x[i]),
            x_last=float(x[j - 1]),
            y=float(np.median(y[i:j])),
            is_ramp=is_ramp,
        )
        for i, j, is_ramp in _extended_plateaus(curve, pieces)
        if j > i
    ]


class _Curve:
    """Log y (`z`) over octaves (`t`); a piece is points[i:j]."""

    def __init__(self, octaves: np.ndarray, log_y: np.ndarray):
        self.t, self.z = octaves, log_y
        self.penalty = change_points.penalty(change_points.noise(log_y), len(log_y))

    def middle(self, i: int, j: int) -> float:
        return float(np.median(self.z[i:j]))

    def line(self, i: int, j: int) -> tuple[float, float]:
        """The slope per octave, and the sum of squares of the residuals."""
        t, z = self.t[i:j] - self.t[i:j].mean(), self.z[i:j] - self.z[i:j].mean()
        slope = float(t @ z / (t @ t)) if j - i > 1 else 0.0
        return slope, float(((z - slope * t) ** 2).sum())

    def cost(self, i: int, j: int) -> float:
        """The squares left by the mean; or by a line, for half a penalty more."""
        about_mean = float(((self.z[i:j] - self.z[i:j].mean()) ** 2).sum())
        return min(about_mean, self.line(i, j)[1] + self.penalty / 2)

    def is_ramp(self, i: int, j: int) -> bool:
        is_short = j - i < 3 or self.t[j - 1] - self.t[i] < _OCTAVE
        return bool(is_short or abs(self.line(i, j)[0]) > _STEEP)


def _without_costly_bounds(curve: _Curve, bounds: list[int]) -> list[int]:
    """The bounds of the pieces without those that cost more than they explain."""
    while len(bounds) > 2:
        saved = [
            curve.cost(i, j) + curve.cost(j, k) + curve.penalty - curve.cost(i, k)
            for i, j, k in zip(bounds, bounds[1:], bounds[2:], strict=False)
        ]
        best = int(np.argmax(saved))
        if saved[best] < 0:
            break
        del bounds[best + 1]
    return bounds


def _joined_plateaus(curve: _Curve, bounds: list[int]) -> list[_Piece]:
    """The pieces, of which no plateau has a neighbour at its own level."""

    def distance(left: _Piece, right: _Piece) -> float:
        if left.is_ramp and right.is_ramp:
            return np.inf
        return abs(curve.middle(left.first, left.end) - curve.middle(right.first, right.end))

    pieces = [_Piece(i, j, curve.is_ramp(i, j)) for i, j in zip(bounds, bounds[1:], strict=False)]
    while len(pieces) > 1:
        apart = [distance(a, b) for a, b in zip(pieces, pieces[1:], strict=False)]
        nearest = int(np.argmin(apart))
        if apart[nearest] >= _SAME:
            break
        i, j = pieces[nearest].first, pieces[nearest + 1].end
        pieces[nearest : nearest + 2] = [_Piece(i, j, curve.is_ramp(i, j))]
    return pieces


def _joined_ramps(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces with each row of ramps as one ramp."""
    merged = pieces[:1]
    for piece in pieces[1:]:
        if piece.is_ramp and merged[-1].is_ramp:
            merged[-1] = merged[-1]._replace(end=piece.end)
        else:
            merged.append(piece)
    return merged


def _extended_plateaus(curve: _Curve, pieces: list[_Piece]) -> list[_Piece]:
    """The pieces with those ends of a ramp that lie at a plateau's level given to the plateau."""

    def at_level(point: int, plateau: _Piece) -> bool:
        return abs(curve.z[point] - curve.middle(plateau.first, plateau.end)) < _SAME

    extended = list(pieces)
    for k, (first, end, is_ramp) in enumerate(pieces):
        if not is_ramp:
            continue
        if k > 0:
            while first < end and at_level(first, pieces[k - 1]):
                first += 1
            extended[k - 1] = extended[k - 1]._replace(end=first)
        if k + 1 < len(pieces):
            while first < end and at_level(end - 1, pieces[k + 1]):
                end -= 1
            extended[k + 1] = extended[k + 1]._replace(first=end)
        extended[k] = _Piece(first, end, is_ramp)
    return extended


def names(levels: list[Level], expected: list[str], capacities: dict) -> list[str]:
    """A name for each level: a plateau's own, a ramp's "climb to L3" (or "fall to").

    `expected` names the plateaus in order, if there are as many and each but the last, which may be
    cut, reaches past the capacity of the one before. Otherwise a plateau is named by the smallest
    of `capacities` (name -> x, or None if unknown) that its middle lies under, or by the last of
    `expected` above all of them. Of several plateaus with one name the last keeps it; the others
    are "another level", as is one before the last of `expected` that takes more than half of its
    time: it is no cache's own. Without capacities the plateaus are "level 1", "level 2".
    """
    plateaus = [level for level in levels if not level.is_ramp]
    plateau_names = iter(_plateau_names(plateaus, expected, capacities))
    level_names = ["" if level.is_ramp else next(plateau_names) for level in levels]
    for k, level in enumerate(levels):
        if level.is_ramp:
            before, after = levels[max(k - 1, 0)], levels[min(k + 1, len(levels) - 1)]
            verb = "fall" if after.y < before.y else "climb"
            goal = next((name for name in level_names[k + 1 :] if name), "the end")
            level_names[k] = f"{verb} to {goal}"
    return level_names


def _plateau_names(plateaus: list[Level], expected: list[str], capacities: dict) -> list[str]:
    limits = sorted((x, name) for name, x in capacities.items() if x and name in expected)
    # A plateau inside the cache before it is a part of that one: of L3 there may be none.
    each_past_the_one_before = all(
        level.x_last > (capacities.get(name) or 0)
        for level, name in zip(plateaus[1:-1], expected, strict=False)
    )
    if len(plateaus) == len(expected) and each_past_the_one_before:
        plateau_names = list(expected)
    elif limits:
        by_limit = [_smallest_above(level, limits) or expected[-1] for level in plateaus]
        plateau_names = [
            ANOTHER if name in by_limit[k + 1 :] else name for k, name in enumerate(by_limit)
        ]
    else:
        plateau_names = [f"level {k}" for k in range(1, len(plateaus) + 1)]
    if plateau_names and plateau_names[-1] == expected[-1]:
        last_y = plateaus[-1].y
        for k, level in enumerate(plateaus):
            if last_y / 2 < level.y < last_y:
                plateau_names[k] = ANOTHER
    return plateau_names


def _smallest_above(level: Level, limits: list[tuple[float, str]]) -> str | None:
    """The smallest capacity that the middle of the level lies under; None above all of them."""
    if level.x_last > limits[-1][0] * np.sqrt(2):
        return None
    middle = np.sqrt(level.x_first * level.x_last)
    return next((name for x, name in limits if middle <= x), None)

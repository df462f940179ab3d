"""Levels: the plateaus of a curve and the ramps between them, found from the data alone.

ruptures takes a second to import (it brings scipy along), so it is imported where it is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

POINTS_FOR_A_LEVEL = 6  # a curve of fewer points has no levels to be found
ANOTHER = "another level"  # the name of one inside a cache that has more than one

_SAME = np.log(1.25)  # plateaus whose levels differ by less are one
_STEEP = np.log(1.4)  # for each octave of x; what rises or falls faster is a ramp
_OCTAVE = 0.99  # a plateau lasts an octave, but for the rounding of sizes to cache lines
_LEAST_NOISE = 0.05  # a finer structure than 5 % is no level, however quiet the measurement


@dataclass(frozen=True)
class Level:
    """A piece of a curve: a plateau, or (`ramp`) the way from one to the next."""

    first: int  # indices of its points, both inclusive
    last: int
    x_first: float
    x_last: float
    y: float  # median over its points
    ramp: bool


def find(x, y) -> list[Level]:
    """The levels of `y` over `x`, in order; together they hold every point once.

    `x` (n,) ascends, `y` (n,) is positive, in any units; [] below six points. Raises ValueError
    where they are not so.

    Change points of the mean of log y by PELT (Killick, Fearnhead and Eckley 2012; ruptures, Truong,
    Oudre and Vayatis 2020), with the penalty 3 s² log n of the modified BIC (Zhang and Siegmund
    2007). The noise s is the median absolute deviation of the differences of neighbours, which the
    few jumps do not touch. A ramp comes out of that as stairs: neighbouring pieces that one straight
    line (over log x) describes at less cost are joined, cheapest first (bottom-up segmentation, Keogh
    and others 2001). A piece is a ramp where it is shorter than an octave or changes by more than
    1.4 times in one; neighbours less than 1.25 times apart are one.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or not (np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)).all():
        raise ValueError("find() needs as many x as y, all of them positive numbers")
    if (np.diff(x) <= 0).any():
        raise ValueError("find() needs x in ascending order")
    if len(x) < POINTS_FOR_A_LEVEL:
        return []
    curve = _Curve(np.log2(x), np.log(y))
    pieces = _ramps_as_one(_alike_as_one(curve, _joined(curve, _change_points(curve))))
    return [
        Level(i, j - 1, float(x[i]), float(x[j - 1]), float(np.median(y[i:j])), ramp)
        for i, j, ramp in _plateaus_whole(curve, pieces)
        if j > i
    ]


class _Curve:
    """Log y (`z`) over octaves (`t`); a piece is points[i:j]."""

    def __init__(self, octaves: np.ndarray, log_y: np.ndarray):
        self.t, self.z = octaves, log_y
        steps = np.diff(log_y)
        # Of a difference of two points, so divided by the root of two.
        spread = 1.4826 * np.median(np.abs(steps - np.median(steps))) / np.sqrt(2)
        self.penalty = 3 * max(spread, _LEAST_NOISE) ** 2 * np.log(len(log_y))

    def middle(self, i: int, j: int) -> float:
        return float(np.median(self.z[i:j]))

    def line(self, i: int, j: int) -> tuple[float, float]:
        """Slope for each octave, and the sum of squares that the line leaves over."""
        t, z = self.t[i:j] - self.t[i:j].mean(), self.z[i:j] - self.z[i:j].mean()
        slope = float(t @ z / (t @ t)) if j - i > 1 else 0.0
        return slope, float(((z - slope * t) ** 2).sum())

    def cost(self, i: int, j: int) -> float:
        """Squares left over by the mean, or by a line, whose slope is paid for with half a penalty."""
        about_mean = float(((self.z[i:j] - self.z[i:j].mean()) ** 2).sum())
        return min(about_mean, self.line(i, j)[1] + self.penalty / 2)

    def is_ramp(self, i: int, j: int) -> bool:
        short = j - i < 3 or self.t[j - 1] - self.t[i] < _OCTAVE
        return bool(short or abs(self.line(i, j)[0]) > _STEEP)


def _change_points(curve: _Curve) -> list[int]:
    import ruptures

    # Its C kernel of the mean: the same answer as ruptures.Pelt(model="l2"), a hundred times faster.
    search = ruptures.KernelCPD(kernel="linear", min_size=1)
    return [0, *map(int, search.fit_predict(curve.z[:, None], pen=curve.penalty))]


def _joined(curve: _Curve, bounds: list[int]) -> list[int]:
    """The bounds of the pieces without those that cost more than they explain."""
    while len(bounds) > 2:
        saved = [
            curve.cost(i, j) + curve.cost(j, k) + curve.penalty - curve.cost(i, k)
            for i, j, k in zip(bounds, bounds[1:], bounds[2:], strict=False)
        ]
        best = int(np.argmax(saved))
        if saved[best] < 0:
            break
        bounds = bounds[: best + 1] + bounds[best + 2 :]
    return bounds


def _alike_as_one(curve: _Curve, bounds: list[int]) -> list[tuple[int, int, bool]]:
    """Pieces (i, j, is a ramp) of which no plateau has a neighbour at its own level."""
    pieces = [(i, j, curve.is_ramp(i, j)) for i, j in zip(bounds, bounds[1:], strict=False)]
    while len(pieces) > 1:
        apart = [
            np.inf if a[2] and b[2] else abs(curve.middle(*a[:2]) - curve.middle(*b[:2]))
            for a, b in zip(pieces, pieces[1:], strict=False)
        ]
        k = int(np.argmin(apart))
        if apart[k] >= _SAME:
            break
        i, j = pieces[k][0], pieces[k + 1][1]
        pieces[k : k + 2] = [(i, j, curve.is_ramp(i, j))]
    return pieces


def _ramps_as_one(pieces: list[tuple[int, int, bool]]) -> list[tuple[int, int, bool]]:
    found = pieces[:1]
    for i, j, ramp in pieces[1:]:
        if ramp and found[-1][2]:
            found[-1] = (found[-1][0], j, True)
        else:
            found.append((i, j, ramp))
    return found


def _plateaus_whole(curve: _Curve, pieces: list) -> list[tuple[int, int, bool]]:
    """The same with the ends of a ramp that lie at a plateau's level given to the plateau."""
    found = list(pieces)
    for k, (i, j, ramp) in enumerate(pieces):
        if not ramp:
            continue
        near = lambda at, level: abs(curve.z[at] - level) < _SAME  # noqa: E731
        if k > 0:
            before = curve.middle(*pieces[k - 1][:2])
            while i < j and near(i, before):
                i += 1
            found[k - 1] = (found[k - 1][0], i, False)
        if k + 1 < len(pieces):
            after = curve.middle(*pieces[k + 1][:2])
            while i < j and near(j - 1, after):
                j -= 1
            found[k + 1] = (j, found[k + 1][1], False)
        found[k] = (i, j, True)
    return found


def names(found: list[Level], given: list[str], capacities: dict) -> list[str]:
    """A name for each of `found`: a plateau's own, a ramp's "climb to L3" (or "fall to").

    `given` names the plateaus in order where there are as many and each but the last, which may be cut,
    reaches past what the one before can hold; else a plateau is named by the smallest of `capacities` (name -> x, or None where it is not
    known) that its middle lies under, or by the last of `given` above all of them; of several with one name
    the last keeps it, the others are "another level", as is one before the last of `given` that takes more
    than half of its time: no cache of its own answers there. Without capacities the plateaus are "level 1",
    "level 2".
    """
    plateaus = [level for level in found if not level.ramp]
    known = sorted((x, name) for name, x in capacities.items() if x and name in given)
    # A plateau inside the cache before it is a part of that, whatever their number: of L3 there may be none.
    past = (
        level.x_last > (capacities.get(name) or 0)
        for level, name in zip(plateaus[1:-1], given, strict=False)
    )
    if len(plateaus) == len(given) and all(past):
        told = list(given)
    elif known:
        told = [_under(level, known) or given[-1] for level in plateaus]
        told = [t if t not in told[k + 1 :] else ANOTHER for k, t in enumerate(told)]
    else:
        told = [f"level {k + 1}" for k in range(len(plateaus))]
    if told and told[-1] == given[-1]:
        top = plateaus[-1].y
        told = [
            ANOTHER if top / 2 < level.y < top else t
            for t, level in zip(told, plateaus, strict=True)
        ]
    left, every = iter(told), []
    for k, level in enumerate(found):
        if not level.ramp:
            every.append(next(left))
            continue
        neighbours = found[max(k - 1, 0)], found[min(k + 1, len(found) - 1)]
        way = "fall" if neighbours[1].y < neighbours[0].y else "climb"
        done = told[sum(not before.ramp for before in found[:k]) :]
        every.append(f"{way} to {done[0]}" if done else f"{way} to the end")
    return every


def _under(level: Level, known: list[tuple[float, str]]) -> str | None:
    if level.x_last > known[-1][0] * np.sqrt(2):
        return None
    middle = np.sqrt(level.x_first * level.x_last)
    return next((name for x, name in known if middle <= x), None)

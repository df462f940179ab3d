"""The five reports' figures, read from book/reports/*.toml.

A file describes one report: `name`, `machine`, `cite`, `clock` (what converts its cycles) and a
list of `[[figure]]`: the `quantity` it belongs to, `at` where on its axis if that is a curve,
`predicted` and `measured` as printed with their `unit` (one of the book's, or "cycle"), `sd`, `n`,
`place` (table or section) and a `note`.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass

from . import settings, units
from .settings import ReckonError

_FOLDER = settings.ROOT / "book" / "reports"
_KNOWN = {"quantity", "predicted", "measured", "unit", "sd", "n", "place", "note", "at"}


@dataclass(frozen=True)
class Figure:
    """One figure of a report, as printed, and converted."""

    report: str
    machine: str
    cite: str
    quantity: str
    predicted: float | None
    measured: float | None
    unit: str
    sd: float | None
    n: int | None
    place: str
    note: str
    at: float | None  # the position on a curve's axis
    clock: float  # cycles per second, converts figures in cycles

    def base(self, value: float | None, unit: str) -> float | None:
        """A printed value in base units of `unit`; cycles become time by the report's clock."""
        if value is None:
            return None
        found = units.to_base(value, self.unit)
        if self.unit == "cycle" and units.dimension(unit) == units.dimension("s"):
            return found / self.clock
        if units.dimension(self.unit) != units.dimension(unit):
            raise ReckonError(f"{self.report}: {self.quantity} is in {self.unit}, not in {unit}.")
        return found


@functools.cache
def figures() -> tuple[Figure, ...]:
    """Every figure of every report. Raises ReckonError for a key that is not known."""
    found = []
    for path in sorted(_FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in data["figure"]:
            if surplus := set(entry) - _KNOWN:
                raise ReckonError(f"{path}: a figure has no field {sorted(surplus)[0]}.")
            found.append(
                Figure(
                    report=data["name"], machine=data["machine"], cite=data["cite"],
                    quantity=entry["quantity"], predicted=entry.get("predicted"),
                    measured=entry.get("measured"), unit=entry["unit"], sd=entry.get("sd"),
                    n=entry.get("n"), place=entry["place"], note=entry.get("note", ""), at=entry.get("at"),
                    clock=float(units.to_base(data["clock_ghz"], "Gcycle/s")),
                )
            )  # fmt: skip
    return tuple(found)


def of(quantity: str) -> list[Figure]:
    """The reports' figures for a quantity, in alphabetical order of the reports."""
    return [one for one in figures() if one.quantity == quantity]

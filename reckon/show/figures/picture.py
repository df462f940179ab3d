"""A picture of the machine: cores, caches and memory."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from reckon.computer.facts import Machine
from reckon.show.block import Block
from reckon.show.figures import drawings
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, ON_LIGHT
from reckon.show.text import machine_value

_CORES_DRAWN = 8
_WIDTH, _GAP = 10, 0.16
_CORE, _L1, _L2, _L3, _MEMORY = "#cfe8f7", "#fde9c4", "#fbdca0", "#f6c766", "#d8eadf"


def _box(
    axes: Axes, corner: tuple[float, float], size: tuple[float, float], text: str, colour: str
) -> None:
    axes.add_patch(Rectangle(corner, *size, fc=colour, ec=BLACK, lw=0.8))
    middle = (corner[0] + size[0] / 2, corner[1] + size[1] / 2)
    axes.text(*middle, text, ha="center", va="center", fontsize=8, color=ON_LIGHT)


def machine_picture(machine: Machine, name: str, caption: str) -> Block:
    """Cores, caches and memory as nested boxes, from the machine's description."""

    def size(field: str) -> str:
        return machine_value(machine.value(field) or None, "byte")

    caches = {key: size(f"processor.{key}") for key in ("l1i", "l1d", "l2", "l3")}
    cores = int(machine.number("processor.cores") or 1)
    cores_drawn = min(cores, _CORES_DRAWN)
    width = _WIDTH / cores_drawn
    inner_width, full_width = width - _GAP, _WIDTH - _GAP
    with drawings.new(3.2) as drawing:
        axes = drawing.axes
        axes.axis("off")
        for i, number in enumerate([*range(cores_drawn - 1), cores - 1]):
            left = i * width + _GAP / 2
            _box(axes, (left, 4.6), (inner_width, 1.0), f"core {number}", _CORE)
            _box(axes, (left, 3.7), (inner_width / 2, 0.8), f"L1i\n{caches['l1i']}", _L1)
            _box(
                axes,
                (left + inner_width / 2, 3.7),
                (inner_width / 2, 0.8),
                f"L1d\n{caches['l1d']}",
                _L1,
            )
            _box(axes, (left, 2.8), (inner_width, 0.8), f"L2  {caches['l2']}", _L2)
        _box(axes, (_GAP / 2, 1.7), (full_width, 0.9), f"L3  {caches['l3']}", _L3)
        _box(
            axes, (_GAP / 2, 0.2), (full_width, 1.1), f"memory  {size('memory.capacity')}", _MEMORY
        )
        axes.text(_WIDTH / 2, 1.45, "memory bus", ha="center", va="center", fontsize=8)
        axes.set_xlim(0, _WIDTH)
        axes.set_ylim(0, 5.8)
        alt = (
            f"{cores} cores with L1 {caches['l1i']} and {caches['l1d']} and L2 {caches['l2']} "
            f"each, L3 {caches['l3']}, memory"
        )
        rows = [[part, size] for part, size in caches.items()]
        return drawing.save(name, caption, alt, Data(["part", "size"], rows))

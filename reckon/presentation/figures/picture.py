"""A picture of the machine: cores, caches and memory."""

from __future__ import annotations

import matplotlib
from matplotlib.patches import Rectangle

from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, STYLE
from reckon.presentation.text import described, machine_value

_CORES_MOST = 8  # that are drawn
_WIDTH = 10
_CORE, _L1, _L2, _L3, _MEMORY = "#cfe8f7", "#fde9c4", "#fbdca0", "#f6c766", "#d8eadf"


def _box(axes, corner: tuple, size: tuple, text: str, colour: str) -> None:
    (x, y), (width, height) = corner, size
    axes.add_patch(Rectangle(corner, width, height, fc=colour, ec=BLACK, lw=0.8))
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=8)


def machine_picture(machine: dict, name: str, caption: str) -> Block:
    """Cores, caches and memory as nested boxes, from the machine's description."""
    caches = {
        key: machine_value(described(machine, "processor", key) or None, "byte")
        for key in ("l1i", "l1d", "l2", "l3")
    }
    memory = machine_value(described(machine, "memory", "capacity") or None, "byte")
    cores = int(described(machine, "processor", "cores") or 1)
    shown = min(cores, _CORES_MOST)
    width = _WIDTH / shown
    numbers = [*range(shown - 1), cores - 1]
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 3.2))
        axes.axis("off")
        for i, number in enumerate(numbers):
            x, inner = i * width, width - 0.16
            _box(axes, (x + 0.08, 4.6), (inner, 1.0), f"core {number}", _CORE)
            _box(axes, (x + 0.08, 3.7), (inner / 2, 0.8), f"L1i\n{caches['l1i']}", _L1)
            _box(axes, (x + width / 2, 3.7), (inner / 2, 0.8), f"L1d\n{caches['l1d']}", _L1)
            _box(axes, (x + 0.08, 2.8), (inner, 0.8), f"L2  {caches['l2']}", _L2)
        _box(axes, (0.08, 1.7), (_WIDTH - 0.16, 0.9), f"L3  {caches['l3']}", _L3)
        _box(axes, (0.08, 0.2), (_WIDTH - 0.16, 1.1), f"memory  {memory}", _MEMORY)
        axes.text(_WIDTH / 2, 1.45, "memory bus", ha="center", va="center", fontsize=8)
        axes.set_xlim(0, _WIDTH)
        axes.set_ylim(0, 5.8)
    alt = (
        f"{cores} cores with L1 {caches['l1i']} and {caches['l1d']} and L2 {caches['l2']} each, L3 "
        f"{caches['l3']}, memory"
    )
    return style.save(figure, name, caption, alt, ["part", "size"], [[*c] for c in caches.items()])

"""What the page on the machine says of it."""

from matplotlib.patches import Rectangle

import reckon as rk
from reckon.show.figures import drawings
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, ON_LIGHT
from reckon.show.text import machine_value

CORES_DRAWN = 8
WIDTH, GAP = 10, 0.16
CORE, L1, L2, L3, MEMORY = "#cfe8f7", "#fde9c4", "#fbdca0", "#f6c766", "#d8eadf"


def box(axes, corner, size, text, colour):
    axes.add_patch(Rectangle(corner, *size, fc=colour, ec=BLACK, lw=0.8))
    middle = (corner[0] + size[0] / 2, corner[1] + size[1] / 2)
    axes.text(*middle, text, ha="center", va="center", fontsize=8, color=ON_LIGHT)


def picture(machine, name, caption):
    """Cores, caches and memory as nested boxes, from the machine's description."""
    fields = {"l1i": "processor.l1i", "l1d": "processor.l1d", "l2": "processor.l2", "l3": "processor.l3", "memory": "memory.capacity"}
    sizes = {part: machine_value(machine.value(field) or None, "byte") for part, field in fields.items()}
    memory = sizes.pop("memory")
    cores = int(machine.number("processor.cores") or 1)
    cores_drawn = min(cores, CORES_DRAWN)
    width = WIDTH / cores_drawn
    inner_width, full_width = width - GAP, WIDTH - GAP
    with drawings.new(3.2) as drawing:
        axes = drawing.axes
        axes.axis("off")
        for at, number in enumerate([*range(cores_drawn - 1), cores - 1]):
            left = at * width + GAP / 2
            box(axes, (left, 4.6), (inner_width, 1.0), f"core {number}", CORE)
            box(axes, (left, 3.7), (inner_width / 2, 0.8), f"L1i\n{sizes['l1i']}", L1)
            box(axes, (left + inner_width / 2, 3.7), (inner_width / 2, 0.8), f"L1d\n{sizes['l1d']}", L1)
            box(axes, (left, 2.8), (inner_width, 0.8), f"L2  {sizes['l2']}", L2)
        box(axes, (GAP / 2, 1.7), (full_width, 0.9), f"L3  {sizes['l3']}", L3)
        box(axes, (GAP / 2, 0.2), (full_width, 1.1), f"memory  {memory}", MEMORY)
        axes.text(WIDTH / 2, 1.45, "memory bus", ha="center", va="center", fontsize=8)
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(0, 5.8)
        alt = f"{cores} cores with L1 {sizes['l1i']} and {sizes['l1d']} and L2 {sizes['l2']} each, L3 {sizes['l3']}, memory"
        return drawing.save(name, caption, alt, Data(["part", "size"], [[*row] for row in sizes.items()]))


@rk.finding
def machine_in_short(machine):
    model, system, kernel = (rk.literal(machine.value(field) or "") for field in ("processor.model", "system.os", "system.kernel"))
    memory = machine.number("memory.capacity")
    known = [f"**{model}**" if model else "", f"{rk.amount(memory, 'byte')} of memory" if memory else "", system,
             f"Linux {kernel.split()[0]}" if kernel else ""]
    return rk.shown("machine in short", f"{', '.join(filter(None, known))}.")


@rk.finding
def caches(machine):
    cores, l2, l3 = (machine.number(f"processor.{field}") for field in ("cores", "l2", "l3"))
    if not (cores and l2 and l3):
        return rk.unexplained("caches not reported", "Cores, caches and memory as this system reports them")
    each = f"Each of the {cores:g} cores has an L2 cache of {rk.amount(l2, 'byte')}; the L3 cache has {rk.amount(l3, 'byte')}"
    if machine.value("system.guest"):
        return rk.consistent("caches of a guest", f"{each}, as the hypervisor reports them. Two of these cores may in truth be threads of one, and share its caches")
    return rk.shown("caches", each)


@rk.finding
def hypervisor(machine):
    if not machine.value("system.guest"):
        return rk.consistent("no hypervisor", "No hypervisor was seen: what is measured is this machine's own.")
    return rk.shown("guest", "**This is a guest of a hypervisor**, so each value is the guest's. An instruction that the hypervisor emulates, such as "
                    "CPUID, leaves the guest, which takes about a microsecond or more. The last-level cache and the disk are shared with neighbours, and memory may "
                    "be slow when it is touched for the first time.")


@rk.finding
def not_reported(machine):
    unknown = {}
    for field, title, _ in rk.machine_page.listed_fields(machine):
        if machine.value(field) is None:
            unknown.setdefault(rk.machine_page.section_of(field), []).append(title[0].lower() + title[1:])
    if not unknown:
        return rk.shown("all known", "Every value is known here.")
    listed = "\n".join(f"- *{section}*: {', '.join(titles)}." for section, titles in unknown.items())
    return rk.shown("not reported", f"Not reported here:\n\n{listed}")

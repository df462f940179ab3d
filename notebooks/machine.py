"""What the chapter on the machine says of it."""

import dataclasses
from dataclasses import dataclass, replace

from matplotlib.patches import Rectangle

import reckon as rk
from reckon import units
from reckon.computer.facts import Machine
from reckon.computer.fields import FIELDS, ONLY_WHERE_SET, SECTIONS
from reckon.show.block import Block, say, table
from reckon.show.figures import drawings
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, ON_LIGHT
from reckon.show.sentences.peers import is_built_in
from reckon.show.tables import headlines
from reckon.show.text import code, literal, machine_value

DEVICES = {"disk": "disk", "network": "loopback", "remote": "other host"}
COLOURS = {"kernel": "#e4dcf1", "core": "#cfe8f7", "l1": "#fde9c4", "l2": "#fbdca0", "l3": "#f6c766", "memory": "#d8eadf"}
COLOURS |= dict.fromkeys(DEVICES, "#eceff3")
REPORTED = "#5c5c5c"  # of a size that the measured one differs from
DIFFERS = 1.25  # a ratio: curves have a few sizes in an octave
LINE_INCHES = 0.185
# In lines of text downwards, and in parts of the figure's width.
GAP, MARGIN, PAD, BETWEEN = 0.8, 0.3, 0.015, 0.015
OTHER_CORES = 0.28


@dataclass(frozen=True)
class Text:
    text: str
    at: float = 0.0  # of the box's width
    is_right: bool = False  # ends there
    colour: str = ON_LIGHT
    size: int = 8


@dataclass(frozen=True)
class Box:
    """A part of the machine: its name and the lines below that."""

    part: str
    title: str
    beside: str = ""  # at the other end of the title's line
    lines: list = dataclasses.field(default_factory=list)

    def draw(self, axes, left, top, width, height):
        axes.add_patch(Rectangle((left, top - height), width, height, fc=COLOURS[self.part], ec=BLACK, lw=0.8))
        title = [Text(self.title), Text(self.beside, 1, is_right=True)]
        for number, line in enumerate([title, *self.lines]):
            y, weight = top - number - 0.5 - MARGIN / 2, "normal" if number else "bold"
            for each in line:
                x, side = left + each.at * width + (-PAD if each.is_right else PAD), "right" if each.is_right else "left"
                axes.text(x, y, each.text, ha=side, va="center", color=each.colour, fontsize=each.size, weight=weight, parse_math=False)


def value(result):
    return rk.median_text(result.summaries[-1], result.unit)


def listed(values, columns):
    """Names with their values, some beside one another."""
    cells = [[Text(headline.name, i % columns / columns), Text(value(result), (i % columns + 1) / columns, is_right=True)]
             for i, (headline, result) in enumerate(values)]
    return [sum(cells[i : i + columns], []) for i in range(0, len(cells), columns)]


def stacked(values):
    """Names, each above its value."""
    return [line for headline, result in values for line in ([Text(headline.name, size=7)], [Text(value(result))])]


def cache(name, usable, reported, values):
    line = [Text(units.size(reported, "byte"))] if reported else []
    if usable and (not reported or not 1 / DIFFERS < usable / reported < DIFFERS):
        line = [Text(f"keeps its pace up to {units.size(usable, 'byte')}")]
        line += [Text(f"{units.size(reported, 'byte')} reported", 1, is_right=True, colour=REPORTED)] if reported else []
    return Box(name, name.upper(), ", ".join(value(result) for _, result in values), [line])


def of_device(title, name, lines, values, machine):
    """The box of a device. What is not this machine's own of its values is in the title, and a setting above the values."""
    notes = {headlines.not_its_own(headline, result, machine) for headline, result in values} - {""}
    if notes:
        title = {"disk": "virtual disk", "remote": "built-in host"}.get(name, title)
    return Box(name, title, lines=[*([Text(note, size=7)] for note in sorted(notes - {title})), *lines])


def measured_core(machine):
    cpu = machine.number("processor.cpu")
    return "measured core" if cpu is None else f"measured core (CPU {cpu:g})"


def bands(machine, values, caches, device):
    """The boxes from top to bottom, those beside one another in one list: the core whose values are shown comes first. device: how
    values of devices are listed."""
    cores = int(machine.number("processor.cores") or 1)
    rows = [[Box("kernel", "kernel", lines=listed(values["kernel"], 2))], [Box("core", measured_core(machine), lines=listed(values["core"], 1))]]
    rows += [[caches[name]] for name in ("l1", "l2", "l3")]
    if cores > 1:
        title = "other core" if cores == 2 else f"{cores - 1} other cores"
        for row in rows[1:4]:
            row.append(Box(row[0].part, title if row[0].part == "core" else row[0].title))
    capacity = machine_value(machine.number("memory.capacity"), "byte", "")
    rows.append([Box("memory", "memory", capacity, listed(values["memory"], 2))])
    rows.append([of_device(title, part, device(values[part]), values[part], machine) for part, title in DEVICES.items() if values[part]])
    return [row for row in rows if row]


def height_of(band):
    return max(len(box.lines) for box in band) + 1 + MARGIN


def gap_above(band):
    """In lines: none where the boxes belong to what is above."""
    return 0.0 if band[0].part in ("l1", "l2") else GAP


def places(band):
    """Left end and width of the boxes; of cores the first, whose values are shown, is wide."""
    count = len(band)
    widths = [(1 - BETWEEN * (count - 1)) / count] * count
    if count == 2 and band[0].part == band[1].part:
        widths = [1 - OTHER_CORES - BETWEEN, OTHER_CORES]
    return [(sum(widths[:i]) + i * BETWEEN, width) for i, width in enumerate(widths)]


@dataclass(frozen=True)
class Portrait:
    """The boxes from top to bottom, those beside one another in one list; what they show, as text and by headline."""

    bands: list[list[Box]]
    sizes: list[list[str]]  # of the caches that are known
    shown: list

    @property
    def height(self):
        """In lines of text."""
        return sum(height_of(band) + gap_above(band) for band in self.bands) - GAP

    def draw(self, axes):
        """Fill the axes."""
        axes.axis("off")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, self.height)
        top, above = self.height + GAP, self.bands[0]
        for band in self.bands:
            if gap_above(band) and band is not above:
                for left, width in max(places(above), places(band), key=len):
                    axes.plot([left + width / 2] * 2, [top - GAP, top], color=BLACK, lw=0.8)
            top -= gap_above(band)
            for box, (left, width) in zip(band, places(band), strict=True):
                box.draw(axes, left, top, width, height_of(band))
            top, above = top - height_of(band), band


def portrait(machine, results, device=stacked):
    """Kernel, cores, caches, memory and devices as boxes with the main results of each, and the caches' usable
    sizes; those that the system reports are grey where they differ. device: as in bands()."""
    by_quantity = {result.quantity: result for result in results}
    values: dict[str, list] = {part: [] for part in COLOURS}
    for headline in headlines.main_results():
        result, part = headlines.result_of(headline, by_quantity), headline.drawn_in or headline.cache
        if part and result and result.has_samples:
            values[part].append((headline, result))
    usable, reported = headlines.usable_caches(by_quantity), headlines.reported_caches(machine)
    caches = {name: cache(name, usable.get(name), size, values[name]) for name, size in reported.items()}
    sizes = [[box.title, ", ".join(each.text for each in box.lines[0])] for box in caches.values()]
    return Portrait(bands(machine, values, caches, device), [each for each in sizes if each[1]], sum(values.values(), []))


def picture(machine, results, name, caption):
    """The portrait as a figure."""
    drawn = portrait(machine, results)
    with drawings.new(drawn.height * LINE_INCHES) as drawing:
        drawing.axes.set_position((0, 0, 1, 1))
        drawn.draw(drawing.axes)
        shown = [(headline, value(result)) for headline, result in drawn.shown]
        alt = rk.join_words([*map(" ".join, drawn.sizes), *(f"{headline.name} {text}" for headline, text in shown)])
        rows = [[headline.quantity, headline.name, text] for headline, text in shown] + [["", *row] for row in drawn.sizes]
        block = drawing.save(name, caption, alt, Data(["quantity", "part", "value"], rows))
    return replace(block, measured=tuple(result.quantity for _, result in drawn.shown))


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
        return rk.consistent("caches of a guest", f"{each}, as the hypervisor reports them. Two of these cores may really be two hardware threads of one core that share its caches")
    return rk.shown("caches", each)


@rk.finding
def hypervisor(machine):
    if not machine.value("system.guest"):
        return rk.consistent("no hypervisor", "No hypervisor was seen: what is measured is this machine's own.")
    return rk.shown("guest", "**This is a guest of a hypervisor**, so each value is the guest's. Some instructions, such as CPUID, are emulated "
                    "by the hypervisor. Each of them makes the processor leave the guest, which takes about a microsecond or more. The last-level cache and the disk are shared with neighbours, and memory may "
                    "be slow when it is touched for the first time.")


@rk.finding
def not_reported(machine):
    unknown: dict[str, list[str]] = {}
    for field, title, _ in listed_fields(machine):
        if machine.value(field) is None:
            unknown.setdefault(section_of(field), []).append(title[0].lower() + title[1:])
    if not unknown:
        return rk.shown("all known", "Every value is known here.")
    listed = "\n".join(f"- *{section}*: {', '.join(titles)}." for section, titles in unknown.items())
    return rk.shown("not reported", f"Not reported here:\n\n{listed}")


# --- tables -----------------------------------------------------------------------------------------

def listed_fields(machine: Machine) -> list[tuple[str, str, str]]:
    """The fields of this computer's description, each with its title and unit: all that it has or
    should have."""
    return [
        (field, title, unit)
        for field, (title, unit) in FIELDS.items()
        if field.split(".")[0] in SECTIONS
        and not (field in ONLY_WHERE_SET and machine.value(field) is None)
    ]


def section_of(field: str) -> str:
    return SECTIONS[field.split(".")[0]]


def machine_table(machine: Machine, caption: str, name: str) -> Block:
    """Every known value with its source; what is unknown reads "not reported"."""
    rows = []
    for field, title, unit in listed_fields(machine):
        value, source = machine.value(field), machine.fact(field).source
        source = code(source) if "/" in source else literal(source)
        if value is None:
            source = "can be given in `machine.toml`"
        rows.append([section_of(field), title, literal(machine_value(value, unit)), source])
    return table({"Part": 13, "What": 22, "Value": 38, "Source": 27}, rows, caption, name)


# What a built-in host shares with this machine, and what only a built-in host has.
_SHARED = ("processor", "cores", "memory", "os", "kernel", "hypervisor")


_BUILT_IN_ONLY = ("link_", "queue", "path")


_IN_BYTES = ("mtu",)  # a size of which every byte counts


def _host_row(machine: Machine, field: str, title: str, unit: str) -> list[str] | None:
    """The row of one field; None if it does not apply."""
    part, key = field.split(".")
    value, source = machine.value(field), machine.fact(field).source
    if value is not None:
        exact = key in _IN_BYTES
        size = units.with_unit(units.plain(float(value)), "byte") if exact else ""
        text = size or literal(machine_value(value, unit))
        return [title, text, code(source) if source else ""]
    if is_built_in(machine, part):
        return [title, "this machine's", ""] if key in _SHARED else None
    if key.startswith(_BUILT_IN_ONLY):
        return None
    return [title, machine_value(None, unit), literal(source)]


def host_table(machine: Machine, caption: str, name: str, part: str = "peer") -> Block:
    """The other host, or another `part`: every known value with its source.

    What a built-in host shares with this machine is not repeated.
    """
    if machine.value(f"{part}.kind") is None:
        return say("")
    of_part = [(field, *labels) for field, labels in FIELDS.items() if field.startswith(f"{part}.")]
    rows = [row for row in (_host_row(machine, *field) for field in of_part) if row]
    return table({"What": 30, "Value": 45, "Source": 25}, rows, caption, name)


_STATES = {"pass": "pass", "warn": "**warning**", "unknown": "not known"}


def fitness_table(checks: list[dict], caption: str, name: str) -> Block:
    """The checks of the machine's fitness, with advice."""
    rows = [[c["name"], _STATES[c["state"]], literal(c["found"]), c["advice"]] for c in checks]
    return table({"Check": 18, "State": 11, "Found": 28, "What to do": 43}, rows, caption, name)


def fitness_summary(checks: list[dict]) -> Block:
    """How many checks warn and how many could not be made, with their names."""
    return say(
        f"Of {len(checks)} checks, {_count(checks, 'warn', 'warn')}, and "
        f"{_count(checks, 'unknown', 'could not be made here')}."
    )


def _count(checks: list[dict], state: str, predicate: str) -> str:
    names = [check["name"] for check in checks if check["state"] == state]
    name_list = f" ({', '.join(names)})" if names else ""
    return f"{len(names)} {predicate}{name_list}"

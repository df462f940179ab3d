"""The poster: the machine's portrait, and its main times on one axis, on a sheet of A3."""

import textwrap

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

import reckon as rk
from reckon.show.figures import single, style
from reckon.show.frames import readable_unit
from reckon.show.tables import headlines

MACHINE, FRONT = rk.findings_of("machine"), rk.findings_of("summary_front")
WIDTH, HEIGHT = 297 / 25.4, 420 / 25.4  # inches, as all that follows but the sizes of letters
MARGIN, GAP = 0.7, 0.3
ROW, AXIS, NAMES, COLUMNS = 0.24, 0.5, 3.1, 2.1  # of the times: a row, the ticks, what stands left and right
BELOW = 0.07  # a paragraph
LETTER = 0.55  # the usual width of a letter, in its size
SCALE = 1.6  # of the site's figures
GREY = MACHINE.REPORTED
READING = ("In the boxes stands what was measured. Grey is a size that the system reports, where a load keeps the cache's pace only within another. "
           "On the axis a cross is what was predicted; it was sealed before the first sample of its own quantity.")


class Sheet:
    """The figure, filled from its top and from its bottom; letters: how much larger the family's letters have to be."""

    def __init__(self, letters):
        self.figure, self.letters = Figure(figsize=(WIDTH, HEIGHT)), letters
        self.top, self.bottom = HEIGHT - MARGIN, MARGIN

    def write(self, text, size, *, below=False, **look):
        """Write lines, below what is there or above what the sheet ends with."""
        if not text:
            return
        room = WIDTH - 2 * MARGIN
        lines = textwrap.wrap(text, int(room * 72 / (LETTER * size)))
        y, side = (self.bottom, "bottom") if below else (self.top, "top")
        written = self.figure.text(MARGIN / WIDTH, y / HEIGHT, "\n".join(lines), fontsize=size * self.letters, va=side, parse_math=False, **look)
        fits = room * self.figure.dpi / written.get_window_extent().width
        written.set_fontsize(size * self.letters * min(1, fits))
        height = written.get_window_extent().height / self.figure.dpi + BELOW
        if below:
            self.bottom += height
        else:
            self.top -= height

    def axes(self, left, bottom, width, height):
        return self.figure.add_axes((left / WIDTH, bottom / HEIGHT, width / WIDTH, height / HEIGHT))

    def enlarge(self, axes):
        """Give letters and lines the size that they have on the site, enlarged."""
        for text in axes.findobj(Text):
            text.set_fontsize(text.get_fontsize() * SCALE * self.letters)
        for line in axes.findobj(Line2D):
            line.set(markersize=SCALE * line.get_markersize(), markeredgewidth=SCALE * line.get_markeredgewidth())
        for line in axes.findobj(lambda artist: isinstance(artist, (Line2D, Patch))):
            line.set_linewidth(SCALE * line.get_linewidth())


def ruler(sheet, times):
    """The times, the shortest first, predicted and measured, with the measured value and that on a person's scale beside them."""
    height, width = ROW * len(times), WIDTH - 2 * MARGIN - NAMES - COLUMNS
    axes = sheet.axes(MARGIN + NAMES, sheet.bottom + AXIS, width, height)
    measured = [*times.values()]
    unit = readable_unit(measured[len(times) // 2])
    key = single.draw_bars(axes, measured, [*times], unit)
    axes.set_xlabel("")
    style.unit_ticks(axes.xaxis, unit)
    axes.tick_params(labelsize=8)
    head = ["measured", "first as 1 s"]
    rows = [[MACHINE.value(each), FRONT.on_a_persons_scale(each.summaries[0].median, measured[0].summaries[0].median)] for each in measured]
    for y, cells in enumerate([head, *rows], -1):
        for x, cell in zip((0.43, 1), cells, strict=True):
            axes.text(1 + x * COLUMNS / width, y, cell, ha="right", va="center", fontsize=8, transform=axes.get_yaxis_transform())
    axes.legend(handles=key, loc="lower left", bbox_to_anchor=(-NAMES / width, 1), ncols=len(key), fontsize=8, borderaxespad=0, borderpad=0.2)
    sheet.enlarge(axes)
    sheet.bottom += AXIS + height + ROW + GAP


def draw(machine, results, facts, letters):
    """The sheet as a figure. facts: what stands on the title page of the PDFs; letters: as in Sheet."""
    sheet = Sheet(letters)
    name, *rest = facts["machine"].replace("not reported", "This machine").split(", ")
    sheet.write("Reckon: one computer, predicted and then measured", 14, color=GREY)
    sheet.write(name, 40 if len(name) < 40 else 24, weight="bold")
    sheet.write("; ".join([*rest, facts["conditions"]]), 16)
    sheet.write(facts["score"], 14)
    by_quantity = {result.quantity: result for result in results}
    absent = {each: result for each in headlines.main_results()
              if not ((result := headlines.result_of(each, by_quantity)) and result.has_samples)}
    source = f"Run {facts['run']}, {facts['profile']} profile, made from {facts['made from']}. Root hash {facts['root hash']}."
    sheet.write(source, 10, below=True, color=GREY)
    if absent:
        sheet.write(headlines.unmeasured(absent), 10, below=True)
    sheet.write(READING, 11, below=True)
    times = FRONT.main_times(results, machine)
    if times:
        ruler(sheet, times)
    else:
        sheet.bottom += GAP
    axes = sheet.axes(MARGIN, sheet.bottom, WIDTH - 2 * MARGIN, sheet.top - GAP - sheet.bottom)
    MACHINE.portrait(machine, results, lambda values: MACHINE.listed(values, 1)).draw(axes)
    sheet.enlarge(axes)
    return sheet.figure

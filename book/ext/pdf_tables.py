"""Tables of the PDFs: columns as wide as what stands in them, reasons below instead of in cells."""

import math
import re

import numpy as np
from docutils import nodes
from sphinx import addnodes

_LINE = 114  # digits of a table on one line
_GAP = 2  # between two columns
_WIDTHS = (
    dict.fromkeys("iljtfr.,:;|'!()[] \xa0", 0.65)
    | dict.fromkeys("mwMW%±×", 1.6)
    | {"I": 0.75, "J": 1.05}
)
_TORN = 5  # a cell this many times as high as its neighbours gets a row of its own
_RAGGED = 1.08  # lines of several are filled to this part
_MAY_BREAK = r"\allowbreak{}"
_TABLE_MARK = re.compile(r"\\tablemark\{.*?\}$")
_BREAK = re.compile(r"(?<=[/_])(?=[^/_\s])")
# The cell of a missing value, whose reason is too long for it; the marks of reasons below a table.
_MISSING = re.compile(r"(?P<state>unsupported|failed|not measured): (?=.{20})", re.S)
_MARKS = (r"\ast", r"\dagger", r"\ddagger", r"\S", r"\P")
_LONG_WORD = 12  # characters; what is longer may break where _BREAK says


def fit_to_page(table, lines_together):
    """Make the table fit the page; one of more lines than that may break across pages."""
    _remove_empty_paragraphs(table)
    reasons = _mark_reasons(table)
    _let_paths_break(table)
    _fit(table, lines_together)
    if "longtable" in table["classes"]:
        _add_as_rows(table, reasons)
    else:
        _add_below(table, reasons)


def rows_of(table, part):
    """The rows of a table's head or body."""
    return [row for section in table.findall(part) for row in section.findall(nodes.row)]


def remove_column(table, index):
    """Remove a column, with its head and its width."""
    for row in (*rows_of(table, nodes.thead), *rows_of(table, nodes.tbody)):
        row.pop(index)
    table.remove([*table.findall(nodes.colspec)][index])
    table["cols"] -= 1


def is_empty(node):
    """Whether the node shows neither text nor a picture."""
    return not node.astext().strip() and not any(node.findall(nodes.image))


def latex(text):
    """A node that writes this text into the LaTeX as it is."""
    return nodes.raw("", text, format="latex")


def _remove_empty_paragraphs(table):
    """Nothing in an empty cell: LaTeX would set an empty paragraph as two lines."""
    for cell in table.findall(nodes.entry):
        if is_empty(cell):
            cell.clear()


def _let_paths_break(table):
    """Paths and long names may break in a narrow column, after a slash or an underscore."""
    for text in list(table.findall(nodes.Text)):
        parts = _BREAK.split(text)
        if len(parts) == 1 or max(map(len, text.split())) <= _LONG_WORD:
            continue
        broken = [nodes.Text(parts[0])]
        for part in parts[1:]:
            broken += [latex(_MAY_BREAK), nodes.Text(part)]
        text.parent.replace(text, broken)


def _mark_reasons(table):
    """The reasons of missing values as notes; the cells, too narrow for them, get marks."""
    reasons = {}
    for paragraph in table.findall(nodes.paragraph):
        found = _MISSING.match(paragraph.astext())
        if not found or not isinstance(paragraph.parent, nodes.entry):
            continue
        first, *others = paragraph.children
        text = first.astext().removeprefix(found[0])
        reason = reasons.setdefault(paragraph.astext(), (len(reasons), [nodes.Text(text), *others]))
        mark = _note_mark(reason[0])
        paragraph[:] = [nodes.Text(found["state"]), latex(f"\\tablemark{{{mark}}}")]
    return [_note(number, reason) for number, reason in reasons.values()]


def _note(number, reason):
    note = nodes.paragraph("", "", latex(f"\\begin{{tablenote}}{{{_note_mark(number)}}}"))
    note += [*reason, latex(r"\end{tablenote}")]
    return note


def _add_below(table, notes):
    """Once below the table, which stays with them."""
    if notes:
        table.parent.insert(table.parent.index(table), latex("\n\\global\\notefollowstrue\n"))
    place = table.parent.index(table) + 1
    table.parent[place:place] = notes


def _add_as_rows(table, notes):
    """As last rows of a table that may break across pages: below it they could begin a page."""
    group = table.next_node(nodes.tgroup)
    body = group.next_node(nodes.tbody)
    for note in notes:
        row = nodes.row("", nodes.entry("", note, morecols=group["cols"] - 1))
        body += [latex("\\nopagebreak\n"), row]


def _note_mark(number):
    return _MARKS[number % len(_MARKS)] * (1 + number // len(_MARKS))


def _fit(table, lines_together):
    """Give the columns widths by what stands in them; a table of many lines may break."""
    group = table.next_node(nodes.tgroup)
    head, body = rows_of(group, nodes.thead), rows_of(group, nodes.tbody)
    rows = [*head, *body]
    if any(len(row) != group["cols"] for row in rows):
        return
    widths = _column_widths(rows)
    torn = [cell for row in body if (cell := _torn(row, widths)) is not None]
    below = {cell.parent: _below(cell, group["cols"]) for cell in torn}
    if below:
        widths = _column_widths(rows)
    spec = "".join(f"\\X{{{10 * (width + _GAP):.0f}}}{{{10 * _LINE}}}" for width in widths)
    table.parent.insert(table.parent.index(table), addnodes.tabular_col_spec(spec=spec))
    table["classes"] = [name for name in table["classes"] if name != "longtable"]
    lines = sum(_lines([_width(cell) for cell in row], widths) for row in body)
    lines += sum(_lines([_width(row[0])], [_LINE]) for row in below.values())
    table["lines"] = lines
    if lines > lines_together:
        table["classes"].append("longtable")
        table["lines"] = lines_together
    for row, added in below.items():
        # Only longtable has it between rows.
        stays = [latex("\\nopagebreak\n")] if lines > lines_together else []
        row.parent.insert(row.parent.index(row) + 1, [*stays, added])


def _column_widths(rows):
    cells = [[_width(cell) for cell in row] for row in rows]
    least = [max(map(_longest_word, column)) for column in zip(*rows, strict=True)]
    return _shared_out(cells, least, _LINE - _GAP * len(rows[0]))


def _torn(row, widths):
    """The cell that is many times as high as all others of its row, or None."""
    lines = [_lines([_width(cell)], [width]) for cell, width in zip(row, widths, strict=True)]
    highest = lines.index(max(lines))
    others = [count for index, count in enumerate(lines) if index != highest]
    return row[highest] if others and lines[highest] >= _TORN * max(1, *others) else None


def _below(cell, columns):
    """A row for below the cell's, as wide as the table, with what stood in the cell."""
    content, cell[:] = [*cell.children], [nodes.paragraph("", "below")]
    return nodes.row("", nodes.entry("", *content, morecols=columns - 1))


def _lines(row, widths):
    """About how many lines a row takes, with columns of these widths."""
    return max(math.ceil(cell / width - 0.01) for cell, width in zip(row, widths, strict=True))


def _words(cell):
    """The text of a cell, as its parts between which a line may end."""
    text = _TABLE_MARK.sub("*", cell.astext().replace(_MAY_BREAK, " "))
    return text.split(" ")


def _width(cell, words=None):
    """About how wide the text of a cell is, in digits."""
    wider = 1.0
    if isinstance(cell.parent.parent, nodes.thead):
        wider = 1.1
    if any(cell.findall(nodes.strong)):
        wider = 1.17
    if any(cell.findall(nodes.literal)):
        wider = 1.2
    text = " ".join(_words(cell) if words is None else words)
    return wider * sum(
        _WIDTHS.get(character, 1.4 if character.isupper() else 1) for character in text
    )


def _longest_word(cell):
    return max((_width(cell, [word]) for word in _words(cell)), default=1)


def _shared_out(cells, least, room):
    """Widths of columns, from the widths of all cells: each as wide as its widest cell, if there is
    room for all; else again and again the widening that spares most lines for its width."""
    cells, widths = np.array(cells), np.array(least, float)
    most = np.maximum(cells.max(axis=0), widths)
    if most.sum() <= room:
        return most
    widths *= min(1, room / widths.sum())
    while (left := room - widths.sum()) >= 1:
        wider = np.arange(1, int(left) + 1)
        spared = [
            (_column_lines(column, width) - _column_lines(column, width + wider)) / wider
            for column, width in zip(cells.T, widths, strict=True)
        ]
        column, step = np.unravel_index(np.argmax(spared), np.shape(spared))
        if spared[column][step] <= 0:
            break
        widths[column] += wider[step]
    return widths


def _column_lines(column, widths):
    """The lines of all cells of a column, for each of these widths. Lines are not quite full."""
    parts = column / np.atleast_1d(widths)[:, np.newaxis]
    return np.ceil(np.where(parts > 1, _RAGGED * parts, parts)).sum(axis=1)

"""Cells of the chapter on the system call, as a person edits them."""

import json

from reckon.book import contents

# Cells of cpu/syscall.
BEGINNING, FORMULA, INPUTS, MEASURE = "2d19c457", "84f7619f", "a058917f", "4576de23"
TABLE_CELL, ANSWER, FIGURE = "346c0829", "e58fb9f3", "1157ffe3"


def cells():
    return {cell["id"]: "".join(cell["source"]) for cell in _cells()}


def code_cells():
    return {cell["id"]: "".join(cell["source"]) for cell in _cells() if cell["cell_type"] == "code"}


def _cells():
    return json.loads(contents.source("cpu/syscall").read_text("utf-8"))["cells"]

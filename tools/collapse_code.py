"""Collapse, in a notebook on standard input, the code that the site leaves out or folds.

Not where it gives a prediction its inputs, which a reader edits."""

import json
import re
import sys

LEFT_OUT, FOLDED = {"remove-cell", "remove-input"}, "hide-input"  # tags
INPUT = re.compile(r"\brk\.(?:guess|given|axis|octaves)\(")


def is_collapsed(cell: dict) -> bool:
    """Whether the cell's code is one click away."""
    tags = cell["metadata"].get("tags", [])
    has_input = INPUT.search("".join(cell["source"])) is not None
    return bool(LEFT_OUT.intersection(tags)) or (FOLDED in tags and not has_input)


notebook = json.load(sys.stdin)
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        cell["metadata"].pop("jupyter", None)
        if is_collapsed(cell):
            cell["metadata"]["jupyter"] = {"source_hidden": True}
print(json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True))

"""The tables of a page, read back."""


def rows(block):
    """The cells of a block's table, the header first."""
    lines = [line for line in block.markdown.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [cells[0], *cells[2:]]

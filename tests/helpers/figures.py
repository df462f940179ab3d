"""The files of figures that a test drew, with those that a book draws later."""

from pathlib import Path

from reckon.show import figure_files
from reckon.show.figure_files import LATER
from reckon.show.figures import drawings


def file(name: str, ending: str) -> Path:
    """The file of the figure of that name; all that are still to be drawn are drawn first."""
    drawings.draw_later(figure_files.undrawn(LATER), LATER)
    return figure_files.path(name, ending)

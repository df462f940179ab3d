"""The site as a folder that any static host serves."""

from __future__ import annotations

import shutil
from pathlib import Path

from reckon.book import sphinx
from reckon.errors import ReckonError
from reckon.records.run_files import files

# GitHub Pages leaves out folders such as _static without it; it also marks a folder as ours.
_MARK = ".nojekyll"


def check(target: Path) -> None:
    """Raises ReckonError if the folder holds anything but an earlier publication."""
    if target.exists() and not target.is_dir():
        raise ReckonError(f"{target} is not a folder.")
    if target.is_dir() and any(target.iterdir()) and not (target / _MARK).exists():
        raise ReckonError(f"{target} holds other files; publish to an empty folder.")


def publish(target: Path, *, with_pdf: bool) -> None:
    """Put the site there in the place of an earlier one; without PDFs that were made before."""
    check(target)
    if target.is_dir():
        shutil.rmtree(target)
    left_out = [".buildinfo*", *([] if with_pdf else [path.name for path in sphinx.pdf_paths()])]
    shutil.copytree(sphinx.site_dir(), target, ignore=shutil.ignore_patterns(*left_out))
    (target / _MARK).touch()
    files.make_public(target)

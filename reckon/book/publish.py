"""A site as a folder that any static host serves."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from reckon import records
from reckon.book import sphinx
from reckon.errors import ReckonError
from reckon.records.run_files import files

_MARK = ".reckon-site"  # lists what a site has put into its folder
_DOMAIN = "CNAME"  # GitHub Pages reads the site's domain there


def check(target: Path) -> None:
    """Raises ReckonError if the folder holds anything but an earlier site, hidden files and the
    name of a domain."""
    if target.exists() and not target.is_dir():
        raise ReckonError(f"{target} is not a folder.")
    if not target.is_dir() or (target / _MARK).exists():
        return
    if any(path.name[0] != "." and path.name != _DOMAIN for path in target.iterdir()):
        raise ReckonError(f"{target} holds other files; choose an empty folder.")


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A folder for a site, which takes the place of an earlier one in the target after the block.

    What else is in the target stays, as .git of a checkout."""
    check(target)
    mark = target / _MARK
    with files.temporary_folder(target, ".new-site-") as made:
        yield made
        for path in (made, *made.rglob("*")):  # the server is another user, whatever the umask
            path.chmod(0o755 if path.is_dir() else 0o644)
        new = {path.name for path in made.iterdir()}
        earlier = set(mark.read_text(encoding="utf-8").splitlines()) if mark.exists() else set()
        for name in sorted(new - earlier):
            if (target / name).exists():
                raise ReckonError(f"{target / name} is not of an earlier site; move it away.")
        # What follows may be interrupted.
        records.write_whole(mark, "\n".join(sorted(earlier | new)))
        for path in target.iterdir():
            if path.name in earlier:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in new:
            (made / name).rename(target / name)
        records.write_whole(mark, "\n".join(sorted(new)))
    target.chmod(0o755)


def publish(target: Path, *, pdfs: Collection[str]) -> None:
    """Put the site there in the place of an earlier one; of PDFs those alone, made now."""
    old = {path.name for path in sphinx.pdf_paths()}.difference(pdfs)
    ignored = shutil.ignore_patterns(".buildinfo*", *old)
    with replacing(target) as made:
        shutil.copytree(sphinx.site_dir(), made, ignore=ignored, dirs_exist_ok=True)
    (target / ".nojekyll").touch()  # without it GitHub Pages leaves out folders such as _static

"""Compiling the C library of an installed package; in a checkout `make lib` does it."""

from __future__ import annotations

import subprocess

from reckon import config
from reckon.config import ReckonError


def compile_library() -> None:
    """Brings the C library of an installed package up to date. Raises ReckonError if it fails."""
    if not config.INSTALLED:
        return
    sources, target = config.ROOT / "csrc", config.settings().library_dir
    try:
        subprocess.run(
            ["make", "-s", "-C", sources, f"OUT={target}"],
            check=True,
            capture_output=True,
            text=True,
        )
    except OSError as error:
        raise ReckonError(
            f"The C library cannot be compiled ({error}); install make and gcc."
        ) from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines()
        raise ReckonError(
            f"The C library cannot be compiled in {target}: {lines[0] if lines else 'make failed'}"
        ) from None

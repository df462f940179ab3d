"""What the C library is compiled from, and compiling that of an installed package.

In a checkout `make lib` compiles it.
"""

from __future__ import annotations

import functools
import hashlib
import subprocess

from reckon import config
from reckon.config import ROOT, settings
from reckon.errors import ReckonError
from reckon.measurement import library
from reckon.measurement.probe import Needs
from reckon.records.run_files.locks import lock


def compile_library() -> None:
    """Brings the C library of an installed package up to date. Raises ReckonError if it fails."""
    if not config.INSTALLED:
        return
    sources, target = ROOT / "csrc", settings().library_dir
    try:
        with lock(target / ".compiling", "compiles the C library"):
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


def compiler() -> str:
    """The version and flags of the compiler that built the library, and a check sum.

    Raises ReckonError without a library."""
    try:
        return (settings().library_dir / "compiler.txt").read_text("utf-8").strip()
    except OSError:
        raise ReckonError("The C library is not built; run `make lib`.") from None


@functools.cache
def source_key(name: str) -> str:
    """Hash of every source that can change what that probe measures, the compiler and its flags.

    The build lists them (csrc/Makefile): the probe's own file, the support code that it links and
    the runner, each with its headers, and reckon-peer's for a probe that needs a peer. (The lab
    host's count with the link: peer.identity.)
    """
    folder, probe = settings().library_dir, library.probe(name)
    lists = [(folder / probe.file).with_suffix(".sources")]
    if probe.needs & Needs.PEER:
        lists.append(folder / "reckon-peer.sources")
    try:
        files = {file for path in lists for file in path.read_text("utf-8").split()}
    except FileNotFoundError as error:
        raise ReckonError(f"{error.filename} is missing; run `make lib`.") from None
    digest = hashlib.sha256(compiler().encode())
    for file in sorted(files):
        digest.update(file.encode() + b"\0" + (ROOT / "csrc" / file).read_bytes())
    return digest.hexdigest()[:16]

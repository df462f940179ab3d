"""A run as one file to hand in or to collect, without names of hosts, users and addresses."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reckon import records
from reckon.book import private_names
from reckon.errors import ReckonError

SUFFIX = ".reckon.tar.gz"
HANDED_IN_BYTES = 5_000_000  # a file that a mail or a course's server takes


@dataclass(frozen=True)
class Packed:
    """What a file of a run holds."""

    content: bytes
    hidden: dict[str, str]  # what stands for each name


def pack(run: str | Path, name: str) -> Packed:
    """The run as an archive with one folder of that name.

    Raises ReckonError where a name stands in what the run's hashes cover."""
    folder = records.run_dir(run)
    description = records.read_run(run)
    if description is None:
        raise ReckonError(f"{folder} holds no run.")
    paths = _paths(folder)
    texts = {path: "\n".join(_strings(path)) for path in paths}
    names = private_names.private_names(description, folder, "\n".join(texts.values()))
    hidden = private_names.hashes(names)
    described = folder / "run.json"
    for path, text in texts.items():
        if path != described and private_names.hide(text, hidden) != text:
            raise ReckonError(
                f"{path.relative_to(folder)} names a host or an address, and the run's hashes "
                "cover it, so it cannot be hidden; measure without PEER= and NFS=, or copy the "
                "folder as it is."
            )
    described_text = private_names.hide(described.read_text(encoding="utf-8"), hidden)
    return Packed(archive(folder, name, {described: described_text}), hidden)


def archive(folder: Path, name: str, instead: Mapping[Path, str] | None = None) -> bytes:
    """The run in that folder as an archive with one folder of that name.

    instead: what stands in a file's place. Times and owners are left out: they would name who
    packed, and the same run gives the same bytes."""
    stream = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as opened,
    ):
        for path in _paths(folder):
            text = (instead or {}).get(path)
            data = path.read_bytes() if text is None else text.encode()
            member = tarfile.TarInfo(f"{name}/{path.relative_to(folder)}")
            member.size = len(data)
            opened.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def _paths(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if _belongs(path)]


def _belongs(path: Path) -> bool:
    return path.is_file() and path.name.endswith((".json", ".json.gz")) and path.name[0] != "."


def _strings(path: Path) -> Iterator[str]:
    """Every text in a file of the run."""
    data = path.read_bytes()
    return _texts_in(json.loads(gzip.decompress(data) if path.suffix == ".gz" else data))


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts_in(inner)
    elif isinstance(value, list) and not (value and isinstance(value[0], int | float)):
        for inner in value:
            yield from _texts_in(inner)

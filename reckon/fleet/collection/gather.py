"""Runs wherever they are: below folders, in archives, behind addresses; each checked.

What is no run, is broken or was changed afterwards is skipped with a sentence that names it.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import gc
import http.client
import lzma
import multiprocessing
import re
import shutil
import tarfile
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pyarrow as pa
from bs4 import BeautifulSoup, SoupStrainer
from bs4.exceptions import ParserRejectedMarkup

from reckon.errors import ReckonError
from reckon.fleet.collection import network, tables
from reckon.fleet.collection.network import Network
from reckon.records.run_files import files, verify

ARCHIVES = (".tar.gz", ".tgz", ".tar.xz", ".tar", ".zip")
MOST_BYTES = 500_000_000  # of an unpacked archive; a run of the full profile has some 100 MB
_MOST_FILES = 50_000
_LIMITS = f"{MOST_BYTES / 1e6:g} MB or {_MOST_FILES:,} files"
_MOST_LINKS = 200_000  # followed below one address
_MOST_FETCHED_BYTES = 10_000_000_000  # from one address
_TIMEOUT_S = 30.0
_RUNS_FOR_PROCESSES, _CHUNK = 8, 4  # fewer are read before processes have started


@dataclass
class Found:
    """Folders of runs, and why other things that looked like one are none."""

    folders: list[Path] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    networks: dict[Path, Network] = field(default_factory=dict)  # of fleets, by their folder
    sources: dict[Path, str] = field(default_factory=dict)  # of what was unpacked or fetched

    def name_of(self, path: Path) -> str:
        """The path, as the user knows it: of what was unpacked, that of the archive before it."""
        for unpacked in (path, *path.parents):
            if source := self.sources.get(unpacked):
                inside = path.relative_to(unpacked).as_posix()
                return source if inside == "." else f"{source}/{inside}"
        return str(path)


def find(sources: list[str], unpacked: Path) -> Found:
    """The runs of these sources, in their order. `unpacked` is a folder for what comes from
    archives and addresses.

    Raises ReckonError for a source that does not exist."""
    found = Found()
    for number, source in enumerate(sources):
        place = Path(source)
        if urllib.parse.urlsplit(source).scheme in ("http", "https"):
            place = unpacked / f"{number}-fetched"
            found.sources[place] = (
                source.rpartition("/")[0] if source.endswith(ARCHIVES) else source
            )
            _fetch(source, place, found)
        elif not place.exists():
            raise ReckonError(f"There is no folder or archive {source}.")
        _search(place, unpacked / str(number), found)
    return found


def _search(place: Path, unpacked: Path, found: Found) -> None:
    """Adds the runs at or below a folder, or in an archive."""
    if place.is_file():
        _unpack(place, unpacked / place.name, found)
        return
    if (place / "run.json").is_file():
        if any(path.is_fifo() for path in place.rglob("*")):  # opening it would wait for a writer
            found.skipped.append(f"{found.name_of(place)} has a pipe among its files.")
        else:
            found.folders.append(place)
        return
    try:
        paths = sorted(place.iterdir())
    except OSError as error:
        found.skipped.append(f"{found.name_of(place)} cannot be read ({error.strerror}).")
        return
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            _search(path, unpacked / path.name, found)
        elif path.is_fifo():
            found.skipped.append(f"{found.name_of(path)} is a pipe; write its content into a file.")
        elif path.name.lower().endswith(ARCHIVES):
            _unpack(path, unpacked / path.name, found)
        elif path.name == network.FILE:
            _add_network(path, found)


def _add_network(path: Path, found: Found) -> None:
    try:
        found.networks[Path(found.name_of(path.parent)).resolve()] = network.read(path)
    except ReckonError as error:
        found.skipped.append(str(error).replace(str(path), found.name_of(path)))


# --- archives -------------------------------------------------------------------------------------


_BROKEN_ARCHIVE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    RuntimeError,  # it has a password, or is compressed in another way
)


def _unpack(archive: Path, target: Path, found: Found) -> None:
    """Adds the runs of an archive, unpacked below `target`."""
    name = found.name_of(archive)
    found.sources[target] = name
    try:
        if archive.name.lower().endswith(".zip"):
            _unpack_zip(archive, target)
        elif archive.name.lower().endswith(ARCHIVES):
            _unpack_tar(archive, target)
        else:
            kinds = ", ".join(ARCHIVES)
            found.skipped.append(f"{name} is neither a folder nor an archive ({kinds}).")
            return
    except _TooLarge:
        found.skipped.append(f"{name} would unpack to more than {_LIMITS}.")
        return
    except _BROKEN_ARCHIVE as error:
        why = (str(error).splitlines() or [type(error).__name__])[0].rstrip(". ")
        found.skipped.append(f"{name} is no whole archive ({why}); have it sent again.")
        return
    inside = sorted(path.parent for path in target.rglob("run.json"))
    if not inside:
        found.skipped.append(f"{name} holds no run (no run.json).")
    found.folders += inside


def _unpack_tar(archive: Path, target: Path) -> None:
    with tarfile.open(archive) as opened:
        total = files_seen = 0
        for member in opened:
            if member.isdir():
                continue
            total, files_seen = total + member.size, files_seen + 1
            _check_size(total, files_seen)
            # The filter refuses what would lie elsewhere, links to outside, and devices.
            opened.extract(member, target, filter="data")


def _unpack_zip(archive: Path, target: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        members = opened.infolist()
        _check_size(sum(member.file_size for member in members), len(members))
        opened.extractall(target)  # takes ".." and absolute paths out of names


class _TooLarge(Exception):
    """The archive would fill the disk."""


def _check_size(size_bytes: int, count: int) -> None:
    if size_bytes > MOST_BYTES or count > _MOST_FILES:
        raise _TooLarge


# --- addresses ------------------------------------------------------------------------------------


def _fetch(address: str, target: Path, found: Found) -> None:
    """Copies an archive, or a folder that the server lists, into `target`."""
    try:
        for name, content in _files_at(address):
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except _NOT_FETCHED as error:
        shutil.rmtree(target, ignore_errors=True)
        found.skipped.append(f"{address} cannot be fetched ({error}).")
    except ReckonError as error:
        shutil.rmtree(target, ignore_errors=True)
        found.skipped.append(str(error))
    target.mkdir(parents=True, exist_ok=True)


_NOT_FETCHED = (http.client.HTTPException, OSError, ValueError, ParserRejectedMarkup)


def _files_at(address: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Each file at or below an address, by its path below it."""
    if address.endswith(ARCHIVES):
        yield PurePosixPath(urllib.parse.unquote(address.rpartition("/")[2])), _content(address)
        return
    base = address.rstrip("/") + "/"
    waiting, seen, total = [base], {base}, 0
    while waiting:
        page = waiting.pop()
        for there in _links(page):
            if not there.startswith(base) or there in seen:
                continue
            seen.add(there)
            if len(seen) > _MOST_LINKS:
                raise ReckonError(f"{address} has more than {_MOST_LINKS:,} links.")
            if there.endswith("/"):
                waiting.append(there)
            elif there.endswith((".json", ".json.gz", *ARCHIVES)):
                content = _content(there)
                total += len(content)
                if total > _MOST_FETCHED_BYTES:
                    limit_gb = _MOST_FETCHED_BYTES / 1e9
                    raise ReckonError(f"{address} holds more than {limit_gb:g} GB.")
                name = PurePosixPath(urllib.parse.unquote(there.removeprefix(base)))
                if ".." in name.parts or name.is_absolute():
                    raise ReckonError(f"{there} would lie outside its folder.")
                yield name, content


def _links(page: str) -> list[str]:
    """The addresses that a listing leads to."""
    listing = BeautifulSoup(_content(page), "html.parser", parse_only=SoupStrainer(href=True))
    links = [urllib.parse.urljoin(page, str(link["href"])) for link in listing.find_all("a")]
    if not links:
        raise ReckonError(f"{page} lists no files.")
    return [link.partition("#")[0].partition("?")[0] for link in links]


def _content(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as answer:
        content = answer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ReckonError(f"{address} holds more than {MOST_BYTES / 1e6:g} MB.")
    return content


# --- tables ---------------------------------------------------------------------------------------


def tables_of(
    found: Found, *, trials: bool = False, recompute: bool = True
) -> Iterator[dict[str, pa.Table]]:
    """The tables of each run that is whole and as it was written; adds why others are skipped.

    recompute: check too that medians follow from the samples, which takes seconds a run."""
    seen: dict[str, Path] = {}
    read = functools.partial(_checked_tables, trials=trials, recompute=recompute)
    with _in_processes(len(found.folders)) as map_in_order:
        of_runs = map_in_order(read, found.folders)
        for folder, of_run in zip(found.folders, of_runs, strict=True):
            if isinstance(of_run, str):
                found.skipped.append(of_run.replace(str(folder), found.name_of(folder)))
                continue
            yield from _unless_seen(of_run, folder, seen, found)


def _unless_seen(
    of_run: dict[str, pa.Table], folder: Path, seen: dict[str, Path], found: Found
) -> Iterator[dict[str, pa.Table]]:
    """The tables, unless another folder holds the same run."""
    run_id = of_run["runs"]["run_id"][0].as_py()
    if run_id in seen:
        first = found.name_of(seen[run_id])
        found.skipped.append(f"{found.name_of(folder)} is a copy of {first}.")
        return
    seen[run_id] = folder
    yield of_run


_RUN_ID = re.compile(r"[\w-]+")  # pages are named after it


def _checked_tables(folder: Path, *, trials: bool, recompute: bool) -> dict[str, pa.Table] | str:
    """The run's tables, or why it is skipped."""
    try:
        files.forget()  # of the run before
        faults = verify.faults(folder, recompute=recompute)
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            return f"{folder} was changed afterwards: {faults[0].rstrip('.')}{more}."
        of_run = tables.of_run(folder, trials=trials)
        run_id = of_run["runs"]["run_id"][0].as_py()
        if not _RUN_ID.fullmatch(run_id):
            return f"{folder} has the id {run_id!r}, which is none of Reckon's."
        return of_run
    except ReckonError as error:
        return str(error)


@contextlib.contextmanager
def _in_processes(runs: int) -> Iterator[Callable]:
    """`map`, for many runs in a process for each CPU."""
    if runs < _RUNS_FOR_PROCESSES:
        yield map
        return
    context = multiprocessing.get_context("spawn")
    # Collecting garbage takes a third of the time: records are trees of many small objects.
    with concurrent.futures.ProcessPoolExecutor(mp_context=context, initializer=gc.disable) as pool:
        try:
            yield functools.partial(pool.map, chunksize=_CHUNK)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise

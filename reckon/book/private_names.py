"""What a published book should not say: names of hosts and users, folders of users, addresses."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import pwd
import re
import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reckon import config, records
from reckon.hosts import ganesha
from reckon.records.run_files.models import Run

# What may be an address; ipaddress says whether it is one.
_ADDRESS = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]*(?::[0-9a-fA-F]*){2,7})(?![\w:]|\.\d)"
)
_MAC = re.compile(r"(?<![\w:])[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?![\w:])")
_HOST_OF_FIELD = re.compile(r"^\[?(?P<host>[^\]/]+?)\]?(?::\d+|:/.*)?$")
_NOBODY = {"root", "localhost"}
_DIGITS = 8  # of a hash: enough to tell a book's few names from one another


def private_names(run: Run, folder: Path, staged: str) -> list[str]:
    """The names and addresses in the texts of the staged book, the longest first.

    A host's or a user's name may be a word of the prose ("vm"), so it counts only where the run's
    own files, in `folder`, have it."""
    user = pwd.getpwuid(os.getuid())
    recorded = "\n".join(_texts_of(folder))
    words = {socket.gethostname(), user.pw_name} - _NOBODY
    names = {word for word in words if _pattern([word]).search(recorded)}
    places = {user.pw_dir, str(config.WORK), *map(_host, _addresses(run))} - {"", "/", "/root"}
    names |= {place for place in places if _pattern([place]).search(staged)}
    names |= {match[0] for match in _MAC.finditer(staged)}
    names |= {match[0] for match in _ADDRESS.finditer(staged) if _is_private(match[0])}
    return sorted(names - {ganesha.ADDRESS}, key=lambda name: (-len(name), name))


def _texts_of(folder: Path) -> Iterator[str]:
    paths = [records.record_path(folder, each) for each in records.experiments(folder)]
    for path in [folder / "run.json", *paths]:
        yield path.read_text(encoding="utf-8")


def _addresses(run: Run) -> list[str]:
    values = [run.machine.value(field) for field in ("peer.address", "nfs.address")]
    return [str(value) for value in values if value]


def hashes(names: list[str]) -> dict[str, str]:
    """What stands for each name: a hash with a key that nobody keeps, so that trying all addresses
    finds none. One name has one hash in one book."""
    key = secrets.token_bytes(32)
    return {name: f"name-{_hash(name, key)}" for name in names}


def _hash(name: str, key: bytes) -> str:
    return hashlib.blake2b(name.encode(), key=key).hexdigest()[:_DIGITS]


def hide(text: str, hashed: Mapping[str, str]) -> str:
    """The text with a hash in the place of each name."""
    return _pattern(hashed).sub(lambda name: hashed[name[0]], text) if hashed else text


def _pattern(names: Iterable[str]) -> re.Pattern:
    """Any of these as a word of its own."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")


def _host(address: str) -> str:
    match = _HOST_OF_FIELD.match(address)
    return match["host"] if match else ""


def _is_private(text: str) -> bool:
    """Whether it is some host's address, and neither loopback nor one for documentation."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    networks = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    documented = any(address in ipaddress.ip_network(network) for network in networks)
    return not (documented or address.is_loopback or address.is_unspecified)

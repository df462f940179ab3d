"""Which fields of a machine's description hold what the reports state (book/machines.toml)."""

from __future__ import annotations

from reckon import config, records, toml_files

FILE = config.ROOT / "book" / "machines.toml"


class Attributes(toml_files.Entry):
    """Titles of the book's parts and of a machine's components, and fields by component and
    attribute, of a machine and of its peer: "section.field"."""

    parts: dict[str, str]
    components: dict[str, str]
    machine: dict[str, dict[str, str]]
    peer: dict[str, dict[str, str]]


def attributes() -> Attributes:
    """The content of book/machines.toml. Raises ReckonError if it cannot be read."""
    records.note_read(FILE)
    return toml_files.read_once(FILE, Attributes)

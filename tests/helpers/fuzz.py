"""Random changes to what was right, for readers that must refuse it in a sentence or read it.

FUZZ_MESSAGES=1000000 is the long form (`make faults`), FUZZ_SEED another series."""

import os
import random
import re

_SEED = int(os.environ.get("FUZZ_SEED", "20261123"))
_NUMBER = re.compile(rb"-?\d[\d.]*")
_PIECES = (
    *(b"0", b"-1", b"1.2.3", b"1e999", b"NaN", b"null", b"true", b"[]", b"{}", b'"\\ud800"'),
    *(b'"', b"\\", b"\n", b",", b"]", b"}", b"=", b"\x00", b"\xff", b"<script>", b"cannot"),
    *(b"9" * 400, b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b"m**1e9", b"2026-01-01T00:00:00"),
)


def messages(few: int) -> int:
    """How many messages a test sends: `few`, or those of the long form."""
    return int(os.environ.get("FUZZ_MESSAGES", few))


def _change(data: bytes, chance: random.Random) -> bytes:
    """The data with one place changed."""
    at = chance.randrange(len(data) + 1)
    kind = chance.randrange(6)
    if kind == 0:  # a byte
        return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
    if kind == 1:  # cut off, or a part left out
        return data[:at] + data[chance.choice((len(data), at + chance.randrange(40))) :]
    if kind == 2:  # a part of it once more
        return data[:at] + data[max(0, at - chance.randrange(40)) :]
    if kind == 3:
        return data[:at] + chance.choice(_PIECES) + data[at:]
    number = _NUMBER.search(data, at)
    if not number:
        return data
    return data[: number.start()] + chance.choice(_PIECES) + data[number.end() :]


def changed(data: bytes, count: int):
    """Yields the data that often, each time with one to three random changes."""
    chance = random.Random(_SEED)
    for _ in range(count):
        message = data
        for _ in range(chance.randint(1, 3)):
            message = _change(message, chance)
        yield message

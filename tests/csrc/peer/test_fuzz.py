"""Random messages to reckon-peer's parser and to the client's, under the sanitizers.

Every build of these tests sends some ten thousand; FUZZ_MESSAGES=1000000 is the long form."""

import os
import subprocess

import pytest
from helpers.capabilities import need
from helpers.project import ROOT

MESSAGES = int(os.environ.get("FUZZ_MESSAGES", "20000"))
SEED = os.environ.get("FUZZ_SEED", "20261122")
PROGRAMS = ROOT / "tests/csrc/programs"
SHARED = ("network/support/sockets.c", "network/support/text.c")


@pytest.fixture
def fuzz(tmp_path):
    """Builds a program with the sources that it needs, and returns the numbers that it prints."""

    def run(name, *sources):
        program = tmp_path / name
        flags = "-std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=address,undefined"
        command = ["gcc", *flags.split(), "-fno-sanitize-recover=all", "-I", ROOT / "csrc"]
        files = [PROGRAMS / f"{name}.c", *(ROOT / "csrc" / source for source in sources)]
        built = subprocess.run([*command, *files, "-o", program], capture_output=True, text=True)
        need("cannot find" not in built.stderr, "gcc has no sanitizer libraries here")
        assert built.returncode == 0, built.stderr
        done = subprocess.run(
            [program, str(MESSAGES), SEED],
            capture_output=True,
            text=True,
            timeout=60 + MESSAGES / 1000,
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"},
        )
        assert done.returncode == 0 and done.stderr == "", done.stderr[-3000:]
        return [int(word) for word in done.stdout.split()]

    return run


def test_random_greetings_do_the_peer_no_harm(fuzz):
    served, noted, descriptors = fuzz("fuzz_greeting", "peer/address.c", *SHARED)
    assert served > MESSAGES / 10 and noted > MESSAGES / 100
    assert descriptors == 0, "each connection is closed"


def test_random_answers_do_the_client_no_harm(fuzz):
    library = ("runner/registry.c",)
    accepted, complete, refused, descriptors = fuzz("fuzz_answer", *library, *SHARED)
    assert accepted + refused == MESSAGES and min(accepted, refused) > MESSAGES / 10
    assert complete > MESSAGES / 100
    assert descriptors == 0, "each connection is closed"

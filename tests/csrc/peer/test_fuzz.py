"""Random messages to reckon-peer's parser and to the client's, under the sanitizers.

Every build of these tests sends some ten thousand; FUZZ_MESSAGES=1000000 is the long form. Where clang has
libFuzzer, that sends as many of its own, which look for new paths through the code."""

import os
import subprocess

import pytest
from helpers.capabilities import installed, need
from helpers.project import ROOT

pytestmark = pytest.mark.long_csrc

MESSAGES = int(os.environ.get("FUZZ_MESSAGES", "20000"))
SEED = os.environ.get("FUZZ_SEED", "20261122")
PROGRAMS = ROOT / "tests/csrc/programs"
SHARED = ("probe/sockets.c", "probe/text.c")
SOURCES = {
    "fuzz_greeting": ("peer/address.c", *SHARED),
    "fuzz_answer": ("runner/registry.c", *SHARED),
}
TRUE_MESSAGES = {
    "fuzz_greeting": [
        "reckon-peer 1 made-up-token-of-the-tests echo 64\n",
        "reckon-peer 1 made-up-token-of-the-tests about\n",
    ],
    "fuzz_answer": ["reckon-peer 1\nok 4096\n100 5\n200 10\nend\n", "reckon-peer 1\nno\n"],
}


def build(folder, name, compiler, *options):
    """The program with the sources that it needs, and what its compiler reported."""
    flags = "-std=gnu11 -D_GNU_SOURCE -O1 -g -fno-sanitize-recover=all"
    files = [PROGRAMS / f"{name}.c", *(ROOT / "csrc" / source for source in SOURCES[name])]
    command = [compiler, *flags.split(), *options, "-I", ROOT / "csrc", *files]
    built = subprocess.run([*command, "-o", folder / name], capture_output=True, text=True)
    return folder / name, built


@pytest.fixture
def fuzz(tmp_path):
    """Builds a program under the sanitizers, and returns the numbers that it prints."""

    def run(name):
        program, built = build(tmp_path, name, "gcc", "-fsanitize=address,undefined")
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
    served, noted, descriptors = fuzz("fuzz_greeting")
    assert served > MESSAGES / 10 and noted > MESSAGES / 100
    assert descriptors == 0, "each connection is closed"


def test_random_answers_do_the_client_no_harm(fuzz):
    accepted, complete, refused, descriptors = fuzz("fuzz_answer")
    assert accepted + refused == MESSAGES and min(accepted, refused) > MESSAGES / 10
    assert complete > MESSAGES / 100
    assert descriptors == 0, "each connection is closed"


@pytest.mark.parametrize("name", SOURCES)
def test_no_message_that_libfuzzer_finds_does_harm(tmp_path, name):
    installed("clang")
    options = ("-DLIBFUZZER", "-fsanitize=fuzzer,address,undefined")
    program, built = build(tmp_path, name, "clang", *options)
    need("libclang_rt" not in built.stderr, "clang has no libFuzzer (libclang-rt-14-dev)")
    assert built.returncode == 0, built.stderr
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for place, message in enumerate(TRUE_MESSAGES[name]):
        (corpus / str(place)).write_text(message)
    done = subprocess.run(
        [program, f"-runs={MESSAGES}", f"-seed={SEED}", "-max_len=1500", corpus],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120 + MESSAGES / 500,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"Done {MESSAGES} runs" in done.stderr

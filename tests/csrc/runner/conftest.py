"""Fixtures of the runner: what the library decides of made-up machines."""

import pytest
from helpers.probes import compiled
from helpers.project import finished


@pytest.fixture(scope="session")
def decided(tmp_path_factory):
    """The numbers that tests/csrc/programs/decisions.c prints for these words."""
    program = compiled(tmp_path_factory.mktemp("decisions"), "decisions")

    def run(*words):
        command = [program, *map(str, words)]
        done = finished(*command, check=True)
        return [int(word) for word in done.stdout.split()]

    return run

"""Programs of a build are killed at random moments: the next build is whole. `make faults` adds 200 kills."""

import os
import signal

import pytest
from helpers.kills import Disturbed, Kill, random_kills
from helpers.served import can_serve

pytestmark = [pytest.mark.book, pytest.mark.long_builds]

COUNT = int(os.environ.get("KILLS", "0"))
SEED = int(os.environ.get("KILLS_SEED", "1"))
KILLS = [
    [
        Kill("probe", signal.SIGKILL, 0.05),
        Kill("peer", signal.SIGTERM, 0.1),
        Kill("server", signal.SIGKILL, 0.05),
    ],
    [Kill("page", signal.SIGTERM, 1.0), Kill("lab", signal.SIGINT, 0.05)],
    [Kill("builder", signal.SIGTERM, 6.0)],
]


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory):
    can_serve()
    disturbed = Disturbed(tmp_path_factory.mktemp("disturbed"))
    if COUNT:
        disturbed.undisturbed()
    return disturbed


@pytest.mark.parametrize(
    "kills",
    [*KILLS, *([kill] for kill in random_kills(COUNT, SEED))],
    ids=lambda kills: "+".join(kill.victim for kill in kills),
)
def test_the_build_after_a_kill_is_whole(disturbed, kills):
    of_the_builder = any(kill.victim == "builder" for kill in kills)
    missed, faults = disturbed.kill(kills, site=of_the_builder)
    assert faults == []
    assert not missed or kills not in KILLS  # at a random moment the victim may have ended

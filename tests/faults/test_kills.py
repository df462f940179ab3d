"""Programs of a build are killed at random moments: the next build is whole. `make faults` kills 200 times."""

import signal

import pytest
from helpers.kills import Disturbed, Kill
from helpers.served import can_serve

pytestmark = pytest.mark.book


@pytest.mark.parametrize(
    ("kills", "site"),
    [
        (
            [
                Kill("probe", signal.SIGKILL, 0.05),
                Kill("peer", signal.SIGTERM, 0.1),
                Kill("server", signal.SIGKILL, 0.05),
            ],
            False,
        ),
        ([Kill("page", signal.SIGTERM, 1.0), Kill("lab", signal.SIGINT, 0.05)], False),
        ([Kill("builder", signal.SIGTERM, 6.0)], True),
    ],
    ids=lambda kills: "+".join(kill.victim for kill in kills) if isinstance(kills, list) else "",
)
def test_the_build_after_a_kill_is_whole(tmp_path, kills, site):
    can_serve()
    disturbed = Disturbed(tmp_path)
    assert disturbed.kill(kills, site=site) == []
    assert disturbed.faults == []

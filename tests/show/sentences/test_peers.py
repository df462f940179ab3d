"""What pages say of the other host."""

from helpers.hosts import BUILT_IN, REAL

import reckon as rk
from reckon.computer.facts import Machine


def test_a_page_says_who_is_at_the_other_end():
    text = rk.show.host(BUILT_IN).markdown
    assert "built into this machine" in text and "10.0 ms and 100 Mbit/s" in text
    assert rk.show.host(REAL).markdown == "The other host is 192.0.2.7:7325 (Linux 6.1)."
    none = Machine.of({"peer.kind": (None, "It is forbidden; allow it.")})
    assert rk.show.host(none).markdown.startswith(
        "There is no other host here: It is forbidden; allow it. What needs one"
    )
    assert "when the run was recorded" in rk.show.host(Machine({})).markdown

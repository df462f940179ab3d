"""The chapter on round trips: what the link is set to, and light in a fibre."""

import pytest
from helpers import made_up
from helpers.hosts import BUILT_IN, REAL

from reckon.book import contents

RTT = contents.findings_of("network/rtt")


def test_the_set_round_trip_is_compared_with_the_measured_ones():
    seen = made_up.single("network/rtt/tcp", 10.1, "ms")
    text = RTT.link_check(
        BUILT_IN, {"on the wire": seen, "never": made_up.nothing("network/rtt/x")}
    ).markdown
    assert (
        "The link is set to 10.0 ms and 100 Mbit/s" in text
        and "at least 10.1 ms" in text
        and "never" not in text
    )
    more = float(text.split("on the wire ")[1].split(", ")[1].split()[0])
    assert more == pytest.approx(abs(seen.median - 10.1e-3) * 1e6, abs=0.6)
    assert "the link's delay is not set" in RTT.link_check(REAL, {"on the wire": seen}).markdown


def test_light_in_a_fibre_is_the_ideal():
    text = RTT.distance(REAL, made_up.single("network/rtt/tcp", 20, "ms")).markdown
    assert "Over 1,000 km" in text and "takes 10.0 ms" in text
    assert float(text.split("that")[0].split("is ")[-1].split()[0]) == pytest.approx(2, rel=0.05)
    assert RTT.distance(BUILT_IN, made_up.single("network/rtt/tcp", 20, "ms")).markdown == ""

"""The table of what happened while samples were taken."""

from helpers import made_up, tables

import reckon as rk


def test_what_tcp_did_is_summed_and_unknown_is_not_none():
    result = made_up.single("network/connect/connect", 20, "µs")
    for k, process in enumerate(result.measurement.points[0].processes):
        process.retransmits, process.listen_overflows, process.time_wait = 1, -1 if k else 0, k
    rows = tables.rows(rk.show.tcp([result, made_up.single("cpu/x/y", 1, "µs")], "C", "n"))
    assert len(rows) == 2, "what has nothing to do with TCP has no row"
    assert rows[1] == ["connect", "loopback", "8", "not known", "not known", "7"]

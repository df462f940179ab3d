"""The table of what happened while samples were taken."""

from helpers import made_up, tables

import reckon as rk


def test_conditions_say_where_the_other_end_was():
    alone, *across = (made_up.single(f"cpu/a/{name}", 100, "ns") for name in ("a", "b", "c"))
    assert "other end" not in rk.show.conditions([alone], "C", "n").markdown
    for result in across:
        for process in result.points[0].processes:
            process.partner_cpu, process.partner_relation = 2, "same_cache"
    across[1].points[0].processes[0].partner_relation = ""
    lines = rk.show.conditions([alone, *across], "C", "n").markdown.splitlines()
    assert lines[-2:] == [
        "- The other end was on CPU 2, another core below the same last-level cache as the machine reports. This was so for b and c.",
        "- The other end was on CPU 2. This was so for c.",
    ]


def test_conditions_say_on_which_cpu_and_at_which_priority():
    one, other = (made_up.single(f"cpu/a/{name}", 100, "ns") for name in ("a", "b"))
    for result in (one, other):
        for process in result.points[0].processes:
            process.cpu, process.nice = 1, -20
    shown = rk.show.conditions([one, other], "C", "n").markdown
    assert shown.endswith("All ran on CPU 1 at nice -20.")
    other.points[0].processes[0].cpu = 0
    shown = rk.show.conditions([one, other], "C", "n").markdown
    assert shown.endswith("- On CPU 1 at nice -20: a.\n- On CPUs 0 and 1 at nice -20: b.")


def test_what_tcp_did_is_summed_and_unknown_is_not_none():
    result = made_up.single("network/connect/connect", 20, "µs")
    for k, process in enumerate(result.measurement.points[0].processes):
        process.retransmits, process.listen_overflows, process.time_wait = 1, -1 if k else 0, k
    rows = tables.rows(rk.show.tcp([result, made_up.single("cpu/x/y", 1, "µs")], "C", "n"))
    assert len(rows) == 2, "what has nothing to do with TCP has no row"
    assert rows[1] == ["connect", "loopback", "8", "not known", "not known", "7"]

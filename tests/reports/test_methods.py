"""The list of methods, book/methods.toml: it has every method of a report, once."""

import json
import re

import pytest
from helpers.project import RECORDED

import reckon as rk
from reckon import records
from reckon.measurement import library
from reckon.reports import methods
from reckon.reports.methods import Method

# RUBRIC.md, the reports' methods of each experiment, by the last part of their rows' names; a star for
# what has no row, and so a reason.
RUBRIC = {
    "cpu/clock": "t470_sleep x510uq_second hpe_i7_860*",
    "cpu/timer": "t470 paoloni mbp2016 mbp2016_cpuid",
    "cpu/loop": "t470 i7_10750h mbp2016 hpe_i7_860",
    "cpu/call": "t470 mbp2016 x510uq i7_10750h hpe_i7_860",
    "cpu/syscall": "t470_getpid i7_10750h_getpid mbp2016_getpid mbp2016_getuid mbp2016_getppid x510uq_times "
    "hpe_i7_860_getcwd hpe_i7_860_getcwd_syscall hpe_i7_860_getcwd_int80 "
    "hpe_i7_860_getpid_syscall hpe_i7_860_getpid_int80",
    "cpu/task": "hpe_i7_860_process hpe_i7_860_thread t470_fork t470_fork_exec t470_thread x510uq_fork x510uq_thread "
    "i7_10750h_fork i7_10750h_thread mbp2016_process mbp2016_thread",
    "cpu/switch": "t470_process t470_thread x510uq_process x510uq_thread x510uq_pipe mbp2016_process mbp2016_thread "
    "i7_10750h_process i7_10750h_thread hpe_i7_860_process hpe_i7_860_thread",
    "memory/latency": "mountain_64 "
    + " ".join(
        f"{report}_{level}"
        for report in ("t470", "i7_10750h", "hpe_i7_860", "mbp2016")
        for level in ("l1", "l2", "l3", "memory")
    ),
    "memory/bandwidth": "t470_read t470_write x510uq_read x510uq_write i7_10750h_read i7_10750h_write "
    "i7_10750h_two_read i7_10750h_two_write mbp2016_loop_read mbp2016_loop_write mbp2016_loop_rw "
    "mbp2016_memset mbp2016_memcpy hpe_i7_860_read hpe_i7_860_write",
    "memory/fault": "t470 x510uq mbp2016 i7_10750h_file i7_10750h_anonymous hpe_i7_860 hpe_i7_860_memory",
    "network/rtt": "t470 mbp2016 i7_10750h hpe_i7_860 t470_peer mbp2016_peer hpe_i7_860_peer i7_10750h*",
    "network/throughput": "t470 mbp2016 i7_10750h i7_10750h_exchange hpe_i7_860 t470_peer mbp2016_peer i7_10750h_peer "
    "hpe_i7_860_peer",
    "network/connect": " ".join(
        f"{row}{end}"
        for end in ("", "_peer")
        for row in (
            "t470_connect",
            "i7_10750h_connect",
            "mbp2016_setup",
            "hpe_i7_860_setup",
            "t470_close",
            "i7_10750h_close",
            "mbp2016_close",
            "hpe_i7_860_teardown",
        )
    ),
    "files/cache": "t470_size i7_10750h_size hpe_i7_860_size mbp2016_size",
    "files/read": "i7_10750h_lseek "
    + " ".join(
        f"{report}_{order}"
        for order in ("sequential", "random")
        for report in ("t470", "mbp2016", "i7_10750h", "hpe_i7_860")
    ),
    "files/remote": "seek "
    + " ".join(
        f"{report}_{order}"
        for order in ("sequential", "random")
        for report in ("t470", "mbp2016", "i7_10750h", "hpe_i7_860")
    ),
    "files/contention": "t470 t470_written i7_10750h hpe_i7_860 mbp2016",
}


def test_every_method_that_the_rubric_names_is_there_or_has_a_reason():
    listed = {
        (group.baseline.rsplit("/", 1)[0], f"{row.report}*")
        if row.why_not
        else tuple(row.quantity.rsplit("/", 1))
        for group in methods.groups()
        for row in group.method
    }
    listed |= {("memory/latency", "mountain_64")}
    for experiment, rows in RUBRIC.items():
        for row in rows.split():
            assert (experiment, row) in listed, (experiment, row)


def test_every_method_of_a_report_is_in_one_group():
    recorded = {
        name: quantity["measurement"]["probe"]
        for path in (RECORDED / "recorded").glob("*/*.json")
        for name, quantity in json.loads(path.read_text())["quantities"].items()
        if quantity["measurement"]
    }
    rows = [row for group in methods.groups() for row in group.method]
    listed = [row.quantity for row in rows if row.quantity]
    assert len(listed) == len(set(listed)) and set(listed) <= set(recorded)
    named = {group.baseline for group in methods.groups()} | {row.includes for row in rows}
    assert named - {""} <= set(recorded)
    assert set(methods.not_ranked()) <= set(recorded)
    of_reports = {probe.name for probe in library.probes().values() if probe.reports}
    assert of_reports <= {recorded[name] for name in listed}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[group]]\nname = 'x'", "group.0.title"),
        ("[[", "methods.toml: "),
        (
            "[[group]]\nname='x'\ntitle='x'\nbaseline='a/b'\nmethod=[{quantity='a/c'}]",
            "give either",
        ),
    ],
)
def test_a_faulty_list_of_methods_is_refused(text, message, tmp_path, monkeypatch):
    (tmp_path / "methods.toml").write_text(text)
    monkeypatch.setattr(methods, "FILE", tmp_path / "methods.toml")
    methods._parsed.cache_clear()
    with pytest.raises(rk.ReckonError, match=message):
        methods.groups()
    methods._parsed.cache_clear()


def test_a_whole_file_is_divided_by_its_blocks():
    point = records.Point(x=None, params={"file_bytes": 1 << 20}, processes=[], stopped="precise")
    assert Method(quantity="files/a/b", differs="x", blocks_of="file_bytes").divisor(point) == 256
    assert Method(quantity="files/a/b", differs="x", per=16).divisor(point) == 16


def test_no_description_of_a_method_refers_to_another():
    """The methods stand in the order of their effect, so none can refer to the one above it."""
    for group in methods.groups():
        for row in group.method:
            assert not re.search(r"^the same|^with the same|the others have", row.differs), row

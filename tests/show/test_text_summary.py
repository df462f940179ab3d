"""The main values of a run as one page of text, on the recorded run."""

import json

import pytest
from helpers import made_up
from helpers.project import reckon

from reckon import records
from reckon.book import contents
from reckon.computer.facts import Machine
from reckon.records.quantities.lookup import all_results
from reckon.show import text_summary
from reckon.show.tables.headlines import main_results


@pytest.fixture
def results(recorded):
    return all_results("recorded")


@pytest.fixture
def text(results):
    return text_summary.text_summary(records.read_run("recorded"), results)


def test_the_page_is_narrow_and_short(text):
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 50
    assert lines[0].startswith("Intel(R) Xeon(R) Processor, 2 cores, 23.5 GiB, Linux 6.18")
    for part in ("Processor and kernel", "Memory", "Network", "Files"):
        assert part in lines


def test_the_command_prints_the_page_and_json(text, recorded):
    assert reckon("summary", "--run", "recorded").stdout == text
    page = json.loads(reckon("summary", "--run", "recorded", "--json").stdout)
    assert page["run"] == "recorded"
    assert [each["quantity"] for each in page["results"]] == [
        each.quantity for each in main_results()
    ]
    [null] = [each for each in page["results"] if each["quantity"] == "cpu/syscall/getpid"]
    [same] = json.loads(reckon("results", "cpu/syscall/getpid", "--json").stdout)
    assert null == {**same, "name": "System call", "read_from": same["quantity"]}
    assert reckon("summary", "--run", f"{recorded}/").returncode == 0
    assert reckon("summary", "--run", "nowhere").returncode == 2


def test_the_l3_is_read_from_the_curve_and_marked_by_its_quantity(results):
    """Of the reported 480 MiB 11 MiB are usable: the ring for the L3, of 31 MiB, lies beyond them."""
    [l3] = [each for each in main_results() if each.cache == "l3"]
    page = text_summary.to_json(records.read_run("recorded"), results)
    [shown] = [each for each in page["results"] if each["quantity"] == l3.quantity]
    assert shown["read_from"] == "memory/latency/random_huge at 5.66 MiB"
    assert shown["median"] == pytest.approx(42.6, rel=0.01)
    assert (
        f'data-quantity="{l3.quantity}"'
        in contents.findings_of("summary_front").headlines(results, [l3], Machine({})).markdown
    )


@pytest.mark.parametrize(
    ("sections", "load", "expected"),
    [
        (
            {
                "processor": {"family": 23, "model_number": 1},
                "system": {"kernel": "6.18.44 #1 SMP", "guest": True, "hypervisor": "KVM"},
                "disk": {"devices": "vda (virtual, 256 GiB)"},
                "scratch": {"lies_on": "ext4 on /dev/vda1"},
                "peer": {"link_rtt": 2e-4},
                "nfs": {"link_rtt": 2e-4},
            },
            ("warn", "1.2 on 2 CPUs"),
            "family 23 model 1; Linux 6.18.44, KVM guest; measured 2026-11-27; "
            "not quiet: load 1.2 on 2 CPUs; virtual disk; link set to 200 µs",
        ),
        (
            {
                "system": {"kernel": "6.1.0"},
                "disk": {"devices": "nvme0n1 (1 TB)"},
                "scratch": {"lies_on": "ext4 on /dev/nvme0n1p2"},
            },
            ("pass", "0.1 on 8 CPUs"),
            "Linux 6.1.0, no guest; measured 2026-11-27; load 0.1 on 8 CPUs",
        ),
    ],
)
def test_a_guest_and_bare_metal_are_named_with_their_conditions(folders, sections, load, expected):
    machine = {
        part: {key: {"value": value, "source": ""} for key, value in fields.items()}
        for part, fields in sections.items()
    }
    state, found = load
    check = {"name": "load", "state": state, "found": found, "advice": ""}
    made_up.run("here", [], machine=machine, fitness=[check])
    assert "; ".join(text_summary.conditions(records.read_run("here"), "2026-11-27")) == expected

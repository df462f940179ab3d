"""Which hosts a cluster has."""

from reckon.fleet import hosts

RESOURCES = {"resources": {"reckon": 1}}


def about(hostname, machine="boot"):
    return {"hostname": hostname, "machine": machine, "software": "Reckon 1"}


def group(known, answers):
    return hosts.group(known, answers, "Reckon 1")


def test_workers_of_one_host_are_one_host():
    found = group(
        {
            "tcp://10.0.0.1:1": RESOURCES,
            "tcp://10.0.0.1:2": RESOURCES,
            "tcp://10.0.0.2:1": RESOURCES,
        },
        {
            "tcp://10.0.0.1:1": about("one"),
            "tcp://10.0.0.1:2": about("one"),
            "tcp://10.0.0.2:1": about("two"),
        },
    )
    assert [(host.name, host.address) for host in found.hosts] == [
        ("one", "10.0.0.1"),
        ("two", "10.0.0.2"),
    ]
    assert found.worker_of(found.hosts[0]) == "tcp://10.0.0.1:1"
    after_a_reboot = group(
        {"tcp://10.0.0.1:9": RESOURCES}, {"tcp://10.0.0.1:9": about("one", "another boot")}
    )
    assert after_a_reboot.worker_of(found.hosts[0]) == "tcp://10.0.0.1:9"
    assert after_a_reboot.worker_of(found.hosts[1]) is None
    assert not found.skipped


def test_hosts_with_one_name_are_told_apart_by_their_addresses():
    workers = {"tcp://10.0.0.1:1": RESOURCES, "tcp://[fd00::2]:1": RESOURCES}
    answers = {"tcp://10.0.0.1:1": about("node", "a"), "tcp://[fd00::2]:1": about("node", "b")}
    found = group(workers, answers)
    assert [host.name for host in found.hosts] == ["node-10.0.0.1", "node-fd00..2"]


def test_a_name_is_that_of_a_file():
    found = group({"tcp://10.0.0.1:1": RESOURCES}, {"tcp://10.0.0.1:1": about("../x y")})
    assert found.hosts[0].name == "...x.y"


def test_a_worker_that_cannot_measure_is_named_with_what_to_do():
    found = group(
        dict.fromkeys(["tcp://a:1", "tcp://b:1", "tcp://c:1"], RESOURCES) | {"tcp://d:1": {}},
        {
            "tcp://a:1": ModuleNotFoundError("No module named 'reckon'"),
            "tcp://b:1": None,
            "tcp://c:1": OSError("closed"),
            "tcp://d:1": about("four"),
        },
    )
    assert not found.hosts
    assert found.skipped == [
        "The worker tcp://a:1 has no Reckon, or another one; start it with the Python of a checkout's "
        ".venv.",
        "The worker tcp://b:1 does not answer.",
        "The worker tcp://c:1 cannot be asked (closed).",
        "The worker tcp://d:1 on four has no resource reckon; start it as `dask worker SCHEDULER "
        '--nthreads 1 --resources "reckon=1"`.',
    ]


def test_a_worker_with_other_software_is_skipped():
    older = {"hostname": "two", "machine": "boot"}
    newer = about("three") | {"software": "Reckon 2"}
    workers = {"tcp://a:1": about("one"), "tcp://b:1": older, "tcp://c:1": newer}
    found = group(dict.fromkeys(workers, RESOURCES), workers)
    assert [host.name for host in found.hosts] == ["one"]
    assert [sentence.partition("; ")[0] for sentence in found.skipped] == [
        "The worker tcp://b:1 on two has an older Reckon, not Reckon 1 as here",
        "The worker tcp://c:1 on three has Reckon 2, not Reckon 1 as here",
    ]

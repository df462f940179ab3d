"""What is said of this machine's fitness where root has fewer rights than its name says."""

from helpers.capabilities import raised_priority
from helpers.probes import in_python

from reckon.computer import fitness

PRIORITY = """
from reckon.computer import fitness
say([check["state"] for check in fitness.check_all() if check["name"] == "priority"])
"""


def test_root_of_a_user_namespace_may_not_raise_its_priority():
    raised_priority()
    assert in_python(PRIORITY) == ["pass"]
    assert in_python(PRIORITY, prefix=["unshare", "-Ur"]) == ["warn"]


def test_the_load_of_one_cpu_has_no_plural(monkeypatch):
    monkeypatch.setattr(fitness.os, "getloadavg", lambda: (0.4, 0, 0))
    for cpus, words in (({0}, "on 1 CPU"), ({0, 1}, "on 2 CPUs")):
        monkeypatch.setattr(fitness.os, "sched_getaffinity", lambda _, cpus=cpus: cpus)
        assert fitness._load().found.endswith(words)

"""What is said of this machine's fitness where root has fewer rights than its name says."""

from helpers.capabilities import given, has_capability
from helpers.probes import in_python

PRIORITY = """
from reckon.computer import fitness
say([check.state for check in fitness.check_all() if check.name == "priority"])
"""


def test_root_of_a_user_namespace_may_not_raise_its_priority():
    given(has_capability("sys_nice"), "no user here may raise a priority")
    assert in_python(PRIORITY) == ["pass"]
    assert in_python(PRIORITY, prefix=["unshare", "-Ur"]) == ["warn"]

"""What the chapter cpu/syscall concludes of made-up results: the names of its findings."""

from helpers import made_up
from helpers.findings import names, with_more_processes

from reckon.book import contents


def null(*visits_ns):
    """A null call that takes so long in each visit."""
    result = made_up.single("cpu/syscall/getpid", visits_ns[0], "ns", processes=6)
    for number, ns in enumerate(visits_ns[1:], 1):
        more = made_up.single("cpu/syscall/getpid", ns, "ns", processes=6, seed=number + 1)
        with_more_processes(result, more, number)
    return result


def groups(*visits_ns):
    found = contents.findings_of("cpu/syscall").groups_of_processes(null(*visits_ns))
    return names(found)


def test_processes_of_two_groups_are_reported_with_the_visits_of_the_slow():
    assert groups(140, 140, 140) == set()
    assert groups(193, 140, 140) == {"two groups", "one slow visit"}
    assert groups(193, 193, 140, 140) == {"two groups"}

"""What the chapter cpu/syscall concludes of made-up results: the names of its findings."""

from helpers import made_up
from helpers.findings import names, with_more_processes

from reckon.book import contents
from reckon.prediction.inputs import guess


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


def test_int_0x80_leaves_the_guest_only_where_it_takes_what_a_trip_takes():
    def entry(more_us, trap_us=1):
        old = made_up.single("cpu/syscall/getpid_int80", 0.1 + more_us, "us")
        trap = guess(trap_us, "us", "made up", low=0.01, high=10)
        find = contents.findings_of("cpu/syscall").older_entry
        return find(old, made_up.single("cpu/syscall/getpid", 0.1, "us", seed=1), trap, 0.5e-6)

    assert entry(1.1).name == "int 0x80 leaves the guest"
    assert entry(1.4).strength == "not explained" and "1.4 times what a trapped" in entry(1.4)
    assert entry(0.2, 0.03).name == "interrupt table"
    assert "trapped" not in entry(1.4, 0.03)

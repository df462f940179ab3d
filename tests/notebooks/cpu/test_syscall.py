"""What the chapter cpu/syscall concludes of made-up results: the names of its findings."""

import pytest
from helpers import made_up
from helpers.findings import names, with_more_processes
from helpers.panels import NULL_CALL, results_of

import reckon as rk
from reckon.book import contents
from reckon.prediction.inputs import guess
from reckon.prediction.variations import changed
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.result import Result
from reckon.records.quantities.revisions import Variants
from reckon.records.seal import as_tried


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


@pytest.mark.parametrize(
    ("libc_ns", "expected"),
    [(2, {"in user mode", "from memory"}), (74, {"all enter the kernel", "each time"})],
)
def test_only_a_call_that_is_far_faster_than_the_null_call_stays_in_user_mode(libc_ns, expected):
    libc, other = (
        made_up.single(f"cpu/syscall/{name}", ns, "ns")
        for name, ns in (("getpid_libc", libc_ns), ("getppid", 75))
    )
    find = contents.findings_of("cpu/syscall").without_the_kernel
    assert names(find(null(73, 73), [libc, other], libc)) == expected


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


def test_what_was_guessed_is_what_the_sealed_prediction_had(recorded):
    """After an edit too, as the ratio in the same sentence is that of the sealed one."""
    sealed = to_prediction(NULL_CALL, results_of("cpu/syscall")[NULL_CALL].seal)
    edited = changed(sealed, ["kernel_path=552 cycle"])
    (quantity,) = as_tried([edited], "recorded", Variants())
    result = Result(NULL_CALL, quantity, "measured")
    assert result.revisions == ["inputs revised: kernel_path"]
    switch, path = edited.inputs["mode_switch"], edited.inputs["kernel_path"]
    answer = contents.findings_of("cpu/syscall").answer(result, switch, path)
    assert "where 150 were guessed" in answer
    box = rk.show.answer("How long?", result, "the null system call", answer).markdown
    assert box.index("where 150 were guessed") < box.index("Tried here")

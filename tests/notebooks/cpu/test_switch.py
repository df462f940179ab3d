"""What the chapter cpu/switch concludes of made-up results: the names of its findings."""

from types import SimpleNamespace

import numpy as np
from helpers import made_up
from helpers.findings import names, with_more_processes

from reckon import records
from reckon.book import contents
from reckon.prediction.inputs import guess

SWITCH = contents.findings_of("cpu/switch")


def made_switches(**more_us):
    """A process's switches take so much more than a thread's, which take 1 µs."""
    pairs = {"": "over pipes", "eventfd_": "by eventfd", "futex_": "by futex"}
    made = {}
    for seed, name in enumerate(["", "eventfd_", "futex_"]):
        process_us = 1 + more_us.get(pairs[name].split()[-1], 0)
        for partner, us in (("process", process_us), ("thread", 1)):
            quantity = f"cpu/switch/{name}{partner}"
            made[f"{name}{partner}"] = made_up.single(quantity, us, "us", seed=seed)
    for partner in ("process", "thread"):
        made[f"{partner}_less_pipe"] = made_up.nothing(f"cpu/switch/{partner}_less_pipe")
    return made


def test_page_tables_add_where_no_interval_overlaps():
    found = names(SWITCH.process_or_thread(made_switches(pipes=1, eventfd=1, futex=1)))
    assert found == {"compared", "futex apart", "page tables add to a switch"}


def test_a_futex_that_processes_share_shows_no_page_tables():
    found = names(SWITCH.process_or_thread(made_switches(futex=1)))
    assert found == {"compared", "futex apart", "like threads"}
    found = names(SWITCH.process_or_thread(made_switches(pipes=1, eventfd=1, futex=4)))
    assert "page tables add to a switch" in found


def test_differences_of_no_one_value_are_not_page_tables_alone():
    found = SWITCH.process_or_thread(made_switches(pipes=0.2, eventfd=1))
    assert names(found) == {"compared", "futex apart", "not page tables alone"}
    assert found[-1].strength == "not explained"


def ring(name, us, predicted):
    return made_up.curve(
        f"cpu/switch/{name}", [2, 4, 8, 16, 32], np.broadcast_to(us, 5), "us", "1", predicted
    )


def test_rings_without_pipe_that_are_off_are_listed():
    near, off = ring("near", 1, 1), ring("off", [1, 2.2, 2.2, 2.2, 5.6], 1)
    items = SWITCH.off_rings([near, off], {"cpu/switch/off": "ring without pipe"})
    assert len(items) == 1 and "32 processes" in items[0] and "ring without pipe" in items[0]


def test_the_exercise_says_where_the_rings_are_off():
    none, whole, less = (ring(name, us, 1) for name, us in (("a", 1.7), ("b", 6), ("c", 4)))
    switch = guess(0.9, "us", "made up", low=0.5, high=2)
    found = SWITCH.off_in_the_rings(none, whole, less, switch)
    assert found.name == "rings off" and "Among 8 processes" in found


def test_two_trips_out_of_the_guest_explain_what_they_take(monkeypatch):
    machine = SimpleNamespace(value=lambda _: 1.0)
    monkeypatch.setattr("reckon.run", lambda: SimpleNamespace(machine=machine))
    interrupt, trap = (guess(us, "us", "made up", low=1, high=100) for us in (10, 6))
    why = SWITCH.why_waking_differs
    assert why(28e-6, interrupt, trap).name == "trips explain a part"
    assert why(28e-6, interrupt, trap).strength == "not explained"
    assert why(13e-6, interrupt, trap).name == "trips out of the guest"


def test_page_tables_may_add_where_some_overlap():
    found = names(SWITCH.process_or_thread(made_switches(eventfd=1)))
    assert found == {"compared", "futex apart", "page tables may add"}


def test_where_all_overlap_nothing_is_known_of_page_tables():
    found = names(SWITCH.process_or_thread(made_switches()))
    assert found == {"compared", "futex apart", "like threads"}


def in_visits(result, medians_us):
    """The result whose visits have these medians, and of which the summary is made."""
    result.points[0].processes.clear()
    for number, us in enumerate(medians_us):
        more = made_up.single(result.quantity, us, "us", processes=6, seed=1)
        with_more_processes(result, more, number)
    return result


def test_differences_that_are_another_in_each_visit_are_no_one_value():
    def pair(more_us):
        drift = (1, 1.2, 1.1)
        process, thread = (made_up.single("cpu/switch/a", 1, "us") for _ in range(2))
        return in_visits(process, [each + more_us for each in drift]), in_visits(thread, drift)

    assert SWITCH.of_one_value([pair(0.1), pair(0.1)])
    assert not SWITCH.of_one_value([pair(0.1), pair(0.2)])


def test_the_pipe_makes_no_difference_only_if_neither_pair_shows_one():
    one, pipe, faster = (made_up.single("cpu/switch/a", us, "us") for us in (1, 0.3, 0.7))
    assert SWITCH.share_of_the_pipe(pipe, one, one, one, one, one).name == "means alike"
    assert SWITCH.share_of_the_pipe(pipe, one, one, one, one, faster).name == "share of the pipe"


def growth(monkeypatch, us, family, vendor="AuthenticAMD"):
    facts = {"vendor": vendor, "family": family, "architecture": "x86_64"}
    facts = {name: SimpleNamespace(value=value) for name, value in facts.items()}
    machine = SimpleNamespace(
        value=lambda field: facts[field.partition(".")[2]].value,
        number=lambda field: facts[field.partition(".")[2]].value,
    )
    monkeypatch.setattr("reckon.run", lambda: SimpleNamespace(machine=machine))
    return SWITCH.growth_of_the_ring(ring("none", us, 1))


def test_tags_explain_a_bigger_ring_only_where_the_processor_may_have_them(monkeypatch):
    from_two, from_four, flat = [1, 1.5, 1.7, 1.8, 1.8], [1, 1.1, 1.6, 1.7, 1.7], [1, 1, 1, 1, 1]
    untagged, *cause = growth(monkeypatch, from_four, 23)
    assert "does not tag" in untagged and names(cause) == {"growth unexplained"}
    for family, vendor in ((25, "AuthenticAMD"), (6, "GenuineIntel"), (None, "AuthenticAMD")):
        unknown, *cause = growth(monkeypatch, from_four, family, vendor)
        assert "Where the processor tags" in unknown and names(cause) == {"grows from four"}
    assert "growth unexplained" in names(growth(monkeypatch, from_two, 25))
    assert "ring hardly grows" in names(growth(monkeypatch, flat, 25))


def off_on_one_cpu(*us):
    switches = []
    for each in us:
        switch = made_up.single("cpu/switch/process", each, "us")
        switch.seal.predicted = 1e-6
        inputs = {"hand_over": 0.0, "clock": 1e9, "registers": 0.0, "tables": 0.0}
        switch.seal.inputs = [
            records.InputRecord(name=name, origin="guess", value=value, unit="1", source="made up")
            for name, value in inputs.items()
        ]
        switches.append(switch)
    schedule = guess(1000, "cycle", "made up", low=500, high=5000)
    return SWITCH.off_on_one_cpu(switches, schedule, None)


def test_what_the_scheduler_would_have_to_take_holds_for_the_other_inputs_as_guessed():
    found = off_on_one_cpu(3, 1.5)  # the second is no miss, and of the same scheduler
    assert "other inputs as guessed" in found and "cycles; 1,000 were guessed" in found


def test_errors_of_the_ring_s_parts_cancel_only_where_they_are_alike():
    def parts(work, rest):
        """Of the parts' times, where the work takes 5 and the rest 2 by the model."""
        return SWITCH.parts_of_the_ring(ring("whole", work + rest, 7), ring("rest", rest, 2)).name

    assert parts(4, 3) == "errors cancel"
    assert parts(4.99, 3.9) == "parts of the ring"
    assert parts(4, 4.9) != "errors cancel"  # the whole is farther off than the work
    assert parts(4.99, 5) == parts(5.01, 5) == "one part hides"


def test_a_hand_over_that_is_faster_than_guessed_left_no_guest():
    interrupt = guess(10e-6, "s", "made up", low=1e-6, high=1e-4)
    trap = guess(6e-6, "s", "made up", low=1e-6, high=1e-4)
    assert SWITCH.why_waking_differs(-1e-7, interrupt, trap).name == "nothing to wake"


def test_without_a_switch_on_one_cpu_waking_has_no_time():
    across = made_up.single("cpu/switch/process_across", 30, "us")
    across.seal.predicted = 10e-6
    interrupt = guess(10e-6, "s", "made up", low=1e-6, high=1e-4)
    gross = made_up.nothing("cpu/switch/process")
    found = SWITCH.off_on_two_cpus([across], gross, interrupt, interrupt)
    assert found.name == "waking not separated" and "unknown" not in found and "nan" not in found


def test_arrays_are_compared_with_the_reported_l2_cache(monkeypatch):
    machine = SimpleNamespace(number=lambda _: 2 << 20)
    monkeypatch.setattr("reckon.run", lambda: SimpleNamespace(machine=machine))
    for mib, name in ((1, "arrays fit"), (2, "arrays nearly fill"), (3, "arrays exceed")):
        found = SWITCH.l2_cache(mib << 20)
        assert names(found) == {name} and "reported" in found[0]

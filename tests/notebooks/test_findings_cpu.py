"""What the chapters on the CPU conclude of made-up results: the names of their findings."""

from types import SimpleNamespace

import numpy as np
from helpers import made_up

from reckon import records
from reckon.book import contents
from reckon.prediction.inputs import guess

# The counter ticks each nanosecond, the core makes three cycles in that time.
CYCLE_NS = 1 / 3


def names(findings):
    return {each.name for each in (findings if isinstance(findings, list) else [findings])}


def cycles(quantity, cycles, **options):
    return made_up.single(quantity, cycles * CYCLE_NS, "ns", **options)


def with_more_processes(result, other, visit=1):
    """The result with the processes of another one, which belong to that visit."""
    more = other.measurement.points[0].processes
    for process in more:
        process.visit = visit
    result.measurement.points[0].processes += more
    return result


def clock():
    return guess(3, "GHz", "made up", low=2, high=5)


class TestLoop:
    def loop(self):
        return contents.findings_of("cpu/loop")

    def test_the_faster_of_two_groups_is_the_core_s_pace(self):
        """Half of the processes at half a cycle, half at 1.1: their middle is near one cycle."""
        o2 = with_more_processes(cycles("cpu/loop/o2", 0.5), cycles("cpu/loop/o2", 1.1, seed=2), 0)
        assert names(self.loop().one_cycle(o2, clock())) == {"additions folded", "two groups"}
        assert self.loop().answer(o2, clock()).name == "round folded"

    def test_slow_visits_are_a_busy_sibling_s(self):
        o2 = with_more_processes(cycles("cpu/loop/o2", 1), cycles("cpu/loop/o2", 1.9, seed=2))
        found = names(self.loop().one_cycle(o2, clock()))
        assert found == {"one cycle", "a busy sibling in some visits"}

    def test_an_interval_around_one_cycle_that_is_wide_says_nothing(self):
        o2 = cycles("cpu/loop/o2", 0.7, processes=2)
        for more in (0.75, 0.8, 0.85, 0.9, 1, 1.1):
            with_more_processes(o2, cycles("cpu/loop/o2", more, processes=2), 0)
        assert names(self.loop().one_cycle(o2, clock())) == {"one cycle or not"}

    def test_a_loop_minds_its_place_by_its_faster_processes(self):
        """Most of the processes across two lines were slowed to 1.9 cycles."""
        o2, slowed = cycles("cpu/loop/o2", 1), cycles("cpu/loop/o2_across_lines", 1.9, seed=2)
        across = cycles("cpu/loop/o2_across_lines", 1, processes=5, seed=3)
        assert names(self.loop().place(with_more_processes(across, slowed), o2)) == {
            "does not mind"
        }
        across = cycles("cpu/loop/o2_across_lines", 2, seed=3)
        assert names(self.loop().place(across, o2)) == {"minds its place"}

    def test_a_guessed_width_explains_no_round(self):
        chain, o0 = cycles("cpu/loop/counter_in_memory", 1), cycles("cpu/loop/o0", 1.4)
        width = guess(3, "1/cycle", "made up", low=1.5, high=6)
        found = self.loop().unoptimised_round(chain, o0, width)
        assert "width fits" in names(found) and "chain explains" not in names(found)
        assert found[-1].strength == "consistent with"

    def test_the_measured_chain_explains_a_round_as_long(self):
        chain, o0 = cycles("cpu/loop/counter_in_memory", 5), cycles("cpu/loop/o0", 5.1)
        width = guess(3, "1/cycle", "made up", low=1.5, high=6)
        assert "chain explains" in names(self.loop().unoptimised_round(chain, o0, width))

    def whole(self, bend):
        """A whole loop of half a cycle a round, beyond 25 rounds with that number of cycles more."""
        rounds = np.arange(0, 51, 5)
        in_ns = (1 + 0.5 * rounds + bend * (rounds > 25)) * CYCLE_NS
        result = made_up.curve(
            "cpu/loop/o0_whole", rounds, in_ns, "ns", "1", predicted=0.1 * rounds
        )
        for point in result.points:
            for process in point.processes:
                process.ticks = [round(np.median(process.ticks))] * len(process.ticks)
        return result

    def test_the_slope_over_a_bend_is_no_round(self):
        o0 = cycles("cpu/loop/o0", 1.4)
        bent, straight = self.whole(60), self.whole(0)
        assert self.loop().slope(bent, "unoptimised").name == "no straight line"
        assert self.loop().slope(straight, "unoptimised").name == "slope"
        assert self.loop().unoptimised_elsewhere(o0, bent).name == "unoptimised unsure"
        assert self.loop().unoptimised_elsewhere(o0, straight).name == "for its program alone"
        assert self.loop().off_by_the_slope(bent, 3).name == "slope of a bend"
        assert "one value of a round" in names(self.loop().a_round(o0, bent, o0, bent))

    def test_a_slope_that_does_not_differ_shows_no_other_cost(self):
        o0 = cycles("cpu/loop/o0", 0.5)
        assert self.loop().unoptimised_elsewhere(o0, self.whole(0)).name == "unoptimised alike"

    def test_a_chain_explains_no_round_whose_interval_is_wide(self):
        """The chain takes 94 % of the round's median; its processes run from 1 to 1.5 cycles."""
        chain, o0 = cycles("cpu/loop/counter_in_memory", 1), cycles("cpu/loop/o0", 1, processes=3)
        for more in (1.06, 1.07, 1.2, 1.35, 1.5):
            with_more_processes(o0, cycles("cpu/loop/o0", more, processes=1), 0)
        width = guess(3, "1/cycle", "made up", low=1.5, high=6)
        found = self.loop().unoptimised_round(chain, o0, width)
        assert "chain or not" in names(found) and "chain explains" not in names(found)

    def test_a_chain_of_the_faster_group_says_so(self):
        chain, o0 = cycles("cpu/loop/counter_in_memory", 1), cycles("cpu/loop/o0", 1.02)
        with_more_processes(o0, cycles("cpu/loop/o0", 1.5, seed=2), 0)
        width = guess(3, "1/cycle", "made up", low=1.5, high=6)
        found = self.loop().unoptimised_round(chain, o0, width)
        assert "faster of its two groups" in found[-1]

    def test_loops_whose_intervals_overlap_show_no_effect_of_the_place(self):
        o2 = cycles("cpu/loop/o2", 1)
        alike, apart = (cycles("cpu/loop/o2_across_lines", n, seed=2) for n in (1.001, 1.5))
        assert "no effect of the place" in self.loop().a_line_above(o2, alike)[1]
        assert "explains a part at most" in self.loop().a_line_above(o2, apart)[1]

    def test_loops_whose_two_spreads_disagree_do_not_vary_alike(self):
        """Both run from one cycle to two: half of the unoptimised trials, a few of the optimised."""
        o0, o2 = cycles("cpu/loop/o0", 1), cycles("cpu/loop/o2", 1)
        for result, slow in ((o0, 5), (o2, 1)):
            for process in result.measurement.points[0].processes:
                process.ticks = [3000] * (10 - slow) + [6000] * slow
        found = self.loop().variation(o0, o2)
        assert found.name == "both vary" and "alike" not in found and "35 % and 29 %" in found

    def test_a_single_round_is_hidden_by_noise_not_by_a_step(self):
        single, o0 = cycles("cpu/loop/t470", 100), cycles("cpu/loop/o0", 1)
        assert self.loop().single_round(single, o0).name == "noise hides round"


class TestClock:
    def clock(self):
        return contents.findings_of("cpu/clock")

    def rate(self, name, ghz, processes=8, seed=1):
        result = made_up.single(f"cpu/clock/{name}", ghz, "Gcycle/s", processes, seed)
        result.measurement.op = "cycle"
        return result

    def test_two_clocks_are_two_groups_and_the_rulers_agree_by_the_faster(self):
        """Most additions ran at the fast clock, most multiplications at the slow one."""
        core = with_more_processes(self.rate("core", 4), self.rate("core", 2.9, 3, seed=2))
        check = with_more_processes(
            self.rate("core_multiply", 4, 3, seed=3), self.rate("core_multiply", 2.9)
        )
        assert {"not steady", "two groups"} <= names(self.clock().steady_clock(core))
        assert self.clock().second_ruler(check, core).name == "rulers agree"
        assert self.clock().series(check, core).name == "not the same clock"

    def test_rulers_that_agree_show_a_ratio_only(self):
        found = self.clock().second_ruler(
            self.rate("core_multiply", 4, seed=2), self.rate("core", 4)
        )
        assert found.name in {"rulers agree", "rulers within spread"}
        assert found.strength == "consistent with" and "three times as long" in found

    def test_a_ruler_that_is_off_by_a_third_disagrees(self):
        core, check = self.rate("core", 4), self.rate("core_multiply", 3, seed=2)
        assert self.clock().second_ruler(check, core).name == "rulers disagree"


def steps_of(result, step_ticks, least):
    """The result, whose single readings are 1 to 3 of such steps of the counter above the least one."""
    for process in result.measurement.points[0].processes:
        process.ops = 1
        process.ticks = [least + step_ticks * (1 + at % 3) for at in range(len(process.ticks))]
    return result


class TestTimer:
    def timer(self):
        return contents.findings_of("cpu/timer")

    def test_a_pair_is_known_to_its_own_step(self):
        """Not to the finer step of another method."""
        pair = steps_of(made_up.single("cpu/timer/pair", 20, "ns"), 10, 0)
        finer = made_up.single("cpu/timer/t470", 12, "ns")
        found = self.timer().steps(pair, {"the T470's": finer})
        assert "step limits what a pair shows" in names(found)
        assert "steps of 10.0 ns" in found[0]
        assert "steps of 10.0 ns" in self.timer().operation_of_3_ns(pair)[1]
        # A pair of 20 ns is 1 % of 2 µs, which is 667 times 3 ns.
        assert "667 repetitions" in self.timer().operation_of_3_ns(pair)[1]

    def test_a_fine_step_limits_nothing(self):
        pair = steps_of(made_up.single("cpu/timer/pair", 20, "ns"), 1, 100)
        assert names(self.timer().steps(pair, {})) == {"pairs in steps"}

    def test_a_library_that_is_a_little_faster_does_not_enter_the_kernel(self):
        library = made_up.single("cpu/timer/clock_gettime", 400, "ns")
        kernel = made_up.single("cpu/timer/clock_gettime_syscall", 473, "ns", seed=2)
        assert self.timer().without_the_kernel(library, kernel).name == "user mode"
        assert self.timer().without_the_kernel(kernel, library).name == "kernel"


class TestCall:
    def call(self):
        return contents.findings_of("cpu/call")

    def with_arguments(self, times_ns, predicted_each=0.2, processes=8):
        predicted = 1 + predicted_each * np.arange(8)
        return made_up.curve(
            "cpu/call/o2", np.arange(8), times_ns, "ns", "1", predicted, processes=processes
        )

    def test_an_argument_that_takes_time_off_is_not_explained(self):
        falling = self.with_arguments(2 - 0.1 * np.arange(8))
        found = self.call().each_argument(falling, "Optimised", clock())
        assert found.name == "argument takes off" and found.strength == "not explained"
        assert self.call().overlapping(falling, falling) == []

    def test_a_seventh_argument_costs_more_only_where_the_intervals_are_apart(self):
        steps = 1 + 0.01 * np.arange(8)
        steps[7] += 0.2
        few, many = (self.with_arguments(steps, processes=count) for count in (2, 12))
        assert self.call().seventh(few, "Optimised", clock()).name != "seventh costs more"
        assert self.call().seventh(many, "Optimised", clock()).name == "seventh costs more"

    def test_a_call_that_takes_longer_than_a_store_and_a_load_does_not_tell(self):
        waits = self.call()._no_wait_for_the_return
        assert waits(3.2, 4.5).name == "return not awaited"
        assert waits(7.0, 4.5).name == "return unclear"

    def test_where_forwarding_is_free_or_unknown_a_fast_call_proves_nothing(self):
        for forwarding in (0.01, np.nan):
            waits = self.call()._no_wait_for_the_return(3.2, forwarding)
            assert waits.name == "return unclear" and "nan" not in waits

    def test_the_jumps_take_at_most_what_the_fastest_call_takes(self):
        falling = self.with_arguments(2 - 0.1 * np.arange(8))
        jumps, a_round = (
            guess(value, unit, "made up", low=0, high=9)
            for value, unit in ((3, "cycle"), (1, "ns"))
        )
        assert "3.9" in self.call().answer(falling, jumps)  # 1.3 ns; without arguments 6 cycles
        found = self.call().two_jumps(falling, jumps, a_round, None, clock())
        assert "take that at most" in found[0]

    def test_points_that_scatter_show_no_slope(self):
        scattered = self.with_arguments(1 + 0.3 * (np.arange(8) % 2))
        assert self.call().overlapping(scattered, scattered) == []
        assert self.call().off_slope(scattered, 0.1).name == "slope of scatter"
        flat = self.with_arguments(np.ones(8))
        assert self.call().off_slope(flat, 0.1).name == "moves overlap"

    def test_a_falling_line_is_not_extended(self):
        falling, rising = (self.with_arguments(2 + each * np.arange(8)) for each in (-0.1, 0.2))
        solution = self.call().twenty_arguments(falling, rising)[1]
        assert "Not the optimised one" in solution and "unoptimised one" not in solution

    def test_a_round_is_subtracted_too_often_only_where_a_single_one_shows_more(self):
        low, o0 = self.with_arguments(np.full(8, 0.1)), self.with_arguments(np.ones(8))
        loops = {"t470": cycles("cpu/loop/t470", 9), "o0": cycles("cpu/loop/o0", 1)}
        assert self.call().loop_subtracted(low, o0, loops).name == "too much subtracted"
        assert self.call().loop_subtracted(low, o0, {}).name == "loop subtracted"


class TestTask:
    def task(self):
        return contents.findings_of("cpu/task")

    def started(self, name, value_us, predicted_us):
        """A task that takes this, whose prediction has 100 faults of 0.6 µs."""
        result = made_up.single(f"cpu/task/{name}", value_us, "us")
        result.seal.predicted = predicted_us * 1e-6
        inputs = {"faults": (100.0, "1"), "fault": (0.6e-6, "us")}
        result.seal.inputs = [
            records.InputRecord(name=name, origin="guess", value=value, unit=unit, source="made up")
            for name, (value, unit) in inputs.items()
        ]
        return result

    def off(self, task, fault_us, cpuid_us):
        given = (guess(value, "us", "made up", low=0, high=100) for value in (fault_us, cpuid_us))
        return self.task().off_by_faults(task, *given)

    def test_guessed_counts_explain_nothing(self):
        """43 trapped CPUIDs of 6 µs would make 358 µs of 100, and 360 were measured."""
        found = self.off(self.started("posix_spawn", 360, 100), 0.6, 6)
        assert found.name == "consistent with trapped CPUID"
        assert found.strength == "consistent with"

    def test_a_task_that_starts_no_program_has_no_cpuids(self):
        found = self.off(self.started("fork", 160, 100), 1.2, 6)
        assert found.name == "consistent with slow faults"

    def test_what_the_corrections_do_not_reach_is_not_explained(self):
        assert self.off(self.started("fork_exec", 620, 100), 0.6, 0.03).name == "not explained"
        assert self.off(self.started("fork_exec", 600, 100), 0.6, 6).name == "explained in part"

    def test_values_that_make_the_model_worse_explain_nothing(self):
        found = self.off(self.started("thread", 40, 100), 0.9, 6)
        assert found.name == "worse with both" and found.strength == "not explained"
        given = (guess(value, "us", "made up", low=0, high=100) for value in (0.9, 6))
        assert "speaks against" in self.task().speaks_against(
            self.started("fork", 101, 100), *given
        )

    def test_a_fault_that_does_not_fit_a_fork_is_left_out_for_programs(self):
        """43 CPUIDs make 358 µs of 100; with the faults it would be 418, which was measured."""
        given = [guess(value, "us", "made up", low=0, high=100) for value in (1.2, 6)]
        fits, off = self.started("fork", 160, 100), self.started("fork", 90, 100)
        program = self.started("posix_spawn", 418, 100)
        assert "418 µs" in self.task().off_by_faults(program, *given, fits)
        found = self.task().off_by_faults(program, *given, off)
        assert found.name == "consistent with trapped CPUID"
        assert "with the CPUIDs alone the model gives 358 µs" in found

    def test_two_thirds_of_a_difference_are_a_part(self):
        """43 CPUIDs make 518 µs of 260; 637 was measured."""
        found = self.off(self.started("fork_exec", 637, 260), 0.6, 6)
        assert found.name == "explained in part"

    def test_a_page_costs_more_only_by_the_intervals(self):
        def parent(last, processes):
            mib = [0, 16, 64, 256, 1024]
            us = [57.0, 57 + 16 * 10, 57 + 64 * 10, 57 + 256 * 10, 57 + 1024 * last]
            return made_up.curve(
                "cpu/task/fork_resident", mib, us, "us", "MiB", processes=processes
            )

        page = guess(4, "KiB", "made up", low=4, high=4)
        assert "page dearer" in names(self.task().growth_of_fork(parent(20, 8), page))
        assert "page dearer" not in names(self.task().growth_of_fork(parent(20, 3), page))

    def test_more_alive_cost_more_only_where_the_ends_are_apart(self):
        """Of two processes a difference of a fifth may be chance, however straight the line is."""

        def alive(processes):
            others = np.array([0, 1, 4, 16, 64, 256])
            us = 10 + 2 * others / 256
            return made_up.curve("cpu/task/fork_alive", others, us, "us", "1", processes=processes)

        assert self.task().with_others_alive(alive(2), "a process").name == "growth unclear"
        assert self.task().with_others_alive(alive(8), "a process").name == "grows"
        found = self.task().one_more(alive(2), alive(2))
        assert found.name == "one more costs no more" and "Up to 256 others" in found
        assert self.task().one_more(alive(2), alive(8)).name == "one more costs more"


class TestSwitch:
    def switch(self):
        return contents.findings_of("cpu/switch")

    def switches(self, **more_us):
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

    def test_page_tables_add_where_no_interval_overlaps(self):
        found = names(self.switch().process_or_thread(self.switches(pipes=1, eventfd=1, futex=1)))
        assert found == {"compared", "page tables add to a switch"}

    def test_differences_of_no_one_value_are_not_page_tables_alone(self):
        switches = self.switches(pipes=0.2, eventfd=0.2, futex=1)
        found = self.switch().process_or_thread(switches)
        assert names(found) == {"compared", "not page tables alone"}
        assert found[-1].strength == "not explained" and "was preempted" in found[-1]

    def ring(self, name, us, predicted):
        return made_up.curve(
            f"cpu/switch/{name}", [2, 4, 8, 16, 32], np.broadcast_to(us, 5), "us", "1", predicted
        )

    def test_rings_without_pipe_that_are_off_are_listed(self):
        near, off = self.ring("near", 1, 1), self.ring("off", [1, 2.2, 2.2, 2.2, 5.6], 1)
        items = self.switch().off_rings([near, off], {"cpu/switch/off": "ring without pipe"})
        assert len(items) == 1 and "32 processes" in items[0] and "ring without pipe" in items[0]

    def test_the_exercise_says_where_the_rings_are_off(self):
        none, whole, less = (
            self.ring(name, us, 1) for name, us in (("a", 1.7), ("b", 6), ("c", 4))
        )
        switch = guess(0.9, "us", "made up", low=0.5, high=2)
        found = self.switch().off_in_the_rings(none, whole, less, switch)
        assert found.name == "rings off" and "Among 8 processes" in found

    def test_two_trips_out_of_the_guest_explain_what_they_take(self, monkeypatch):
        machine = SimpleNamespace(value=lambda _: 1.0)
        monkeypatch.setattr("reckon.run", lambda: SimpleNamespace(machine=machine))
        interrupt, trap = (guess(us, "us", "made up", low=1, high=100) for us in (10, 6))
        why = self.switch().why_waking_differs
        assert why(28e-6, interrupt, trap).name == "trips explain a part"
        assert why(28e-6, interrupt, trap).strength == "not explained"
        assert why(13e-6, interrupt, trap).name == "trips out of the guest"

    def test_page_tables_may_add_where_some_overlap(self):
        found = names(self.switch().process_or_thread(self.switches(futex=1)))
        assert found == {"compared", "page tables may add"}

    def test_where_all_overlap_nothing_is_known_of_page_tables(self):
        found = names(self.switch().process_or_thread(self.switches()))
        assert found == {"compared", "like threads"}

    def test_more_sleep_explains_nothing_if_two_measurements_of_two_differ_as_much(self):
        assert "may be sleeping" in self.switch().sleeping(0.001, 0.63, 0.1)
        assert self.switch().sleeping(0.001, 0.63, 0.49) == ""

    def test_a_hand_over_that_is_faster_than_guessed_left_no_guest(self):
        interrupt = guess(10e-6, "s", "made up", low=1e-6, high=1e-4)
        trap = guess(6e-6, "s", "made up", low=1e-6, high=1e-4)
        assert self.switch().why_waking_differs(-1e-7, interrupt, trap).name == "nothing to wake"

    def test_without_a_switch_on_one_cpu_waking_has_no_time(self):
        across = made_up.single("cpu/switch/process_across", 30, "us")
        across.seal.predicted = 10e-6
        interrupt = guess(10e-6, "s", "made up", low=1e-6, high=1e-4)
        gross = made_up.nothing("cpu/switch/process")
        found = self.switch().off_on_two_cpus([across], gross, interrupt, interrupt)
        assert (
            found.name == "waking not separated" and "unknown" not in found and "nan" not in found
        )

    def test_arrays_as_large_as_the_l2_cache_may_not_stay_there(self, monkeypatch):
        machine = SimpleNamespace(value=lambda _: 2 << 20)
        monkeypatch.setattr("reckon.run", lambda: SimpleNamespace(machine=machine))
        for mib, name in ((1, "arrays fit"), (2, "arrays nearly fill"), (3, "arrays exceed")):
            assert names(self.switch().l2_cache(mib << 20)) == {name}


class TestSyscall:
    def null(self, *visits_ns):
        """A null call that takes so long in each visit."""
        result = made_up.single("cpu/syscall/getpid", visits_ns[0], "ns", processes=6)
        for number, ns in enumerate(visits_ns[1:], 1):
            more = made_up.single("cpu/syscall/getpid", ns, "ns", processes=6, seed=number + 1)
            with_more_processes(result, more, number)
        return result

    def groups(self, *visits_ns):
        found = contents.findings_of("cpu/syscall").groups_of_processes(self.null(*visits_ns))
        return names(found)

    def test_processes_of_two_groups_are_reported_with_the_visits_of_the_slow(self):
        assert self.groups(140, 140, 140) == set()
        assert self.groups(193, 140, 140) == {"two groups", "one slow visit"}
        assert self.groups(193, 193, 140, 140) == {"two groups"}


class TestDivision:
    def at(self, ghz, times=1.0):
        """Findings of divisions beside which the core makes three cycles a tick, where the clock's page has that number of GHz."""
        division = contents.findings_of("cpu/division")
        long, small = cycles("cpu/division/long_quotient", 45), cycles("cpu/division/small", 16)
        long.seal.predicted /= times
        given = guess(ghz, "GHz", "made up", low=2, high=5)
        one, start = (guess(n, "cycle", "made up", low=n, high=n) for n in (1, 14))
        bits = guess(62, "1", "made up", low=62, high=62)
        return (
            names(division.another_clock(long, 0.5, given)),
            names(division.off_by_the_divider(long, bits, start, one, given)),
            division.answer(long, small, given),
        )

    def test_samples_of_another_clock_are_named(self):
        named, reason, answer = self.at(4.5, times=1)
        assert named == reason == {"another clock"}
        assert "at 3.00 GHz" in answer
        named, reason, answer = self.at(3.1)
        assert named == set() and reason == {"divider guessed"} and "GHz" not in answer

    def test_another_clock_does_not_explain_more_cycles(self):
        """45 cycles at 3 GHz, where 15 were predicted at 4.5."""
        named, reason, _ = self.at(4.5, times=4.5)
        assert named == reason == {"another processor"}

    def test_curves_that_are_off_are_listed(self):
        by_bits = made_up.curve(
            "cpu/division/chain_by_bits", [1, 62], [5, 15], "ns", "1", predicted=5
        )
        given, flat, start = (
            guess(value, unit, "made up", low=0, high=99)
            for value, unit in ((3, "GHz"), (0, "cycle"), (14, "cycle"))
        )
        found = contents.findings_of("cpu/division").misses([], [by_bits], start, flat, given)
        assert names(found) == {"none missed"}
        by_bits.seal.predicted = [each / 3 for each in by_bits.seal.predicted]
        found = contents.findings_of("cpu/division").misses([], [by_bits], start, flat, given)
        assert names(found) == {"bits off"}

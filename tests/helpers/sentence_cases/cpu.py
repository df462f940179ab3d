"""The cases of the chapters on the processor and the operating system."""

from types import SimpleNamespace

import numpy as np

from helpers.sentence_cases.made import ns, summary, value

SWITCH = dict(far=ns(3), early=ns(3), gross=ns(1), from_fork="F")
LIKE_EMPTY = SimpleNamespace(
    apart=lambda other: 0, why_not_apart=lambda other: "their intervals overlap"
)
RING = dict(empty=summary(1))
GROWTH = dict(from_two=1e-6, from_four=0, empty_ring=ns(1000))
GROWTH |= dict(switched_two=1.0, switched_four=1.0, more_switches=3e-6, among_four=4e-6)
GROWTH |= dict(rest="R")
NULL = dict(cycles=[9000, 9500], schedule=value(2500), null_ratio=3.0)
ONE_CPU = NULL | dict(off="2 of the 3", like_null="L")
EXITS = dict(guest=1, trap=value(2e-6), waking=20e-6)
OFF = SimpleNamespace(ratio=3.0, has_samples=True)
SCHEDULER = dict(alone=ns(1), scheduling=lambda _: 9000, schedule=value(2500))

SLOPE = SimpleNamespace(slope=0, slope_low=-1, slope_high=1)
COSTS = dict(line=SLOPE, costs="C", cycles=0.5)
SEVENTH = dict(largest=2.0, steps="S")
JUMPS = dict(two_jumps=6.0, jumps=value(3))
OFF_CALL = SimpleNamespace(ratio=3.0, has_samples=True, cycles=[summary(7.0)])
MISSED_CALL = dict(how="Optimised", call=OFF_CALL, jumps=value(3), slopes=3.0)

DIFFERS = dict(points=9, disagreeing=1)
OPTIMISED = dict(middle=1.5, fastest=1.3)
ROUND = dict(longer=2.0, by_width=2.0, middle=1.6)
VARIES = dict(runs="A", optimised_runs="B")
STORE = dict(way="W")

PAGES = dict(adds=[1.0, 2.0], begins=1e-6)
TASKS = dict(why="W", of_small="", of_huge="")
FORK = dict(fault=value(2e-6), common=dict(fault=value(1e-6)), corrected=lambda _: 3e-6)
FORK |= dict(new_thread=ns(1000))

CPUID = {"r": {"cpuid": ns(1000)}}
TRIP = dict(trip_here=3e-6, trip=value(2e-6), native=value(120), cycles_of=lambda _: 200.0)
PAIRS = dict(step_s=0, single=[ns(1)])
READS = dict(fences=40.0, reads=90.0, rdtsc=value(25), rdtscp=value(32), lfence=value(4))

INT_80 = dict(left="L", trapped=1e-6, at_most=1e-7)
LONG, SHORT = ns(500), ns(500)
LONG.seal.predicted, SHORT.seal.predicted = 1e-7, 9e-7  # seconds
PATH = dict(switch=value(90), path_cycles=500.0, path=value(150))
ENTRY = dict(more=3e-6, trapped=2e-6)
NULL_CALL = dict(needed="N", path_cycles=500.0)

CLOCK = ns(3)
LEVELS = dict(core_clock=CLOCK, low=3e9, high=3.3e9, levels=[3e9, 3.3e9], between="B")
RULER = dict(core_clock=CLOCK, check=CLOCK, disagreement="D")
GUESSED, REPORTED = SimpleNamespace(origin="guess"), SimpleNamespace(origin="machine")

CASES = {
    "cpu/switch": [
        ("woken", SWITCH | dict(times=3), "3.0 times a switch on the same one: an idle CPU"),
        ("as near", SWITCH | dict(times=1), "1.0 times a switch on the same one."),
        (
            "creation too",
            SWITCH | dict(times=3),
            "F: it times the rest of a process's creation",
        ),
        ("child first", SWITCH | dict(times=-1), "F: the child ran before the parent's clock"),
        ("like a switch", SWITCH | dict(times=1), "F."),
        ("arrays fit", dict(l2=2**20, together=2**19), "fit into the L2 cache of 1.00 MiB."),
        ("arrays exceed", dict(l2=2**20, together=2**21), "exceed the L2 cache of 1.00 MiB"),
        (
            "rings not apart",
            RING | dict(loaded=LIKE_EMPTY),
            " (their intervals overlap)",
        ),
        (
            "errors cancel",
            dict(work_took=2, work_seen=1, rest_took=1, rest_seen=2),
            "the verdict on the whole is better than the model",
        ),
        ("negative ring", dict(negative=True), "took longer than the whole ring."),
        (
            "like threads",
            dict(differs=[0, 0]),
            "cannot tell whether a change of page tables adds anything",
        ),
        ("compared", dict(listed="- by futex", kept="K"), "costs:\n\n- by futex\n\nK"),
        ("not compared", dict(listed="", kept="K"), "Both have to be measured"),
        ("grows from four", GROWTH | dict(from_four=2e-6), "Most of the growth comes there."),
        (
            "switches twice",
            GROWTH | dict(switched_four=1.3),
            "1.00 times among 2 processes and 1.30 times among 4.",
        ),
        (
            "sleeps more often",
            dict(slept_two=0.1, slept_four=0.7),
            "10 % of these switches among 2 processes are",
        ),
        ("means alike", dict(by_futex=LIKE_EMPTY, gross=ns(1)), ": their intervals overlap"),
        ("grows from two", GROWTH, "What does is not known"),
        ("ring hardly grows", GROWTH | dict(from_two=1e-8), "Neither step is large."),
        ("like the null call", NULL, "nearly the same factor (3.00)"),
        ("unlike the null call", NULL | dict(null_ratio=np.float64(1)), "a profile of the kernel"),
        ("one CPU off", ONE_CPU | dict(missed=[OFF]), "9,000 to 9,500 cycles, where 2,500"),
        ("trips out of the guest", EXITS, "That is 10 trips out of the guest at 2.00 µs"),
        ("deep idle state", EXITS | dict(guest=0), "A deep idle state takes long to leave."),
        (
            "two CPUs off",
            dict(far_missed=[OFF], far_off="O", waking=2e-5, interrupt=value(1e-5), exits="E"),
            "take 20.0 µs where 10.0 µs was guessed. E",
        ),
        (
            "pipe off",
            dict(alone=OFF, pipe_cycles=3000.0, work=value(1000)),
            "leave 3,000 cycles for the pipe itself, where 1,000 were guessed.",
        ),
        (
            "scheduler off",
            SCHEDULER | dict(gross=OFF),
            "to take 9,000 cycles, not the guessed 2,500",
        ),
        ("scheduler as guessed", SCHEDULER | dict(gross=ns(1)), "The pipe alone takes"),
    ],
    "cpu/call": [
        ("adds nothing", dict(change=-2e-12, clock=value(3e9)), "adds less than 0.02 cycles"),
        ("adds", dict(change=2e-9, clock=value(3e9)), "adds 2.00 ns"),
        ("takes off", dict(change=-2e-9, clock=value(3e9)), "takes off 2.00 ns"),
        ("argument adds nothing", COSTS | dict(cycles=0.01), "C."),
        ("argument unclear", COSTS, "C (0.50 core cycles), but the slope's interval includes zero"),
        (
            "argument clear",
            COSTS | dict(line=SimpleNamespace(slope_low=1, slope_high=2)),
            "C, 0.50 core cycles.",
        ),
        ("arguments overlap", dict(cheaper=["optimised", "unoptimised"]), "(optimised and unopt"),
        ("seventh like others", SEVENTH | dict(last=1), "S: no more than steps elsewhere."),
        ("seventh unclear", SEVENTH | dict(last=3), "S: more, but not clearly."),
        ("seventh costs more", SEVENTH | dict(last=9), "S: it does cost more."),
        ("straight", dict(share=0.01, how="H", residual="R"), "H yes: R"),
        ("not straight", dict(share=0.1, how="H", residual="R"), "H no: R"),
        (
            "jumps take turns",
            JUMPS | dict(one_jump=2.0, fastest_jump=1.0),
            "fastest trials take 1.00, so this core can jump in each cycle",
        ),
        (
            "slow jumps",
            JUMPS | dict(one_jump=2.0, fastest_jump=1.5),
            "So a taken jump costs more than a cycle",
        ),
        ("call off", MISSED_CALL, "take 7.00 cycles, not the guessed 3.00"),
        ("moves overlap", MISSED_CALL | dict(slopes=0.1), "what an argument adds** (0.10 times)"),
        ("slope off", MISSED_CALL, "what an argument adds** (3.0 times)"),
        ("loop beside call", dict(ratio=0.5), ": in a long loop a round costs less"),
    ],
    "cpu/loop": [
        ("loops overlap", DIFFERS | dict(off=-0.5), "rounds of several at once"),
        (
            "samples disagree",
            DIFFERS | dict(off=0.5, disagreeing=4),
            ". The samples of 4 of its 9 points disagree",
        ),
        ("slope larger", DIFFERS | dict(off=0.5), ", as where the last jump is mispredicted"),
        ("additions folded", OPTIMISED | dict(middle=0.5), "It takes less: 0.500 cycles."),
        ("one cycle", OPTIMISED | dict(middle=1.0), "Yes: 1.00 cycles."),
        (
            "fastest in one cycle",
            OPTIMISED | dict(fastest=1.0),
            "trials do (1.00 cycles), the median",
        ),
        ("more cycles", OPTIMISED, "No, 1.50 cycles, and no trial is faster than 1.30"),
        ("no forwarding", dict(chain_cycles=1.0), "this core renames memory on the stack."),
        ("forwarding", dict(chain_cycles=5.0), "takes 4.0 cycles on top of the addition."),
        (
            "chain explains",
            ROUND | dict(longer=5.0, round_cycles=6.0),
            "The chain through memory is the longer of the two and explains the round.",
        ),
        ("width explains", ROUND | dict(round_cycles=2.0), "By that guess they take 2.0 cycles"),
        (
            "slowed width explains",
            ROUND | dict(round_cycles=4.0),
            "slowed by as much as the optimised one, 1.6 times.",
        ),
        ("round unexplained", ROUND | dict(round_cycles=9.0), "Neither the chain nor the guessed"),
        ("memory renamed", STORE | dict(cycles=1.0), "W This core renames memory on the stack"),
        ("another processor", STORE | dict(cycles=9.0), "W The processor is another one"),
        ("minds its place", dict(slower=2.0), "Every edit above the loop changes its place"),
        ("does not mind", dict(slower=1.0), "This core does not mind."),
        ("two lines disturbed", dict(slower=3.0), "such as a busy sibling thread"),
        ("unoptimised varies more", VARIES | dict(wider=2.0), "more: its trials run A, those of"),
        ("optimised varies more", VARIES | dict(wider=0.5), "The optimised loop varies more: its"),
        ("both vary", VARIES | dict(wider=1.0), "Both loops vary alike"),
        ("slope overlaps", dict(off=0.4), "run beside one another."),
        ("slope disturbed", dict(off=3.0), "`perf stat -e branch-misses` would tell."),
        ("place explains", dict(by_place=0.6), "may have done nothing but move the loop"),
        ("place explains a part", dict(by_place=0.2), "less than the half second"),
        ("step hides round", dict(deviation=2e-9, o0=ns(1)), "the counter's step hides the round."),
        ("round shows", dict(deviation=1e-10, o0=ns(1)), "the round shows."),
        ("round folded", OPTIMISED | dict(middle=0.5), "this core folds its additions"),
        ("round takes turns", OPTIMISED | dict(fastest=1.0), "the median 1.50. The likely cause"),
        ("round's cycles", OPTIMISED, "A round takes 1.50 cycles."),
    ],
    "cpu/task": [
        ("page dearer", PAGES, "one through them would begin at 1.00 µs."),
        (
            "growth unclear",
            dict(line=SLOPE, costs="C"),
            "C, but the slope's interval includes zero.",
        ),
        (
            "falls",
            dict(line=SimpleNamespace(slope=-2, slope_low=-3, slope_high=-1), costs="C"),
            "C: no growth.",
        ),
        (
            "grows",
            dict(line=SimpleNamespace(slope=2, slope_low=1, slope_high=3), costs="C"),
            "C: it grows.",
        ),
        ("one more costs more", dict(surely_added=1.0), "costs more, the more others are alive"),
        ("one more costs no more", dict(surely_added=-1.0), "costs no more, however many others"),
        ("explained", dict(remains=1.1), "That explains it."),
        ("mostly explained", dict(remains=1.5), "That explains most of it."),
        ("not explained", dict(remains=3.0), "That does not explain it; a profile"),
        ("fault measured", dict(fault=SimpleNamespace(origin="measured")), "as the page on page"),
        ("fault guessed", dict(fault=SimpleNamespace(origin="guess")), "as guessed"),
        ("tasks off", TASKS | dict(items=["- it"]), "W"),
        ("no task off", TASKS | dict(items=[]), "None of the tasks in the table."),
        (
            "slow faults",
            FORK | dict(near=True, fork=SimpleNamespace(ratio=2.0, median=1, has_samples=True)),
            "A page fault takes 2.00 µs, not the guessed 1.00 µs; with that the model gives 3.00 µs",
        ),
        ("times a thread", FORK | dict(near=False, fork=ns(5000)), "times a thread."),
    ],
    "cpu/timer": [
        ("leaves the guest", CPUID | dict(cycles=3000.0), "at most 500,000 operations a second"),
        ("not intercepted", CPUID | dict(cycles=100.0), "No hypervisor intercepts it here."),
        ("user mode", dict(times=3.0), "reads the counter in user mode."),
        ("kernel", dict(times=1.0), "enters the kernel here."),
        ("trip off", TRIP | dict(guest=value(1)), "takes 3.00 µs, not the guessed 2.00 µs."),
        ("CPUID off", TRIP | dict(guest=value(0)), "200 cycles without a guest, not 120."),
        ("pairs in steps", PAIRS | dict(step_s=2e-8), "differ by steps of 20.0 ns."),
        ("pairs without steps", PAIRS, "show no step of the counter here."),
        ("no agreement", dict(alike=["one", "two"]), "So the equal figure of one and two is no"),
        (
            "reads off",
            READS | dict(r={"fenced": OFF, "pair": ns(1)}),
            "take 90.0 cycles here, 57.0 in the prediction, and a fence 40.0, not 4.00.",
        ),
        (
            "pair of it",
            READS | dict(r={"fenced": ns(1), "pair": ns(1)}),
            "to what it encloses.",
        ),
        ("CPUID dearer", dict(dearest=30.0), "One CPUID costs 30 times a whole fenced pair"),
        ("all reads", dict(dearest=0.5), "The cost of each method of reading the time"),
    ],
    "cpu/syscall": [
        (
            "from memory",
            dict(inside=["getpid_libc"], v={"getpid_libc": ns(1)}),
            "and is answered from memory.",
        ),
        (
            "each time",
            dict(inside=[], v={"getpid_libc": ns(1)}),
            "and enters the kernel each time.",
        ),
        ("like getpid", dict(alike=["getuid"]), "because the intervals overlap: getuid."),
        ("int 0x80 no more", INT_80 | dict(more=-1e-8), "It costs no more here."),
        (
            "int 0x80 leaves the guest",
            INT_80 | dict(more=1.1e-6),
            "L, about as much as one trapped",
        ),
        ("interrupt table", INT_80 | dict(more=5e-8), "L: that is the price of the interrupt"),
        (
            "int 0x80 waits",
            INT_80 | dict(more=8e-6),
            "L, more than an interrupt gate takes (100 ns",
        ),
        ("slow path", PATH | dict(null=LONG), "the 500 that are left are the kernel's path"),
        ("fast path", PATH | dict(null=SHORT), "the way in and out takes less than mode switch"),
        ("gate and trip", ENTRY | dict(guest=value(1)), "and one trip out of the guest, 2.00 µs."),
        ("gate", ENTRY | dict(guest=value(0)), "the guess was an interrupt gate."),
        ("mitigations", NULL_CALL | dict(null=OFF), "N: mitigations and checks on the way"),
        (
            "less than a mode switch",
            NULL_CALL | dict(null=ns(1), path_cycles=-5.0),
            "The whole call takes less than the mode switch",
        ),
        ("kernel's path", NULL_CALL | dict(null=ns(1)), "N."),
        (
            "int 0x80 dearer",
            dict(more=1e-6, old=ns(30), null=ns(10)),
            "times a call by SYSCALL",
        ),
        ("calls in user mode", dict(inside=["times"], listed="L"), "answered in user mode: L"),
    ],
    "cpu/clock": [
        ("ticks as cycles", dict(off=0.01), "would be right here, today."),
        ("too few ticks", dict(off=-0.5), "counts 50 % too few."),
        ("too many ticks", dict(off=1.0), "counts 100 % too many."),
        ("one process", LEVELS | dict(levels=[3e9]), "cannot answer that (3.00 GHz)."),
        ("steady", LEVELS | dict(high=3.01e9), "B: it is steady."),
        ("not steady", LEVELS, "B: it is not steady, or something else used the core."),
        ("slow trials", dict(slowest=1e9, low=3e9), "Single trials go down to 1.00 GHz"),
        ("rulers agree", RULER | dict(apart=0.01), "D: the assumptions of one and three cycles"),
        ("rulers within spread", RULER | dict(apart=0.05), "D, which is within the spread"),
        ("rulers disagree", RULER | dict(apart=0.3), "D: **one of the two assumptions does not"),
        ("clock guessed", dict(guessed=GUESSED), "a guess; `machine.toml`"),
        ("clock reported", dict(guessed=REPORTED), "what the machine reports"),
        ("reports no turbo clock", dict(turbo_clock=GUESSED), "reports none"),
        ("reports a turbo clock", dict(turbo_clock=REPORTED), "reports one"),
        ("turbo guessed", dict(turbo_clock=GUESSED), "The prediction is a guess"),
        ("same clock", dict(apart=0.05), "show the same clock, within 5.0 %"),
        ("not the same clock", dict(apart=0.5), "The core clock over the measurement"),
    ],
}

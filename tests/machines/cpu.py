"""Made-up machines whose cores or kernels differ.

The recorded core runs at 4.09 GHz: a cycle is 0.2445 ns. A system call takes it 73 ns.
"""

from machines.machine import NS, Machine, machine

CALL, CLOCK, DIVISION = "cpu/call", "cpu/clock", "cpu/division"
LOOP, SWITCH, SYSCALL = "cpu/loop", "cpu/switch", "cpu/syscall"
TASK, TIMER = "cpu/task", "cpu/timer"


@machine(
    "A textbook core: an addition a cycle, five cycles through memory, and no loop lies badly."
)
def textbook_core(m: Machine):
    m.values(
        LOOP,
        o2="0.2445 ns",
        o2_across_lines="0.2445 ns",
        o0="1.27 ns",
        counter_in_memory="1.2225 ns",
    )
    m.must(LOOP, "one cycle", "round's cycles", "forwarding", "chain explains", "does not mind")
    m.must_not(LOOP, "memory renamed", "two lines disturbed", "no forwarding", "minds its place")


@machine(
    "In one visit of three another program's thread shares the core, which halves the wide loop's pace."
)
def busy_sibling_in_one_visit(m: Machine):
    m.values(
        LOOP,
        o2="0.2445 ns",
        o2_across_lines="0.2445 ns",
        o0="0.26 ns",
        counter_in_memory="0.2445 ns",
    )
    m.slow_visits(f"{LOOP}/o2", f"{LOOP}/o2_across_lines", slow=1.9, visits=[3], of=3)
    m.must(LOOP, "one cycle", "a busy sibling in some visits", "does not mind")
    m.must_not(LOOP, "additions folded", "more cycles", "round takes turns", "minds its place")


@machine(
    "The core folds additions: half a cycle a round. In half of the processes a busy sibling doubles it."
)
def folded_additions_beside_a_sibling(m: Machine):
    m.values(LOOP, o2="0.125 ns", o2_across_lines="0.125 ns")
    m.two_modes(f"{LOOP}/o2", f"{LOOP}/o2_across_lines", slow=2.2, share=0.5)
    m.must(LOOP, "additions folded", "round folded", "two groups")
    m.must_not(LOOP, "one cycle", "fastest in one cycle", "more cycles", "round's cycles")


@machine("A loop across two lines is fetched in two cycles; an aligned one in one.")
def no_loop_buffer(m: Machine):
    m.values(
        LOOP,
        o2="0.2445 ns",
        o2_across_lines="0.489 ns",
        o0="0.978 ns",
        counter_in_memory="0.2445 ns",
    )
    m.must(LOOP, "one cycle", "minds its place", "no forwarding")
    m.must_not(LOOP, "does not mind", "two lines disturbed", "fastest in one cycle")


@machine("A loop buffer serves both loops: where they lie makes no difference.")
def loop_buffer(m: Machine):
    m.values(LOOP, o2="0.2445 ns", o2_across_lines="0.245 ns")
    m.must(LOOP, "one cycle", "does not mind")
    m.must_not(LOOP, "minds its place")


@machine(
    "Half of the processes find the core at 4.09 GHz, half at 2.9: each cycle is longer, none is added."
)
def two_clock_modes(m: Machine):
    m.two_modes(
        f"{CLOCK}/core",
        f"{CLOCK}/core_multiply",
        f"{CLOCK}/cycle_time",
        slow=1.41,
        share=0.5,
        by_clock=True,
    )
    m.values(LOOP, o2="0.2445 ns", o2_across_lines="0.2445 ns", counter_in_memory="0.2445 ns")
    loops = [f"{LOOP}/{name}" for name in ("o2", "o2_across_lines", "counter_in_memory")]
    m.two_modes(*loops, slow=1.41, share=0.5, by_clock=True)
    m.must(CLOCK, "not steady", "two groups", "rulers agree")
    m.must_not(CLOCK, "rulers disagree", "same clock")
    m.must(LOOP, "one cycle", "round's cycles", "does not mind")
    m.must_not(LOOP, "round takes turns", "minds its place")


@machine("The clock stands still at 4.09 GHz, and both rulers show it.")
def steady_clock(m: Machine):
    for name in ("core", "core_multiply"):
        m.value(f"{CLOCK}/{name}", "4.09 Gcycle/s")
    m.must(CLOCK, "rulers agree", "same clock", "too few ticks")
    m.must_not(CLOCK, "rulers disagree", "ticks as cycles", "two groups")


@machine("A multiplication takes four cycles here: one of the two rulers is wrong by a third.")
def long_multiplication(m: Machine):
    m.value(f"{CLOCK}/core", "4.09 Gcycle/s")
    m.value(f"{CLOCK}/core_multiply", "3.07 Gcycle/s")
    m.must(CLOCK, "rulers disagree")
    m.must_not(CLOCK, "rulers agree", "rulers within spread", "same clock")


@machine(
    "The counter moves in steps of 10 ns, so a pair of reads shows 0, 10 or 20 ns and no more digits."
)
def timer_of_10_ns_steps(m: Machine):
    m.values(TIMER, pair="15 ns", t470="12 ns", paoloni="14 ns")
    m.steps(10 * NS, *(f"{TIMER}/{name}" for name in ("pair", "t470", "paoloni")))
    m.must(TIMER, "pairs in steps", "no agreement", "step limits what a pair shows")
    m.must_not(TIMER, "pairs without steps")


@machine(
    "The C library converts the clock in user mode, but reads it slowly: 400 ns, a system call 73 more."
)
def slow_clock_in_user_mode(m: Machine):
    m.values(TIMER, clock_gettime="400 ns", clock_gettime_syscall="473 ns")
    m.fact("system.clocksource", "kvm-clock")
    m.must(TIMER, "user mode")
    m.must_not(TIMER, "kernel")


@machine(
    "The clock source is not the counter, so the C library's clock_gettime is a system call, too."
)
def clock_behind_the_kernel(m: Machine):
    m.values(TIMER, clock_gettime="1.21 us", clock_gettime_syscall="1.2 us", cpuid="35 ns")
    m.fact("system.clocksource", "hpet")
    m.fact("system.guest", 0.0)
    m.must(TIMER, "kernel", "not intercepted")
    m.must_not(TIMER, "user mode", "leaves the guest", "trip off")


@machine("The C library keeps the process's number and answers getpid from memory.")
def c_library_answers_getpid(m: Machine):
    m.values(SYSCALL, getpid="73 ns", getpid_libc="2 ns", getppid="75 ns")
    m.must(SYSCALL, "from memory", "in user mode")
    m.must_not(SYSCALL, "each time")


@machine(
    "All 20 processes of the first visit, one second, ran beside a busy sibling; the call takes 60 ns."
)
def one_bad_second(m: Machine):
    m.values(SYSCALL, getpid="60 ns", getpid_libc="60 ns", getppid="61 ns")
    m.slow_visits(f"{SYSCALL}/getpid", slow=2.2, visits=[1], of=3)
    m.model(f"{SYSCALL}/getpid", first_processes=20)
    m.must(SYSCALL, "like getpid", "two groups")
    m.must_not(SYSCALL, "slow path")


@machine(
    "One of five visits to the null call is slow by a third; the four others are the machine's own."
)
def one_slow_visit_of_five(m: Machine):
    m.values(SYSCALL, getpid="73 ns", getpid_libc="73 ns", getppid="75 ns")
    m.slow_visits(f"{SYSCALL}/getpid", slow=1.35, visits=[2], of=5)
    m.must(SYSCALL, "like getpid", "each time", "one slow visit")
    m.must_not(SYSCALL, "from memory", "slow path")


@machine(
    "Mitigations are on, and each entry costs 240 ns. No run without them says how much of it is theirs."
)
def mitigated_kernel(m: Machine):
    m.scale(4.1, *(f"{SYSCALL}/{name}" for name in ("getpid", "getpid_libc", "getppid", "getuid")))
    m.fact(
        "system.mitigations",
        "meltdown: PTI; spectre_v2: IBRS; mds: Clear CPU buffers; retbleed: IBRS",
    )
    m.must(SYSCALL, "slow path", "each time")
    m.must_not(SYSCALL, "fast path", "less than a mode switch", "from memory")


@machine("No mitigation is on and an audit hook makes each entry slow: 300 ns.")
def audited_kernel_without_mitigations(m: Machine):
    m.scale(4.1, *(f"{SYSCALL}/{name}" for name in ("getpid", "getpid_libc", "getppid", "getuid")))
    m.fact(
        "system.mitigations", "meltdown: Vulnerable; spectre_v1: Vulnerable; spectre_v2: Vulnerable"
    )
    m.must(SYSCALL, "kernel's path", "each time")
    m.must_not(SYSCALL, "fast path")


@machine(
    "No guest: CPUID is not intercepted and int 0x80 is an interrupt gate, 60 ns more than SYSCALL."
)
def bare_metal(m: Machine):
    m.values(TIMER, cpuid="30 ns")
    m.values(
        SYSCALL, getpid="55 ns", getpid_libc="55 ns", getpid_int80="130 ns", getcwd_int80="200 ns"
    )
    m.fact("system.guest", 0.0)
    m.fact("system.hypervisor", None)
    m.must(TIMER, "not intercepted")
    m.must_not(TIMER, "leaves the guest", "trip off")
    m.must(SYSCALL, "interrupt table")
    m.must_not(SYSCALL, "int 0x80 leaves the guest", "int 0x80 waits", "gate and trip")


@machine(
    "The divider takes the same 22 cycles for all numbers and works on one division at a time."
)
def divider_of_one_pace(m: Machine):
    for name in (
        "long_quotient",
        "small_numbers",
        "independent",
        "chain_by_bits",
        "independent_by_bits",
    ):
        m.value(f"{DIVISION}/{name}", "5.4 ns")
    m.must(
        DIVISION, "all numbers alike", "one at a time", "time of all numbers", "bits cost nothing"
    )
    m.must_not(DIVISION, "numbers matter", "divisions overlap", "bits cost cycles")


@machine(
    "A pipelined divider: ten cycles in a chain, one begins every four; the numbers do not matter."
)
def pipelined_divider(m: Machine):
    for name in ("long_quotient", "small_numbers", "chain_by_bits"):
        m.value(f"{DIVISION}/{name}", "2.7 ns")
    for name in ("independent", "independent_by_bits"):
        m.value(f"{DIVISION}/{name}", "0.98 ns")
    m.must(DIVISION, "all numbers alike", "divisions overlap", "bits cost nothing")
    m.must_not(DIVISION, "numbers matter", "one at a time")


@machine(
    "Address spaces are not tagged: a switch between processes refills the TLB, 600 ns more than threads."
)
def untagged_tlb(m: Machine):
    m.values(
        SWITCH, process="1.6 us", thread="1 us", eventfd_process="1.5 us", eventfd_thread="0.9 us"
    )
    m.values(SWITCH, futex_process="1.4 us", futex_thread="0.8 us", pipe="280 ns")
    m.values(SWITCH, process_less_pipe="1.3 us", thread_less_pipe="0.7 us")
    m.fact("processor.vendor", "AuthenticAMD")
    m.fact("processor.family", 23.0)
    m.must(SWITCH, "compared", "page tables add to a switch")
    m.must_not(SWITCH, "like threads", "not compared", "grows from four")


@machine(
    "The page tables add 40 ns to a switch. A futex that processes share takes 300 ns more than a private one."
)
def shared_futex(m: Machine):
    m.values(
        SWITCH, process="940 ns", thread="900 ns", eventfd_process="840 ns", eventfd_thread="800 ns"
    )
    m.values(SWITCH, futex_process="1140 ns", futex_thread="800 ns")
    m.values(SWITCH, process_less_pipe="640 ns", thread_less_pipe="600 ns")
    m.must(SWITCH, "futex apart")
    m.must_not(SWITCH, "not page tables alone")


@machine(
    "Page tables add nothing to a switch, and a polling idle loop takes the hand-over on another CPU."
)
def switches_all_alike(m: Machine):
    for name in (
        "process",
        "thread",
        "eventfd_process",
        "eventfd_thread",
        "futex_process",
        "futex_thread",
    ):
        m.value(f"{SWITCH}/{name}", "900 ns")
        m.value(f"{SWITCH}/{name}_across", "850 ns")
    m.values(SWITCH, process_less_pipe="620 ns", thread_less_pipe="620 ns")
    m.must(SWITCH, "like threads", "as near", "means alike")
    m.must_not(SWITCH, "woken", "deep idle state", "trips out of the guest")


@machine(
    "Starting a program takes 620 us of the kernel's exec. Faults and CPUID cost what was guessed of them."
)
def slow_exec(m: Machine):
    m.values(TIMER, cpuid="30 ns")
    m.values("memory/fault", minor="0.6 us")
    for name in ("posix_spawn", "vfork_exec", "fork_exec", "fork_exec_static"):
        m.value(f"{TASK}/{name}", "620 us")
    m.fact("system.guest", 0.0)
    m.must(TASK, "faults guessed", "times a thread")
    m.must_not(TASK, "CPUIDs not counted", "CPUIDs left out")


@machine(
    "Starting a program takes 450 us of the kernel's exec; CPUID traps, but nobody counted its uses."
)
def exec_that_a_guess_fits(m: Machine):
    m.values(TIMER, cpuid="5.8 us")
    m.values("memory/fault", minor="0.6 us")
    for name in ("posix_spawn", "vfork_exec"):
        m.value(f"{TASK}/{name}", "450 us")
    m.must(TASK, "CPUIDs not counted")


@machine("However many processes and threads are alive, one more takes the same time.")
def nothing_grows_with_the_crowd(m: Machine):
    m.value(f"{TASK}/fork_alive", "55 us")
    m.value(f"{TASK}/thread_alive", "8 us")
    m.must(TASK, "one more costs no more")
    m.must_not(TASK, "one more costs more", "grows", "falls")


@machine("Arguments are moved beside CALL and RET: with none or seven a call takes the same.")
def arguments_for_nothing(m: Machine):
    m.value(f"{CALL}/o0", "1.2 ns")
    m.value(f"{CALL}/o2", "0.8 ns")
    m.must(CALL, "argument adds nothing", "seventh like others")
    m.must_not(CALL, "argument clear", "seventh costs more")


@machine(
    "Six arguments pass in registers, a tenth of a nanosecond each; the seventh over the stack, one more."
)
def seventh_argument_over_the_stack(m: Machine):
    def call(arguments, _):
        return (1 + 0.1 * arguments + (1 if arguments == 7 else 0)) * NS

    m.curve(f"{CALL}/o0", call)
    m.curve(f"{CALL}/o2", call)
    m.must(CALL, "no one number", "seventh costs more", "not straight")
    m.must_not(CALL, "argument adds nothing", "argument clear", "seventh like others", "straight")

"""What the chapter on the context switch concludes."""

import itertools
import math

import numpy as np

import reckon as rk


@rk.finding(needs=())
def negative(rings):
    if any(min(ring.medians, default=0) < 0 for ring in rings):
        return rk.shown("negative ring", "A negative value means that the sum alone, timed in one process, took longer than the whole "
                        "ring.")
    return []


def more_than_a_thread(process, thread):
    return rk.percent_more_or_less(process.median / thread.median) + process.indistinct_note(thread)


def of_one_value(pairs):
    """Whether one time may be what a process's switch takes more than a thread's in all pairs: visit by visit, of fewer than three visits by
    the bounds of both."""
    visits = [[each.summary.visit_medians for each in pair] for pair in pairs]
    if len({len(medians) for pair in visits for medians in pair}) == 1 and len(visits[0][0]) > 2:
        differences = [list(np.subtract(*pair)) for pair in visits]
        return not any(rk.apart_in_visits(one, other) for one, other in itertools.combinations(differences, 2))
    bounds = [(process.summary.bounds, thread.summary.bounds) for process, thread in pairs]
    least, most = max(low - other_high for (low, _), (_, other_high) in bounds), min(high - other_low for (_, high), (other_low, _) in bounds)
    return least <= most


def differences(pairs):
    return " to ".join(rk.amount(end, "ns") for end in np.sort([process.median - thread.median for process, thread in pairs])[[0, -1]])


def page_tables(pairs):
    """Whether the change of page tables adds to a switch. pairs: a process's and a thread's, by what hands the token over."""
    more = [by for by, (process, thread) in pairs.items() if process.apart(thread) > 0]
    if not more:
        return rk.unexplained("like threads", "The data show for none of these pairs that a process costs more. So these runs cannot tell whether a change of page "
                              "tables adds anything.")
    if len(more) < len(pairs):
        others = " and ".join(by for by in pairs if by not in more)
        return rk.consistent("page tables may add", f"The data show that a process costs more only {' and '.join(more)}, but not {others}. So a change of page "
                             "tables seems to add to a switch, but not much more than switches scatter.")
    if not of_one_value(pairs.values()):
        return rk.unexplained("not page tables alone", f"In each of these pairs a process costs more, but the differences ({differences(pairs.values())}) "
                              "are not the same. So they contain more than a change of the address space.")
    return rk.consistent("page tables add to a switch", "In each of these pairs a process costs more, and the differences agree within their scatter. So "
                         "changing the address space makes a switch longer.")


@rk.finding(needs=())
def process_or_thread(switches):
    means = {"over pipes": ("process", "thread"), "with the pipe subtracted": ("process_less_pipe", "thread_less_pipe"),
             "by eventfd": ("eventfd_process", "eventfd_thread"), "by futex": ("futex_process", "futex_thread")}
    pairs = {by: [switches[name] for name in names] for by, names in means.items()}
    measured = {by: pair for by, pair in pairs.items() if all(each.summary for each in pair)}
    if not measured:
        return rk.unexplained("not compared", "Both have to be measured to compare them.")
    lines = "\n".join(f"- {by}: {more_than_a_thread(*pair)}" for by, pair in measured.items())
    costs = f"Compared with a switch between threads, one between processes costs:\n\n{lines}\n\n"
    alike = {by: pair for by, pair in measured.items() if by != "by futex"}
    found = [rk.shown("compared", costs)]
    if len(alike) < len(measured):
        found.append(rk.shown("futex apart", "With a futex, processes and threads do not do the same: two processes need a shared futex, and two threads use a "
                              "private one. So only the other pairs show what the address space adds."))
    return [*found, page_tables(alike)] if alike else found


@rk.finding
def share_of_the_pipe(pipe, gross, net, by_futex, threads, threads_by_futex):
    found = (f"A pass through a pipe alone takes {pipe}, {rk.percent(pipe.median / gross.median)} of the {gross} of a switch over a pipe. If we "
             f"subtract the pipe in the same trial, {net} remain. With a futex there is no pipe, but still two system calls and a wake-up. "
             f"A switch between processes then takes {by_futex}{by_futex.indistinct_note(gross)}. Between threads it takes {threads_by_futex} "
             f"with a futex, and {threads} over pipes{threads_by_futex.indistinct_note(threads)}.")
    if by_futex.apart(gross) == 0 and threads_by_futex.apart(threads) == 0:
        return rk.shown("means alike", f"{found} So the data show no difference between pipe and futex.")
    return rk.shown("share of the pipe", found)


@rk.finding
def to_another_cpu(far, gross):
    takes = f"A hand-over to another CPU takes {far}, {rk.number(far.median / gross.median, 2)} times as long as a switch on the same CPU."
    if far.apart(gross) > 0:
        return rk.consistent("woken", f"{takes} An idle CPU has to be woken.")
    return rk.shown("as near", takes)


def switches_a_turn(processes, kind, passes=2):
    """How many switches of the first party the kernel counted for each turn of the token, which is that many passes."""
    turns = sum(np.sum(np.broadcast_to(process.ops, len(process.ticks))) / passes for process in processes)
    counted = sum(getattr(process, f"{kind}_switches") for process in processes)
    return counted / turns if turns else math.nan


def processes_of(result):
    return [process for point in result.points for process in point.processes]


@rk.finding(needs=("gross",))
def every_pass_switched(gross, pipe):
    asleep, put_off = (switches_a_turn(processes_of(gross), kind) for kind in ("voluntary", "involuntary"))
    of_pipe = switches_a_turn(processes_of(pipe), "voluntary", 1)
    return rk.shown("switches of a turn", f"For each turn of the token the kernel counted {rk.number(asleep + put_off)} switches of the first "
                    f"party. In {rk.percent(asleep)} of the turns the party went to sleep; in {rk.percent(put_off)} its woken partner "
                    f"preempted it. For a pass through the pipe alone the kernel counted {rk.number(of_pipe, 2)} switches.")


def scheduling(result):
    """How many cycles the scheduler would have to take for the model to be right, on one CPU."""
    in_cycles = (result.median - result.sealed_input("hand_over")) * result.sealed_input("clock")
    return in_cycles - result.sealed_input("registers") - result.sealed_input("tables")


def off_by(off, measurements):
    """The number of measurements that are off, of all, and their least and greatest factor."""
    ratios = sorted(each.ratio for each in off)
    ends = " to ".join(dict.fromkeys(map(rk.number, [ratios[0], ratios[-1]])))
    are_off, they = ("is off", "it takes") if len(off) == 1 else ("are off", "they take")
    return f"{len(off)} of the {measurements} measurements {are_off} by more than a factor of two: {they} {ends} times as long as predicted"


@rk.finding(needs=())
def where_cycles_go(cycles, guessed, null_ratio):
    """cycles: those of the scheduler that would explain every measurement; null_ratio: of the null system call."""
    if 0.7 < cycles / guessed.value / null_ratio < 1.4:
        return rk.consistent("like the null call", f"The null system call is off by nearly the same factor ({rk.number(null_ratio)}), so "
                             "the cause is likely the kernel's code in general, not the switch; see the chapter on the system call.")
    return rk.unexplained("unlike the null call", "We do not know where these cycles go; a profile of the kernel during the benchmark "
                          "(`perf record -a`) would show it.")


def off_on_one_cpu(switches, schedule, null):
    """The item of the measurements on one CPU that are off; "" if none is. null: the null system call."""
    off = [switch for switch in switches if rk.is_miss(switch.ratio)]
    if not off:
        return ""
    differ = f"- **On one CPU**: {off_by(off, len(switches))}."
    cycles = [scheduling(switch) for switch in switches if switch.summary]
    needed = " to ".join(dict.fromkeys(map(rk.number, [min(cycles), max(cycles)])))
    why = where_cycles_go(np.median(cycles), schedule, null.ratio if null else math.nan)
    return rk.unexplained("off on one CPU", f"{differ} If the other inputs are as guessed, the scheduler has to take {needed} cycles; the guess was "
                          f"{rk.number(schedule.value)} cycles. {why}")


@rk.finding(needs=())
def why_waking_differs(waking, interrupt, trap):
    """waking: what interrupt and waking take, in seconds; interrupt: the guess of it; trap: a trip out of the guest, by CPUID."""
    if waking < interrupt.value:
        return rk.consistent("nothing to wake", "An idle CPU that polls needs no interrupt.")
    if rk.run().machine.value("system.guest") and trap.value > 5e-7:
        trips = 2 * trap.value
        two = ("A virtual CPU that idles leaves the guest, and so does the interrupt that wakes it. If each of these two trips takes as long as a "
               f"CPUID, both take {rk.amount(trips, 'µs')}.")
        if trips < 0.7 * waking:
            return rk.unexplained("trips explain a part", f"{two} The rest is not explained.")
        return rk.consistent("trips out of the guest", two)
    return rk.consistent("deep idle state", "A deep idle state takes long to leave.")


def off_on_two_cpus(across, gross, interrupt, trap):
    """The item of the hand-overs to another CPU that are off; "" if none is."""
    off = [switch for switch in across if rk.is_miss(switch.ratio)]
    if not off:
        return ""
    differ = f"- **To another CPU**: {off_by(off, len(across))}."
    if not gross.has_samples:
        return rk.unexplained("waking not separated", f"{differ} We cannot compute what waking takes, because no switch on one CPU was measured.")
    if gross.is_of_two_groups:
        return rk.unexplained("waking not separated", f"{differ} We cannot compute what waking takes, because a switch on one CPU takes {gross}.")
    on_one = gross.median - gross.sealed_input("hand_over")
    waking = np.median([switch.median - switch.sealed_input("hand_over") for switch in off]) - on_one
    why = why_waking_differs(waking, interrupt, trap)
    strength = rk.unexplained if why.strength == "not explained" else rk.consistent
    return strength("waking", f"{differ} If the scheduler takes as long as on one CPU, the interrupt and the waking take "
                    f"{rk.amount(waking, 'µs')}; the guess was {rk.amount(interrupt.value, 'µs')}. {why}")


def off_pipe(pipe, guessed):
    """The item of the pipe alone; "" unless it is off."""
    if not rk.is_miss(pipe.ratio):
        return ""
    cycles = rk.number((pipe.median - 2 * pipe.sealed_input("null")) * pipe.sealed_input("clock"))
    return rk.missed_item("A pipe, no switch", f"{rk.number(pipe.ratio)} times the prediction", f"without two null calls, {cycles} cycles remain for the pipe "
                          f"itself; the guess was {rk.number(guessed.value)} cycles.")


def misses(items):
    return rk.missed_list(items, "None of the switches in the tables.")


@rk.finding
def from_fork(early, gross):
    times = early.median / gross.median
    takes = f"The time from fork's return until the child runs is {early}"
    as_long = f"{takes}, {rk.number(times, 2)} times as long as a switch."
    if times > 1.5:
        return rk.consistent("creation too", f"{as_long} It includes the rest of a process's creation, such as the page faults after a fork.")
    if times < 0:
        return rk.shown("child first", f"{takes}, because the child ran before the parent's clock started.")
    return rk.shown("like a switch", as_long)


@rk.finding(needs=("gross",), missing="")
def answer(gross, pipe, schedule):
    if gross.ratio > 1.25:
        return rk.unexplained("scheduler off", f"A scheduler of {rk.number(scheduling(gross))} cycles would "
                              f"explain the difference; the guess was {rk.number(schedule.value)} cycles.")
    return rk.shown("scheduler as guessed", f"The pipe alone takes {pipe} of this time.")


@rk.finding(missing="Switches on one CPU")
def bars(far, gross):
    return rk.shown("times a switch", f"A hand-over to another CPU takes {rk.number(far.median / gross.median, 2)} times as long as a switch on the "
                    "same CPU. The values for eventfd are in the tables")


def ten_thousand_requests(switch):
    share = 2 * 10_000 * switch.value
    return ("A database process serves 10,000 requests a second on one CPU. For each it is woken and goes to sleep again: "
            "two switches. What share of the CPU is that?",
            f"2 × 10,000 × {rk.amount(switch.value, 'µs')} = {rk.amount(share, 'ms')} in each second, which is {rk.percent(share)}.")


def two_pieces_of_work(to_thread):
    return ("A thread has two pieces of work of the same length. It can do both, or hand one to a thread on an idle CPU, do "
            "the other and sleep until the first is done. From what length on does handing over pay?",
            f"Let W be the length of one piece. Alone, the thread needs 2 W for both. With the other CPU it needs one hand-over ({to_thread}), "
            f"W, and a second hand-over that wakes the first thread. So it pays if W is longer than two hand-overs, "
            f"{rk.amount(2 * to_thread.median, 'µs')}.")


def difference_of_medians(process, pipe, net):
    apart = process.median - pipe.median
    return ("Begin with `rk.frame(s[\"process\"], alone, s[\"process_less_pipe\"])`. The third result subtracts the pipe in each trial; you can subtract the "
            "medians instead. Do both agree? When would they not?",
            f"The medians are {process} and {pipe}, and their difference is {rk.amount(apart, 'ns')}. Trial by trial it is {net}. A median of differences is the "
            "difference of medians only if both scatter alike around their medians. If the machine gets slower for a moment, both parts of a trial are slow, and "
            "only a subtraction within the trial removes that.")


def token():
    return rk.show.project("token", "Write the timed part of a token that two processes pass to and fro on one CPU.")


def address_space_refuted(process, thread):
    measured, foreseen = (a - b for a, b in ((process.median, thread.median), (process.seal.predicted, thread.seal.predicted)))
    return ("The model says that a switch between threads saves the change of address space. Try to refute it: let a thread answer instead of the child process in "
            "your token. What result do you expect?",
            f"The sealed predictions differ by {rk.amount(foreseen, 'ns')}. This chapter measured {process} between processes and {thread} between threads, a difference "
            f"of {rk.amount(measured, 'ns')}. If the intervals of both overlap, the data do not show the change. If threads are slower, the model is refuted.")

"""What the chapter on the context switch concludes."""

import itertools
import math

import numpy as np

import reckon as rk


@rk.finding(needs=())
def negative(rings):
    if any(min(ring.medians, default=0) < 0 for ring in rings):
        return rk.shown("negative ring", "A negative figure means that the sum alone, timed in one process, took longer than the whole "
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
        return rk.unexplained("like threads", "In none of these pairs is a process shown to cost more, so these runs cannot tell whether a change of page tables adds "
                              "anything.")
    if len(more) < len(pairs):
        others = " and ".join(by for by in pairs if by not in more)
        return rk.consistent("page tables may add", f"A process is shown to cost more only {' and '.join(more)}, {others} not. So a change of page tables seems to "
                             "add to a switch, but not much more than switches scatter.")
    if not of_one_value(pairs.values()):
        return rk.unexplained("not page tables alone", f"In each of these pairs a process costs more, but the differences, {differences(pairs.values())}, "
                              "are not one value. So they hold more than a change of the address space.")
    return rk.consistent("page tables add to a switch", "In each of these pairs a process costs more, and the differences may be one value. So to change "
                         "the address space seems to add to a switch.")


@rk.finding(needs=())
def process_or_thread(switches):
    means = {"over pipes": ("process", "thread"), "with the pipe subtracted": ("process_less_pipe", "thread_less_pipe"),
             "by eventfd": ("eventfd_process", "eventfd_thread"), "by futex": ("futex_process", "futex_thread")}
    pairs = {by: [switches[name] for name in names] for by, names in means.items()}
    measured = {by: pair for by, pair in pairs.items() if all(each.summary for each in pair)}
    if not measured:
        return rk.unexplained("not compared", "Both have to be measured to compare them.")
    lines = "\n".join(f"- {by} {more_than_a_thread(*pair)}" for by, pair in measured.items())
    costs = f"Compared with a switch between threads, one between processes costs:\n\n{lines}\n\n"
    alike = {by: pair for by, pair in measured.items() if by != "by futex"}
    found = [rk.shown("compared", costs)]
    if len(alike) < len(measured):
        found.append(rk.shown("futex apart", "By futex processes and threads do not do the same: a futex of two processes is shared, one of two threads private. "
                              "So only the other pairs show what the address space adds."))
    return [*found, page_tables(alike)] if alike else found


@rk.finding
def share_of_the_pipe(pipe, gross, net, by_futex, threads, threads_by_futex):
    found = (f"A pass through a pipe takes {pipe} alone, {rk.percent(pipe.median / gross.median)} of the {gross} with the switch. "
             f"Subtracted in the same trial it leaves {net}. By futex, with no pipe but still with two system calls and a wake-up, "
             f"a switch takes {by_futex}{by_futex.indistinct_note(gross)}, between threads {threads_by_futex}, where it is {threads} over "
             f"pipes{threads_by_futex.indistinct_note(threads)}")
    if by_futex.apart(gross) == 0 and threads_by_futex.apart(threads) == 0:
        return rk.shown("means alike", f"{found}: the means are not shown to make a difference here.")
    return rk.shown("share of the pipe", f"{found}.")


@rk.finding
def to_another_cpu(far, gross):
    takes = f"Handing over to another CPU takes {far}, {rk.number(far.median / gross.median, 2)} times a switch on the same one"
    if far.apart(gross) > 0:
        return rk.consistent("woken", f"{takes}: an idle CPU has to be woken.")
    return rk.shown("as near", f"{takes}.")


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
    return rk.shown("switches of a turn", f"The kernel counted {rk.number(asleep + put_off)} switches of the first party for each turn of "
                    f"the token: in {rk.percent(asleep)} of the turns it went to sleep, in {rk.percent(put_off)} the woken partner "
                    f"preempted it. Of the pipe alone it counted {rk.number(of_pipe, 2)}.")


def scheduling(result):
    """How many cycles the scheduler would have to take for the model to be right, on one CPU."""
    in_cycles = (result.median - result.sealed_input("hand_over")) * result.sealed_input("clock")
    return in_cycles - result.sealed_input("registers") - result.sealed_input("tables")


def off_by(off, measurements):
    """The number of measurements that are off, of all, and their least and greatest factor."""
    ratios = sorted(each.ratio for each in off)
    ends = " to ".join(dict.fromkeys(map(rk.number, [ratios[0], ratios[-1]])))
    return f"{len(off)} of the {measurements} measurements, {ends} times the prediction"


@rk.finding(needs=())
def where_cycles_go(cycles, guessed, null_ratio):
    """cycles: those of the scheduler that would explain every measurement; null_ratio: of the null system call."""
    if 0.7 < cycles / guessed.value / null_ratio < 1.4:
        return rk.consistent("like the null call", f"The null system call is off by nearly the same factor ({rk.number(null_ratio)}), so "
                             "the cause is likely the kernel's code in general, not the switch: see its page.")
    return rk.unexplained("unlike the null call", "Where they go is not explained here; a profile of the kernel during the benchmark, by "
                          "`perf record -a`, would show it.")


def off_on_one_cpu(switches, schedule, null):
    """The item of the measurements on one CPU that are off; "" if none is. null: the null system call."""
    off = [switch for switch in switches if rk.is_miss(switch.ratio)]
    if not off:
        return ""
    differ = f"- **On one CPU**: {off_by(off, len(switches))}."
    cycles = [scheduling(switch) for switch in switches if switch.summary]
    needed = " to ".join(dict.fromkeys(map(rk.number, [min(cycles), max(cycles)])))
    why = where_cycles_go(np.median(cycles), schedule, null.ratio if null else math.nan)
    return rk.unexplained("off on one CPU", f"{differ} With the other inputs as guessed, the scheduler would have to take {needed} cycles; "
                          f"{rk.number(schedule.value)} were guessed. {why}")


@rk.finding(needs=())
def why_waking_differs(waking, interrupt, trap):
    """waking: what interrupt and waking take, in seconds; interrupt: the guess of it; trap: a trip out of the guest, by CPUID."""
    if waking < interrupt.value:
        return rk.consistent("nothing to wake", "An idle CPU that polls needs no interrupt.")
    if rk.run().machine.value("system.guest") and trap.value > 5e-7:
        trips = 2 * trap.value
        two = (f"A virtual CPU that idles leaves the guest, and so does the interrupt that wakes it: two trips, {rk.amount(trips, 'µs')} at what "
               "CPUID takes.")
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
        return rk.unexplained("waking not separated", f"{differ} What waking takes does not follow: no switch on one CPU was measured.")
    if gross.is_of_two_groups:
        return rk.unexplained("waking not separated", f"{differ} What waking takes does not follow: a switch on one CPU takes {gross}.")
    on_one = gross.median - gross.sealed_input("hand_over")
    waking = np.median([switch.median - switch.sealed_input("hand_over") for switch in off]) - on_one
    why = why_waking_differs(waking, interrupt, trap)
    strength = rk.unexplained if why.strength == "not explained" else rk.consistent
    return strength("waking", f"{differ} With the scheduler as measured on one CPU, the interrupt and the waking take {rk.amount(waking, 'µs')} "
                    f"where {rk.amount(interrupt.value, 'µs')} was guessed. {why}")


def off_pipe(pipe, guessed):
    """The item of the pipe alone; "" unless it is off."""
    if not rk.is_miss(pipe.ratio):
        return ""
    cycles = rk.number((pipe.median - 2 * pipe.sealed_input("null")) * pipe.sealed_input("clock"))
    return rk.missed_item("A pipe, no switch", f"{rk.number(pipe.ratio)} times", f"two null calls leave {cycles} cycles for the pipe itself, where "
                          f"{rk.number(guessed.value)} were guessed.")


def misses(items):
    return rk.missed_list(items, "None of the switches in the tables.")


@rk.finding
def from_fork(early, gross):
    times = early.median / gross.median
    takes = f"From fork's return until the child runs takes {early}, {rk.number(times, 2)} times a switch"
    if times > 1.5:
        return rk.consistent("creation too", f"{takes}: it times the rest of a process's creation as well, such as the page faults after "
                             "a fork.")
    if times < 0:
        return rk.shown("child first", f"{takes}: the child ran before the parent's clock started.")
    return rk.shown("like a switch", f"{takes}.")


@rk.finding(needs=("gross",), missing="")
def answer(gross, pipe, schedule):
    if gross.ratio > 1.25:
        return rk.unexplained("scheduler off", f"{rk.number(scheduling(gross))} cycles of the scheduler would explain it; "
                              f"{rk.number(schedule.value)} were guessed.")
    return rk.shown("scheduler as guessed", f"The pipe alone takes {pipe} of it.")


@rk.finding(missing="Switches on one CPU")
def bars(far, gross):
    return rk.shown("times a switch", f"A hand-over to another CPU costs {rk.number(far.median / gross.median, 2)} times a switch on the "
                    "same one; by eventfd see the tables")


def ten_thousand_requests(switch):
    share = 2 * 10_000 * switch.value
    return ("A database process serves 10,000 requests a second on one CPU. For each it is woken and goes to sleep again: "
            "two switches. What share of the CPU is that?",
            f"2 × 10,000 × {rk.amount(switch.value, 'µs')} = {rk.amount(share, 'ms')} in each second: {rk.percent(share)}.")


def two_pieces_of_work(to_thread):
    return ("A thread has two pieces of work of the same length. It can do both, or hand one to a thread on an idle CPU, do "
            "the other and sleep until the first is done. From what length on does handing over pay?",
            f"Both take 2 W by itself. With the other CPU the first piece is done after a hand-over of {to_thread} and W, and another "
            f"hand-over wakes the first thread. So it pays if W is longer than two of them, {rk.amount(2 * to_thread.median, 'µs')}.")


def difference_of_medians(process, pipe, net):
    apart = process.median - pipe.median
    return ("Begin with `rk.frame(s[\"process\"], alone, s[\"process_less_pipe\"])`. The third subtracts the pipe in each trial, you can subtract medians. Do "
            "both agree? When would they not?",
            f"{process} less {pipe} are {rk.amount(apart, 'ns')}; trial by trial it is {net}. A median of differences is the difference of medians only if "
            "both scatter alike around their middle. Where the machine gets slower for a moment, both parts of a trial are slow, and only "
            "subtracting them there takes that out.")


def token():
    return rk.show.project("token", "Write the timed part of a token that two processes pass to and fro on one CPU.")


def address_space_refuted(process, thread):
    measured, foreseen = (a - b for a, b in ((process.median, thread.median), (process.seal.predicted, thread.seal.predicted)))
    return ("The model says that a switch between threads saves the change of address space. Refute it: let a thread answer instead of the child process in your "
            "token. What has to come out?",
            f"The sealed predictions are {rk.amount(foreseen, 'ns')} apart. This chapter measured {process} between processes and {thread} between threads: "
            f"{rk.amount(measured, 'ns')}. Where the intervals of both overlap, the change does not show. Threads that are slower refute it.")

"""What the chapter on the system call concludes."""

import math

import numpy as np

import reckon as rk


def steps(null, name, caption):
    return rk.draw.steps(null, {
        "processor: enters the kernel": "mode_switch", "kernel: saves registers, finds the call, runs it": "kernel_path",
        "processor: returns to the program": "mode_switch"}, name, caption)


def titles_of(calls):
    return ", ".join(f"“{rk.title_of(call.quantity)}”" for call in calls)


def with_times(calls):
    return ", ".join(f"“{rk.title_of(call.quantity)}” ({call})" for call in calls)


def in_user_mode(null, calls):
    """The calls that did not enter the kernel, by a rule of thumb: they take less than half of the null call."""
    return [call for call in calls if call.summary and call.median < 0.5 * null.median]


@rk.finding
def like_the_null_call(null, calls):
    alike = [call for call in calls if call.summary and null.apart(call) == 0]
    if not alike:
        return []
    return rk.shown("like getpid", f"The data do not show a difference between “getpid” and {titles_of(alike)}. All others differ from “getpid”: "
                    "their intervals do not overlap, or they differ visit by visit.")


@rk.finding(missing="")
def groups_of_processes(null):
    """That the processes fall into two groups, and whether the slow ones are those of one visit."""
    groups = rk.two_groups(null.summary.medians)
    if not groups:
        return []
    fast, slow = groups
    found = [rk.unexplained("two groups", f"The fresh processes of “getpid” fall into two groups: {len(fast)} near {rk.amount(np.median(fast), 'ns')} "
                            f"and {len(slow)} near {rk.amount(np.median(slow), 'ns')}. The data do not show what slows the second group.")]
    visits = [{process.visit for process, median in zip(null.points[0].processes, null.summary.medians, strict=True)
               if (median >= slow.min()) == is_slow} for is_slow in (False, True)]
    if len(visits[0]) > 1 and len(visits[1]) == 1 and not visits[0] & visits[1]:
        found.append(rk.shown("one slow visit", f"Of the {len(visits[0]) + 1} visits one has all slow processes and no fast one."))
    return found


@rk.finding(missing="Calls between two reads")
def amortising(batch):
    most = batch.axis_in_unit.max()
    first, last = (rk.median_text(batch.summaries[at], "ns") for at in (0, -1))
    return rk.shown("amortised", f"If one call stands between two reads of the clock, it seems to take {first}; with {most:g} calls, each takes {last}")


@rk.finding(missing="")
def table_and_batches(null, batch):
    return rk.shown("other minutes", f"The batches were measured at other times than the table. In the table the same call takes {null:interval}.")


@rk.finding
def procedure_call(null, procedure):
    times = rk.number(null.median / procedure.value, 2)
    return rk.shown("times a procedure call", f"The null system call takes {null} ({null:cycles}). That is {times} times as long as an unoptimised "
                    f"procedure call without arguments, which takes {rk.amount(procedure.value, 'ns')}.")


@rk.finding(needs=["null"])
def without_the_kernel(null, calls, getpid_libc):
    inside = in_user_mode(null, calls)
    found = [rk.shown("in user mode" if inside else "all enter the kernel", "By a rule of thumb, a call that takes less than half of the null call did "
                      f"not enter the kernel. {f'This holds for {with_times(inside)}.' if inside else 'The table has no such call.'}")]
    if getpid_libc in inside:
        found.append(rk.shown("from memory", f"`getpid` of the C library takes {getpid_libc} and is answered from memory."))
    elif getpid_libc.has_samples:
        found.append(rk.shown("each time", f"`getpid` of the C library takes {getpid_libc} and enters the kernel each time."))
    return found


@rk.finding
def older_entry(old, null, trap, at_most):
    """at_most: what an interrupt gate takes, by the guess, in seconds."""
    more, trapped = old.median - null.median, rk.amount(trap.value, "ns")
    takes = f"`getpid` by `int 0x80` takes {old}, {rk.number(old.median / null.median)} times as long as by SYSCALL."
    left = f"Without the null call, {rk.amount(more, 'ns')} remain"
    if more <= 0:
        return rk.shown("int 0x80 no more", f"{takes} So `int 0x80` costs no more here.")
    is_trapped = trap.value > 5e-7
    if 0.8 < more / trap.value < 1.25 and is_trapped:
        return rk.consistent("int 0x80 leaves the guest", f"{takes} {left}. One trapped CPUID takes about as long ({trapped}), so "
                             "this entry point seems to leave the guest.")
    if more <= at_most:
        return rk.consistent("interrupt table", f"{takes} {left}, which fits the guess for an interrupt gate.")
    gate = more - trap.value
    if is_trapped and 0 < gate <= at_most:
        return rk.consistent("trip and gate", f"{takes} {left}. One trip out of the guest, as a trapped CPUID takes it ({trapped}), and an "
                             f"interrupt gate of {rk.amount(gate, 'ns')} would explain it. By the guess a gate takes {rk.amount(at_most, 'ns')} at most.")
    as_trips = f", and it is {rk.number(more / trap.value, 2)} times as long as a trapped CPUID ({trapped})" if is_trapped else ""
    return rk.unexplained("int 0x80 waits", f"{takes} {left}. That is more than was guessed for an interrupt gate (at most "
                          f"{rk.amount(at_most, 'ns')}){as_trips}. We cannot explain this time.")


@rk.finding
def calls_enough(null, pair):
    enough = np.ceil(100 * pair.value / null.median)
    return rk.shown("calls enough", f"A pair of reads adds {rk.amount(pair.value, 'ns')}. With {rk.plain(enough)} or more calls between the reads, "
                    "that is at most 1 % of each call. Reckon puts 1,000 calls between them.")


def cycles_of_the_path(null, switch):
    """What the mode switch leaves of the null call, in cycles of the clock that its prediction was sealed with."""
    return null.median * null.sealed_input("clock") - switch.value


@rk.finding(needs=())
def off_by_the_path(null, switch, path):
    if null.ratio > 1:
        left = rk.number(cycles_of_the_path(null, switch))
        return rk.unexplained("slow path", f"the guess for the mode switch is {rk.number(switch.value)} cycles. The other {left} cycles are the "
                              f"kernel's path; the guess for the path was {rk.number(path.value)} cycles. "
                              "Mitigations make indirect jumps and returns slow, and hooks for tracing and auditing add checks. "
                              "The data do not show which of these takes the time. The same kernel started with "
                              "`mitigations=off` would show the mitigations' share.")
    return rk.unexplained("fast path", "the call takes less than the guesses for mode switch and path together. First check with `strace -c` "
                          "whether the call enters the kernel at all.")


@rk.finding(needs=())
def off_by_the_entry(old, null, guest, trap):
    more, trapped = rk.amount(old.median - null.median, "ns"), rk.amount(trap.value, "ns")
    if guest.value > 0:
        return rk.shown("gate and trip", f"this entry point takes {more} more than SYSCALL. The guess was an interrupt gate and one "
                        f"trip out of the guest, which takes {trapped}.")
    return rk.shown("gate", f"this entry point takes {more} more than SYSCALL. The guess was an interrupt gate.")


@rk.finding(needs=())
def off_by_own_work(call, null, guessed):
    """Why a call is off of which only its own work was guessed."""
    fields = "The call reads only a field or two. So the difference comes from the kernel's path or from the C library's wrapper."
    names = "The call follows the directories up to the root and copies each name, under a lock."
    reasons = {"times": "The call reads the running thread's CPU time under a lock of the scheduler, and scales user and system time "
               "by divisions.", "getcwd": names, "getcwd_syscall": names,
               "clock_gettime_syscall": "The call reads the counter and copies the time."}
    reason = reasons.get(call.quantity.rpartition("/")[2], fields)
    cycles = rk.number((call.median - null.median) * call.sealed_input("clock"))
    return rk.unexplained("missed", f"without the null call, {cycles} cycles remain for its own work; the guess was {rk.number(guessed.value)} cycles. {reason}")


@rk.finding(needs=())
def off_by_walking(getcwd, getpid, guessed):
    """Why getcwd by int 0x80 is off. getpid: by the same entry."""
    return rk.unexplained("missed", f"without `getpid` by the same entry point, {rk.amount(getcwd.median - getpid.median, 'ns')} remain. The data "
                          f"do not show whether they belong to `int 0x80` or to the work of `getcwd`, guessed at {rk.number(guessed.value)} cycles.")


def misses(null, calls, work, switch, path, guest, trap):
    """The list of the predictions that were missed, and why. work: the guess of each call's own."""
    other_minute = ("the prediction is the value that the chapter on reading time measured at another time, or a guess. The cause of the difference "
                    "is unexplained.")
    items = [rk.missed(null, off_by_the_path(null, switch, path)),
             *(rk.missed(calls[name], off_by_own_work(calls[name], null, guessed)) for name, guessed in work.items()),
             rk.missed(calls["clock_gettime"], other_minute),
             rk.missed(calls["getpid_int80"], off_by_the_entry(calls["getpid_int80"], null, guest, trap)),
             rk.missed(calls["getcwd_int80"], off_by_walking(calls["getcwd_int80"], calls["getpid_int80"], work["getcwd"]))]
    return rk.missed_list(items, "None of the calls in the table.")


@rk.finding(missing="")
def answer(null, switch, path):
    left = cycles_of_the_path(null, switch)
    clock = rk.amount(null.sealed_input("clock"), "Gcycle/s")
    if left < 0:
        return rk.shown("less than a mode switch", "The whole call takes less than the guess for the mode switch.")
    return rk.consistent("kernel's path", f"The kernel's path takes {rk.number(left)} cycles if the guess for the mode switch is right; the guess "
                         f"for the path was {rk.number(path.value)} cycles. Both are cycles of the predicted clock, {clock}.")


@rk.finding(needs=())
def bars(null, old, calls):
    times = rk.number(old.median / null.median, 2)
    inside = in_user_mode(null, calls)
    said = [f"getpid through int 0x80 takes {times} times as long as through SYSCALL" if old.median > null.median else "",
            f"{with_times(inside)} {'is' if len(inside) == 1 else 'are'} answered in user mode" if inside else ""]
    return rk.shown("dearest and cheapest", ". ".join(filter(None, said)) or "System calls, from least to most")


def blocks_of_a_file(null):
    small, large = 2**30 // 4096, 2**30 // 65536
    return ("A program reads a file of 1 GiB with `read`. How long does it spend on entering and leaving the "
            "kernel, with blocks of 4 KiB and with blocks of 64 KiB?",
            f"A call takes {rk.amount(null.value, 'ns')}. With blocks of 4 KiB the program makes {rk.plain(small)} calls, which take "
            f"{rk.amount(small * null.value, 'ms', 2)}. With 64 KiB it makes {rk.plain(large)} calls, which take {rk.amount(large * null.value, 'ms', 2)}. "
            "Copying the bytes comes on top and is the same for both.")


def a_call_between_two_reads(null, pair, calls):
    factor = rk.number(1 + pair.value / null.value)
    measured = [call for call in calls if call.summary]
    longest = rk.title_of(max(measured, key=lambda call: call.median).quantity) if measured else "none"
    return ("A report times one call between two reads of the clock and subtracts nothing. By what factor is its "
            "figure too high? For which call of the table does that matter least?",
            f"Reckon's pair adds {rk.amount(pair.value, 'ns')}. So the null call would seem to take {rk.amount(null.value + pair.value, 'ns')} instead of "
            f"{rk.amount(null.value, 'ns')}, a factor of {factor}. Other reads may add more: see the reports' methods below. The reads matter least "
            f"for the longest call of the table ({longest}).")


def a_line_through_batches(batch, pair, null):
    medians, per_call = batch.medians, 1 / batch.axis_in_unit
    slope, whole = np.polyfit(per_call, medians, 1) if batch.has_samples else (math.nan, math.nan)
    return ("Begin with `rk.frame(batch)`. A trial of n calls contains one pair of reads, so a call should take a + b / n. Fit both by "
            "`np.polyfit`. Which measured values should a and b agree with?",
            f"The fit gives a = {rk.amount(whole, 'ns')} and b = {rk.amount(slope, 'ns')}. So a is the time of a call without the reads; in the table that is "
            f"{rk.amount(null.value, 'ns')}. And b is what a pair of reads adds; measured alone it is {rk.amount(pair.value, 'ns')}. "
            "The batch of one call decides b more than all others, because their 1 / n is small. Leave this batch out and fit again.")


def where_it_scatters(null):
    by_process = rk.samples(null).groupby(["visit", "process"])["value"]
    within, medians = (by_process.quantile(0.75) - by_process.quantile(0.25)).median(), by_process.median()
    between = medians.quantile(0.75) - medians.quantile(0.25)
    larger = "between processes" if between > within else "within a process"
    return ("Begin with `rk.samples(null)`. Do trials of one fresh process scatter more, or the medians of processes? Compare their "
            "interquartile ranges. What does it mean for a measurement that runs one process for longer?",
            f"The interquartile range within a process is {rk.amount(within * 1e-9, 'ns')} (median over the processes). The range of the {len(medians)} "
            f"processes' medians is {rk.amount(between * 1e-9, 'ns')}. So the values scatter more {larger}. More trials of one process average out only "
            "the scatter within it. The scatter between processes depends on where code and stack of a process lie; only new processes average it out.")


def reading_zeros(null):
    question, solution = rk.show.project("zeros", "Write a probe of `read` from `/dev/zero`, with a given number of bytes a call. What does each byte cost, "
                                         "and what does a call cost without its bytes?")
    return question, (f"{solution}\n\nTwo large sizes give the cost of a byte: divide the difference of their times by the difference of their sizes. A call of "
                      f"one byte takes at least as long as the null call ({rk.amount(null.value, 'ns')}); the rest is the file's own path.")


def without_the_kernel_refuted(null, calls):
    inside = titles_of(in_user_mode(null, calls)) or "none"
    return ("The chapter says by a rule of thumb: a call that takes less than half of the null call does not enter the kernel. Try to refute it by counts instead of "
            "times, for each call of the table.",
            "Run a program that makes each call 1,000 times under `strace -c -f`, which counts entries into the kernel. The chapter is refuted if a call "
            f"that it lists as answered in user mode is counted 1,000 times. Its list here: {inside}. All others have to be counted 1,000 times. "
            "strace makes calls slower, which does not matter to a count.")

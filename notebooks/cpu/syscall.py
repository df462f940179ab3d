"""What the chapter on the system call concludes."""

import math

import numpy as np

import reckon as rk


def steps(null, name, caption):
    return rk.draw.steps(null, {
        "mode_switch": "processor: enters the kernel, and returns",
        "kernel_path": "kernel: saves registers, finds the call, runs it"}, name, caption)


def titles_of(calls):
    return ", ".join(rk.title_of(call.quantity) for call in calls)


def in_user_mode(null, calls):
    """The calls that cannot have entered the kernel: they take less than half of the null call."""
    return [call for call in calls if call.summary and call.median < 0.5 * null.median]


@rk.finding
def like_the_null_call(null, calls):
    alike = [call for call in calls if call.summary and null.apart(call) == 0]
    if not alike:
        return []
    return rk.shown("like getpid", f"Not shown to differ from getpid: {titles_of(alike)}. The others differ by their intervals or, where these "
                    "overlap, visit by visit.")


@rk.finding(missing="")
def groups_of_processes(null):
    """That the processes fall into two groups, and whether the slow ones are those of one visit."""
    groups = rk.two_groups(null.summary.medians)
    if not groups:
        return []
    fast, slow = groups
    found = [rk.unexplained("two groups", f"Its fresh processes fall into two groups: {len(fast)} near {rk.amount(np.median(fast), 'ns')} and "
                            f"{len(slow)} near {rk.amount(np.median(slow), 'ns')}. What slows the second is not shown here.")]
    visits = [{process.visit for process, median in zip(null.points[0].processes, null.summary.medians, strict=True)
               if (median >= slow.min()) == is_slow} for is_slow in (False, True)]
    if len(visits[0]) > 1 and len(visits[1]) == 1 and not visits[0] & visits[1]:
        found.append(rk.shown("one slow visit", f"The slow ones are all processes of one visit of {len(visits[0]) + 1}."))
    return found


@rk.finding(missing="Calls between two reads")
def amortising(batch):
    most = batch.axis_in_unit.max()
    first, last = (rk.median_text(batch.summaries[at], "ns") for at in (0, -1))
    return rk.shown("amortised", f"Between two reads of the clock a single call shows {first}, one of {most:g} calls {last}")


@rk.finding(missing="")
def table_and_batches(null, batch):
    return rk.shown("other minutes", f"The batches ran at minutes of their own; in the table the same call takes {null:interval}.")


@rk.finding
def procedure_call(null, procedure):
    times = rk.number(null.median / procedure.value, 2)
    return rk.shown("times a procedure call", f"The null system call takes {null} ({null:cycles}), an unoptimised procedure call "
                    f"without arguments {rk.amount(procedure.value, 'ns')}: the system call costs {times} times as much.")


@rk.finding(needs=["null"])
def without_the_kernel(null, calls, getpid_libc):
    inside = in_user_mode(null, calls)
    listed = ", ".join(f"{rk.title_of(call.quantity)} ({call})" for call in inside) or "none"
    found = [rk.shown("in user mode" if inside else "all enter the kernel",
                      f"A call that takes less than half of the null call cannot have entered the kernel: {listed}.")]
    if getpid_libc in inside:
        found.append(rk.shown("from memory", f"`getpid` of the C library takes {getpid_libc} and is answered from memory."))
    elif getpid_libc.has_samples:
        found.append(rk.shown("each time", f"`getpid` of the C library takes {getpid_libc} and enters the kernel each time."))
    return found


@rk.finding
def older_entry(old, null, trap, at_most):
    """at_most: what an interrupt gate takes, by the guess, in seconds."""
    more, trapped = old.median - null.median, rk.amount(trap.value, "ns")
    takes = f"`int 0x80` takes {old}, {rk.number(old.median / null.median)} times the null call by SYSCALL."
    left = f"Less the null call that leaves {rk.amount(more, 'ns')}"
    if more <= 0:
        return rk.shown("int 0x80 no more", f"{takes} It costs no more here.")
    is_trapped = trap.value > 5e-7
    if 0.8 < more / trap.value < 1.25 and is_trapped:
        return rk.consistent("int 0x80 leaves the guest", f"{takes} {left}, about as much as one trapped CPUID ({trapped}): "
                             "this entry point seems to leave the guest.")
    if more <= at_most:
        return rk.consistent("interrupt table", f"{takes} {left}, which fits the price of the interrupt table.")
    as_trips = f" and {rk.number(more / trap.value, 2)} times what a trapped CPUID does ({trapped})" if is_trapped else ""
    return rk.unexplained("int 0x80 waits", f"{takes} {left}, more than an interrupt gate takes ({rk.amount(at_most, 'ns')} at most, "
                          f"by the guess){as_trips}. What takes it is not explained.")


@rk.finding
def calls_enough(null, pair):
    enough = np.ceil(100 * pair.value / null.median)
    return rk.shown("calls enough", f"A pair of reads adds {rk.amount(pair.value, 'ns')}. From {rk.plain(enough)} calls on that is "
                    "below 1 % of a call; Reckon times 1,000.")


def cycles_of_the_path(null, switch):
    """What the mode switch leaves of the null call, in cycles of the clock that its prediction was sealed with."""
    return null.median * null.sealed_input("clock") - switch.value


@rk.finding(needs=())
def off_by_the_path(null, switch, path):
    if null.ratio > 1:
        left = rk.number(cycles_of_the_path(null, switch))
        return rk.unexplained("slow path", f"of its cycles the mode switch is guessed to take {rk.number(switch.value)}; the "
                              f"{left} that are left are the kernel's path, which was guessed at {rk.number(path.value)}. "
                              "Mitigations make indirect jumps and returns slow, and hooks for tracing and auditing add checks. "
                              "Which of them takes the time is not explained here; the same kernel started with "
                              "`mitigations=off` would show the mitigations' share.")
    return rk.unexplained("fast path", "the way in and out takes less than mode switch and path were guessed at. A look at whether "
                          "the call entered the kernel at all, by `strace -c`, comes first.")


@rk.finding(needs=())
def off_by_the_entry(old, null, guest, trap):
    more, trapped = rk.amount(old.median - null.median, "ns"), rk.amount(trap.value, "ns")
    if guest.value > 0:
        return rk.shown("gate and trip", f"entering this way takes {more} more than SYSCALL; the guess was an interrupt gate and one "
                        f"trip out of the guest, {trapped}.")
    return rk.shown("gate", f"entering this way takes {more} more than SYSCALL; the guess was an interrupt gate.")


@rk.finding(needs=())
def off_by_own_work(call, null, guessed):
    """Why a call is off of which only its own work was guessed."""
    fields = "It reads a field or two, so the difference is the path's, or the C library's wrapper."
    names = "It follows the directories up to the root and copies each name, under a lock."
    reasons = {"times": "It reads the running thread's CPU time under a lock of the scheduler, and scales user and system time "
               "by divisions.", "getcwd": names, "getcwd_syscall": names,
               "clock_gettime_syscall": "It reads the counter and copies the time."}
    reason = reasons.get(call.quantity.rpartition("/")[2], fields)
    cycles = rk.number((call.median - null.median) * call.sealed_input("clock"))
    return rk.unexplained("missed", f"its own work takes {cycles} cycles, not the guessed {rk.number(guessed.value)}. {reason}")


@rk.finding(needs=())
def off_by_walking(getcwd, getpid, guessed):
    """Why getcwd by int 0x80 is off. getpid: by the same entry."""
    return rk.unexplained("missed", f"without what `getpid` takes this way, {rk.amount(getcwd.median - getpid.median, 'ns')} are left, by "
                          f"`int 0x80` or by the work that was guessed at {rk.number(guessed.value)} cycles.")


def misses(null, calls, work, switch, path, guest, trap):
    """The list of the predictions that were missed, and why. work: the guess of each call's own."""
    other_minute = "the guess, or what the chapter on reading time measured at another minute, is not what it takes now; which of them is unexplained."
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
    takes = f"At the clock that was predicted with, {clock}, the kernel's path takes {rk.number(left)} cycles, where {rk.number(path.value)} were guessed"
    if left < 0:
        return rk.shown("less than a mode switch", "The whole call takes less than the mode switch was guessed at.")
    return rk.consistent("kernel's path", f"{takes}, if the mode switch was guessed well.")


@rk.finding(needs=())
def bars(null, old, calls):
    times = rk.number(old.median / null.median, 2)
    inside = in_user_mode(null, calls)
    listed = ", ".join(f"{rk.title_of(call.quantity)} ({call})" for call in inside)
    said = [f"getpid by int 0x80 costs {times} times getpid by SYSCALL" if old.median > null.median else "",
            f"answered in user mode: {listed}" if inside else ""]
    return rk.shown("dearest and cheapest", "; ".join(filter(None, said)) or "System calls, from least to most")


def blocks_of_a_file(null):
    small, large = 2**30 // 4096, 2**30 // 65536
    return ("A program reads a file of 1 GiB with `read`. How long does it spend on entering and leaving the "
            "kernel, with blocks of 4 KiB and with blocks of 64 KiB?",
            f"{rk.plain(small)} and {rk.plain(large)} calls at {rk.amount(null.value, 'ns')} each: "
            f"{rk.amount(small * null.value, 'ms')} and {rk.amount(large * null.value, 'ms')}. "
            "Copying the bytes comes on top and is the same for both.")


def a_call_between_two_reads(null, pair, calls):
    factor = rk.number(1 + pair.value / null.value)
    measured = [call for call in calls if call.summary]
    longest = rk.title_of(max(measured, key=lambda call: call.median).quantity) if measured else "none"
    return ("A report times one call between two reads of the clock and subtracts nothing. By what factor is its "
            "figure too high? For which call of the table does that matter least?",
            f"Reckon's pair adds {rk.amount(pair.value, 'ns')}. For the null call that makes {rk.amount(null.value + pair.value, 'ns')} instead of "
            f"{rk.amount(null.value, 'ns')}, a factor of {factor}. Other reads may add more: see the reports' methods below. It matters least for "
            f"the longest call of the table ({longest}).")


def a_line_through_batches(batch, pair, null):
    medians, per_call = batch.medians, 1 / batch.axis_in_unit
    slope, whole = np.polyfit(per_call, medians, 1) if batch.has_samples else (math.nan, math.nan)
    return ("Begin with `rk.frame(batch)`. A trial of n calls contains one pair of reads, so a call should take a + b / n. Fit both by "
            "`np.polyfit`. With what can a and b be compared?",
            f"The fit gives a = {rk.amount(whole, 'ns')} and b = {rk.amount(slope, 'ns')}. So a is a call without the reads, which the table has as "
            f"{rk.amount(null.value, 'ns')}; b is what a pair of reads adds, measured alone as {rk.amount(pair.value, 'ns')}. "
            "The batch of one call decides b more than all others, where 1 / n is small: leave it out and fit again.")


def where_it_scatters(null):
    by_process = rk.samples(null).groupby(["visit", "process"])["value"]
    within, medians = (by_process.quantile(0.75) - by_process.quantile(0.25)).median(), by_process.median()
    between = medians.quantile(0.75) - medians.quantile(0.25)
    larger = "between processes" if between > within else "within a process"
    return ("Begin with `rk.samples(null)`. Do trials of one fresh process scatter more, or the medians of processes? Compare their "
            "interquartile ranges. What does it mean for a measurement that runs one process for longer?",
            f"Within a process the range is {rk.amount(within * 1e-9, 'ns')} in the middle, between the {len(medians)} processes' medians "
            f"{rk.amount(between * 1e-9, 'ns')}: more {larger}. More trials of one process narrow the first alone. The second, by where code and "
            "stack of a process lie, is narrowed by new processes.")


def reading_zeros(null):
    question, solution = rk.show.project("zeros", "Write a probe of `read` from `/dev/zero`, with a given number of bytes a call. What does a byte cost, "
                                         "and what a call without it?")
    return question, (f"{solution}\n\nTwo large sizes give a byte: the difference of their times over that of their sizes. A call of one byte takes at least the null "
                      f"call, {rk.amount(null.value, 'ns')}; what it takes more is the file's own path.")


def without_the_kernel_refuted(null, calls):
    inside = titles_of(in_user_mode(null, calls)) or "none"
    return ("The chapter says: a call that takes less than half of the null call cannot have entered the kernel. Try to refute it by counts instead of "
            "times, for each call of the table.",
            "A program that makes each call 1,000 times runs under `strace -c -f`, which counts entries. A call that the page lists as answered in user "
            f"mode and that is counted 1,000 times refutes it. Listed here: {inside}. All others have to be counted 1,000 times. strace makes "
            "calls slower, which does not matter to a count.")

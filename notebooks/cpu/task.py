"""What the chapter on creating processes and threads concludes."""

import math

import numpy as np

import reckon as rk

CPUIDS = 43  # that a starting program executed, see what_was_left_out()


def per_page(curve, page):
    """What each page adds to the time from a lean parent, by the parent's size."""
    if not curve.has_samples or curve.axis[0] != 0:
        return []
    pages = curve.axis[1:] / page.value
    return list((curve.medians[1:] - curve.medians[0]) / pages)


@rk.finding(needs=("fork", "vfork"), missing="Creating a process from a big parent")
def big_parent(fork, vfork, page):
    """page: what the parent of the fork has touched its memory in."""
    if not per_page(fork, page):
        return rk.unexplained("not from a lean parent", "Creating a process from a big parent")
    return rk.shown("fork and vfork", f"A fork from a parent with {fork.axis_in_unit.max():g} MiB takes "
                    f"{rk.amount(fork.medians[-1], 'ms')}, a vfork {rk.amount(vfork.medians[-1], 'µs')}")


@rk.finding(needs=())
def growth_of_fork(fork, page):
    adds = per_page(fork, page)
    if not adds:
        return rk.unexplained("growth not measured", "How fork grows could not be measured.")
    listed = ", ".join(f"{rk.amount(cost, 'ns')} at {x:g} MiB" for x, cost in zip(fork.axis_in_unit[1:], adds, strict=True))
    return rk.shown("each page adds", f"A fork with its exit and wait takes {rk.amount(fork.medians[0], 'µs')} with a small parent. Each page of "
                    f"4 KiB that the parent has touched adds {listed}.")


@rk.finding(missing="")
def growth_of_vfork(vfork):
    return rk.shown("vfork from lean to big", f"A vfork goes from {rk.amount(vfork.medians[0], 'µs')} to "
                    f"{rk.amount(vfork.medians[-1], 'µs')}.")


def first_apart(alive):
    """The first point at which a task is shown to cost more than with none alive, if it is at the last one; else None."""
    none, *others = alive.summaries
    apart = [summary.apart(none) > 0 for summary in others]
    return 1 + apart.index(True) if apart and apart[-1] else None


def costs_at(alive, at):
    others = f"{alive.axis_in_unit[at]:g} others" if alive.axis[at] > 1 else "one other"
    return f"{rk.percent_more_or_less(alive.medians[at] / alive.medians[0])} with {others} alive"


@rk.finding(needs=())
def with_others_alive(alive, what):
    line = alive.line
    if line is None:
        return rk.unexplained("growth unknown", f"Whether {what} grows could not be measured.")
    added = rk.percent_more_or_less(1 + line.slope * alive.axis[-1] / alive.medians[0])
    costs = f"With {alive.axis_in_unit[-1]:g} others alive {what} costs {added} by the fitted line"
    first, is_unclear = first_apart(alive), line.slope_low <= 0 <= line.slope_high
    if first and is_unclear:
        return rk.shown("grows on no line", f"{what.capitalize()} costs {' and '.join(dict.fromkeys(costs_at(alive, at) for at in (first, -1)))}. A "
                        "line through all points is not shown to rise.")
    if is_unclear:
        most = rk.percent_more_or_less(1 + line.slope_high * alive.axis[-1] / alive.medians[0])
        return rk.unexplained("growth unclear", f"{costs}, but the slope's interval includes zero and goes up to {most}.")
    if not alive.summaries[-1].apart(alive.summaries[0]):
        return rk.unexplained("growth unclear", f"{costs}, but with none and with the most alive the intervals overlap.")
    if line.slope < 0:
        return rk.unexplained("falls", f"{costs}: no growth. That it falls shows how far the points scatter; no mechanism is known that "
                              "would make it cheaper.")
    return rk.shown("grows", f"{costs}: it grows.")


@rk.finding(needs=())
def one_more(processes, threads):
    """The caption of the curves over how many are alive."""
    curves = {"process": processes, "thread": threads}
    if None in [alive.line for alive in curves.values()]:
        return rk.unexplained("too few points", "Creating one more, against how many are alive")
    rising = [f"a new {what} costs {costs_at(alive, -1)}" for what, alive in curves.items() if first_apart(alive)]
    if rising:
        return rk.shown("one more costs more", f"Compared with none alive, {' and '.join(rising)}")
    return rk.consistent("one more costs no more", f"Up to {processes.axis_in_unit[-1]:g} others alive, no rise is seen in what a new process or "
                         "thread costs")


@rk.finding(needs=("fork", "thread"))
def process_or_thread(fork, thread, program):
    times, program_times = (rk.number(result.median / thread.median) for result in (fork, program))
    return rk.shown("times as much", f"A process takes {fork:interval} to create, run and wait for, a thread {thread:interval}: {times} "
                    f"times as much. With a program to run the process takes {program}, {program_times} times a thread.")


def difference(more, less):
    return rk.amount(more.median - less.median, "µs") + more.indistinct_note(less)


@rk.finding
def new_program(fork, program, static, by_vfork):
    return rk.shown("parts of a new program", f"Fork, exec and wait take {program}. Of these, {fork} are the fork with an exit and the "
                    f"wait, {difference(static, fork)} exec and the life of a static program, and {difference(program, static)} dynamic "
                    f"linking. With vfork instead of fork it takes {by_vfork}, a difference of "
                    f"{difference(program, by_vfork)}.")


@rk.finding
def parents_half(returned, fork):
    return rk.shown("parent's half", f"Fork returns to the parent after {returned}, {rk.percent(returned.median / fork.median)} of the "
                    "whole. A method that times only this measures that share.")


def starts_program(result):
    return "exec" in result.quantity or "spawn" in result.quantity


def counted_faults(result):
    """The minor faults of the creating process that the kernel counted for each task; nan without samples."""
    processes = [process for point in result.points for process in point.processes]
    tasks = sum(np.sum(np.broadcast_to(process.ops, len(process.ticks))) for process in processes)
    return sum(process.minor_faults for process in processes) / tasks if tasks else math.nan


def off_by_cpuids(task, cpuid):
    """The finding what as many CPUIDs as were once counted would take of what the task takes too long; None where it is less than half."""
    taken, missing = CPUIDS * cpuid.value, task.median - task.seal.predicted
    if taken < missing / 2:
        return None
    return rk.unexplained("CPUIDs not counted", f"{CPUIDS} CPUIDs would take {rk.amount(taken, 'µs')}, {rk.percent(taken / missing)} of the difference. "
                          "How many of them a starting program executes here was not counted.")


def off_by_faults(task):
    guessed, of_child = task.sealed_input("faults"), "" if "thread" in task.quantity else " Those of the new process were not counted."
    return rk.unexplained("faults guessed", f"the guess has {rk.plain(guessed)} page faults; the kernel counted "
                          f"{rk.number(counted_faults(task), 2)} of the creating process for each.{of_child} Where the difference comes from is not "
                          "explained; a profile of the kernel (`perf record -a`) would show it.")


def off_tasks(tasks, cpuid):
    """The items of the single tasks whose predictions were missed, without the empty ones."""
    def reason(task):
        may_be_cpuids = starts_program(task) and task.ratio > 1 and cpuid.origin == "measured"
        return may_be_cpuids and off_by_cpuids(task, cpuid) or off_by_faults(task)

    items = [rk.missed(task, reason(task)) for task in tasks if task.has_samples]
    return [item for item in items if item]


@rk.finding(needs=())
def what_was_left_out(cpuid):
    return rk.shown("CPUIDs left out", "The model leaves out that the C library executes CPUID when a program starts, to learn what the processor "
                    f"can do. One takes {rk.amount(cpuid.value, 'µs')} here. By single steps, glibc 2.36 executed {CPUIDS} of them on an AMD EPYC.")


def off_slope(curve, page, guessed):
    """An item of the list, of a curve over the parent's memory."""
    costs = per_page(curve, page)
    times = curve.medians[-1] / curve.sealed("predicted")[-1] if costs else 1
    if not rk.is_miss(times):
        return ""
    return rk.unexplained("slope off", f"- **{rk.title_of(curve.quantity)}** ({rk.number(times)} times the prediction at the last point): a page adds "
                          f"{rk.amount(costs[-1], 'ns')} there, not the guessed {rk.amount(guessed.value, 'ns')}. What of it takes the time was not measured.")


def off_slopes(small, small_page, entry, huge, huge_page, huge_entry):
    items = [off_slope(small, small_page, entry), off_slope(huge, huge_page, huge_entry)]
    return [item for item in items if item]


def before_the_list(tasks, slopes, cpuid):
    """What stands before the list of the predictions that were missed; its items: tasks, slopes."""
    if any(task.name == "CPUIDs not counted" for task in tasks):
        return what_was_left_out(cpuid)
    return "" if tasks or slopes else rk.missed_list([], "None of the tasks in the table.")


@rk.finding(missing="")
def answer(fork, thread):
    return rk.shown("times a thread", f"That is {rk.number(fork.median / thread.median, 2)} times a thread.")


@rk.finding(needs=("fork", "thread"), missing="Creating a process or a thread, from least to most")
def bars(fork, thread, program):
    times, program_times = (rk.number(result.median / thread.median, 2) for result in (fork, program))
    return rk.shown("process over thread", f"A process costs {times} times a thread; a process that runs another program {program_times} "
                    "times")


def a_shell_script(program, by_vfork):
    script, spawned = 1000 * program.median, 1000 * by_vfork.median
    return ("A shell script starts 1,000 small programs, one after the other. How long does it take at least? What "
            "would the shell gain if it used vfork?",
            f"1,000 times fork, exec and wait are {rk.amount(script, 's')}, with vfork {rk.amount(spawned, 's')}. "
            f"vfork takes {rk.more_or_less(spawned - script, 's')}. Most of the rest is exec and linking, which vfork does not save.")


def a_snapshot(small, small_page, huge, huge_page):
    def whole(curve, page):
        costs = per_page(curve, page)
        return rk.amount(2**32 / page.value * costs[-1] if costs else math.nan, "ms")

    return ("Begin with `rk.frame(small, huge)`. A database has touched 4 GiB and forks to write a snapshot. Predict from the curve how long it stands still, with "
            "pages of 4 KiB and with huge pages. What speaks for less, and what for more?",
            f"Each page adds what it added at the last point of the curve: {rk.plain(2**32 / small_page.value)} pages of 4 KiB give "
            f"{whole(small, small_page)}, {rk.plain(2**32 / huge_page.value)} huge pages {whole(huge, huge_page)}. "
            "The curve includes the child's exit, which gives the copied tables back; the database waits only for the fork to "
            f"return. But each of the first writes after that copies a page.")


def a_server(thread, fork):
    request_s = 50e-6
    by_thread, by_process = (rk.percent(task.median / (task.median + request_s)) for task in (thread, fork))
    return ("A server works 50 µs on each request. What share of a CPU goes into creating tasks, with a new thread for "
            "each request and with a new process?",
            f"{by_thread} with threads and {by_process} with processes. A pool of waiting threads replaces the creation by a context "
            "switch.")


def without_the_fork(fork, program, by_vfork):
    rest, left = program.median - fork.median, by_vfork.median / program.median
    return ("Begin with `rk.frame(t[\"fork\"], t[\"fork_exec\"], t[\"vfork_exec\"])`. What share of fork, exec and wait would be left if the fork and its exit cost "
            "nothing? What share does vfork leave, and why need the two not agree?",
            f"{program} less {fork} leave {rk.amount(rest, 'µs')}, {rk.percent(rest / program.median)}; with vfork {rk.percent(left)} are left. "
            "The subtraction takes it that a child which execs pays the same fork and exit as one that ends at once. But exec also gives "
            "up the copied tables, and vfork still creates a process.")


def sharing_memory(thread, vfork, fork):
    return ("Write a probe of a process that shares its parent's memory: `clone` with `CLONE_VM | SIGCHLD`, a stack of its own, and `waitpid`. Predict it from the "
            "table. Which result refutes that copying page tables makes a process dearer than a thread?",
            f"It copies no tables, so it should take about a vfork, {vfork}: a process to create and to wait for. A thread takes {thread}, a fork {fork}. As long "
            "as a fork, it would refute the explanation. As fast as a thread, it would say that tables are all of the difference.")


def tables_refuted(small):
    first, last = (small.medians[at] if small.has_samples else math.nan for at in (0, -1))
    return ("The chapter says that a fork takes longer from a big parent because it copies page tables. Refute it: have the big parent of `csrc/cpu/task.c` call "
            "`madvise` with `MADV_DONTFORK` on its memory. What has to come out at each size?",
            f"The child then gets no tables of that memory, so every size should take what the smallest takes, {rk.amount(first, 'µs')}, "
            f"where {rk.amount(last, 'ms')} were measured with the largest. A curve that still rises refutes it. The probe's own check must not "
            "touch that memory in the child.")

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
                    f"{rk.amount(fork.medians[-1], 'ms')}; a vfork takes {rk.amount(vfork.medians[-1], 'µs')}")


@rk.finding(needs=())
def growth_of_fork(fork, page):
    adds = per_page(fork, page)
    if not adds:
        return rk.unexplained("growth not measured", "How a fork grows with its parent could not be measured.")
    listed = ", ".join(f"{rk.amount(cost, 'ns')} at {x:g} MiB" for x, cost in zip(fork.axis_in_unit[1:], adds, strict=True))
    return rk.shown("each page adds", f"A fork with its exit and wait takes {rk.amount(fork.medians[0], 'µs')} with a small parent. Each page of "
                    f"4 KiB that the parent has touched adds {listed}.")


@rk.finding(missing="")
def growth_of_vfork(vfork):
    return rk.shown("vfork from lean to big", f"A vfork takes {rk.amount(vfork.medians[0], 'µs')} from the smallest "
                    f"parent and {rk.amount(vfork.medians[-1], 'µs')} from the largest.")


def first_apart(alive):
    """The first point at which a task is shown to cost more than with none alive, if it is at the last one; else None."""
    none, *others = alive.summaries
    apart = [summary.apart(none) > 0 for summary in others]
    return 1 + apart.index(True) if apart and apart[-1] else None


def costs_at(alive, at):
    others = f"{alive.axis_in_unit[at]:g} others" if alive.axis[at] > 1 else "one other"
    return f"{rk.percent_more_or_less(alive.medians[at] / alive.medians[0])} with {others} alive"


def costs_where_apart(alive):
    """Where a task is first shown to cost more, and at the last point: most of the rise may come with the first other."""
    return " and ".join(dict.fromkeys(costs_at(alive, at) for at in (first_apart(alive), -1)))


@rk.finding(needs=())
def with_others_alive(alive, what):
    line = alive.line
    if line is None:
        return rk.unexplained("growth unknown", f"Whether the cost of {what} grows could not be measured.")
    least, added, most = (rk.percent_more_or_less(1 + slope * alive.axis[-1] / alive.medians[0])
                          for slope in (line.slope_low, line.slope, line.slope_high))
    costs = f"According to the fitted line, {what} costs {added} with {alive.axis_in_unit[-1]:g} others alive than with none"
    first, is_unclear = first_apart(alive), line.slope_low <= 0 <= line.slope_high
    if first and is_unclear:
        return rk.shown("grows on no line", f"{what.capitalize()} costs {costs_where_apart(alive)} than with "
                        "none. The data do not show that a line through all points rises.")
    if is_unclear:
        return rk.unexplained("growth unclear", f"{costs}. But the interval of this change includes zero: it reaches from {least} to {most}.")
    if not alive.summaries[-1].apart(alive.summaries[0]):
        return rk.unexplained("growth unclear", f"{costs}. But the intervals with none and with the most alive overlap.")
    if line.slope < 0:
        return rk.unexplained("falls", f"{costs}, so the cost does not grow. That it falls shows how far the points scatter; no mechanism is known "
                              "that would make it cheaper.")
    return rk.shown("grows", f"{costs}. So the cost grows.")


@rk.finding(needs=())
def one_more(processes, threads):
    """The caption of the curves over how many are alive."""
    curves = {"process": processes, "thread": threads}
    if None in [alive.line for alive in curves.values()]:
        return rk.unexplained("too few points", "The cost of a new process or thread, by the number of others alive")
    rising = [f" new {what} costs {costs_where_apart(alive)} than with none" for what, alive in curves.items() if first_apart(alive)]
    if rising:
        return rk.shown("one more costs more", f"A{', and a'.join(rising)}")
    return rk.consistent("one more costs no more", f"Up to {processes.axis_in_unit[-1]:g} others alive, we see no rise in the cost of a new process "
                         "or thread")


@rk.finding(needs=("fork", "thread"))
def process_or_thread(fork, thread, program):
    times, program_times = (rk.number(result.median / thread.median) for result in (fork, program))
    return rk.shown("times as much", f"A thread takes {thread:interval} to create, run and wait for; a process takes {fork:interval}, {times} "
                    f"times as long. A process that also starts a new program takes {program}, {program_times} times as long as a thread.")


def difference(more, less):
    return rk.amount(more.median - less.median, "µs") + more.indistinct_note(less)


@rk.finding
def new_program(fork, program, static, by_vfork):
    return rk.shown("parts of a new program", f"Fork, exec and wait take {program}. The fork with an exit and the wait takes {fork} of this "
                    f"time. Exec and the life of a static program take {difference(static, fork)}, and dynamic linking takes "
                    f"{difference(program, static)}. With vfork instead of fork the whole takes {by_vfork}; that is a difference of "
                    f"{difference(program, by_vfork)}.")


@rk.finding
def parents_half(returned, fork):
    return rk.shown("parent's half", f"Fork returns to the parent after {returned}, {rk.percent(returned.median / fork.median)} of the "
                    "whole. A method that times only this part measures only that share.")


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
                          "We did not count how many CPUIDs a starting program executes here.")


def off_by_faults(task):
    guessed, of_child = task.sealed_input("faults"), "" if "thread" in task.quantity else " The faults of the new process were not counted."
    return rk.unexplained("faults guessed", f"the guess was {rk.plain(guessed)} page faults. For each task the kernel counted "
                          f"{rk.number(counted_faults(task), 2)} faults of the creating process.{of_child} We do not know where the difference comes "
                          "from; a profile of the kernel (`perf record -a`) would show it.")


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
                    f"can do. One CPUID takes {rk.amount(cpuid.value, 'µs')} here. Counted by single steps, glibc 2.36 executed {CPUIDS} CPUIDs on an AMD EPYC.")


def off_slope(curve, page, guessed):
    """An item of the list, of a curve over the parent's memory."""
    costs = per_page(curve, page)
    times = curve.medians[-1] / curve.sealed("predicted")[-1] if costs else 1
    if not rk.is_miss(times):
        return ""
    return rk.unexplained("slope off", f"- **{rk.title_of(curve.quantity)}** ({rk.number(times)} times the prediction at the last point): a page adds "
                          f"{rk.amount(costs[-1], 'ns')} there; the guess was {rk.amount(guessed.value, 'ns')}. We did not measure which part of the work takes "
                          "the time.")


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
    return rk.shown("times a thread", f"Creating a process takes {rk.number(fork.median / thread.median, 2)} times as long as creating a thread.")


@rk.finding(needs=("fork", "thread"), missing="Creating a process or a thread, from least to most")
def bars(fork, thread, program):
    times, program_times = (rk.number(result.median / thread.median, 2) for result in (fork, program))
    return rk.shown("process over thread", f"A process takes {times} times as long as a thread. A process that runs another program takes "
                    f"{program_times} times as long")


def a_shell_script(program, by_vfork):
    script, spawned = 1000 * program.median, 1000 * by_vfork.median
    return ("A shell script starts 1,000 small programs, one after the other. How long does it take at least? What "
            "would the shell gain if it used vfork?",
            f"The script needs 1,000 times fork, exec and wait, which is {rk.amount(script, 's')}. With vfork it needs "
            f"{rk.amount(spawned, 's')}, {rk.more_or_less(spawned - script, 's')}. Most of the rest is exec and linking, which vfork does not save.")


def a_snapshot(small, small_page, huge, huge_page):
    def whole(curve, page):
        costs = per_page(curve, page)
        return rk.amount(2**32 / page.value * costs[-1] if costs else math.nan, "ms")

    return ("Begin with `rk.frame(small, huge)`, the curves of forks with touched memory in small and in huge pages. A database has touched 4 GiB and forks to write a snapshot. Predict from the curve how long it stands still, with "
            "pages of 4 KiB and with huge pages. Which facts suggest a shorter time, and which a longer one?",
            f"Let each page add as much as at the last point of the curve. Then {rk.plain(2**32 / small_page.value)} pages of 4 KiB take "
            f"{whole(small, small_page)}, and {rk.plain(2**32 / huge_page.value)} huge pages take {whole(huge, huge_page)}. "
            "The time is shorter because the curve includes the child's exit, which gives the copied tables back; the database waits only for the "
            "fork to return. The time is longer because each of the first writes after the fork copies a page.")


def a_server(thread, fork):
    request_s = 50e-6
    by_thread, by_process = (rk.percent(task.median / (task.median + request_s)) for task in (thread, fork))
    return ("A server works 50 µs on each request. What share of a CPU goes into creating tasks, with a new thread for "
            "each request and with a new process?",
            f"Creating tasks takes {by_thread} of a CPU with threads and {by_process} with processes. A pool of waiting threads replaces the creation by a context "
            "switch.")


def without_the_fork(fork, program, by_vfork):
    rest, left = program.median - fork.median, by_vfork.median / program.median
    return ("Begin with `rk.frame(t[\"fork\"], t[\"fork_exec\"], t[\"vfork_exec\"])`. What share of fork, exec and wait would be left if the fork and its exit cost "
            "nothing? What share remains with vfork? Why can the two shares differ?",
            f"If we subtract {fork} from {program}, {rk.amount(rest, 'µs')} remain, which is {rk.percent(rest / program.median)}. With vfork "
            f"{rk.percent(left)} remain. The subtraction assumes that a child which execs pays the same fork and exit as a child that ends at "
            "once. But exec also gives up the copied tables, and vfork still creates a process.")


def sharing_memory(thread, vfork, fork):
    return ("Write a probe of a process that shares its parent's memory: `clone` with `CLONE_VM | SIGCHLD`, a stack of its own, and `waitpid`. Predict it from the "
            "table. Which result would show that copying page tables is not the reason why a process costs more than a thread?",
            f"The new process copies no tables, so it should take about as long as a vfork, {vfork}. A thread takes {thread}; a fork takes {fork}. If the new "
            "process took as long as a fork, the explanation would be refuted. If it took as long as a thread, the tables would be the whole difference.")


def tables_refuted(small):
    first, last = (small.medians[at] if small.has_samples else math.nan for at in (0, -1))
    return ("The chapter says that a fork takes longer from a big parent because it copies page tables. Try to refute it: let the big parent of `csrc/cpu/task.c` call "
            "`madvise` with `MADV_DONTFORK` on its memory. What result do you expect at each size?",
            "The child then gets no tables of that memory. So every size should take as long as the smallest size, "
            f"{rk.amount(first, 'µs')}; with the largest size we measured {rk.amount(last, 'ms')}. If the curve still rises, the explanation is "
            "refuted. The probe's own check must not touch that memory in the child.")

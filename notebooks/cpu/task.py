"""What the chapter on creating processes and threads concludes."""

import math

import reckon as rk

# At the start of an empty program: counted by single steps of glibc 2.36 on an AMD EPYC.
CPUIDS = 43


def per_page(curve, page):
    """What each page adds to the time from a lean parent, by the parent's size."""
    if not curve.has_samples or curve.axis[0] != 0:
        return []
    pages = curve.axis[1:] / page.value
    return list((curve.medians[1:] - curve.medians[0]) / pages)


def pages_cost_more(fork):
    """Whether a page adds more in a bigger parent than in a smaller one, by the bounds of the intervals."""
    lean, *bigger = (summary.interval for summary in fork.summaries)
    bounds = [((each.low - lean.high) / x, (each.high - lean.low) / x) for x, each in zip(fork.axis[1:], bigger, strict=True)]
    return any(low > smaller_high for at, (low, _) in enumerate(bounds) for _, smaller_high in bounds[:at])


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
    found = [rk.shown("each page adds", f"A fork with its exit and wait takes {rk.amount(fork.medians[0], 'µs')} with a small parent. Each page of "
                      f"4 KiB that the parent has touched adds {listed}.")]
    if pages_cost_more(fork):
        begins = rk.amount(fork.line.intercept if fork.line else math.nan, "µs")
        found.append(rk.consistent("page dearer", "A page costs more in a bigger parent, perhaps because its tables no longer fit into the "
                                   f"caches. So the points lie on no straight line: one through them would begin at {begins}."))
    return found


@rk.finding(missing="")
def growth_of_vfork(vfork):
    return rk.shown("vfork from lean to big", f"A vfork goes from {rk.amount(vfork.medians[0], 'µs')} to "
                    f"{rk.amount(vfork.medians[-1], 'µs')}.")


@rk.finding(needs=())
def with_others_alive(alive, what):
    line = alive.line
    if line is None:
        return rk.unexplained("growth unknown", f"Whether {what} grows could not be measured.")
    added = rk.percent_more_or_less(1 + line.slope * alive.axis[-1] / alive.medians[0])
    costs = f"With {alive.axis_in_unit[-1]:g} others alive {what} costs {added} by the fitted line"
    if line.slope_low <= 0 <= line.slope_high:
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
    rising = [what for what, alive in curves.items() if alive.line.slope_low > 0 and alive.summaries[-1].apart(alive.summaries[0]) > 0]
    if rising:
        return rk.shown("one more costs more", f"The more others are alive, the more costs a new {' and a new '.join(rising)}")
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


def corrected(result, fault, cpuid):
    """The prediction with the page faults and the CPUIDs as their pages measured them."""
    by_faults = result.sealed_input("faults") * (fault.value - result.sealed_input("fault"))
    return result.seal.predicted + by_faults + starts_program(result) * CPUIDS * cpuid.value


def by_cpuids(result, cpuid):
    """The prediction of a task that starts a program, with the CPUIDs alone as their page measured them."""
    return result.seal.predicted + CPUIDS * cpuid.value


@rk.finding(needs=())
def off_by_faults(task, fault, cpuid, fork=None):
    """fork: a fork that starts no program. If the fault's value makes its model worse, the value is left out for programs."""
    if starts_program(task) and fork is not None and speaks_against(fork, fault, cpuid):
        model, these = by_cpuids(task, cpuid), "the CPUIDs alone"
    else:
        model, these = corrected(task, fault, cpuid), "these values"
    gives = f"with {these} the model gives {rk.amount(model, 'µs')}, and {task} was measured."
    remains = task.median / model
    if abs(math.log(remains)) >= abs(math.log(task.ratio)):
        return rk.unexplained("worse with both", f"{gives} The prediction was nearer, so they explain nothing.")
    explained = (model - task.seal.predicted) / (task.median - task.seal.predicted)
    if 0.8 < explained < 1.25 and starts_program(task):
        if_counts = "the guessed number of faults and the number of CPUIDs hold" if these == "these values" else "their number holds"
        return rk.consistent("consistent with trapped CPUID", f"{gives} So they would explain it, if {if_counts} here.")
    if 0.8 < explained < 1.25:
        return rk.consistent("consistent with slow faults", f"{gives} So they would explain it, if the guessed number of faults holds here.")
    if 0.5 < remains < 2:
        return rk.unexplained("explained in part", f"{gives} What is left is not explained.")
    return rk.unexplained("not explained", f"{gives} That does not explain it; a profile of the kernel (`perf record -a`) would show it.")


def off_tasks(tasks, fault, cpuid, fork):
    """The items of the single tasks whose predictions were missed, without the empty ones."""
    items = [rk.missed(task, off_by_faults(task, fault, cpuid, fork)) for task in tasks]
    return [item for item in items if item]


def counted_on():
    """With which C library the CPUIDs were counted, and which one runs here if it is another one."""
    here = rk.run().machine.value("system.libc") or "an unknown one"
    return "on glibc 2.36" if here == "glibc 2.36" else f"on glibc 2.36, where here {rk.literal(here)} runs"


def speaks_against(fork, fault, cpuid):
    """That the fault's own value makes the model of a fork, which starts no program, worse; "" if it does not."""
    model = corrected(fork, fault, cpuid)
    if not abs(math.log(fork.median / model)) > abs(math.log(fork.ratio)):
        return ""
    return (f" For a fork the fault's value alone would give {rk.amount(model, 'µs')}, where {fork} was measured and "
            f"{rk.amount(fork.seal.predicted, 'µs')} predicted, which speaks against it. So programs are given the CPUIDs alone.")


@rk.finding(needs=())
def what_can_be_checked(fault, guessed, cpuid, fork):
    by_its_page = "as the page on page faults measures" if fault.origin == "measured" else "as guessed: it was not measured"
    return rk.shown("two inputs", f"Two inputs can be checked. A minor page fault takes {rk.amount(fault.value, 'µs')} here, {by_its_page}; "
                    f"{rk.amount(guessed.value, 'µs')} was guessed. And the C library executes CPUID when a program starts, to learn what "
                    f"the processor can do: {CPUIDS} times by single steps {counted_on()}. One takes {rk.amount(cpuid.value, 'µs')} here; "
                    "the model left them out. The numbers of faults stay guesses, so these two are possible causes only."
                    f"{speaks_against(fork, fault, cpuid)}")


def off_slope(curve, page, guessed, reason):
    """An item of the list, of a curve over the parent's memory."""
    costs = per_page(curve, page)
    slope = curve.line.slope / curve.sealed_line.slope if curve.line else 1
    if not (costs and rk.is_miss(slope)):
        return ""
    reason = reason if slope > 1 else "Less was needed than guessed; of what, is not shown here."
    return rk.unexplained("slope off", f"- **{rk.title_of(curve.quantity)}** ({rk.number(slope)} times the predicted slope): a page adds "
                          f"{rk.amount(costs[-1], 'ns')} at the last point, not the guessed {rk.amount(guessed.value, 'ns')}. {reason}")


def off_slopes(small, small_page, entry, huge, huge_page, huge_entry):
    items = [off_slope(small, small_page, entry, "An entry also counts the page's users, and gives it back at the end; what that takes was not measured."),
             off_slope(huge, huge_page, huge_entry, "The kernel may set aside an empty page table for each huge page, to clear and to "
                       "free; what that takes was not measured.")]
    return [item for item in items if item]


def before_the_list(tasks, slopes, fault, guessed, cpuid, fork):
    """What stands before the list of the predictions that were missed; its items: tasks, slopes."""
    if tasks:
        return what_can_be_checked(fault, guessed, cpuid, fork)
    return "" if slopes else "None of the tasks in the table."


@rk.finding(needs=("fork", "thread"), missing="")
def answer(fork, thread, fault, guessed, cpuid):
    model = corrected(fork, fault, cpuid)
    if 0.8 < fork.median / model < 1.25 and fork.ratio > 1.25:
        return rk.consistent("slow faults", f"A page fault takes {rk.amount(fault.value, 'µs')}, not the guessed "
                             f"{rk.amount(guessed.value, 'µs')}; with that and the guessed number of faults the model gives "
                             f"{rk.amount(model, 'µs')}.")
    return rk.shown("times a thread", f"That is {rk.number(fork.median / thread.median, 2)} times a thread.")


@rk.finding(needs=("fork", "thread"), missing="Creating a process or a thread, from least to most")
def bars(fork, thread, program):
    times, program_times = (rk.number(result.median / thread.median, 2) for result in (fork, program))
    return rk.shown("process over thread", f"A process costs {times} times a thread; a process that runs another program {program_times} "
                    "times")


def a_shell_script(program, by_vfork):
    script, spawned = 1000 * program.median, 1000 * by_vfork.median
    return ("**1.** A shell script starts 1,000 small programs, one after the other. How long does it take at least? What "
            "would the shell gain if it used vfork?",
            f"1,000 times fork, exec and wait are {rk.amount(script, 's')}, with vfork {rk.amount(spawned, 's')}. "
            f"vfork takes {rk.more_or_less(spawned - script, 's')}. The rest is exec and linking, which vfork does not save.")


def a_snapshot(small, small_page, huge, huge_page):
    def whole(curve, page):
        costs = per_page(curve, page)
        return rk.amount(2**32 / page.value * costs[-1] if costs else math.nan, "ms")

    return ("**2.** A database has touched 4 GiB and forks to write a snapshot. Predict from the curve how long it stands still, with "
            "pages of 4 KiB and with huge pages. What speaks for less, and what for more?",
            f"Each page adds what it added at the last point of the curve: {rk.plain(2**32 / small_page.value)} pages of 4 KiB give "
            f"{whole(small, small_page)}, {rk.plain(2**32 / huge_page.value)} huge pages {whole(huge, huge_page)}. "
            "The curve includes the child's exit, which gives the copied tables back; the database waits only for the fork to "
            "return. But a page may cost more in a larger parent, and each of the first writes after that copies a page.")


def a_server(thread, fork):
    request_s = 50e-6
    by_thread, by_process = (rk.percent(task.median / (task.median + request_s)) for task in (thread, fork))
    return ("**3.** A server works 50 µs on each request. What share of a CPU goes into creating tasks, with a new thread for "
            "each request and with a new process?",
            f"{by_thread} with threads and {by_process} with processes. A pool of waiting threads replaces the creation by a context "
            "switch.")

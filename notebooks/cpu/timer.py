"""What the chapter on reading time concludes."""

import math

import numpy as np

import reckon as rk


def fence_cycles(fenced, rdtsc, rdtscp, loop):
    """What each of the three LFENCE of a fenced pair takes, the reads as measured alone, in cycles.

    loop: the guess of the loop around the pair."""
    return (fenced.median_cycles - rdtsc.median_cycles - rdtscp.median_cycles - loop.value) / 3


def is_coarse(pair):
    """Whether the counter's step is so large that medians of single pairs are multiples of it and do not compare."""
    return pair.counter_step > 0.05 * pair.median


def by_means(pair):
    """What a pair adds by the means of the processes, with the interval."""
    return rk.amount_with_interval(*pair.mean_with_interval, "ns")


@rk.finding(missing="Time a round against the rounds between two reads")
def amortising(amortised):
    first, last = (rk.median_text(amortised.summaries[at], "ns") for at in (0, -1))
    return rk.shown("amortised", f"If only one round stands between two reads, it seems to take {first}; with {amortised.axis_in_unit.max():g} rounds, "
                    f"each takes {last}")


@rk.finding(needs=())
def long_enough(pair):
    return rk.shown("long enough", f"A pair adds {pair}. That is below 1 % of an interval longer than {rk.amount(100 * pair.median, 'ns')}, "
                    f"and below 0.1 % of an interval longer than {rk.amount(1000 * pair.median, 'ns')}.")


@rk.finding(needs=("cpuid",))
def one_cpuid(cpuid, fenced):
    takes = f"One CPUID takes {cpuid:interval}, {rk.number(cpuid.median / fenced.median, 2)} times as long as a whole fenced pair."
    if cpuid.median_cycles > 800:
        most = 0.5 / cpuid.median
        unit = 10 ** (math.floor(math.log10(most)) - 1)  # two digits, rounded down
        return rk.shown("leaves the guest", f"{takes} Each CPUID leaves the guest. A method that puts two CPUIDs around every "
                        f"operation times at most {rk.plain(math.floor(most / unit) * unit)} operations a second.")
    return rk.shown("not intercepted", f"{takes} No hypervisor intercepts CPUID here.")


@rk.finding
def without_the_kernel(in_library, in_kernel):
    times = rk.number(in_kernel.median / in_library.median)
    takes = f"`clock_gettime` takes {in_library} in the C library; as a system call it takes {in_kernel}, {times} times as long."
    if in_kernel.apart(in_library) > 0:
        return rk.shown("user mode", f"{takes} So the C library reads the clock in user mode.")
    return rk.consistent("kernel", f"{takes} The C library is not faster, so it seems to enter the kernel here.")


@rk.finding(needs=())
def off_by_the_fences(reads, guessed_fence, loop):
    fenced, rdtsc, rdtscp = reads["fenced"], reads["rdtsc"], reads["rdtscp"]
    together = rk.number(rdtsc.median_cycles + rdtscp.median_cycles)
    return rk.consistent("fences", f"RDTSC and RDTSCP, measured alone, take {together} cycles together. The rest of the pair is "
                         f"{rk.number(fence_cycles(fenced, rdtsc, rdtscp, loop))} cycles for each of its three LFENCE; the prediction was "
                         f"{rk.number(guessed_fence.value)} cycles. A fence waits until all before it is done, so the reads no longer overlap.")


@rk.finding(needs=())
def off_by_rdtscp(rdtscp, given):
    return rk.consistent("RDTSCP", f"RDTSCP alone takes {rk.number(rdtscp.median_cycles)} cycles here; the prediction was {rk.number(given.value)} cycles.")


@rk.finding(needs=())
def off_by_the_table(read, given):
    model = rk.literal(rk.run().machine.value("processor.model"))
    return rk.shown("other table", f"it takes {rk.number(read.median_cycles)} cycles here; the prediction was {rk.number(given.value)} cycles "
                         f"({given.source}). This processor is {model}.")


@rk.finding(needs=())
def off_by_the_trip(cpuid, guest, trip, native, clock):
    if guest.value > 0:
        here = rk.amount(cpuid.median - native.value / clock.value, "µs")
        return rk.unexplained("trip off", f"the trip out of the guest takes {here}; the guess was {rk.amount(trip.value, 'µs')}. We cannot see "
                              "from inside what the hypervisor does in that time; `perf kvm stat` on the host would show it.")
    return rk.shown("CPUID off", f"it takes {rk.number(cpuid.median_cycles)} cycles without a guest; the prediction was {rk.number(native.value)} cycles.")


@rk.finding(needs=())
def off_by_the_library(in_library, rdtsc, converts):
    return rk.shown("library", f"reading the counter and converting it takes {rk.number(in_library.median_cycles)} cycles; the prediction was "
                    f"{rk.number(rdtsc.value + converts.value)} cycles.")


@rk.finding(needs=())
def off_by_the_kernel(in_kernel, inputs, null):
    needed = in_kernel.median_cycles - inputs["rdtsc"].value - inputs["converts"].value
    of_null = rk.number(null.value * inputs["clock"].value)
    return rk.consistent("kernel's way", f"the way into the kernel and back takes {rk.number(needed)} cycles; the guess was "
                         f"{rk.number(inputs['enters'].value)} cycles. The null system call alone takes {of_null} of these cycles. The rest reads "
                         "the clock inside the kernel and copies the time to the program.")


def misses(reads, inputs, null):
    """The list of the predictions that were missed, and why. inputs: of the predictions, by name."""
    lfence, rdtsc = inputs["lfence"], inputs["rdtsc"]
    trip = {name: inputs[name] for name in ("guest", "trip", "native", "clock")}
    reasons = {"fenced": off_by_the_fences(reads, lfence, inputs["loop"]),
               "pair": off_by_rdtscp(reads["rdtscp"], inputs["rdtscp"]),
               "rdtsc": off_by_the_table(reads["rdtsc"], rdtsc),
               "rdtscp": off_by_the_table(reads["rdtscp"], inputs["rdtscp"]),
               "cpuid": off_by_the_trip(reads["cpuid"], **trip),
               "clock_gettime": off_by_the_library(reads["clock_gettime"], rdtsc, inputs["converts"]),
               "clock_gettime_syscall": off_by_the_kernel(reads["clock_gettime_syscall"], inputs, null)}
    items = [rk.missed(reads[name], reason) for name, reason in reasons.items()]
    return rk.missed_list(items, "None of the reads in the table.")


@rk.finding(needs=("whole",))
def fenced_by_cpuid(whole, inside):
    adds, as_means = (inside.mean_with_interval[0], " (mean over the processes)") if is_coarse(inside) else (inside.median, "")
    return rk.shown("times what it adds", f"The CPUID-fenced pair *adds* {rk.amount(adds, 'ns')} to an interval{as_means}, but executing it takes "
                    f"{whole}, {rk.number(whole.median / adds)} times as long.")


@rk.finding(needs=())
def steps(pair, by_method):
    """by_method: results of pairs that are timed one by one too, by whose they are."""
    step = pair.counter_step
    if not pair.has_samples:
        return []
    if not step > 0:
        return rk.shown("pairs without steps", "Pairs that are timed one by one show no step of the counter here.")
    found = [rk.shown("pairs in steps", f"Pairs that are timed one by one differ by steps of {rk.amount(step, 'ns')}.")]
    if is_coarse(pair):
        found.append(rk.shown("step limits what a pair shows", f"A step is {rk.percent(step / pair.median)} of what a pair adds. So the value is "
                              "known only to one step, even if its interval is narrower."))
        alike = {name: result for name, result in by_method.items() if abs(result.median - pair.median) < step and not result.apart(pair)}
        if alike:
            means = rk.join_words([f"{name} adds {by_means(result)}" for name, result in {"Reckon's pair": pair, **alike}.items()])
            found.append(rk.shown("no agreement", f"For the same reason, equal medians do not show that {' and '.join(alike)} agree with Reckon's "
                                  f"pair. As means over the processes, {means}."))
    return found


@rk.finding(missing="What one pair of reads adds: each pair timed by itself")
def distribution(lfence, without, cpuid):
    pairs, by_mean = [lfence, without, cpuid], ""
    if any(map(is_coarse, pairs)):
        pairs, by_mean = [rk.amount(pair.mean_with_interval[0], "ns") for pair in pairs], " (means over the processes)"
    return rk.shown("what a pair adds", "One pair of reads adds {} with LFENCE, {} without a fence and {} with CPUID{}. Each pair is timed by "
                    "itself".format(*pairs, by_mean))


@rk.finding(needs=("fenced",), missing="")
def answer(fenced, reads, inputs):
    rdtsc, rdtscp = reads["rdtsc"], reads["rdtscp"]
    fence = fence_cycles(fenced, rdtsc, rdtscp, inputs["loop"])
    if not math.isnan(fence) and fenced.ratio > 1.25:
        guessed = inputs["rdtsc"].value + inputs["rdtscp"].value
        return rk.consistent("reads off", f"RDTSC and RDTSCP take {rk.number(rdtsc.median_cycles + rdtscp.median_cycles)} cycles; "
                             f"{rk.number(guessed)} cycles were predicted. The rest is {rk.number(fence)} cycles "
                             f"for each of the three fences; {rk.number(inputs['lfence'].value)} cycles were predicted.")
    return rk.shown("pair of it", f"Of this time, a pair adds {reads['pair']} to what it encloses.")


@rk.finding(needs=())
def bars(cpuid, fenced):
    times = cpuid.median / fenced.median
    if times > 1:
        return rk.shown("CPUID dearer", f"One CPUID takes {rk.number(times, 2)} times as long as a whole fenced pair of reads")
    return rk.shown("all reads", "The cost of each method of reading the time")


def operation_of_5_us(pair):
    return ("You time many operations of 5 µs, each with its own pair of reads, and subtract nothing. How large is the error, in per cent?",
            f"The pair adds {rk.amount(pair.value, 'ns')}, which is {rk.percent(pair.value / 5e-6)} of 5 µs.")


@rk.finding
def cost_of_a_million(cpuid, fenced):
    million, fenced_million = (rk.amount(seconds, "s") for seconds in (2e6 * cpuid.median, 1e6 * fenced.median))
    return rk.shown("two million CPUIDs", f"Two million CPUIDs at {cpuid} each take {million}. A million pairs with LFENCE "
                    f"take {fenced_million}, and these include the reads.")


def a_million_operations(cpuid, fenced):
    return ("You put CPUID before and after each of a million operations, as Intel's old advice says. How much time goes "
            "into CPUID alone?", cost_of_a_million(cpuid, fenced))


def operation_of_3_ns(pair):
    step = pair.counter_step
    shows = "Single pairs show no step of the counter here."
    if step > 0:
        than = "more than the operation takes" if step > 3e-9 else f"{rk.percent(step / 3e-9)} of the operation"
        shows = f"Single pairs differ by steps of {rk.amount(step, 'ns')} here, which is {than}."
    error = max(pair.median, step)
    solution = shows
    if not math.isnan(error):
        solution = (f"{shows} A pair adds {pair}. The larger of these two errors is 1 % of {rk.amount(100 * error, 'ns')}, and "
                    f"{rk.plain(math.ceil(error / (0.01 * 3e-9)))} repetitions take that long. If you subtract what the pair adds, fewer "
                    "repetitions are enough.")
    return ("Begin with `rk.samples(r[\"pair\"])`. An operation takes 3 ns. Why does a single pair of reads not show it, and how many repetitions between two "
            "reads resolve it to 1 %?", solution)


def line_around(around, pair):
    slope, rest = np.polyfit(1 / around.axis_in_unit, around.medians, 1) if around.has_samples else (math.nan, math.nan)
    return ("Begin with `rk.frame(amortised)`. A round is 512 additions; a trial of n rounds has one pair of reads. Fit a + b / n to the medians. How many rounds are needed so "
            "that the pair adds less than 1 %?",
            f"The fit gives a = {rk.amount(rest, 'ns')} for a round and b = {rk.amount(slope, 'ns')} for the pair; measured alone, a pair adds {pair}. "
            f"With {rk.plain(np.ceil(100 * slope / rest)) if slope > 0 else 'one'} or more rounds, b / n is at most 1 % of a. If a core works on additions while it "
            "still reads the time, b is smaller than the pair alone.")


def both_sides_fenced(pair):
    return ("Change the pair of reads: LFENCE before and after each RDTSC, and no RDTSCP. Predict what such a pair adds, from the table's values. Does it time an operation of "
            "3 ns better?",
            f"Two more fences wait until all before them is done, so such a pair adds more than {pair}. The added time varies less, because nothing of the "
            "operation overlaps with a read. The step of the counter stays, so a single reading of 3 ns shows no more than before.")


def trap_refuted(cpuid, call):
    times = cpuid.median / call.value
    return ("The chapter explains a slow CPUID by a trip out of the guest, and on a machine without a hypervisor by its many steps. Choose one of these explanations and "
            "test it by counting events: which performance counter would show that it is wrong?",
            f"CPUID takes {cpuid} here, {rk.number(times, 2)} times as long as a null system call. On the host, `perf stat -e kvm:kvm_exit` counts each trip; a million "
            "CPUIDs have to cause a million trips. If it counts none and CPUID is as slow, the trip is not the reason. Without access to the host, compare CPUID with "
            "a table for the processor. If it is as fast as stated there, that refutes the trip as well.")

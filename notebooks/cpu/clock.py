"""What the chapter on the clock concludes."""

import math

import numpy as np

import reckon as rk


def cycles_a_tick(core_clock, tick_rate):
    return core_clock.median / tick_rate.median


def own_rate(clock):
    """The clock of the processes that nothing slowed: of two groups, the median of the faster one."""
    groups = rk.two_groups(clock.summary.medians) if clock.summary else None
    return np.median(groups[1]) if groups else clock.median


def disagreement(check, core_clock):
    """How far the clock by multiplications lies from the one by additions, as a share of it."""
    return abs(own_rate(check) / own_rate(core_clock) - 1)


def most_apart(check, core_clock):
    """How far the two clocks lie from each other in one visit at most, as a share of the one by additions; of other visits, by their medians."""
    visits, others = check.summary.visit_medians, core_clock.summary.visit_medians
    if len(visits) != len(others):
        return disagreement(check, core_clock)
    return np.max(np.abs(np.divide(visits, others) - 1))


def is_in_steps(levels):
    """Whether these clocks lie on steps of 100 MHz, as those that a processor sets: nine of ten within a tenth of a step from the middle one."""
    steps = np.subtract(levels, np.median(levels)) / 1e8
    return np.ptp(steps) > 0.9 and np.mean(abs(steps - np.round(steps)) < 0.1) >= 0.9


def by_visit(core_clock):
    """The clock in each visit and whether it stepped: a list of at most one finding, of several visits."""
    visits, levels = core_clock.summary.visit_medians, core_clock.summary.medians
    if len(visits) < 2:
        return []
    listed = f"In the {len(visits)} visits the clock was {rk.join_words([rk.number(visit / 1e9) for visit in visits])} GHz."
    if is_in_steps(levels):
        return [rk.shown("clock stepped", f"{listed} The medians of the processes lie on steps of 100 MHz, so the clock itself changed.")]
    return [rk.shown("clock by visit", listed)]


@rk.finding
def ticks_and_cycles(core_clock, tick_rate):
    ratio = cycles_a_tick(core_clock, tick_rate)
    off = 1 / ratio - 1  # ticks that are counted for each cycle, less one
    runs = f"The core runs at {core_clock} and the counter at {tick_rate}, so a tick is {rk.number(ratio)} cycles."
    if abs(off) < 0.02:
        return rk.shown("ticks as cycles", f"{runs} A program that takes ticks for cycles would be right here, today.")
    name, direction = ("too few ticks", "too few") if off < 0 else ("too many ticks", "too many")
    return rk.shown(name, f"{runs} A program that takes ticks for cycles counts {rk.percent(abs(off))} {direction}.")


def listed(levels):
    """ "2.44 GHz", "2.44 GHz and 2.99 GHz"."""
    return " and ".join(rk.amount(level, "Gcycle/s") for level in levels)


def without_outliers(levels):
    """The clocks that lie within 5 % of the middle one, and the others where they are a tenth of all at most."""
    levels = np.sort(levels)
    near = abs(levels / np.median(levels) - 1) < 0.05
    return (levels[near], levels[~near]) if 0.9 <= near.mean() < 1 else (levels, levels[:0])


def steadiness(levels, whose="fresh processes"):
    """levels: the medians of fresh processes."""
    if len(levels) == 1:
        return [rk.unexplained("one process", f"One fresh process ({listed(levels)}) cannot show whether the clock is steady.")]
    near, others = without_outliers(levels)
    apart, of_all = near.max() / near.min() - 1, f" of the {len(levels)}" if len(others) else ""
    between = f"The medians of {len(near)}{of_all} {whose} lie between {listed([near.min(), near.max()])} ({rk.percent(apart)} apart)."
    if apart < 0.02 and not len(others):
        return [rk.shown("steady", f"{between} So the clock was steady in that time.")]
    is_clear = is_in_steps(levels) or whose != "fresh processes"  # the others' witnesses show nothing else on the core
    changed = "So the clock was not steady." if is_clear else "So the clock was not steady, or something else used the core."
    found = [rk.unexplained("not steady", f"{between} {changed}" if apart >= 0.02 else between)]
    if len(others):
        is_faster = (others > near.max()).any()
        slower = (" Something else on the core cannot explain a faster clock, because it would make the clock look slower. A turbo clock is the first "
                  "candidate; it is not shown." if is_faster else "")
        outside = "The remaining process has a median of" if len(others) == 1 else "The remaining processes have medians of"
        found.append(rk.unexplained("faster outliers" if is_faster else "outliers", f"{outside} {listed(others)}.{slower}"))
    groups = rk.two_groups(levels)
    if groups:
        slow, fast = (f"{len(group)} near {rk.amount(np.median(group), 'Gcycle/s')}" for group in groups)
        found.append(rk.shown("two groups", f"The processes fall into two groups, {fast} and {slow}. Their common median is the clock of neither group."))
    return found


@rk.finding
def steady_clock(core_clock):
    levels, slowest = core_clock.summary.medians, core_clock.summary.minimum
    alone = len(levels) < len(core_clock.points[0].processes)
    found = steadiness(levels, "fresh processes that had the core for themselves" if alone else "fresh processes")
    if found[0].name == "not steady":
        found += by_visit(core_clock)
    if slowest < 0.9 * min(levels):
        found.append(rk.consistent("slow trials", f"Single trials show clocks down to {rk.amount(slowest, 'Gcycle/s')}. An interrupted trial looks "
                                   "like a slow clock, and a median leaves it out."))
    return [*found, rk.shown("calibrated again", "The clock is measured again next to every later sample. So a value in cycles "
                             "counts the cycles of that moment.")]


@rk.finding(missing="There is no second chain: how long a multiplication takes on this core is not known.")
def second_ruler(check, core_clock):
    apart = disagreement(check, core_clock)
    disagree = (f"Additions and multiplications disagree by {rk.percent(apart)} (in one visit, by {rk.percent(most_apart(check, core_clock))} "
                "at most)")
    ratio = ("So a multiplication takes three times as long as an addition. One cycle for an addition and three cycles for a multiplication "
             "fit the data. Two and six cycles would fit as well; this test cannot tell these cases apart.")
    if apart < 0.02:
        return rk.consistent("rulers agree", f"{disagree}. {ratio}")
    if apart < 0.1 and not check.apart(core_clock):
        return rk.consistent("rulers within spread", f"{disagree}. That is within the spread of the two. With a wrong assumption they would disagree "
                             f"by a third or more. {ratio}")
    return rk.shown("rulers disagree", f"{disagree}: **one of the two assumptions does not hold on this core**, and figures in cycles are "
                    "in doubt.")


@rk.finding(needs=())
def off_by_the_source(result, given, name):
    if given.origin == "guess":
        return rk.shown("clock guessed", f"{name} was a guess; `machine.toml` takes the data sheet's value. With {result} the prediction would be right.")
    return rk.shown("clock reported", f"{name} is the value that the machine reports. With {result} the prediction would be right.")


def misses(tick_rate, rated_clock, core_clock, turbo_clock):
    """The list of the predictions that were missed, and why."""
    items = [rk.missed(tick_rate, off_by_the_source(tick_rate, rated_clock, "the rated clock")),
             rk.missed(core_clock, off_by_the_source(core_clock, turbo_clock, "the turbo clock"))]
    return rk.missed_list(items, "None.")


@rk.finding(missing="")
def a_tick(core_clock, tick_rate):
    ratio = rk.number(cycles_a_tick(core_clock, tick_rate))
    return rk.shown("cycles a tick", f"The time-stamp counter runs at {tick_rate}, so a tick is {ratio} cycles.")


def answer(core_clock, tick_rate, turbo_clock):
    guessed = "The prediction is a guess: the machine reports no turbo clock." if turbo_clock.origin == "guess" else ""
    return " ".join(filter(None, [a_tick(core_clock, tick_rate), guessed]))


@rk.finding(needs=())
def series(check, core_clock):
    """The caption of the figure over the measurement."""
    apart = disagreement(check, core_clock)
    two_clocks = any(rk.two_groups(clock.summary.medians) for clock in (check, core_clock) if clock.summary)
    if apart < 0.1 and not two_clocks:
        return rk.shown("same clock", "Additions and multiplications show the same clock: in each visit they agree within "
                        f"{rk.percent(most_apart(check, core_clock))}. Small points are trials, and large points are the medians of fresh processes")
    return rk.unexplained("not the same clock", "The core clock over the measurement. Small points are trials, and large points are the medians of "
                          "fresh processes")


def ticks_called_cycles(core_clock, tick_rate):
    return ("A colleague times a function with RDTSC and reports 1,000,000,000 “cycles”. How many core cycles and how many "
            "seconds were that on this machine?",
            f"1,000,000,000 ticks at {tick_rate} are {rk.amount(1e9 / tick_rate.median, 's')}. The core ran at {core_clock}, "
            f"so in that time it did {rk.number(cycles_a_tick(core_clock, tick_rate))} times as many cycles.")


def a_chain_of_additions(core_clock):
    return ("A core executes up to four additions a cycle. How long do 64,000 additions take if each waits for the one before? How long do "
            "they take if none waits?",
            f"If each waits, the core does one addition a cycle and needs {rk.amount(64_000 / core_clock.median, 'us')}. If none waits, it does "
            f"four a cycle and needs {rk.amount(16_000 / core_clock.median, 'us')}. A chain measures latency; independent work measures width.")


def input_to_find(core_clock, turbo_clock):
    reported = "reports none" if turbo_clock.origin == "guess" else "reports one"
    return ("Begin with `rk.frame(core_clock)`. Which input would make the prediction of the core clock better, and where do you find it?",
            f"It is the turbo clock for one busy core. The machine {reported}. The prediction used "
            f"{rk.amount(turbo_clock.value, 'Gcycle/s')}; we measured {core_clock}. The processor's data sheet states the turbo clock; write it "
            "into `machine.toml`.")


def first_and_last_trials(core_clock):
    trials = rk.samples(core_clock)
    order = trials.groupby(["visit", "process"])["second"].rank(pct=True)
    early, late = (trials["value"][which].median() for which in (order <= 0.2, order > 0.8))
    return ("Begin with `rk.samples(core_clock)`. Does the clock rise while a process measures? Rank each process's trials by `second`, and compare the first fifth with the "
            "last.",
            f"The median of the last fifth is {rk.number(late / early, 4)} times the median of the first fifth. A core that was idle may need some milliseconds to reach its "
            "clock. Then the ratio is above 1, and short measurements show too few cycles. A ratio of 1 says that the core had its clock when the first trial began.")


def other_cores_refuted(core_clock, turbo_clock):
    return ("The prediction takes the turbo clock of one busy core. Try to show that this is wrong for a busy machine: measure the core clock with `reckon probe` while one, "
            "two and all other cores compute. What would each outcome say?",
            f"The prediction was {rk.amount(turbo_clock.value, 'Gcycle/s')}; we measured {core_clock} while the other cores were as idle as the machine was. If the clock falls "
            "with each busy core, the turbo clock depends on how many cores are busy, and chapters that use several cores need another value. If the clock stays, power and heat "
            "do not limit it here. Trials with a busy sibling thread do not count; the chapter “How it is measured” says how they are noticed.")


def a_chain_of_loads(core_clock, level1):
    cycles = level1.median * core_clock.median if level1 else math.nan
    return ("Write a probe that uses a chain of loads: it loads a pointer that points to itself, again and again. From your processor's tables, predict how many cycles one load "
            "takes. Why does this probe not measure the clock as well as additions do?",
            f"The chapter on latency measured {rk.number(cycles, 3)} cycles for a load from the L1 cache. An addition takes one cycle on nearly every core. A load takes four "
            "or five cycles, or none if the core forwards the value. So we do not know for how many cycles of the clock a measured load stands.")

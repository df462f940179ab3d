"""What the chapter on context switches concludes of rings of processes, as the program lat_ctx runs them."""

import math

import numpy as np

import reckon as rk


@rk.finding(needs=())
def largest_ring(rings):
    """The caption of the rings' figure. rings: by the array of each process, from none to the largest."""
    if not all(len(ring.points) == len(rings[0].points) > 0 for ring in rings):
        return rk.unexplained("rings not whole", "A switch in a ring of processes, by the array that each sums up, with pipe and sum included")
    none, large = rings[0], rings[-1]
    return rk.shown("with and without arrays", f"In a ring of {none.axis_in_unit[-1]:g} processes a switch takes "
                    f"{rk.amount(none.medians[-1], 'µs')}; if each process also sums up 64 KiB, it takes {rk.amount(large.medians[-1], 'µs')}")


@rk.finding(missing="")
def without_array(flat):
    return rk.shown("without an array", f"Without the pipe and the summing, a switch in a ring of {flat.axis_in_unit[-1]:g} processes "
                    f"takes {rk.amount(flat.medians[-1], 'µs')} if there are no arrays.")


def l2_cache(together):
    """Whether the arrays of all processes fit into the L2 cache, by its reported size: a list of at most one finding."""
    l2 = rk.run().machine.number("processor.l2")
    if not l2:
        return []
    if 0.75 * l2 < together <= l2:
        return [rk.shown("arrays nearly fill", f"All arrays together need {rk.amount(together, 'KiB')}; the reported size of the L2 cache is "
                         f"{rk.amount(l2, 'KiB')}. The data do not show whether all of the cache is usable.")]
    if together <= l2:
        return [rk.shown("arrays fit", f"Together the arrays fit into the reported L2 cache of {rk.amount(l2, 'KiB')}.")]
    return [rk.shown("arrays exceed", f"Together the arrays exceed the reported L2 cache of {rk.amount(l2, 'KiB')}. The model knows no further cache.")]


@rk.finding(needs=())
def with_array(ring, flat, kib):
    """What a switch costs with an array of that size in each process, against none: in the largest ring, then in the smaller ones."""
    if not (ring.has_samples and np.array_equal(ring.axis, flat.axis)):
        return rk.unexplained("ring not measured", f"What arrays of {kib} KiB add could not be measured.")
    loaded, empty, more = ring.summaries[-1], flat.summaries[-1], ring.medians - flat.medians
    foreseen = ring.sealed("predicted")[-1] - flat.sealed("predicted")[-1]
    predicted = "no difference" if abs(foreseen) < 1e-12 else rk.more_or_less(foreseen, "µs")
    clear = loaded.apart(empty)
    unclear = "" if clear else f" ({loaded.why_not_apart(empty)})"
    found = [rk.shown("array costs" if clear else "rings not apart", f"If each process has an array of {kib} KiB, a switch takes {rk.median_text(loaded, 'µs')}. "
                      f"That is {rk.more_or_less(more[-1], 'µs')}{unclear}; the model predicts {predicted}.")]
    if len(more) > 1:
        low, high = (rk.more_or_less(end, "µs") for end in (min(more[:-1]), max(more[:-1])))
        found.append(rk.shown("smaller rings", f"In smaller rings a switch with arrays takes between {low} and {high} than a switch without."))
    return found + l2_cache(ring.axis_in_unit[-1] * kib * 1024)


def sum_and_pipe(whole, less_work):
    """What the sum and the pipe take in the largest ring, measured and predicted, in seconds."""
    predicted = whole.sealed("predicted")[-1] - less_work.sealed("predicted")[-1]
    return whole.medians[-1] - less_work.medians[-1], predicted


@rk.finding(missing="")
def parts_of_the_ring(whole, less_work):
    """Of a switch in the largest ring with 64 KiB each: what the sum and the pipe take, and the rest."""
    rest, rest_predicted = less_work.medians[-1], less_work.sealed("predicted")[-1]
    work, work_predicted = sum_and_pipe(whole, less_work)
    parts = (f"With 64 KiB each, the {rk.amount(work + rest, 'µs')} of a switch in the ring of {whole.axis_in_unit[-1]:g} processes have two parts. Sum and pipe take {rk.amount(work, 'µs')} "
             f"(predicted {rk.amount(work_predicted, 'µs')}). The switch and the reloading of lost cache lines take {rk.amount(rest, 'µs')} "
             f"(predicted {rk.amount(rest_predicted, 'µs')}).")
    smaller, larger = sorted([work - work_predicted, rest - rest_predicted], key=abs)
    of_sum, *of_parts = (abs(math.log(ratio)) for ratio in ((work + rest) / (work_predicted + rest_predicted), work / work_predicted, rest / rest_predicted))
    if smaller * larger < 0 and abs(smaller) > abs(larger) / 3 and of_sum < min(of_parts):
        return rk.shown("errors cancel", f"{parts} The two errors have opposite signs, so the sum of both is nearer its prediction than the parts are.")
    if rk.is_miss(rest / rest_predicted) and not rk.is_miss((work + rest) / (work_predicted + rest_predicted)):
        return rk.shown("one part hides", f"{parts} The second part is off by more than a factor of two, but the sum of both parts hides that.")
    return rk.shown("parts of the ring", parts)


def has_no_tags(machine):
    """Whether the processor is known not to tag translations: AMD's has done so since family 25, Hygon's are of AMD's family 23."""
    family = machine.number("processor.family")
    return machine.value("processor.vendor") in ("AuthenticAMD", "HygonGenuine") and family is not None and family < 25


def what_tags_do(machine):
    """What Linux does with the translations of processes that take turns, by what the processor is known to have."""
    if machine.value("processor.architecture") != "x86_64":
        return ""
    if has_no_tags(machine):
        return "This processor does not tag its translations, so a change between processes drops the translations of the process before, in a ring of any size. "
    return ("Where the processor tags translations, Linux keeps those of six address spaces on a CPU, so a switch should cost more from eight processes "
            "on. Where it does not, each change drops them. ")


@rk.finding(needs=())
def why_it_grows(from_two, from_four, median, may_be_tags):
    """from_two: the first step of the growth, from two processes in the ring to four; from_four: the next one."""
    if max(from_two, from_four) <= 0.2 * median:
        return rk.shown("ring hardly grows", "Neither step is large.")
    if from_four > from_two and may_be_tags:
        return rk.consistent("grows from four", "The second step is the larger one, as with tags.")
    larger = "from 2 to 4" if from_two >= from_four else "from 4 to 8"
    return rk.unexplained("growth unexplained", f"We do not know why the step {larger} is the larger one. Counting cache and TLB misses (`perf stat "
                          "-e cache-misses,dTLB-load-misses`) would show it on a machine with performance counters.")


@rk.finding(needs=())
def growth_of_the_ring(ring):
    if len(ring.points) != 5:
        return rk.unexplained("ring not whole", "The whole ring could not be measured.")
    from_two, from_four = np.diff(ring.medians)[:2]
    by_tags = what_tags_do(rk.run().machine)
    return [rk.shown("steps of the ring", f"Each process brings page tables, a kernel stack and a share of the caches. {by_tags}With 4 "
                     f"processes instead of 2 a switch takes {rk.more_or_less(from_two, 'µs')}; with 8 instead of 4 it takes "
                     f"{rk.more_or_less(from_four, 'µs')}."),
            why_it_grows(from_two, from_four, ring.median, "six address spaces" in by_tags)]


def off_ring(ring, title):
    ratios = ring.medians / ring.sealed("predicted")
    at = np.argmax(np.maximum(ratios, 1 / ratios))
    reason = (f"the model uses a switch between two processes, but a switch takes longer in a bigger ring (see the question before). The ring of "
              f"{ring.axis_in_unit[at]:g} processes is farthest off, at {rk.number(ratios[at])} times its prediction.")
    return rk.missed_item(title, f"the median is {rk.number(ring.ratio)} times the prediction", reason)


def off_rings(rings, titles):
    """The items of the rings that are off. titles: by the rings' quantities."""
    return [off_ring(ring, titles[ring.quantity]) for ring in rings if rk.is_miss(ring.ratio)]


@rk.finding(needs=())
def net_of_work(rings):
    """The caption of the figure of the rings without pipe and sum."""
    if not all(ring.has_samples for ring in rings):
        return rk.unexplained("rings not measured", "The ring minus the pipe and the sum in one process")
    none, large = rings[0], rings[-1]
    return rk.shown("what the caches lose", f"Without pipe and sum, a switch in a ring of {none.axis_in_unit[-1]:g} processes takes "
                    f"{rk.amount(none.medians[-1], 'µs')}; with 64 KiB each it takes {rk.amount(large.medians[-1], 'µs')}. That is the switch "
                    "and the reloading of lost cache lines")


@rk.finding(missing="")
def off_in_the_rings(none, whole, less_work, switch):
    """What the rings show of the model's parts. none: the ring without arrays; whole, less_work: with the largest ones."""
    (work, predicted), at = sum_and_pipe(whole, less_work), np.argmin(abs(none.axis_in_unit - 8))
    return rk.shown("rings off", f"The rings show how far to trust the model. Among {none.axis_in_unit[at]:g} processes without arrays a switch takes "
                    f"{rk.amount(none.medians[at], 'µs')}; the model uses {rk.amount(switch.value, 'µs')}. Among {whole.axis_in_unit[-1]:g} processes with "
                    f"64 KiB each, sum and pipe take {rk.amount(work, 'µs')}; the prediction was {rk.amount(predicted, 'µs')}.")


def a_ring_of_8(line, add, near, switch, clock, rings):
    """rings: see off_in_the_rings()."""
    lines, cycles = 128 * 1024 / line.value, add.value + near.value
    sums = lines * cycles / clock.value
    return ("Begin with `rk.frame(whole[-1])`, the curve of rings whose processes sum 64 KiB each. Predict a switch in a ring of 8 processes with 128 KiB each, pipe and sum included. Where would you not "
            "trust the model?",
            f"{rk.plain(lines)} lines of {rk.number(cycles)} cycles each take {rk.amount(sums, 'µs')}. Together with "
            f"the switch of {rk.amount(switch.value, 'µs')} that makes {rk.amount(sums + switch.value, 'µs')}. The eight arrays "
            "fill 1 MiB. If the L2 cache is not larger than that, lines come from the L3 cache, which the model does not know. "
            f"{off_in_the_rings(*rings, switch)}")

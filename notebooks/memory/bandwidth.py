"""What the chapter on memory bandwidth concludes."""

import math

import numpy as np

import reckon as rk

GIB = 2**30


def narrow(name):
    """The same method with 64 bits at a time."""
    return f"{name}_scalar"


def charge(b, name):
    """How often the bus would have to carry each byte, if a line took as long as when read in the same registers."""
    read = b["read_scalar"] if name.endswith("_scalar") else b["read"]
    return read.median / b[name].median


def lines_under_way(rate, latency, line):
    """By Little's law."""
    return rate * latency.value / line.value


def lines_in_words(rate, latencies, line):
    """The lines under way by each of these latencies: a range, if they differ."""
    least, most = (f"{end(lines_under_way(rate, each, line) for each in latencies):.0f}" for end in (min, max))
    return least if least == most else f"{least} to {most}"


def lines_needed(read, latency, line, page, walk):
    """The lines under way that would explain reading beside the walks; negative if no number would."""
    without_walk = page.value / read.median - walk.value  # the time of a page's lines
    return page.value / line.value * latency.value / without_walk


@rk.finding(missing="One core in its widest registers, with the bytes that are counted")
def copied_of_read(copy, read):
    share = rk.percent(copy.median / read.median)
    return rk.shown("share of reading", "One core in its widest registers, with the bytes that are counted: memcpy reaches "
                    f"{share} of the rate of reading")


@rk.finding(needs=())
def array_and_l3(size, l3):
    """size: of the array, in bytes."""
    origin = "reported" if l3.origin == "machine" else "guessed"
    array = f"The array of {rk.amount(size, 'byte')} is {rk.number(size / l3.value)} times the {origin} L3 of {rk.amount(l3.value, 'byte')}"
    if size < 2 * l3.value:
        return rk.consistent("array hardly larger", f"{array}: if this program had all of that L3, much of the array would come from it.")
    return rk.shown("array larger", f"{array}.")


@rk.finding(missing="")
def errors_that_cancel(copy, read, model):
    """model: how often it lets the bus carry a byte."""
    if not 0.8 < copy.ratio < 1.25 or 0.8 < read.ratio < 1.25:
        return []
    return rk.shown("errors cancel", f"Its parts are off, and their errors cancel: reading reaches {rk.number(read.ratio, 2)} times its predicted rate. "
                    f"Copying a byte takes {rk.number(read.median / copy.median)} times as long as reading one; the model assumes {model:g} times.")


@rk.finding(missing="")
def memcpy_stores(copy, copy_loop, copy_nt):
    """What memcpy's rate says of its stores: a copy by a loop reads each line that it stores, one by non-temporal stores does not."""
    if copy.apart(copy_loop) <= 0 or copy.apart(copy_nt) < 0:
        return []
    return rk.consistent("memcpy reads less", f"By memcpy a copy goes {rk.number(copy.median / copy_loop.median)} times as fast as by the loop, and is not shown to be slower than with "
                         "non-temporal stores. So it probably uses such stores at this size, and moves a byte twice, not three times.")


@rk.finding(needs=())
def more_cores(readers, title):
    if len(readers.points) < 2:
        return rk.shown("one CPU", title)
    return rk.shown("several CPUs", f"{title}: {max(readers.axis_in_unit):g} CPUs read {rk.number(readers.growth, 2)} times as much as one")


@rk.finding(needs=())
def slowest_load(waits):
    title = "Latency of one core against what the others read; each point shows the share of time in which they read"
    if waits.point_index(0) != 0:
        return rk.shown("curve", title)
    times = rk.number(max(waits.medians) / waits.medians[0])
    return rk.shown("at most", f"{title}. The latency is at most {times} times that without load")


@rk.finding(missing="")
def reading_needs(read, peak, lines, line, latency, page, walk, anywhere):
    """What would make the model right about reading, as half a sentence."""
    if peak.value < lines.value * line.value / latency.value:  # the model's limit: the bus, or the lines
        return rk.consistent("bus is full", f"the bus would have to carry {read} while a core reads, not {rk.amount(peak.value, 'GB/s')}.")
    needed = lines_needed(read, latency, line, page, walk)
    if needed <= 0:
        return rk.shown("walks are hidden", "a page is read in less time than its walk alone was guessed to take, "
                        f"{rk.amount(walk.value, 'ns')}.")
    others = [lines_under_way(read.median, each, line) for each in known(anywhere)]
    least, most = (f"{end([needed, *others]):.0f}" for end in (min, max))
    count = least if least == most else f"{least} to {most}"
    return rk.consistent("lines are few", f"{count} lines under way, not {lines.value:g}{walk_needed(read, lines, line, latency, page, walk)}, would explain this.")


def walk_needed(read, lines, line, latency, page, walk):
    """The page walk that would explain reading with the guessed lines under way, after a comma; "" if none would."""
    needed = page.value / read.median - page.value / line.value * latency.value / lines.value
    if needed < 0:
        return ""
    beyond = "" if walk.low <= needed <= walk.high else " (outside its guessed interval)"
    return f", or a page walk of {rk.amount(needed, 'ns')}, not {rk.amount(walk.value, 'ns')}{beyond}"


@rk.finding
def off_by(name, b, model, reading):
    """Why that method is off. model: how often it lets the bus carry a byte; reading: as reading_needs() says."""
    if name == "read":
        return rk.consistent("as reading", reading)
    if name == "read_scalar" and b["read"].apart(b[name]) > 0:
        return rk.unexplained("narrow reads", f"in wide registers the same lines come {rk.number(b['read'].median / b[name].median)} times as fast, "
                              "so the path is not full; what holds narrow loads back is unexplained.")
    if model == 1 and rk.is_miss(b["read"].ratio) and (b["read"].ratio < 1) == (b[name].ratio < 1):
        return rk.consistent("like reading", f"predicted like reading, it shares that miss: {reading}")
    if model == 1:
        return rk.unexplained("unlike reading", "predicted like reading, whose prediction holds or is off the other way: unexplained.")
    times = charge(b, name)
    registers = " with 64 bits at a time" if name.endswith("_scalar") else ""
    cost = f"a byte takes {rk.number(times, 2)} times as long as one that is read{registers}; the model assumes {model:g} times"
    if times < 0.95:
        return rk.consistent("lines not read", f"{cost}. So the core overwrites whole lines without reading them.")
    if b[name].ratio > 2:
        return rk.shown("cheaper writes", f"{cost}.")
    if times <= model:
        return rk.consistent("slow as reading", f"{cost}. If each line is read first, the slow reading alone may explain the miss.")
    return rk.unexplained("costlier writes", f"{cost}. So something else slows it down, which is unexplained; a count of the memory controller's "
                          "lines would tell.")


def misses(b, bus, reading):
    """The list of the predictions that were missed, and why; the narrow registers say the same as the wide ones."""
    missed = [name for name in b if rk.is_miss(b[name].ratio)]
    said = {narrow(name): name for name in missed}
    also = {said[name]: f"; with 64 bits, {rk.number(b[name].ratio, 2)} times" for name in missed if name in said}
    items = [rk.missed(b[name], off_by(name, b, bus[name.removesuffix("_scalar")].value, reading), more=also.get(name, ""))
             for name in missed if name not in said]
    return rk.missed_list(items, "None of the measured rates of one core.")


@rk.finding(needs=["modify", "read"], missing="")
def mechanism(modify, read, write):
    """write: plain stores."""
    (modify_low, modify_high), (read_low, read_high) = modify.summary.bounds, read.summary.bounds
    least, most = read_low / modify_high, read_high / modify_low
    goes = ("**Mechanism.** A read-modify-write has to read every line, so no core can skip that read. It goes at "
            f"{rk.percent(modify.median / read.median, 3)} of the rate of reading.")
    if most < 1.5 and write.apart(modify) < 0:
        return rk.unexplained("stores slower", f"{goes} Plain stores write the same lines back and go at only {write}, so neither reading nor writing "
                              "back explains both.")
    if most < 1.5:
        return rk.consistent("writes in passing", f"{goes} So here the core hardly waits for what is written back, which the model charges in "
                             "full.")
    if least >= 1.5 and most < 3:
        return rk.consistent("writes like reads", f"{goes} So a line that is written back costs the core about as much as one that it reads, "
                             "as the model says.")
    if least >= 3:
        return rk.unexplained("writes unexplained", f"{goes} Neither reading nor writing back explains that.")
    return rk.unexplained("writes undecided", f"{goes} Within the intervals it may be {rk.percent(1 / most)} to {rk.percent(1 / least)}, so the data "
                          "do not show how much time writing back costs the core.")


@rk.finding
def no_gain(scaled):
    """Of the curves over the number of CPUs: those on which all CPUs carry less than a quarter more than one."""
    full = []
    for row in scaled:
        if len(row.points) > 1 and row.summaries[-1].interval.high < 1.25 * row.summaries[0].interval.low:
            one, all_cpus = (rk.median_text(row.summaries[at], "GB/s") for at in (0, -1))
            full.append(rk.shown("no gain by more CPUs", f"{rk.title_of(row.quantity)}: {max(row.axis_in_unit):g} CPUs together reach {all_cpus}, "
                                 f"{than_one(row)} one alone ({one})."))
    return full


def than_one(row):
    """How much all CPUs carry, where that is less than a quarter more than one does."""
    side = row.summaries[-1].apart(row.summaries[0])
    if side < 0:
        return f"{rk.percent(1 - row.medians[-1] / row.medians[0])} less than"
    return "less than a quarter more than" if side > 0 else "not shown to be more than"


@rk.finding(needs=["read"], missing="")
def shared_inputs(read, write_nt, reading):
    """write_nt: non-temporal writes, which read no line."""
    found = [rk.consistent("shared inputs", f"Reading itself is {rk.number(read.ratio, 2)} times its prediction: {reading}")]
    if write_nt.has_samples and write_nt.apart(read) > 0:
        found.append(rk.shown("writes without reading", "Non-temporal writes are different: they read no line, and go at "
                              f"{rk.number(write_nt.median / read.median)} times the rate of reading."))
    return found


def off_places(row):
    """Where the curve is off by more than a factor of two, and how far."""
    ratios = row.medians / row.sealed("predicted")
    return [(place, ratio) for place, ratio in zip(row.axis_in_unit, ratios, strict=True) if rk.is_miss(ratio)]


@rk.finding(needs=())
def misses_of_the_curves(scaled, waits):
    off = [f"{rk.title_of(row.quantity).removesuffix(', several CPUs')} with {cpus:g} {'CPU' if cpus == 1 else 'CPUs'} ({rk.number(ratio, 2)} times the prediction)"
           for row in scaled for cpus, ratio in off_places(row)]
    late = [f"{place:g} % of the time" for place, _ in off_places(waits)]
    found = []
    if off:
        found.append(rk.shown("CPUs off", f"On the curves over the number of CPUs these are off by more than a factor of two: {'; '.join(off)}."))
    if late:
        found.append(rk.shown("loaded latency off", f"Latency under load is off by more than a factor of two at {', '.join(late)}."))
    return found


def times_without_load(waits):
    """The least and the most times as long as without load that a load takes at the end, by both intervals."""
    (first_low, first_high), (low, high) = waits.summaries[0].bounds, waits.at_end.bounds
    return low / first_high, high / first_low


@rk.finding(needs=["waits"])
def queue_holds(waits, load, peak):
    if not waits.at_end or waits.point_index(0) != 0:
        return rk.unexplained("not measured", "It was not measured here.")
    predicted, (low, high) = waits.sealed("predicted"), times_without_load(waits)
    foreseen, factor = predicted[-1] / predicted[0], waits.at_end.median / waits.medians[0]
    takes = (f"With the others reading all the time a load takes {rk.number(factor)} times as long as without, and "
             f"{rk.number(foreseen)} times was predicted for a path of {rk.amount(peak.value, 'GB/s')}.")
    undecided = rk.unexplained("queue undecided", f"{takes} "
                               f"With both intervals it may be {rk.number(low)} to {rk.number(high)} times, so the data do not show whether the formula holds.")
    if waits.at_end.apart(waits.summaries[0]) <= 0:
        if not all(summary.interval.is_known for summary in (waits.summaries[0], waits.at_end)):
            return rk.unexplained("too few to tell a queue", f"{takes} There are too few processes to tell whether it waits in a queue.")
        return rk.shown("no queue", f"{takes} No queue shows.") if high < foreseen else undecided
    if high < 0.8 * foreseen:
        busy, read = 1 - 1 / factor, load.at_end.median if load.at_end else math.nan
        return rk.consistent("shorter queue", f"{takes} By the formula the memory is then {rk.percent(busy)} busy, and the "
                             f"{rk.amount(read, 'GB/s')} of the others would be that share of {rk.amount(read / busy, 'GB/s')}, not of "
                             f"{rk.amount(peak.value, 'GB/s')}. So the path is wider than guessed, or requests do not queue at one place.")
    if low > 1.25 * foreseen:
        return rk.consistent("longer queue", f"{takes} So the path to memory is narrower than guessed, or busy with others; the memory "
                             "controller's own counters would tell.")
    if 0.8 * foreseen <= low and high <= 1.25 * foreseen:
        return rk.consistent("queue holds", f"{takes} That fits the formula, at this one load.")
    return undecided


@rk.finding
def share_of_peak(read, theoretical):
    """theoretical: the bus's rate in bytes a second; None if it is not known."""
    if not theoretical:
        return rk.unexplained("peak unknown", "The theoretical peak is not known: neither the firmware nor `machine.toml` reports transfer "
                              f"rate and channels. One core reads {read}.")
    return rk.shown("peak known", f"Of {rk.amount(theoretical, 'GB/s')} one core reads {rk.percent(read.median / theoretical)}.")


@rk.finding(missing="")
def all_of_peak(readers, theoretical):
    if not theoretical:
        return []
    share = rk.percent(readers.medians[-1] / theoretical)
    return rk.shown("all CPUs of the peak", f"{max(readers.axis_in_unit):g} CPUs together read {share} of it.")


def known(latency):
    """It, in a list, unless it is only guessed."""
    return [latency] if latency.origin != "guess" else []


def origin_of(latency):
    return "measured by walks within 32 pages, where some lines may be prefetched" if latency.origin == "measured" else "as guessed"


@rk.finding
def littles_law(read, latency, line, page, walk, anywhere):
    """anywhere: the latency of random order over all of a large region."""
    latencies = latency, *known(anywhere)
    means = f"By Little's law reading {read} means {lines_in_words(read.median, latencies, line)} lines under way at once"
    origins = origin_of(latency), "measured in random order over all of a region"
    takes = " ".join(f"If a line takes {rk.amount(each.value, 'ns')} ({origin}), {lines_in_words(read.median, [each], line)} lines are under way."
                     for each, origin in zip(latencies, origins, strict=False))
    needed = lines_needed(read, latency, line, page, walk)
    if needed <= 0:
        return rk.consistent("lines under way", f"{means}. {takes}")
    return rk.consistent("lines under way and walks", f"{means}, on average. {takes} The model uses {rk.amount(latency.value, 'ns')}. It "
                         f"subtracts a page walk of {rk.amount(walk.value, 'ns')} from the time to read a page. To read a page in the time that remains, {needed:.0f} "
                         "lines must be under way.")


@rk.finding(needs=["read", "write"])
def stores(read, write, b):
    times = {name: rk.number(b[name].median / read.median) for name in ("write_nt", "copy", "copy_loop", "copy_nt")}
    return rk.shown(
        "stores and loads", f"Reading goes at {read}, plain stores at {rk.number(write.median / read.median)} times that, non-temporal ones at "
        f"{times['write_nt']} times. Plain stores would go at half if each line were read before it is stored, and reading and writing "
        f"shared one path. Copies reach {times['copy']} times the rate of reading by memcpy, {times['copy_loop']} by a loop, and "
        f"{times['copy_nt']} by a loop with non-temporal stores.")


@rk.finding(needs=())
def wide_registers(b, names):
    """names: of the methods that Reckon compiles for both widths."""
    pairs = {name: (b[name], b[narrow(name)]) for name in names if b[name].summary and b[narrow(name)].summary}
    if not pairs:
        return rk.unexplained("no pairs", "It could not be measured.")
    ratios = {name: wide.median / slim.median for name, (wide, slim) in pairs.items()}
    listed = ", ".join(f"{rk.number(ratio)} for “{rk.title_of(b[name].quantity)}”" for name, ratio in ratios.items())
    compared = f"For data in main memory, we divide the rate with wide registers by the rate with 64 bits. This gives {listed}."
    if not all(result.summary.interval.is_known for pair in pairs.values() for result in pair):
        return rk.unexplained("spread unknown", f"{compared} There are too few processes to tell which of them differ by more than their "
                              "spread.")
    differing = [name for name, (wide, slim) in pairs.items() if not 0.8 <= ratios[name] <= 1.25 and wide.apart(slim)]
    if differing:
        titles = rk.join_words(f"“{rk.title_of(b[name].quantity)}”" for name in differing)
        which = f"Only {titles} {'differs' if len(differing) == 1 else 'differ'}"
        return rk.shown("width counts", f"{compared} {which} by more than a quarter and by more than the spread.")
    return rk.shown("width hardly counts", f"{compared} The data do not show that any of them differs by more than a quarter.")


@rk.finding(missing="")
def two_processes(alone, pair):
    low, high = alone.summary.bounds
    pair_low, pair_high = pair.summary.bounds
    gain, least, most = pair.median / alone.median, pair_low / high, pair_high / low
    read = (f"Two processes by the i7-10750H method together read {rk.number(gain)} times what one reads; with the spread of both, between "
            f"{rk.number(least)} and {rk.number(most)} times. Two independent cores would read 2 times as much.")
    if most < 2 and gain < 1.5:
        return rk.unexplained("less than two cores", f"{read} The data do not show which of two reasons it has: the CPUs may share a core, or "
                              "the path to memory may be full.")
    return rk.shown("two cores", read)


@rk.finding(missing="")
def answer(read, reading):
    return rk.consistent("by the model", f"By the model {reading}")


@rk.finding(needs=())
def bars(b):
    title = "Memory bandwidth of one core, from least to most"
    fast = max(b, key=lambda result: np.nan_to_num(result.median))
    if not fast.has_samples:
        return rk.shown("bars", title)
    return rk.shown("fastest", f"{title}: {rk.title_of(fast.quantity)} reaches {fast}")


def what_is_plausible(theoretical, clock, cpus, whose=""):
    """The most bytes a second, and why less is none and more is no bandwidth. The bus is this machine's, the registers are anybody's."""
    if theoretical:
        return theoretical, "no memory of today is slower, and what is more than the bus carries comes from a cache"
    return 128 * clock.value * cpus, f"no memory of today is slower, and a core loads at most 128 bytes a cycle{whose}"


@rk.finding(missing="How many one core keeps could not be measured here.")
def lines_of_reading(read, latencies, line):
    return rk.shown("lines of reading", f"Reading shows {lines_in_words(read.median, latencies, line)} here.")


def lines_to_fill_the_bus(read, peak, line, latency, anywhere):
    latencies = latency, *known(anywhere)
    bus, times = rk.amount(peak.value, "GB/s"), [rk.amount(time, "ns") for time in sorted({each.value for each in latencies})]
    return (f"How many lines would one core have to keep under way to fill a bus of {bus}?",
            f"Little's law backwards: {bus} × {' or '.join(times)} / {line.value:g} bytes = {lines_in_words(peak.value, latencies, line)} lines. "
            f"{lines_of_reading(read, latencies, line)}")


@rk.finding
def copying_times(copy, copy_nt):
    by_memcpy, by_loop = (rk.amount(GIB / way.median, "ms") for way in (copy, copy_nt))
    return rk.shown("1 GiB", f"memcpy takes {by_memcpy}, a loop with non-temporal stores {by_loop}. Non-temporal stores leave nothing in the "
                    "caches: prefer memcpy when the copy is small, or read again soon.")


def copying_an_image(copy, copy_nt):
    return ("A program copies an image of 1 GiB. How long does it take with memcpy, and how long with non-temporal stores? "
            "When would you prefer memcpy, even if it is the slower one here?", copying_times(copy, copy_nt))


def input_to_measure(peak, lines, line, latency):
    low, high = (rk.amount(min(peak.value, n * line.value / latency.value), "GB/s") for n in (lines.low, lines.high))
    return ("Begin with `rk.frame(b[\"read\"])`. Which input of the prediction for reading would you measure next: the bus, the lines under way, or the page walk?",
            f"The lines under way: between the ends of that guess alone the base rate goes from {low} to {high}. Measure it by "
            "walking 1, 2, 4, … independent rings at once, until more rings bring no more bytes.")


def all_ways(b):
    rates = {rk.title_of(result.quantity): result.median for result in b if result.has_samples}
    fast, slow = (choose(rates, key=lambda title: rates[title]) if rates else "–" for choose in (max, min))
    return ("Begin with `rk.frame(*b.values())`. Sort by the median. By what factor is the fastest way to use memory faster than the slowest? Is the lower end of its interval (`low`) above "
            "the upper end of the slowest way's (`high`)?",
            f"“{fast}” and “{slow}” are a factor of {rk.number(rates[fast] / rates[slow], 3) if rates else '–'} apart. Where two ways' intervals overlap, their order in the figure "
            "says nothing. What counts as a byte matters as well: a copied byte is read and written, and a store that allocates its line reads it first.")


def more_rings(read, latency, line):
    one = line.value / latency.value
    return ("Write a probe that walks 1, 2, 4, … 32 independent rings at once. Predict the rate of one ring, and how many rings together reach the rate of reading "
            "on this page.",
            f"One ring has one line under way: {line.value:g} bytes in {rk.amount(latency.value, 'ns')} are {rk.amount(one, 'GB/s')}. Reading reaches {read}, as much as "
            f"{rk.number(read.median / one, 2)} rings. The rings should rise in proportion up to the number of lines a core keeps under way, and stay there. If reading is still "
            "faster, a prefetcher asks for lines that no load waits for.")


def prefetcher_refuted(read, latency, line):
    alone = rk.number(read.median * latency.value / line.value, 2)
    return ("The chapter says that reading keeps many lines under way. Try to refute that this needs the prefetcher. First read the same region with its 4 KiB pages in random order, but the lines of "
            "a page in order. Then read the lines in random order, too. What does each explanation predict?",
            f"Here {alone} lines are under way on average, by Little's law. If out-of-order execution alone keeps them, the order does not matter, because all addresses are "
            "known early. If the prefetcher does, pages at random lose a little at the beginning of each, and lines at random lose most. Take huge pages, or page walks are measured as well.")

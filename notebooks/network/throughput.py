"""What the chapter on throughput concludes."""

import math

import numpy as np

import reckon as rk

CHUNK_KIB = 128  # one send of the table's
CLEARLY = 1.25  # times the rate: clearly more


def carried(rate, mtu, headers):
    """What of the link's rate is left beside the headers, in bytes a second."""
    return rate.value * (mtu.value - headers.value) / mtu.value


def per_byte(result):
    """Seconds for each byte as measured, and as predicted."""
    return 1 / result.median, 1 / result.seal.predicted


def visits_range(result):
    """ "20.9 Gbit/s to 31.5 Gbit/s": the least and the most of its visits, if they are clearly apart; or ""."""
    medians = result.summary.visit_medians if result.has_samples else ()
    if not medians or max(medians) < CLEARLY * min(medians):
        return ""
    return " to ".join(rk.amount(pick(medians), result.unit) for pick in (min, max))


@rk.finding(needs=())
def two_cpus_and_one(across, alone, title):
    if not (across.has_samples and alone.has_samples):
        return rk.shown("rates", title)
    if across.apart(alone) == 0:
        return rk.shown("as much as one", f"{title}: the data show no difference between two CPUs and one{across.indistinct_note(alone)}")
    return rk.shown("another rate", f"{title}: two CPUs carry {across.times(alone, 2)} times as much as one")


@rk.finding(missing="")
def small_sends(sends, sends_to_peer, link):
    """Whether the smallest sends to the other host are limited by the link or by the calls; link: what it carries, in bytes a second."""
    size, here, there = sends.axis[0], sends.summaries[0], sends_to_peer.summaries[0]
    if sends_to_peer.axis[0] != size or not there.interval.high < 0.95 * link:
        return []
    rates = (f"Sends of {rk.amount(size, 'byte')} carry {rk.median_text(there, 'Mbit/s')} to the other host, less than the link does, and "
             f"{rk.median_text(here, 'Mbit/s')} within the machine")
    if there.apart(here) > 0:
        return rk.unexplained("small sends slower here", f"{rates}. So the calls are the limit, and the receiver on this machine slows the "
                              "sender down. How it does so is not explained.")
    if there.apart(here) < 0:
        return rk.unexplained("small sends slower there", f"{rates}. So neither the link nor the calls alone are the limit.")
    return rk.consistent("small sends alike", f"{rates}. The data show no difference between the two ({there.why_not_apart(here)}), as if the "
                         "calls alone were the limit.")


def against_one_stream(streams):
    """How much all streams carry, in words that follow "the data show"."""
    one, all_streams = streams.summaries[0], streams.summaries[-1]
    if not all_streams.apart(one):
        return f"no difference from one ({all_streams.why_not_apart(one)})"
    return f"{rk.number(streams.growth, 3)} times as much as with one"


@rk.finding(needs=())
def several_streams(near, far):
    title = "Throughput of all streams together"
    if len(near.points) < 2:
        return rk.shown("streams", title)
    here, count = against_one_stream(near), f"{max(near.axis):g}"
    there = against_one_stream(far) if len(far.points) > 1 else ""
    if there == here:
        return rk.shown("several streams", f"{title}: with {count} streams the data show {here}, within the machine and to the other host")
    also = f". To the other host they show {there}" if there else ""
    return rk.shown("several streams", f"{title}: with {count} streams within the machine the data show {here}{also}")


@rk.finding(missing="")
def as_off_as_one_stream(streams):
    """Whether what one stream carries in the curve, and not in the table, is most of the miss."""
    sealed, one = streams.sealed_input("alone"), streams.summaries[0]
    off = one.median / sealed
    if not (off > CLEARLY or off < 1 / CLEARLY) or abs(math.log(off)) < 0.5 * abs(math.log(streams.ratio)):
        return []
    low, high = (rk.amount(pick(one.medians), "Gbit/s") for pick in (min, max))
    return rk.unexplained("one stream differs", f"The prediction uses {rk.amount(sealed, 'Gbit/s')} for one stream, the table's value when it was sealed. "
                          f"In the processes of this curve one stream carries {low} to {high}. That is most of the difference; its reason is not explained.")


@rk.finding
def off_on_one_cpu(result):
    slow, model = (rk.amount(time, "ns") for time in per_byte(result))
    return rk.unexplained("a byte", f"a byte takes {slow}, and {model} in the model. The difference is not explained; a profile of the kernel would tell.")


@rk.finding
def off_on_two(across, alone, segment, wake, shorter):
    """alone: with both ends on one CPU; shorter: as faster_shorter_sends() has them."""
    extra, on_one = (segment.value / result.median - segment.value / result.seal.predicted for result in (across, alone))
    wakes = extra / wake.value
    if 0.2 < wakes < 5:
        takes = (f"a segment takes {rk.amount(extra, 'µs')} longer than in the model, which has no wake-ups. Waking a program on another CPU takes "
                 f"{rk.amount(wake.value, 'µs')} ({wake.origin})")
        tell = "Counting the context switches of both ends would tell."
        if shorter:
            return rk.unexplained("wake-ups at one size", f"{takes}. But {shorter} between the same CPUs, and it is not explained why larger sends "
                                  f"carry less. {tell}")
        if on_one > 0.2 * extra:
            return rk.unexplained("wake-ups not shown", f"{takes}. But on one CPU, which wakes no other, a segment takes {rk.amount(on_one, 'µs', 2)} "
                                  f"longer as well. So the share of wake-ups is not explained. {tell}")
        return rk.consistent("wake-ups", f"{takes}, so {rk.number(wakes, 2)} wake-ups for each segment could be the cause: the receiver's for data, "
                             f"the sender's for room. {tell}")
    return rk.unexplained("not wake-ups", "wake-ups alone do not account for it; unexplained until both ends' context switches are counted.")


def misses(n, far, segment, wake, sends):
    """The list of the predictions that were missed, and why. sends: the rates with two CPUs by the size of a send."""
    shorter = faster_shorter_sends(sends, n["tcp_across"].summary)
    lost = "TCP loses packets, or the link is slower than it is said to be; the count of segments sent again shows which."
    faster = "unexplained: the connection carries more than the model allows."
    items = (rk.missed(n["tcp"], off_on_one_cpu(n["tcp"])),
             rk.missed(n["tcp_across"], faster, lower=off_on_two(n["tcp_across"], n["tcp"], segment, wake, shorter)),
             rk.missed(far, faster, lower=lost))
    return rk.missed_list(items, "None of the rates with sends of 128 KiB by Reckon's method.")


def faster_shorter_sends(sends, at_chunk):
    """What shorter sends than of 128 KiB carry, if that is clearly more than those do (a summary; None: unmeasured); or ""."""
    pairs = [(summary, x) for summary, x in zip(sends.summaries, sends.axis, strict=True) if x < CHUNK_KIB * 1024]
    if not (pairs and at_chunk):
        return ""
    best, size = max(pairs, key=lambda pair: pair[0].median)
    if best.apart(at_chunk) <= 0 or best.median < CLEARLY * at_chunk.median:
        return ""
    return f"sends of {rk.amount(size, 'byte')} carry {rk.median_text(best, 'Gbit/s')}"


def slower_than_shorter(sends):
    """The sentence on the largest fall of the rate from one size to the next, if intervals show one; or ""."""
    pairs = list(zip(sends.axis, sends.axis[1:], sends.summaries, sends.summaries[1:], strict=False))
    falls = [(after.median / before.median, x, y, before, after) for x, y, before, after in pairs if after.apart(before) < 0]
    if not falls:
        return ""
    _, small, large, before, after = min(falls, key=lambda fall: fall[0])
    return (f" It is not explained either that sends of {rk.amount(large, 'byte')} carry {rk.amount(after.median, 'Gbit/s')}, less than the "
            f"{rk.amount(before.median, 'Gbit/s')} by sends of {rk.amount(small, 'byte')}.")


@rk.finding
def off_by_size(sends, across):
    """across: the rate with two CPUs."""
    index = sends.point_index(CHUNK_KIB)
    at_chunk = across.summary if index is None else sends.summaries[index]
    shorter = faster_shorter_sends(sends, at_chunk)
    if not shorter:
        return rk.unexplained("sizes", f"this is not explained.{slower_than_shorter(sends)}")
    return rk.unexplained("shorter sends are faster", f"{shorter}, and sends of 128 KiB carry {rk.median_text(at_chunk, 'Gbit/s')} between the same CPUs. "
                          "The reason is not explained. How full the socket's buffers are, sampled at both sizes, would tell.")


@rk.finding
def off_by_gather(sends, null, gather, clock):
    """Why small sends are faster than predicted. gather: the guess of a send that only gathers."""
    took = sends.axis[0] / sends.medians[0]
    most = (took - null.value) * clock.value
    if not 0 < most < 0.67 * gather.value:
        return rk.unexplained("fast sends", "unexplained: they carry more than the model allows.")
    return rk.shown("gathering costs less", f"a send of {rk.amount(sends.axis[0], 'byte')} takes {rk.amount(took, 'ns')} in all. Minus the null call, a send "
                    f"that only adds its bytes to a segment takes at most {rk.number(most, 2)} cycles; {rk.plain(gather.value)} were guessed.")


def misses_of_the_curves(sends, sends_to_peer, streams, ramp, across, work):
    """The list of the places where the curves are off, and why. work: the inputs of a send, as off_by_gather() has them."""
    unknown = "unexplained."
    curves = ((sends, "Within the machine, by the size of a send", " KiB", off_by_gather(sends, *work), off_by_size(sends, across)),
              (sends_to_peer, "To the other host, by the size of a send", " KiB", unknown, unknown),
              (streams, "Within the machine, by the number of streams", "", unknown, unknown),
              (ramp, "Slow start, by the time after the first byte", " ms", unknown, unknown))
    return [item for curve, what, unit, *causes in curves for item in _missed_places(curve, what, unit, *causes)]


def _missed_places(curve, what, unit, higher, lower):
    """An item for the places where the curve is above its prediction, and one for those below; each with its cause."""
    ratios = curve.medians / curve.sealed("predicted")
    items = []
    for high, cause in ((True, higher), (False, lower)):
        off = [f"{x:,g}" for x, ratio in zip(curve.axis_in_unit, ratios, strict=True) if rk.is_miss(ratio) and (ratio > 1) == high]
        if off:
            side = "above" if high else "below"
            items.append(rk.missed_item(what, f"{side} the prediction at {' and '.join(off)}{unit}", cause))
    return items


def above_the_ideal(far, ideal):
    """What a rate above the most that the link can carry means, as the end of a sentence; "" below it."""
    if far.median <= ideal:
        return ""
    if far.summary.bounds[0] <= ideal:
        return ". That is slightly more than is possible; the excess is smaller than the interval"
    return (f". That is {rk.percent(far.median / ideal - 1)} more than is possible: the link passes more than its setting, or the measured time is too "
            "short by that")


@rk.finding(needs=())
def share_of_the_ideal(far, rate, mtu, headers, simulated):
    if not far.has_samples:
        return rk.unexplained("not measured", f"To the other host nothing was measured: {rk.why(far)}.")
    if rate.origin == "guess":
        return rk.unexplained("rate unknown", f"Programs get {far}. The link's rate is not known, so there is no ideal to compare this with.")
    share, left = far.median / rate.value, 1 - headers.value / mtu.value
    link = "link is set to" if simulated else "adapter is rated at"
    known = rk.shown(
        "rate known", f"The {link} {rk.amount(rate.value, 'Mbit/s')}; programs get {far}, {rk.percent(share, 4)} of it. "
        f"{headers.value:g} of each {rk.plain(mtu.value)} bytes are headers, so {rk.percent(left, 4)} of the rate are left for data. "
        f"TCP reaches {rk.percent(share / left, 4)} of that{above_the_ideal(far, left * rate.value)}.")
    low, high = far.summary.bounds
    if low > 0.95 * left * rate.value:
        return [known, rk.shown("the link is full", "One stream fills the link.")]
    if high < 0.95 * left * rate.value:
        return [known, rk.unexplained("one stream does not fill the link", "One stream does not fill the link; the data do not show what limits it.")]
    return known


@rk.finding(needs=())
def share_of_a_copy(alone, across, copy):
    parts = [f"{result} {where}, {rk.percent(result.median / copy.value)} of that"
             for result, where in ((alone, "on one CPU"), (across, "on two")) if result.summary]
    if not parts:
        return rk.unexplained("no copy", "Nothing was measured.")
    origin = "measured" if copy.origin == "measured" else "guessed"
    return rk.consistent(
        "share of a copy", f"A copy in memory from array to array runs at {rk.amount(copy.value, 'GB/s')} ({origin}), which is "
        f"{rk.amount(copy.value, 'Gbit/s')}. A connection carries {', and '.join(parts)}. The bytes are copied twice, so one CPU could reach half "
        "at most; but buffers may stay in a cache, so that is no strict bound.")


@rk.finding
def one_cpu_or_two(across, alone):
    though = ("though in the model the two ends work at the same time. Waking the other end, and moving cache lines between the CPUs, may "
              "cost")
    if across.apart(alone) > 0:
        return rk.consistent("two CPUs gain", f"Two CPUs carry {across.times(alone, 2)} times as much as one: the ends work "
                             "at the same time.")
    if across.apart(alone) < 0:
        return rk.consistent("two CPUs lose", f"Two CPUs carry less than one, {though} more than parallel work gains.")
    varies = visits_range(across)
    if varies:
        return rk.unexplained("two CPUs vary", f"Two CPUs carry {varies}, depending on the visit; one CPU carries {alone:interval}. It is not "
                              "explained what changes between the visits.")
    return rk.unexplained("CPUs alike", f"The data show no difference between one CPU and two{across.indistinct_note(alone)}, though in the model the two ends work at the same time.")


@rk.finding
def window_of_64_kib(ping, near_ping, link):
    """link: what it carries, in bytes a second."""
    allowed = 65_535 / ping.value
    guessed = " (guessed)" if ping.origin == "guess" else ""
    beyond = ", more than the link carries," if allowed > link else ""
    return rk.shown("window", f"65,535 bytes in each round trip are {rk.amount(allowed, 'Mbit/s')}{guessed} to the other host{beyond} and "
                    f"{rk.amount(65_535 / near_ping.value, 'Gbit/s')} within the machine. The HP report used this limit as its "
                    "prediction. Today's TCP scales its window to megabytes, so this limit is rarely reached.")


@rk.finding
def both_ways(one_way, exchange):
    carries = (f"Read as one way, the method carries {one_way}. Read as an exchange, it carries {exchange} each way, "
               f"together {rk.amount(2 * exchange.median, 'Gbit/s')}")
    known = exchange.summary.interval.is_known and one_way.summary.interval.is_known
    (low, high), (one_low, one_high) = exchange.summary.bounds, one_way.summary.bounds
    clearly = 1 if known else CLEARLY
    if 2 * high * clearly < one_low:
        return rk.consistent("exchange is slower", f"{carries}. That is less than one way: each chunk waits for the one before.")
    if 2 * low > clearly * one_high:
        return rk.unexplained("exchange is faster", f"{carries}. That is more than one way; the reason is not explained.")
    return rk.shown("exchange is alike", f"{carries}. The data show no difference between this sum and one way.")


@rk.finding(missing="")
def one_way_and_reckon(one_way, alone):
    if one_way.apart(alone) >= 0:
        return []
    return rk.consistent("slower than Reckon's", "One way is slower than Reckon's method on one CPU: its receiver takes 128 KiB a call and "
                         "Reckon's up to 1 MiB, which may be the reason.")


@rk.finding(missing="")
def outside_the_interval(by_iperf3, own):
    varies = visits_range(own)
    if varies:
        return rk.unexplained("iperf3 against visits", f"Reckon's visits carry {varies}. So the ratio shows only which visits `iperf3` is closer to. The "
                              f"runs of `iperf3` carry {' to '.join(rk.amount(pick(by_iperf3.summary.medians), 'Gbit/s') for pick in (min, max))}.")
    medians, ends = own.summary.medians, own.summary.interval
    low, high = (rk.amount(end, "Gbit/s") for end in (min(medians), max(medians)))
    if not ends.is_known:
        return rk.unexplained("iperf3 by few", f"Reckon's {len(medians)} processes are too few for an interval: their medians go from {low} to "
                              f"{high}.")
    if ends.low <= by_iperf3.median <= ends.high:
        return []
    return rk.shown("iperf3 outside", "The rate by `iperf3` lies outside Reckon's interval. The two were not measured in turn: Reckon's "
                    f"{len(medians)} processes have medians from {low} to {high}; `iperf3` ran {by_iperf3.summary.processes} times.")


def beyond_the_link(result, rate):
    """The quantity, if it was measured at more than the link carries: then it has no ratio."""
    return [result.quantity] if rate.origin != "guess" and result.median > 1.02 * rate.value else []


@rk.finding(missing="")
def answer(alone):
    slow, model = per_byte(alone)
    cost = f"A byte takes {rk.amount(slow, 'ns')}; the model predicts {rk.amount(model, 'ns')}"
    if 1 / CLEARLY < alone.ratio < CLEARLY:
        return rk.shown("a byte as predicted", f"{cost}.")
    return rk.unexplained("difference unknown", f"{cost}. The difference is not explained.")


def jumbo_packets(rate, mtu, headers):
    link, jumbo = carried(rate, mtu, headers), rate.value * (9000 - headers.value) / 9000
    return (f"The link carries packets of 9,000 bytes instead of {rk.plain(mtu.value)}. Predict the rate that programs get.",
            f"{headers.value:g} of each 9,000 bytes are headers. The other {rk.percent(jumbo / rate.value, 4)} of "
            f"{rk.amount(rate.value, 'Mbit/s')} are {rk.amount(jumbo, 'Mbit/s')}, {rk.percent(jumbo / link - 1)} more than "
            f"{rk.amount(link, 'Mbit/s')}.")


def far_away(rate, first_bytes):
    product = rate.value * 0.1
    return ("The other host moves so far away that a round trip takes 100 ms. How much has to be under way to fill "
            f"{rk.amount(rate.value, 'Mbit/s')}, and how many round trips does slow start need for it?",
            f"Rate × round trip = {rk.amount(product, 'byte')}. Slow start begins with ten packets, {rk.amount(first_bytes, 'byte')}, and "
            f"doubles: {int(np.ceil(np.log2(product / first_bytes)))} round trips.")


def share_of_the_call(sends):
    sealed = sends.seal.values
    size = sealed["size"][0]
    calls, took = sealed["null"] + sealed["gather"] / sealed["clock"], size / sends.seal.predicted[0]
    return (f"Begin with `rk.frame(c[\"size\"])`. By the model, what share of the time does the system call take in a send of {rk.amount(size, 'byte')} within the machine? "
            "Which input would you measure next?",
            f"{rk.percent(calls / took)} of {rk.amount(took, 'ns')} for the send. Nearly all of that is the guess of "
            f"{rk.plain(sealed['gather'])} cycles for a send that only gathers: time many sends of one byte to measure it.")


def sends_for_half(sends):
    rates = sends.medians if sends.has_samples else np.array([math.nan])
    enough = int(np.argmax(rates >= rates.max() / 2))
    size = rk.amount(sends.axis[enough], "byte") if sends.has_samples else "–"
    each = sends.axis[0] / rates[0] if sends.has_samples else math.nan
    return ("Begin with `rk.frame(c[\"size\"])`. What is the smallest measured size of a send with at least half of the highest rate? Compute from its rate how long one "
            "send of the smallest size takes.",
            f"{size}. The smallest sends take {rk.amount(each, 'ns')} each (size divided by rate). Most of that is the work of a call, because TCP gathers many of them into a "
            "packet. The rate grows in proportion to the size only as long as the call limits it.")


def splice(alone):
    question, solution = rk.show.project("sendfile", "Write the timed part of a stream that `sendfile` sends from a file in memory, to a receiver on the same CPU. Predict the time of a byte. "
                                         "If a byte takes as long as by `send`, which assumption is refuted?")
    return question, (f"{solution}\n\n`send` copies each byte into the kernel, and the receiver copies it out: two copies within {rk.amount(per_byte(alone)[0], 'ns')} a byte. Without the "
                      "first, a byte has to take less. If nothing changes, copying at the sender is refuted as where the time goes; the work for each packet comes next. A file of "
                      "1 MiB stays in a cache, as the buffer of `send` does. With one of 128 MiB, the copy that is left reads main memory.")


def copies_refuted(alone):
    slow, model = per_byte(alone)
    return ("The model says that the time of a byte comes from copies. Try to refute it: for the same sends, let both ends use a buffer that fits into L1, then one of 64 MiB. "
            "Which result do copies predict?",
            f"A byte takes {rk.amount(slow, 'ns')}; the model predicts {rk.amount(model, 'ns')}. If copying takes the time, a buffer of 64 MiB has to be clearly slower, because each copy "
            "then reads or writes main memory. If both are alike, the time goes into work for each packet, and the number of bytes in one is what to change.")

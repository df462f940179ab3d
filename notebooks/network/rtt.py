"""What the chapter on round trips concludes."""

import math

import numpy as np

import reckon as rk
from reckon.show.sentences.peers import is_built_in, link_settings

LIGHT_IN_FIBRE_M_PER_S = 2.0e8  # two thirds of light in vacuum: a refractive index near 1.5

LONGER_PING = "the ping took longer, so the share cannot be computed. Hosts and routers may answer pings last."


def link_check(other, by_method):
    """The round trip that the built-in link is set to, and what was measured of it.

    by_method: {how it was measured: result}; their hardware part is what the link alone takes.
    """
    if not is_built_in(other):
        return rk.say("The other host is a real one, or there is none: the link's delay is not set.")
    measured = {method: result for method, result in by_method.items() if result.has_samples}
    if not measured:
        return rk.say("Nothing was measured over the link.")
    first = next(iter(measured.values()))
    minimum_s = float(first.sealed("hardware", first.current)[0])
    texts = []
    for method, result in measured.items():
        more = f", {rk.more_or_less(result.median - minimum_s, 'µs')}"
        texts.append(f"{method} {result}{'' if result.is_of_two_groups else more}")
    rtt, rate = link_settings(other)
    return rk.say(f"The link is set to {rtt} and {rate}; with the bytes of the packets a round trip takes at least "
                  f"{rk.amount(minimum_s, 'ms')}. Measured: {'; '.join(texts)}. The difference is the other host's work, the relay's delay "
                  "and, for a program, this side's own work.")


def distance(other, trip):
    """The round trip over what light takes through a fibre of that length, if it is known."""
    metres = other.number("peer.distance")
    if not metres or math.isnan(trip.median) or is_built_in(other):
        return rk.say("")
    light_s = 2 * metres / LIGHT_IN_FIBRE_M_PER_S
    return rk.say(f"Over {rk.amount(metres, 'km')} light in a straight fibre takes {rk.amount(light_s, 'ms')} there and back; the round trip "
                  f"is {rk.number(trip.median / light_s)} times that.")


@rk.finding(needs=())
def two_cpus_and_one(across, alone, title):
    if not (across.has_samples and alone.has_samples):
        return rk.shown("round trips", title)
    if not across.apart(alone):
        return rk.shown("as long as on one", f"{title}: the data show no difference between TCP on two CPUs and on one{across.indistinct_note(alone)}")
    return rk.shown("two CPUs and one", f"{title}: between two CPUs, TCP takes {across.times(alone, 2)} times as long as on one")


@rk.finding(needs=())
def no_cpu_asleep(held, usual, title):
    if not (held.has_samples and usual.has_samples):
        return rk.shown("round trips", title)
    if not held.apart(usual):
        return rk.shown("asleep or not", f"{title}: the data show no difference between TCP with no CPU asleep and as usual{held.indistinct_note(usual)}")
    return rk.shown("no CPU asleep", f"{title}: with no CPU asleep, TCP takes {rk.percent(held.median / usual.median)} of its usual time")


@rk.finding(needs=())
def longest_and_shortest(curve, title):
    if len(curve.points) < 2:
        return rk.shown("sizes", title)
    return rk.shown("longer messages", f"{title}: {rk.amount(max(curve.axis), 'byte')} take {rk.number(curve.growth, 2)} times as long as "
                    f"{min(curve.axis):g} byte")


def misses(near, far, simulated):
    """The list of the predictions that were missed, and why. simulated: the other host is the built-in one."""
    here = ("the passes through the kernel are the only input that was guessed in cycles, not measured here. Why they take "
            "longer is unexplained; a profile of the kernel would tell.")
    shared = ("both hosts and the relay of the link share this machine's CPUs and wait for them. A trace of the scheduler would show how "
              "long.")
    real = "the path to that host is longer than its link is said to be, or packets queue on it; `traceroute` would tell."
    faster = "unexplained: some step took less time than guessed; a profile of the kernel would tell which."
    items = [*(rk.missed(result, here, lower=faster) for result in near),
             *(rk.missed(result, shared if simulated else real, lower=faster) for result in far)]
    return rk.missed_list(items, "No round trip of a short message, by Reckon's method, was off by more than a factor of two.")


@rk.finding(missing="")
def misses_by_size(curve, where):
    """An item of the list: how often longer messages miss, which way, and how far the fastest trials there are from the prediction."""
    predicted, minima = curve.sealed("predicted"), np.array([summary.minimum for summary in curve.summaries])
    missed = np.array([rk.is_miss(ratio) for ratio in curve.medians / predicted])
    if not missed.any():
        return []
    item = f"- **Longer messages {where}** are off at {missed.sum()} of {len(minima)} sizes"
    faster = int((curve.medians < predicted)[missed].sum())
    if faster:
        return rk.unexplained("bytes unexplained", f"{item}, at {faster} of them in less time than predicted. That is not explained.")
    fastest = np.median((minima / predicted)[missed])
    item += f". The fastest trial at such a size takes {rk.number(fastest, 2)} times the prediction (median of these sizes)."
    if 0.67 < fastest < 1.5:
        return rk.consistent("bytes as predicted", f"{item} So the bytes may be as predicted, and the rest waiting: for a CPU that other work "
                             "holds, or in a queue.")
    return rk.unexplained("bytes unexplained", f"{item} So even the fastest trials do not fit, and the miss is unexplained.")


def steps(curve):
    """From each size to the next: both sizes, the least by which the intervals let the time rise, and the rise as measured and predicted."""
    predicted, summaries = curve.sealed("predicted"), curve.summaries
    pairs = zip(curve.axis, curve.axis[1:], summaries, summaries[1:], np.diff(predicted), strict=False)
    return [(small, large, after.interval.low - before.interval.high, after.median - before.median, model)
            for small, large, before, after, model in pairs]


@rk.finding(missing="")
def step_beyond_the_model(curve):
    """The step between two sizes that exceeds the model's most, if the intervals exclude the model's."""
    beyond = [step for step in steps(curve) if step[2] > max(step[4], 0)]
    if not beyond:
        return []
    small, large, _, rise, model = max(beyond, key=lambda step: step[3] - step[4])
    return rk.unexplained("step beyond the model", f"From {rk.amount(small, 'byte')} to {rk.amount(large, 'byte')} the round trip takes "
                          f"{rk.amount(rise, 'µs')} longer; the model predicts {rk.amount(model, 'µs')}. It is not explained what the longer "
                          "message waits for; a capture on both hosts would tell.")


@rk.finding
def tcp_and_ping(tcp, ping):
    takes = f"Within the machine a ping comes back after {ping}, a message by TCP between two programs after {tcp}:"
    if tcp.apart(ping) < 0:
        return rk.shown("ping is longer", f"{takes} {LONGER_PING}")
    if tcp.apart(ping) == 0:
        return rk.shown("ping is alike", f"{takes} the data show no difference{tcp.indistinct_note(ping)}.")
    return rk.shown("ping is shorter", f"{takes} {tcp.difference_from(ping)}. The operating system needs this time for two "
                    "switches, two more system calls and TCP's own work.")


@rk.finding(missing="")
def tcp_and_ping_to_the_other_host(tcp, ping):
    takes = f"To the other host TCP takes {tcp:interval} and a ping {ping:interval}:"
    if tcp.apart(ping) == 0:
        return rk.shown("far ping is alike", f"{takes} the data show no difference{tcp.indistinct_note(ping)}.")
    if tcp.apart(ping) < 0:
        return rk.shown("far ping is longer", f"{takes} {LONGER_PING}")
    return rk.shown("far ping is shorter", f"{takes} {tcp.difference_from(ping)}. On this host both wake the waiting program. On the other host "
                    "only TCP wakes one; the kernel answers the ping.")


@rk.finding
def one_cpu_or_two(across, alone, wake, same_cpu):
    """wake: a hand-over by an eventfd to a program on another CPU; same_cpu: on one CPU, by an eventfd as well."""
    between = f"Between two CPUs a round trip takes {across}, {across.times(alone, 2)} times that on one CPU ({alone})"
    more = across.apart(alone)
    if more == 0:
        return rk.shown("CPUs alike", f"{between}; the data show no difference{across.indistinct_note(alone)}.")
    if more < 0:
        return rk.unexplained("two CPUs faster", f"{between}. It is not explained why it takes less.")
    if not wake.origin == same_cpu.origin == "measured":
        return rk.unexplained("two CPUs slower", f"{between}. The share of wake-ups in it was not measured.")
    return rk.shown("wake-ups and switches", f"{between}. In the chapter on switches, two hand-overs by eventfd to another CPU take "
                    f"{rk.amount(2 * wake.value, 'µs')}, and two on one CPU {rk.amount(2 * same_cpu.value, 'µs')}, both with their system calls.")


@rk.finding(needs=())
def close_to_ideal(whole, wire, held, link):
    """Of a round trip to the other host: as a program sees it, on the wire, and with no CPU asleep."""
    if not whole.has_samples:
        return rk.unexplained("not measured", f"Nothing was measured to the other host: {rk.why(whole)}.")
    if link.origin == "guess":
        return rk.unexplained("link unknown", f"A program waits {whole}. The link's length is not known, so there is no ideal to compare it "
                              "with; `distance` in `machine.toml` gives one.")
    ideal = whole.current.hardware
    on_wire = f" On the wire the round trip takes {wire}." if wire.has_samples else ""
    awake = f" With no CPU of this host asleep the program waits {held}." if held.has_samples else ""
    return rk.shown("link known", f"The link alone, its round trip and the bytes at its rate, would take {rk.amount(ideal, 'ms')}; a program "
                    f"waits {whole}, {rk.number(whole.median / ideal, 3)} times that.{on_wire}{awake}")


@rk.finding(missing="")
def longer_on_the_wire(wire, whole):
    """What this side adds to the time on the wire, if that is not what the model has for it."""
    if wire.apart(whole) > 0:
        return rk.unexplained("wire is longer", f"The wire cannot take longer than the program waits; why its {wire} is longer is not explained.")
    model, more = whole.seal.predicted - wire.seal.predicted, whole.median - wire.median
    if 0.5 * model < more < 2 * model:
        return []
    has = f"Between the two, the model has {rk.amount(model, 'µs')} for this side's work."
    if not whole.apart(wire):
        return rk.unexplained("this side's work", f"{has} The data show no difference{whole.indistinct_note(wire)}.")
    return rk.unexplained("this side's work", f"{has} The medians differ by {rk.amount(more, 'µs', 2)}, which is not explained.")


@rk.finding(missing="")
def answer(alone):
    sealed = alone.seal.values
    needed = (alone.median - sealed["calls"] * sealed["null"]) / sealed["passes"] - sealed["turn"]
    if needed <= 0:
        return []
    return rk.consistent("passes take the rest", f"A pass through the kernel that takes {rk.amount(needed, 'µs', 2)} instead of the guessed "
                         f"{rk.amount(sealed['stack'] / sealed['clock'], 'µs', 2)} would explain it; there are two.")


@rk.finding(needs=["alone"])
def waiting_for_queries(alone, across, far):
    """Of 200 queries, one after the other."""
    places = (("On the same CPU", alone), ("on another CPU", across), ("on the other host", far))
    waits = [f"{where} {rk.amount_with_interval(*(200 * x for x in (result.median, *result.summary.interval.ends)), 'ms')}"
             for where, result in places if result.has_samples]
    return rk.shown("200 queries", f"{', '.join(waits)}. All queries sent at once would save the waiting, but not the "
                    "work for each.")


def queries_to_a_database(alone, across, far):
    return ("A web page sends 200 queries to a database, one after the other. How long does it wait for round trips alone, if "
            "the database runs on the same CPU, on another CPU, or on the other host?", waiting_for_queries(alone, across, far))


def a_host_far_away(far):
    ideal = far.current.hardware
    measured = far.has_samples and far.median > ideal
    software = far.median - ideal if measured else far.seal.software
    by = "as measured" if measured else "by the model"
    fibre = 2 * 1000 / 200_000  # light takes a second for 200,000 km of glass
    return ("The other host moves 1,000 km away. Light in glass travels 200,000 km a second. Predict the round trip, and the "
            "share of it that faster software could save.",
            f"The fibre alone takes {rk.amount(fibre, 'ms')} there and back. Software takes about {rk.amount(software, 'µs')} more, {by}: "
            f"{rk.percent(software / (software + fibre))} of the whole. At this distance, almost all of the round trip is the fibre.")


def input_to_measure(alone):
    sealed = alone.seal.values
    passes = sealed["passes"] * sealed["stack"] / sealed["clock"]
    return ("Begin with `rk.frame(n[\"tcp\"], n[\"udp\"])`. Which input would you measure next for the round trip on one CPU: the system call, the switch, or TCP's pass?",
            f"The two passes: at {rk.plain(sealed['stack'])} cycles each they are {rk.amount(passes, 'µs')} of the predicted "
            f"{rk.amount(alone.seal.predicted, 'µs')}, and the only part that is guessed. The round trip by UDP shows how much of it is "
            "TCP's; a profile of the kernel would show the rest.")


def held_awake(idle, held):
    saved = idle.median - held.median
    both = idle.has_samples and held.has_samples
    differ = "the two differ" if both and idle.apart(held) else "the data show no difference"
    return ("Begin with `rk.samples(f[\"tcp_peer\"], f[\"tcp_peer_held\"])`. In the second, the CPUs are kept from sleeping. Compare the medians and the fastest tenth "
            "of both. Which part of a round trip goes into waking up?",
            f"{idle} and {held}: {rk.amount(saved, 'µs')} between the medians, {rk.percent(saved / idle.median)}; visit by visit {differ}. "
            "If the fastest tenths differ as much, nearly every round trip pays for waking. If they do not, some trips find a CPU "
            "awake.")


def two_requests(alone, far):
    return ("Change the probe of a round trip by TCP (`csrc/network/rtt.c`): it sends two requests, and then reads the two answers. Predict the time per request on one CPU and to the other host.",
            f"Over the link both requests are under way at the same time, so a request takes at best half of {far}, {rk.amount(far.median / 2, 'µs')}. On one CPU the work "
            f"stays; of {alone} it can save switches and wake-ups alone, for the server may read both at once. TCP_NODELAY has to be set: "
            "otherwise the second waits for an acknowledgement (Nagle's algorithm).")


def waking_refuted(alone, across):
    return ("The model says that a round trip to another CPU takes longer because an idle CPU has to be woken. Try to refute it: let client and server ask again and again (with "
            "`MSG_DONTWAIT`) instead of sleeping. What has to come out?",
            f"Here it takes {alone} on one CPU and {across} across two, {rk.amount(across.median - alone.median, 'µs')} more. Nobody sleeps then, so nobody is woken: nearly all "
            "of that has to go. What is left is the time that lines need from one cache to the other. If most of it stays, waking does not explain it. "
            "Both have to run on CPUs of their own, or they take turns by the scheduler's clock.")

"""What the chapter on opening and closing a connection concludes."""

import reckon as rk

PORTS, HELD_S = 28_232, 60  # the usual range of Linux; an orderly close keeps one that long

# The default of Linux since 4.19, tcp_tw_reuse = 2.
WITHIN = "Within one machine Linux takes such a port again after a second (`tcp_tw_reuse`)."


@rk.finding(needs=())
def opening_and_closing(opened, closed, title):
    if not (opened.has_samples and closed.has_samples):
        return rk.shown("times", title)
    return rk.shown("connect and close", f"{title}: connect takes {opened.times(closed, 2)} times as long as close")


@rk.finding
def off_by_a_wake_up(result, wake, accepting=0.0):
    """accepting: how much longer `connect` takes to a server on another CPU, which it wakes as well; 0 if unmeasured."""
    share = (result.median - result.seal.predicted) / wake.value
    if wake.origin != "measured":
        return rk.unexplained("wake-up not measured", "the packet wakes the server on another CPU, which the model leaves out; what that takes was "
                              "not measured here.")
    if 0 < accepting < 0.5 * share * wake.value:
        return rk.unexplained("wake-up not shown", "the packet wakes the server on another CPU, which the model leaves out. But `connect` wakes it as "
                              f"well, and takes only {rk.amount(accepting, 'µs')} longer than on one CPU. So the data do not show that the wake-up is the cause.")
    if 0.1 < share < 3:
        return rk.consistent("wake-up", "the packet wakes the server on another CPU, which the model leaves out. The difference is "
                             f"{rk.number(share, 2)} times such a wake-up ({rk.amount(wake.value, 'µs')}), a part of which the sender's CPU "
                             "does.")
    return rk.unexplained("no wake-up", "a wake-up of the other CPU alone does not account for it; unexplained until both CPUs are traced.")


@rk.finding
def off_by_taking_down(reset, closed, guessed, clock):
    """Why a reset takes longer than predicted; closed: an orderly close at the same place."""
    if reset.apart(closed) <= 0:
        return rk.unexplained("as off as a close", f"an orderly close takes {closed}. Only a reset destroys the sockets at once, so the data do "
                              "not show that this is the cause.")
    cycles = rk.number((reset.median - reset.seal.predicted) * clock.value + guessed.value)
    return rk.consistent("reset destroys", "a reset destroys the sockets within the call; an orderly close leaves that for later. "
                         f"If this work takes {cycles} cycles instead of the guessed {rk.plain(guessed.value)}, this would explain the time.")


def misses(near, far, take_down, clock, wake):
    """The list of the predictions that were missed, and why."""
    both = near["connect_across"].has_samples and near["connect"].has_samples
    accepting = near["connect_across"].median - near["connect"].median if both else 0.0
    reasons = {"connect_across": off_by_a_wake_up(near["connect_across"], wake),
               "close_across": off_by_a_wake_up(near["close_across"], wake, accepting),
               "close_reset": off_by_taking_down(near["close_reset"], near["close"], take_down, clock)}
    unknown = "unexplained; a trace of the kernel would tell which step takes longer."
    faster = "unexplained: some step took less time than guessed; a trace of the kernel would tell which."
    items = [rk.missed(result, reasons.get(name, unknown), lower=faster) for name, result in {**near, **far}.items()]
    return rk.missed_list(items, "None of the measurements by Reckon's method.")


@rk.finding(needs=())
def close_to_the_other_host(closed, on_wire):
    if not closed.has_samples:
        return rk.unexplained("not measured", f"It could not be measured to another host: {rk.why(closed)}.")
    takes = f"To the other host `close` takes {closed}"
    if not on_wire.has_samples:
        return rk.shown("wire not watched", f"{takes}; the wire could not be watched: {rk.why(on_wire)}.")
    times = rk.number(on_wire.median / closed.median, 2)
    return rk.shown("on the wire", f"{takes}. On the wire the connection ends {on_wire} after the first FIN, {times} times as long as the call: the "
                    "call does not wait for the other host.")


@rk.finding(missing="")
def close_by_reset(reset, closed):
    if reset.apart(closed) == 0:
        return rk.shown("reset alike", f"By reset, closing takes {reset}; the data show no difference{reset.indistinct_note(closed)}.")
    if reset.apart(closed) < 0:
        return rk.consistent("reset less", f"By reset, closing takes {reset}. This is less, because a reset sends one packet and keeps nothing.")
    return rk.consistent("reset more", f"By reset, closing takes {reset}. This is more, because the call destroys the sockets at once; an orderly "
                         "close leaves that for later.")


@rk.finding(needs=["here"], missing="")
def close_within_the_machine(here, closed):
    if here.apart(closed) > 0:
        return rk.consistent("local more", f"Within the machine `close` takes {here}. This is more, because the kernel carries the packet to the receiver's socket "
                             "before it returns.")
    return rk.shown("local", f"Within the machine `close` takes {here}.")


def times_a_round_trip(opened, trip):
    """The least and the most that `connect` takes in round trips, by both intervals; without one, by the processes' extremes."""
    low, high = opened.summary.bounds
    return low / (trip.high or trip.value), high / (trip.low or trip.value)


@rk.finding(needs=())
def one_round_trip(opened, on_wire, trip, what="A round trip"):
    """trip: what was measured as a round trip, and `what` that is."""
    if not opened.has_samples:
        return rk.unexplained("not measured", f"It could not be measured to another host: {rk.why(opened)}.")
    if trip.origin == "guess":
        return rk.unexplained("no round trip", f"`connect` takes {opened}; no round trip was measured to compare it with.")
    times = opened.median / trip.value
    shaken = f" On the wire, opening takes {on_wire}." if on_wire.has_samples else ""
    takes = (f"{what} to the other host takes {rk.amount(trip.value, 'ms')}. `connect` takes {opened}, {rk.number(times)} times that.{shaken}")
    least, most = times_a_round_trip(opened, trip)
    if most < 1.5:
        return rk.shown("one round trip", f"{takes} So `connect` waits for one round trip, not for one and a half: the client sends the third packet without "
                        "waiting.")
    if least > 1.5:
        return rk.unexplained("delayed", f"{takes} That is more than the handshake explains: something else delayed `connect`.")
    return rk.unexplained("undecided", f"{takes} With their intervals, the data do not decide between one and one and a half.")


@rk.finding
def queue_held(near):
    """From the counters of the kernel, in which each process's measurement has its share."""
    processes = [process for result in near for point in result.points for process in point.processes]
    full = [process.listen_overflows for process in processes if process.listen_overflows >= 0]
    again = [process.retransmits for process in processes if process.retransmits >= 0]
    waits = max((process.time_wait for process in processes), default=-1)
    if not full:
        return rk.unexplained("not counted", "Nothing was counted.")
    resent = f", {sum(again)} segments were sent again" if again else ""
    waiting = f", and at most {rk.plain(waits)} connections were in TIME_WAIT" if waits >= 0 else ""
    return rk.shown("counted", f"Within the machine, in {len(full)} processes, {sum(full)} connections found the queue full{resent}{waiting}.")


@rk.finding(missing="")
def answer(opened, closed):
    if opened.apart(closed) <= 0:
        return []
    return rk.shown("close less", "`connect` waits for one round trip; `close` does not wait, and takes "
                    f"{rk.percent(closed.median / opened.median)} as long as `connect`.")


@rk.finding
def fetching_times(opened, trip):
    """trip: of a request to a program; a ping is answered by the kernel."""
    new, kept = 10 * (trip.value + opened.median), 10 * trip.value + opened.median
    return rk.shown("ten files", f"Each file costs a round trip of {rk.amount(trip.value, 'µs')} ({trip.origin}), and each new connection a "
                    f"`connect` of {opened}. Ten connections: {rk.amount(new, 'ms')}; one: {rk.amount(kept, 'ms')}.")


def ten_small_files(opened, trip):
    return ("A browser fetches ten small files from the other host, one after the other. How long does it take with a new "
            "connection for each file, and how long over a single connection?", fetching_times(opened, trip))


@rk.finding(needs=())
def limit_by_ports(opened, closed):
    by_ports = rk.number(PORTS / HELD_S)
    if not (opened.has_samples and closed.has_samples):
        return rk.shown("by ports", f"{by_ports} a second, by TIME_WAIT alone. {WITHIN}")
    by_time = 1 / (opened.median + closed.median)
    both = f"{rk.plain(PORTS)} / {HELD_S} s = {by_ports} a second by TIME_WAIT, and {rk.number(by_time)} a second by connect and close"
    if by_time > PORTS / HELD_S:
        return rk.shown("TIME_WAIT is the limit", f"{both}: TIME_WAIT is the limit, unless connections are reused. {WITHIN}")
    return rk.shown("time is the limit", f"{both}: their time is the limit. {WITHIN}")


def connections_a_second(opened, closed):
    return (f"A client has {rk.plain(PORTS)} ports (the usual range of Linux), and each orderly close keeps one for {HELD_S} s. How many "
            "connections a second to one server on the other host can it open, in the long run? Compare that with the time of connect and close.",
            limit_by_ports(opened, closed))


def input_to_measure(opened):
    sealed = {each.name: each for each in opened.seal.inputs}
    ping, set_up = sealed["ping"], sealed["set_up"]
    passes = rk.amount(sealed["passes"].value * ping.value / 2, "µs")
    setting = rk.amount(set_up.value / sealed["clock"].value, "µs")
    first = "the set-up" if set_up.origin == "guess" else "the ping"
    return ("Begin with `rk.frame(n[\"connect\"])`. Which input of `connect` within the machine would you measure next: the ping, or the work to set up two sockets?",
            f"The three passes are {passes} and come from a {ping.origin} ping. The set-up is {setting} and a {set_up.origin}: measure {first} next, "
            "for instance by a profile of the kernel. (`socket` is called before and not timed.)")


def slowest_connections(opened):
    values = rk.samples(opened)["value"].dropna()
    return ("Begin with `rk.samples(f[\"connect_peer\"])`. How many times as long as the median does each of the slowest tenth take, at least? What does that mean for a page that opens ten connections at once and "
            "waits for all?",
            f"Of {rk.plain(len(values))} connections nine in ten take up to {rk.number(values.quantile(0.9) / values.median(), 3)} times the median. Of ten at once, none is slower "
            f"than that in {rk.percent(0.9**10)} of the cases only, if they are independent. So a page that waits for all of them waits for the slow ones.")


def request_alone(within, opened, trip):
    question, solution = rk.show.project("one_request", "Write a probe of a request that has a connection of its own, within the machine: from `socket` and `connect` until `close`. Predict it from the table. "
                                         "To the other host, how much would a request in the first packet (TCP Fast Open) save?")
    return question, (f"{solution}\n\n`connect` ({within['connect']}), `close` ({within['close']}) and a round trip of one byte are in it. The server also accepts and closes, on the same CPU.\n\n"
                      f"To the other host, a connect takes {opened}, and the request {rk.amount(trip.value, 'µs')} after it. With the request in the first packet one of the two "
                      f"trips is saved, so about {rk.amount(opened.median, 'µs')} remain. The first connection to a host only fetches the cookie and saves nothing. Both hosts have to "
                      "allow it (`net.ipv4.tcp_fastopen`).")


def no_wait_refuted(opened, closed):
    return ("The chapter says that `close` does not wait for the other host, and `connect` does. Try to refute it: make the delay of the link to the built-in host ten times longer, with `LINK_RTT=`. What has to "
            "come out for each?",
            f"Here connect takes {opened} and close {closed}. By the explanation connect takes longer by as much as the round trip, and close takes no longer. If close takes longer as well, this refutes it; close would "
            "wait, for instance with `SO_LINGER` set. If connect takes no longer, something nearer answered it.")

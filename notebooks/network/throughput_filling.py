"""What the chapter on throughput concludes of what fills a link: the size of a send, and the time since a stream began."""

import math

import numpy as np

import reckon as rk

FULL = 0.95  # of what the link carries


def from_which_on(row, holds):
    """The least position from which on `holds` is true of each of the curve's summaries; nan if it is not of the last."""
    at = math.nan
    for x, summary in reversed([*zip(row.axis, row.summaries, strict=True)]):
        if not holds(summary):
            break
        at = x
    return at


def is_full_at_once(ramp, link):
    """Whether all of the first window's interval, or of its processes, is the link's rate."""
    return ramp.point_index(0) == 0 and ramp.summaries[0].bounds[0] > FULL * link


@rk.finding(missing="Throughput within the machine, two CPUs, by the size of a send")
def larger_sends(sends):
    title = "Throughput within the machine, two CPUs, by the size of a send"
    smallest, largest = rk.amount(min(sends.axis), "byte"), rk.amount(max(sends.axis), "byte")
    best, last = int(np.argmax(sends.medians)), sends.summaries[-1]
    peak = sends.summaries[best]
    if peak.apart(last) > 0:
        return rk.shown("most in between", f"{title}: sends of {rk.amount(sends.axis[best], 'byte')} carry most, {rk.median_text(peak, 'Gbit/s')}; "
                        f"sends of {largest} carry {rk.median_text(last, 'Gbit/s')}")
    if last.apart(sends.summaries[0]) <= 0:
        return rk.shown("by size", title)
    alike = from_which_on(sends, lambda summary: not summary.apart(last))
    flat = f". From {rk.amount(alike, 'byte')} on, the data show no further difference ({peak.why_not_apart(last)})" if alike < max(sends.axis) else ""
    return rk.shown("larger sends", f"{title}: sends of {largest} carry {rk.number(sends.growth, 2)} times as much as sends of {smallest}{flat}")


@rk.finding(needs=())
def sends_that_fill(row, link):
    title = "Throughput to the other host by the size of a send"
    size = from_which_on(row, lambda summary: summary.bounds[0] > FULL * link)
    if math.isnan(size):
        return rk.shown("by size", title)
    return rk.shown("fills the link", f"{title}: sends of {rk.amount(size, 'byte')} and more fill the link")


@rk.finding(needs=())
def full_after(ramp, link):
    title = "Throughput to the other host from the first byte on"
    if is_full_at_once(ramp, link):
        return rk.shown("full at once", f"{title}: the link is full from the first window on in every process")
    after = min((x for x, median in zip(ramp.axis, ramp.medians, strict=True) if median > FULL * link), default=0)
    if after > 0 and ramp.summaries[0].bounds[1] < FULL * link:
        return rk.shown("full later", f"{title}: the link is full from the window on that begins {rk.amount(after, 'ms')} after the first byte")
    return rk.shown("not full", title)


@rk.finding(needs=["trip"])
def start_within_a_window(link, trip, first_bytes, window_s, ramp):
    """link: bytes a second; first_bytes: how many are sent at first; ramp: the rate from the first byte on, window by window."""
    doublings = max(0, np.log2(link * trip.value / first_bytes))
    took = doublings * trip.value
    if took >= window_s:
        return []
    model = (f"By the model the link is full after {rk.number(doublings, 2)} doublings, {rk.amount(took, 'ms')}. That is less than one window "
             f"of {rk.amount(window_s, 'ms')}.")
    if ramp.point_index(0) == 0 and not is_full_at_once(ramp, link):
        low, high = (rk.amount(end, "Mbit/s") for end in ramp.summaries[0].bounds)
        predicted = rk.amount(ramp.sealed("predicted")[0], "Mbit/s")
        return rk.unexplained("start in the first window", f"{model} The first window carries {low} to {high}; {predicted} were predicted. "
                              "The data do not show what each part of the start takes. "
                              f"During this measurement, {rk.plain(sent_again(ramp))} segments were sent again.")
    return rk.consistent("start within a window", f"{model} So slow start would show only on a longer link (`LINK_RTT`).")


def sent_again(result):
    """How many segments were sent again during the measurement."""
    return sum(max(0, process.retransmits) for point in result.points for process in point.processes)


def earlier_bytes(acknowledged):
    """Why more may be acknowledged than the link carries."""
    again = sent_again(acknowledged)
    repeated = f" ({again} segments were sent again)" if again else ""
    return ("One acknowledgement may cover bytes that arrived before the stretch began, for example after a repaired loss"
            f"{repeated}.")

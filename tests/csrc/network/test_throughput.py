"""Throughput: every byte is counted by whoever receives it."""

import time

import numpy as np
import pytest
from helpers.capabilities import x86_only
from helpers.network import THROUGHPUT, possible
from helpers.peers import FakePeer
from helpers.probes import MIB
from helpers.receivers import Receiver, notes_of, run, true_notes

from reckon.measurement import library

# --- every byte --------------------------------------------------------------------------------

TIMES_MS = np.array([0, 90, 110, 180, 240, 290, 310, 400])
SHARES = np.array([0.05, 0.1, 0.2, 0.5, 0.6, 0.9, 0.95, 1])


@pytest.mark.parametrize("streams", [1, 3])
def test_a_sample_is_what_all_receivers_noted_in_its_window(streams):
    """From 100 ms after the last of them began, four windows of 50 ms; their sum is the whole."""

    def bytes_and_times(received, number):
        return (SHARES * received).astype(np.int64), TIMES_MS * 10**6 + number * 7 * 10**6

    def notes(received, number):
        return notes_of(zip(*bytes_and_times(received, number), strict=True)) + b"end\n"

    with Receiver(notes) as receiver:
        windows = {"skip_ms": 100, "window_ms": 50}
        samples = run("tcp", receiver.locations, 4, streams=streams, size_bytes=5000, **windows)
    assert len(receiver.received) == streams
    assert all(received % 5000 == 0 for received in receiver.received)
    begin = (streams - 1) * 7 + 100
    at = sum(
        np.interp(10**6 * (begin + 50 * np.arange(5)), *bytes_and_times(received, number)[::-1])
        for number, received in enumerate(receiver.received)
    )
    assert np.abs(samples.ops - np.diff(at)).max() <= 1
    assert abs(float(samples.ops.sum()) - (at[-1] - at[0])) <= 1
    assert samples.ticks == pytest.approx(0.05 * library.tick_hz(), rel=0.01)
    assert {tuple(request) for request in receiver.requests} == {("sink", "1000", "1048576")}


def test_each_window_of_start_is_of_a_fresh_connection():
    with Receiver() as receiver:
        samples = run("start", receiver.locations, 3, after_ms=20, window_ms=10)
    assert samples.ops == pytest.approx([received / 1000 for received in receiver.received], abs=1)
    assert len(receiver.received) == 3


def late_notes(received, _):
    """All within 90 ms of the first byte, where the last window ends at 100 ms or later."""
    return notes_of([(0, 5), (received, 9 * 10**7)]) + b"end\n"


def test_windows_are_taken_again_where_a_receiver_began_late():
    """Each time sent for longer, three times at most."""

    def notes(received, number):
        return late_notes(received, number) if number < 2 else true_notes(received, number)

    with Receiver(notes) as receiver:
        samples = run("start", receiver.locations, 1, after_ms=90, window_ms=10)
    assert samples.ops == pytest.approx([receiver.received[2] / 1000], abs=1)
    assert len(receiver.received) == 3

    with Receiver(late_notes) as receiver, pytest.raises(library.ProbeFailed, match="began late"):
        run("start", receiver.locations, 1, after_ms=90, window_ms=10)
    assert len(receiver.received) == 3


@pytest.mark.parametrize("probe", ["t470", "mbp2016", "i7_10750h", "i7_10750h_exchange"])
def test_a_probe_counts_the_bytes_that_its_receiver_has(probe):
    possible(THROUGHPUT + probe)
    with Receiver() as receiver:
        samples = run(probe, receiver.locations, size_bytes=100_000)
    assert samples.ops.sum() == sum(receiver.received)
    assert (samples.ops % 100_000 == 0).all() and samples.ops.min() >= 100_000
    assert len(receiver.received) == (3 if "i7" in probe else 1)


def test_the_best_window_is_of_a_transfer_of_the_requested_size():
    possible(THROUGHPUT + "hpe_i7_860")
    with Receiver() as receiver:
        samples = run("hpe_i7_860", receiver.locations, size_bytes=300_000_000, best_ms=20)
    assert len(receiver.received) == 3 and min(receiver.received) >= 300_000_000
    assert (samples.ops <= receiver.received).all() and (samples.ops > 0).all()
    rate = samples.ops / (samples.ticks / library.tick_hz())
    of_the_whole = 300_000_000 / (samples.wall_ns / 1e9)
    assert (rate >= of_the_whole).all()


def read_slowly(connection, least, part, pause_s):
    """Read at least that many bytes, or all; their number."""
    received = 0
    while received < least and (more := len(connection.recv(part))):
        received += more
        time.sleep(pause_s)
    return received


def test_a_send_may_take_longer_than_the_time_limit_while_it_makes_progress():
    """12 MiB at one a second; the limit without any progress is 5 s."""
    x86_only()

    def serve(connection, *_):
        connection.sendall(b"ok\n")
        received = read_slowly(connection, 1 << 40, 1 << 16, 1 / 16)
        connection.sendall(true_notes(received, 0))

    with FakePeer(serve, receive_buffer_bytes=1 << 17) as peer:
        samples = run("t470", peer.locations, 1, size_bytes=12 * MIB)
    assert samples.ops[0] == 12 * MIB and samples.wall_ns > 5e9


NO_SENSE = (
    "The receiver's notes make no sense; build reckon-peer and this reckon from the same commit."
)
WRONG = [
    (lambda all_bytes: b"many 5\nend\n", NO_SENSE),
    (lambda all_bytes: notes_of([(9, 5), (8, 6)]) + b"end\n", NO_SENSE),
    (lambda all_bytes: notes_of([(8, 6), (9, 5)]) + b"end\n", NO_SENSE),
    (lambda all_bytes: notes_of((i, i) for i in range(300_000)), NO_SENSE),
    (lambda all_bytes: b"end\n", r"The receiver counted 0 bytes where \d+ were sent."),
    (
        lambda all_bytes: notes_of([(all_bytes, 5)]),
        "The receiver went away before it had everything.",
    ),
    (
        lambda all_bytes: notes_of([(0, 5), (all_bytes, 9 * 10**7)]) + b"end\n",
        "notes end before the last window",
    ),
    (
        lambda all_bytes: notes_of([(all_bytes, 5), (all_bytes, 10**10)]) + b"end\n",
        "Not a byte came within a window of 50 ms",
    ),
]


@pytest.mark.parametrize(("notes", "sentence"), WRONG)
def test_a_receiver_that_counts_wrongly_fails_the_probe(notes, sentence):
    with (
        Receiver(lambda received, _: notes(received)) as receiver,
        pytest.raises(library.ProbeFailed, match=sentence),
    ):
        run("tcp", receiver.locations, skip_ms=10, window_ms=50)


@pytest.mark.parametrize("probe", ["tcp", "t470", "mbp2016", "i7_10750h", "hpe_i7_860"])
def test_a_missing_byte_fails_the_probe(probe):
    possible(THROUGHPUT + probe)
    with (
        Receiver(lambda received, _: true_notes(received - 1, 0)) as receiver,
        pytest.raises(library.ProbeFailed) as failed,
    ):
        run(probe, receiver.locations, 1)
    (received,) = receiver.received
    sentence = f"The receiver counted {received - 1} bytes where {received} were sent."
    assert str(failed.value) == sentence

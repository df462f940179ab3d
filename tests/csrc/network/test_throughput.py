"""Throughput: every byte is counted by whoever receives it."""

import time

import numpy as np
import pytest
from helpers.capabilities import installed, x86_only
from helpers.probes import MIB, in_python
from helpers.receivers import FEW, LONG, PROBES, Receiver, honest, possible, run, told

from reckon.measurement import library


def test_the_lists_of_this_file_have_every_probe():
    assert set(FEW) == set(PROBES) == {*LONG, "tcp_across"}


# --- every byte --------------------------------------------------------------------------------

TIMES_MS = np.array([0, 90, 110, 180, 240, 290, 310, 400])
SHARES = np.array([0.05, 0.1, 0.2, 0.5, 0.6, 0.9, 0.95, 1])


@pytest.mark.parametrize("streams", [1, 3])
def test_a_sample_is_what_all_receivers_noted_in_its_window(monkeypatch, streams):
    """From 100 ms after the last of them began, four windows of 50 ms; their sum is the whole."""

    def noted(got, number):
        return (SHARES * got).astype(np.int64), TIMES_MS * 10**6 + number * 7 * 10**6

    with Receiver(
        monkeypatch, lambda *of: told(zip(*noted(*of), strict=True)) + b"end\n"
    ) as receiver:
        one = run("tcp", 4, peer="other", streams=streams, size_bytes=5000)
    assert len(receiver.got) == streams and all(got % 5000 == 0 for got in receiver.got.values())
    begin = (streams - 1) * 7 + 100
    at = sum(
        np.interp(10**6 * (begin + 50 * np.arange(5)), *noted(got, number)[::-1])
        for number, got in receiver.got.items()
    )
    assert np.abs(one.ops - np.diff(at)).max() <= 1
    assert abs(float(one.ops.sum()) - (at[-1] - at[0])) <= 1
    assert one.ticks == pytest.approx(0.05 * library.tick_hz(), rel=0.01)
    assert {tuple(asked) for asked in receiver.asked} == {("sink", "1000", "1048576")}


def test_the_windows_of_the_ramp_are_of_fresh_connections(monkeypatch):
    with Receiver(monkeypatch, honest) as receiver:
        one = run("start", 3, peer="other", after_ms=20, window_ms=10)
    assert one.ops == pytest.approx([got / 1000 for got in receiver.got.values()], abs=1)
    assert len(receiver.got) == 3


@pytest.mark.parametrize("probe", ["t470", "mbp2016", "i7_10750h", "i7_10750h_exchange"])
def test_a_probe_counts_the_bytes_that_its_receiver_has(monkeypatch, probe):
    possible(probe)
    with Receiver(monkeypatch, honest) as receiver:
        one = run(probe, **{**FEW[probe], "peer": "other", "size_bytes": 100_000})
    assert one.ops.sum() == sum(receiver.got.values())
    assert (one.ops % 100_000 == 0).all() and one.ops.min() >= 100_000
    assert len(receiver.got) == (3 if "i7" in probe else 1)


def test_the_best_second_is_of_a_transfer_as_large_as_asked(monkeypatch):
    possible("hpe_i7_860")
    with Receiver(monkeypatch, honest) as receiver:
        one = run("hpe_i7_860", peer="other", size_bytes=300_000_000, best_ms=20)
    assert len(receiver.got) == 3 and min(receiver.got.values()) >= 300_000_000
    assert (one.ops <= list(receiver.got.values())).all() and (one.ops > 0).all()
    rate = one.ops / (one.ticks / library.tick_hz())
    assert (rate >= 300_000_000 / (one.wall_ns / 1e9)).all()  # the best is no less than the whole


def read_slowly(connection, least, part, pause_s):
    """So many bytes at least, or all; what was read."""
    got = 0
    while got < least and (more := len(connection.recv(part))):
        got += more
        time.sleep(pause_s)
    return got


@pytest.mark.timed
def test_the_best_is_the_fast_part_of_a_transfer(monkeypatch):
    """Of 32 MB the receiver takes the first one and the last one slowly."""
    possible("hpe_i7_860")

    def serve(connection):
        got = read_slowly(connection, MIB, 1 << 14, 0.005)
        got += read_slowly(connection, 30 * MIB, 1 << 20, 0)
        got += read_slowly(connection, 1 << 40, 1 << 14, 0.005)
        connection.sendall(honest(got, 0))

    with Receiver(monkeypatch, serve=serve, room=1 << 16):
        one = run("hpe_i7_860", 1, peer="other", size_bytes=32 * MIB, best_ms=20)
    best = one.ops[0] / (one.ticks[0] / library.tick_hz())
    assert best > 3 * 32 * MIB / (one.wall_ns / 1e9)
    assert one.ops[0] <= 32 * MIB


def test_a_send_may_take_longer_than_a_time_limit_while_it_moves(monkeypatch):
    """12 MiB at one a second; the limit without any progress is 5 s."""
    x86_only()

    def serve(connection):
        got = read_slowly(connection, 1 << 40, 1 << 16, 1 / 16)
        connection.sendall(honest(got, 0))

    with Receiver(monkeypatch, serve=serve, room=1 << 17):
        one = run("t470", 1, peer="other", size_bytes=12 * MIB)
    assert one.ops[0] == 12 * MIB and one.wall_ns > 5e9


def test_t470_hands_over_everything_in_one_send(tmp_path):
    x86_only()
    installed("strace")
    said = in_python(
        "say(attempt('network/throughput/t470', {'size_bytes': 3 << 20}, samples=4, isolated=False))",
        prefix=["strace", "-f", "-qq", "-o", tmp_path / "log", "-e", "trace=sendto"],
    )
    sends = [text for text in (tmp_path / "log").read_text().splitlines() if "MSG_WAITALL" in text]
    assert said == "ran" and len(sends) == 4
    assert all(text.endswith("= 3145728") for text in sends)


NO_SENSE = (
    "The receiver's notes make no sense; build reckon-peer and this reckon from the same commit."
)
WRONG = [
    (lambda got: b"many 5\nend\n", NO_SENSE),
    (lambda got: told([(9, 5), (8, 6)]) + b"end\n", NO_SENSE),
    (lambda got: told([(8, 6), (9, 5)]) + b"end\n", NO_SENSE),
    (lambda got: told((i, i) for i in range(300_000)), NO_SENSE),
    (lambda got: b"end\n", r"The receiver counted 0 bytes where \d+ were sent."),
    (lambda got: told([(got, 5)]), "The receiver went away before it had everything."),
    (lambda got: told([(0, 5), (got, 9 * 10**7)]) + b"end\n", "notes end before the last window"),
    (
        lambda got: told([(got, 5), (got, 10**10)]) + b"end\n",
        "Not a byte came within a window of 50 ms",
    ),
]


@pytest.mark.parametrize(("notes", "sentence"), WRONG)
def test_a_receiver_that_counts_wrongly_fails_the_probe(monkeypatch, notes, sentence):
    with Receiver(monkeypatch, lambda got, _: notes(got)):
        with pytest.raises(library.ProbeFailed, match=sentence):
            run("tcp", peer="other", skip_ms=10, window_ms=50)


@pytest.mark.parametrize("probe", ["tcp", "t470", "mbp2016", "i7_10750h", "hpe_i7_860"])
def test_a_byte_that_is_missing_fails_the_probe(monkeypatch, probe):
    possible(probe)
    with Receiver(monkeypatch, lambda got, _: honest(got - 1, 0)) as receiver:
        with pytest.raises(library.ProbeFailed) as failed:
            run(probe, 1, **FEW[probe], peer="other")
    (got,) = receiver.got.values()
    assert str(failed.value) == f"The receiver counted {got - 1} bytes where {got} were sent."

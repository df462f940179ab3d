"""What a probe, and the choice of a host before any probe, say where the other host is not a willing
reckon-peer: the same sentence of both. And mistakes in starting reckon-peer."""

import contextlib
import os
import socket
import time
from pathlib import Path

import pytest
from helpers.network import own
from helpers.peers import PROGRAM, TOKEN, FakePeer, Peer, choice, probe
from helpers.probes import in_python
from helpers.processes import until
from helpers.project import finished

WRONG = "wrong-token-of-the-tests"


pytestmark = pytest.mark.usefixtures("no_host_is_set")


def both(at, token=TOKEN):
    """The sentence of a probe, and that of the choice."""
    of_probe, of_choice = probe(at, token), choice(at, token)
    assert of_probe.startswith("ProbeFailed: ") and of_choice.startswith("HostUnavailable: ")
    of_probe, of_choice = of_probe.split(": ", 1)[1], of_choice.split(": ", 1)[1]
    assert of_probe.endswith((".", "?")) and of_choice.endswith((".", "?")), (of_probe, of_choice)
    return of_probe, of_choice


# --- no reckon-peer there ----------------------------------------------------------------------


def test_an_address_where_nothing_listens_is_reported():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        at = f"127.0.0.1:{taken.getsockname()[1]}"
        for sentence in both(at):
            assert sentence.startswith(f"Nothing listens at {at}; start reckon-peer there")


def test_an_address_without_a_route_is_reported():
    outcome = in_python(
        "os.environ.update(RECKON_PEER_AT='192.0.2.1:7325', RECKON_PEER_TOKEN='x' * 16)\n"
        "say(attempt('test/peer_ask', {'peer': 'other'}))",
        prefix=own("true"),
    )
    assert outcome == (
        "ProbeFailed: The peer at 192.0.2.1:7325 cannot be reached: Network is unreachable."
    )


def test_a_host_that_drops_packets_is_waited_for_5_s():
    """A queue that is full drops what comes, as a firewall does."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        crowd = [socket.socket() for _ in range(4)]
        for connection in crowd:
            connection.setblocking(False)
            connection.connect_ex(full.getsockname())
        begin = time.monotonic()
        for sentence in both(f"127.0.0.1:{full.getsockname()[1]}"):
            assert "did not answer within 5 s; is it up, and does a firewall" in sentence
        assert time.monotonic() - begin > 9
        for connection in crowd:
            connection.close()


@contextlib.contextmanager
def impostor(*parts):
    """Something else that listens and sends this: its address, and what it receives."""
    received = []

    def serve(connection):
        for part in parts:
            connection.sendall(part)
        while more := connection.recv(1000):
            received.append(more)

    with FakePeer(serve, greets=False) as fake:
        yield fake.at, received


@pytest.mark.parametrize("byte", [b"", b"r"])
def test_a_greeting_that_does_not_end_is_ended_by_the_deadline(byte):
    """Silence, or a byte now and then. A probe that waited longer would see the connection closed."""

    def serve(connection):
        for _ in range(14):
            connection.sendall(byte)
            time.sleep(0.5)

    with FakePeer(serve, greets=False) as fake:
        for sentence in both(fake.at):
            assert "did not answer within 5 s" in sentence


@pytest.mark.parametrize(
    "words",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0\r\n", bytes(200_000), b"\n", b"\xff\xfe\n"],
)
def test_another_program_does_not_get_the_token(words):
    with impostor(words) as (at, received):
        sentences = both(at)
        assert sentences[0] == f"What listens at {at} is no reckon-peer."
        if len(words) > 100_000:  # too long for a line
            assert "closed the connection" in sentences[1]
        else:
            assert sentences[1] == sentences[0]
    assert TOKEN.encode() not in b"".join(received)


def test_a_connection_that_is_closed_at_once_is_reported():
    with FakePeer(lambda connection: None, greets=False) as fake:
        assert "closed the connection before it answered" in probe(fake.at)


def test_a_line_that_comes_with_the_answer_is_not_lost():
    with impostor(b"reckon-peer 1\nok\nthe line\nand more") as (at, _):
        assert probe(at) == "ran"
    with impostor(b"reckon-peer 1\nok\n" + b"x" * 5000) as (at, _):
        assert probe(at) == "ProbeFailed: The peer sent a line longer than 4094 characters."


@pytest.mark.parametrize("answer", [b"maybe\n", b"\n", b"okay then\n"])
def test_an_answer_that_is_neither_ok_nor_no_fails_the_probe(answer):
    with impostor(b"reckon-peer 1\n" + answer) as (at, _):
        assert probe(at) == f"ProbeFailed: The peer at {at} answered neither yes nor no."


# --- a reckon-peer that refuses ----------------------------------------------------------------


def test_a_wrong_token_is_refused_and_not_logged(peer):
    for sentence in both(peer.at, WRONG):
        assert sentence.startswith(
            "The token is not the one of this reckon-peer; both need the same"
        )
    for wrong in (TOKEN[:-1], TOKEN + "x", TOKEN[:16], "x" * 128, "x" * 400, ""):
        assert peer.answer("about", token=wrong).startswith("no The token is not"), wrong
    peer.end()
    assert "127.0.0.1 was refused: its token is not the one of this reckon-peer." in peer.log
    assert TOKEN not in peer.log and WRONG not in peer.log


def test_a_caller_of_another_version_is_refused(peer):
    for version in (2, 17):
        sentence = f"speaks version 1 of its protocol and the other host version {version};"
        assert sentence in peer.answer("about", version=version)
    peer.end()
    assert "speaks version 1 of its protocol and the other host version 17;" in peer.log


def test_a_peer_of_another_version_does_not_get_the_token():
    with impostor(b"reckon-peer 2\n") as (at, received):
        for sentence in both(at):
            assert "speaks version 2 of the protocol" in sentence
            assert "version 1; build both" in sentence
        assert until(lambda: b"".join(received).count(b"reckon-peer 1\n") == 2), received
    assert TOKEN.encode() not in b"".join(received)


def test_a_host_that_is_not_allowed_is_refused():
    with Peer("--allow", "127.0.0.2") as peer:
        for sentence in both(peer.at):
            assert sentence == (
                "This reckon-peer does not serve 127.0.0.1; start it with --allow 127.0.0.1."
            )
        assert peer.answer("echo 8", here="127.0.0.2") == "ok"
    assert "127.0.0.1 is not among the hosts of --allow" in peer.log


# --- starting it -------------------------------------------------------------------------------


def started(*arguments, token=TOKEN):
    done = finished(PROGRAM, *arguments, timeout=20, env={**os.environ, "RECKON_PEER_TOKEN": token})
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr.strip()


def test_a_port_that_is_taken_is_reported(peer):
    status, stderr = started("--listen", peer.at)
    assert status == 1 and stderr == (
        f"reckon-peer: {peer.at} is taken by another program (port {peer.address[1]}); choose "
        "another with --listen ADDRESS:PORT."
    )


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([], 2, "Say where to listen, --listen"),
        (["--listen", "0.0.0.0:0"], 2, "needs --allow HOST"),
        (["--listen", "[::]:0"], 2, "needs --allow HOST"),
        (["--listen", "127.0.0.1:0", "more"], 2, "There is no argument more"),
        (["--listen", "127.0.0.1:0", "--cpu", "x"], 2, "CPU x cannot be used"),
        (["--listen", "127.0.0.1:0", "--cpu", "1023"], 2, "CPU 1023 cannot be used"),
        (["--listen", "127.0.0.1:0", "--allow", "no.such.host.invalid"], 2, "names no host"),
        (["--listen", "127.0.0.1:0", "--token-file", "/no/file"], 2, "cannot be read"),
        (["--listen", "[127.0.0.1"], 1, "is not ADDRESS, ADDRESS:PORT or [IPv6]:PORT"),
        (["--listen", "127.0.0.1:"], 1, "is not ADDRESS, ADDRESS:PORT or [IPv6]:PORT"),
        (["--listen", "192.0.2.99:0", "--allow", "192.0.2.1"], 1, "is not possible: Cannot assign"),
    ],
)
def test_a_mistake_in_its_options_is_one_sentence(arguments, status, sentence):
    done = started(*arguments)
    assert done[0] == status and sentence in done[1] and done[1].endswith("."), done


@pytest.mark.parametrize(
    "token", ["", "fifteen-letters", "x" * 129, "with a space in it", "ümläut" * 5]
)
def test_a_token_that_is_too_short_or_cannot_be_sent_is_refused(token):
    status, stderr = started("--listen", "127.0.0.1:0", token=token)
    assert status == 2 and "A token of 16 to 128 characters without spaces is needed" in stderr


def test_the_token_may_be_in_a_file(tmp_path):
    (tmp_path / "token").write_text("another-token-of-the-tests\n")
    with Peer("--token-file", str(tmp_path / "token"), token="") as peer:
        assert peer.answer("echo 8", token="another-token-of-the-tests") == "ok"
        assert "another-token" not in Path(f"/proc/{peer.pid}/cmdline").read_text()

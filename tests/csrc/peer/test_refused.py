"""Every trouble with the other host is one sentence, in a row and before any row; and whoever has no
token, or too much time, costs reckon-peer nothing."""

import os
import socket
import subprocess
import threading
import time

import pytest
from helpers.capabilities import own_network
from helpers.peers import PROGRAM, TOKEN, Peer, choice, probe
from helpers.probes import in_python
from helpers.processes import until

from reckon.measurement import library

WRONG = "wrong-token-of-the-tests"


pytestmark = pytest.mark.usefixtures("no_host_is_set")


def both(at, token=TOKEN):
    """The same of both, each a sentence that is whole."""
    of_probe, of_choice = probe(at, token), choice(at, token)
    assert of_probe.startswith("ProbeFailed: ") and of_choice.startswith("PeerUnavailable: ")
    of_probe, of_choice = of_probe.split(": ", 1)[1], of_choice.split(": ", 1)[1]
    assert of_probe.endswith((".", "?")) and of_choice.endswith((".", "?")), (of_probe, of_choice)
    return of_probe, of_choice


# --- nobody there ------------------------------------------------------------------------------


def test_without_another_host_a_probe_cannot():
    with pytest.raises(library.ProbeUnsupported, match="needs another host: none is set"):
        library.run("test/peer_ask", {"peer": "other"})


def test_where_nothing_listens_both_say_so():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        at = "127.0.0.1:%d" % taken.getsockname()[1]
        for said in both(at):
            assert said.startswith(f"Nothing listens at {at}; start reckon-peer there")


def test_an_address_without_a_way_is_told():
    own_network()
    said = in_python(
        "os.environ.update(RECKON_PEER_AT='192.0.2.1:7325', RECKON_PEER_TOKEN='x' * 16)\n"
        "say(attempt('test/peer_ask', {'peer': 'other'}))",
        prefix=("unshare", "-n"),
    )
    assert said == (
        "ProbeFailed: The peer at 192.0.2.1:7325 cannot be reached: Network is unreachable."
    )


def test_where_packets_are_dropped_the_deadline_ends_it():
    """A queue that is full drops what comes, as a firewall does."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        crowd = [socket.socket() for _ in range(4)]
        for one in crowd:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        begin = time.monotonic()
        for said in both("127.0.0.1:%d" % full.getsockname()[1]):
            assert "did not answer within 5 s; is it up, and does a firewall" in said
        assert 9 < time.monotonic() - begin < 25
        for one in crowd:
            one.close()


class Impostor:
    """Something else that listens, and says this to whoever comes."""

    def __init__(self, *parts, every_s=0.0):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.at = "127.0.0.1:%d" % self.listening.getsockname()[1]
        self.parts, self.every_s, self.heard, self.open = parts, every_s, [], True
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        while self.open:
            connection = self.listening.accept()[0]
            with connection:
                try:
                    for part in self.parts:
                        connection.sendall(part)
                        time.sleep(self.every_s)
                    connection.settimeout(10)
                    while self.open and (heard := connection.recv(1000)):
                        self.heard.append(heard)
                except OSError:
                    pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.open = False
        with socket.create_connection(self.listening.getsockname()):
            pass
        self.thread.join()
        self.listening.close()


def test_one_that_says_nothing_is_ended_by_the_deadline():
    with Impostor() as silent:
        for said in both(silent.at):
            assert "did not answer within 5 s" in said


def test_one_that_says_a_byte_now_and_then_is_ended_by_the_deadline():
    with Impostor(*[b"r"] * 25, every_s=0.5) as slow:
        begin = time.monotonic()
        for said in both(slow.at):
            assert "did not answer within 5 s" in said
        assert time.monotonic() - begin < 25


@pytest.mark.parametrize(
    "words",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0\r\n", bytes(200_000), b"\n", b"\xff\xfe\n"],
)
def test_something_else_that_listens_is_not_told_the_token(words):
    with Impostor(words) as impostor:
        of_probe, of_choice = both(impostor.at)
        assert of_probe == f"What listens at {impostor.at} is no reckon-peer."
        assert of_choice == of_probe or "closed the connection" in of_choice  # too long for a line
    assert TOKEN.encode() not in b"".join(impostor.heard)


def test_one_that_closes_at_once_is_told():
    with Impostor() as impostor:
        impostor.open = False
        assert "closed the connection before it answered" in probe(impostor.at)


def test_a_line_that_comes_with_the_answer_is_not_lost():
    with Impostor(b"reckon-peer 1\nok\nthe line\nand more") as hasty:
        assert probe(hasty.at) == "ran"
    with Impostor(b"reckon-peer 1\nok\n" + b"x" * 5000) as endless:
        assert probe(endless.at) == "ProbeFailed: The peer sent a line longer than 4094 characters."


@pytest.mark.parametrize("answer", [b"maybe\n", b"\n", b"okay then\n"])
def test_an_answer_that_is_neither_yes_nor_no_is_told(answer):
    with Impostor(b"reckon-peer 1\n" + answer) as impostor:
        said = probe(impostor.at)
        assert "answered neither yes nor no" in said or "sent an empty line" in said


# --- not for us --------------------------------------------------------------------------------


def test_a_wrong_token_is_told_by_both(peer):
    for said in both(peer.at, WRONG):
        assert said.startswith("The token is not the one of this reckon-peer; both need the same")
    for wrong in (TOKEN[:-1], TOKEN + "x", TOKEN[:16], "x" * 128, "x" * 400, ""):
        connection, answer = peer.ask("about", token=wrong)
        with connection:
            assert answer.startswith("no The token is not"), wrong
    peer.end()
    assert "127.0.0.1 was refused: its token is not the one of this reckon-peer." in peer.said
    assert TOKEN not in peer.said and WRONG not in peer.said


def test_another_version_is_told_by_the_peer_and_to_the_one_that_asks(peer):
    for version in (2, 17):
        connection, answer = peer.ask("about", version=version)
        with connection:
            assert (
                f"speaks version 1 of its protocol and the other host version {version};" in answer
            )
    peer.end()
    assert "speaks version 17 of the protocol and this reckon-peer version 1;" in peer.said


def test_a_peer_of_another_version_is_told_by_the_probe_and_not_told_the_token():
    with Impostor(b"reckon-peer 2\n") as newer:
        for said in both(newer.at):
            assert "speaks version 2 of the protocol" in said and "version 1; build both" in said
        assert until(lambda: b"".join(newer.heard).count(b"reckon-peer 1\n") == 2), newer.heard
    assert TOKEN.encode() not in b"".join(newer.heard)


def test_a_host_that_is_not_allowed_is_told_and_costs_nothing():
    with Peer("--allow", "127.0.0.2") as one:
        for said in both(one.at):
            assert said == (
                "This reckon-peer does not serve 127.0.0.1; start it with --allow 127.0.0.1."
            )
        connection, answer = one.ask("echo 8", here="127.0.0.2")
        with connection:
            assert answer == "ok"
    assert "127.0.0.1 is not among the hosts of --allow" in one.said


# --- starting it -------------------------------------------------------------------------------


def started(*arguments, token=TOKEN):
    done = subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=20,
        env={**os.environ, "RECKON_PEER_TOKEN": token},
    )
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr.strip()


def test_a_port_that_is_taken_is_told(peer):
    status, said = started("--listen", peer.at)
    assert status == 1 and said == (
        f"reckon-peer: {peer.at} is taken by another program (port {peer.address[1]}); choose "
        "another with --listen ADDRESS:PORT."
    )


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
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
def test_a_mistake_in_its_options_is_one_sentence(arguments, status, said):
    found = started(*arguments)
    assert found[0] == status and said in found[1] and found[1].endswith("."), found


@pytest.mark.parametrize(
    "token", ["", "fifteen-letters", "x" * 129, "with a space in it", "ümläut" * 5]
)
def test_a_token_that_is_too_short_or_cannot_be_sent_is_refused(token):
    status, said = started("--listen", "127.0.0.1:0", token=token)
    assert status == 2 and "A token of 16 to 128 characters without spaces is needed" in said


def test_the_token_may_be_in_a_file(tmp_path):
    (tmp_path / "token").write_text("another-token-of-the-tests\n")
    with Peer("--token-file", str(tmp_path / "token"), token="") as one:
        connection, answer = one.ask("echo 8", token="another-token-of-the-tests")
        connection.close()
        assert answer == "ok"
        assert "another-token" not in open(f"/proc/{one.pid}/cmdline").read()

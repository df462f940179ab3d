"""What the tests of reckon-peer share: the program, a client of its protocol, and a fake peer."""

import contextlib
import json
import os
import socket
import subprocess
import threading
from pathlib import Path

from helpers.project import LIBRARY
from reckon.errors import ReckonError
from reckon.hosts import peer as other_host

PROGRAM = LIBRARY / "reckon-peer"
TOKEN = "made-up-token-of-the-tests"


class Peer:
    """A reckon-peer of the test's own, ended by its end."""

    def __init__(self, *arguments, listen="127.0.0.1:0", token=TOKEN, program=PROGRAM, prefix=()):
        self.program = subprocess.Popen(
            [*prefix, str(program), "--listen", listen, *arguments],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.PIPE,
            env={**os.environ, "RECKON_PEER_TOKEN": token},
        )
        self.line = self.program.stdout.readline()
        self.at = self.line.split()[-1] if self.line.startswith("listening on ") else ""
        host, _, port = self.at.rpartition(":")
        self.address = (host.strip("[]"), int(port or 0))
        self.pid = self.program.pid
        self.locations = {"peer": self.at, "peer_token": TOKEN}

    def __enter__(self):
        assert self.at, self.program.stderr.read()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.program.poll() is None:
            self.program.terminate()
        self.log = self.program.communicate(timeout=20)[1]
        return self.program.returncode

    def connect(self, here=None):
        return socket.create_connection(self.address, 5, here and (here, 0))

    def ask(self, service, token=TOKEN, version=1, here=None):
        """The connection and the answer, after the peer's own greeting."""
        connection = self.connect(here)
        greeting = line(connection)
        if not greeting.startswith("reckon-peer "):
            return connection, greeting
        connection.sendall(f"reckon-peer {version} {token} {service}\n".encode())
        return connection, line(connection)

    def answer(self, service, **how):
        """The answer alone, as of ask()."""
        connection, answer = self.ask(service, **how)
        connection.close()
        return answer

    def files(self):
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))


def line(connection):
    """Up to the end of the line and not a byte more."""
    read = b""
    while not read.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            break
        read += byte
    return read.decode().strip()


def everything(connection):
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 20):
            parts.append(part)
    return b"".join(parts)


def exactly(connection, size):
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        assert part, "the peer closed too early"
        parts += part
    return bytes(parts)


def about(peer):
    connection, answer = peer.ask("about")
    with connection:
        assert answer == "ok"
        return json.loads(everything(connection))


def service_port(peer, service):
    """The connection that requested a service with a port of its own, and the address of that port."""
    connection, answer = peer.ask(service)
    word, port = answer.split()
    assert word == "ok"
    return connection, (peer.address[0], int(port))


def probe(at, token=TOKEN):
    """What a probe says whose other host is there."""
    # Not above: conftest.py chooses the library after it imports this file.
    from helpers.probe_script import attempt

    locations = {"peer": at, "peer_token": token}
    return attempt("test/peer_ask", {"peer": "other"}, locations=locations)


def choice(at, token=TOKEN):
    """What choosing that host before any probe says, or the chosen host."""
    os.environ["RECKON_PEER"], os.environ["RECKON_PEER_TOKEN"] = at, token
    other_host.forget()
    try:
        return other_host.connect()
    except ReckonError as error:
        return f"{type(error).__name__}: {error}"


class FakePeer:
    """Listens on loopback and greets as reckon-peer does; then serve(connection, service, *numbers) has
    each connection in a thread of its own. Without `greets`, serve(connection) has it from the start."""

    def __init__(self, serve, *, greets=True, receive_buffer_bytes=None, address=("127.0.0.1", 0)):
        self.serve, self.greets = serve, greets
        self.requests, self.threads, self.error = [], [], None
        self.listener = socket.create_server(address, backlog=64)
        if receive_buffer_bytes:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        self.at = "{}:{}".format(*self.listener.getsockname())
        self.locations = {"peer": self.at, "peer_token": TOKEN}

    def __enter__(self):
        self._start(self._accept)
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive()
        self.listener.close()
        if self.error:
            raise self.error

    def _start(self, *work):
        self.threads.append(threading.Thread(target=work[0], args=work[1:]))
        self.threads[-1].start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                self._start(self._serve, self.listener.accept()[0])

    def _serve(self, connection):
        try:
            with connection:
                connection.settimeout(20)
                request = []
                if self.greets:
                    connection.sendall(b"reckon-peer 1\n")
                    request = line(connection).split()[3:]
                    self.requests.append(request)
                self.serve(connection, *request)
        except OSError:
            pass  # the probe has gone, as it should where something is wrong
        except BaseException as error:
            self.error = error

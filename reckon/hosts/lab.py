"""The lab host: a second host in this machine, behind a link of a set round trip and rate.

csrc/lab/lab.h says how it is made; here it is started, queried and ended.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import secrets
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence

from reckon import config
from reckon.errors import ALLOW_MORE, ReckonError, is_limit
from reckon.hosts import HostUnavailable, link

START_S = 15  # the longest that starting may take
ANSWER_S = 5
END_S = 10
PORT = 7325  # where reckon-peer listens


class LabUnavailable(HostUnavailable):
    """This machine cannot start a lab host: the reason, and what would help."""

    def __init__(self, reason: str, remedy: str, *, temporary: bool = False):
        super().__init__(
            f"Cannot start the lab host: {reason}; {remedy[:1].lower()}{remedy[1:]}",
            temporary=temporary,
        )
        self.reason, self.remedy = reason, remedy


class LabEnded(HostUnavailable):
    """The lab host ended or stopped answering by itself."""

    def __init__(self, reason: str):
        super().__init__(reason, temporary=True)


class Lab:
    """A lab host that runs until close(), the end of a `with`, or the end of this process.

    The second host runs reckon-peer; `program` replaces it or, with `beside`, runs as well. With
    `wait_port` the lab is ready when that port of the second host accepts connections. `path`
    selects how packets are relayed, "tun" or "packet"; by default the lab does. Raises
    LabUnavailable, LabEnded, and ReckonError for a link that no lab host keeps or without
    reckon-lab.
    """

    pid: int  # of a process in the client's namespaces
    peer_pid: int
    relay_pid: int

    def __init__(
        self,
        rtt_s: float,
        rate_bit_per_s: float,
        program: Sequence[str] | None = None,
        *,
        beside: bool = False,
        wait_port: int | None = None,
        path: str | None = None,
    ):
        link.check_rtt("The link's round trip", rtt_s)
        link.check_rate("The link's rate", rate_bit_per_s)
        options = [f"--rtt-us={round(rtt_s * 1e6)}", f"--rate-bit={round(rate_bit_per_s)}"]
        options += [f"--path={path}"] if path else []
        options += [f"--wait-port={wait_port}"] if wait_port else []
        options += ["--beside"] if beside else []
        options += ["--", *map(str, program)] if program else []
        self._token = secrets.token_hex(16)
        self._unread = b""  # of its output
        self._errors = tempfile.TemporaryFile()
        self._unanswered = 0  # questions
        self._process = self._start(options)
        assert self._process.stdin and self._process.stdout  # pipes, see _start
        self._input, self._output = self._process.stdin, self._process.stdout
        try:
            self._read_description()
        except BaseException:
            self.close()
            raise

    def _start(self, options: list[str]) -> subprocess.Popen:
        try:
            return subprocess.Popen(
                [str(config.settings().library_dir / "reckon-lab"), *options],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=config.child_environment(RECKON_PEER_TOKEN=self._token),
                start_new_session=True,  # Ctrl-C is this process's, which then ends the lab
            )
        except OSError as error:
            self._errors.close()
            if is_limit(error):
                reason = f"reckon-lab does not start ({error.strerror})"
                raise LabUnavailable(reason, ALLOW_MORE, temporary=True) from None
            raise ReckonError(
                f"reckon-lab does not start ({error.strerror}); run `make lib`."
            ) from None

    def _read_description(self) -> None:
        """Wait until the lab is ready, and keep what it reports of itself."""
        answer = self._answer(START_S)
        if reason := answer.get("unsupported") or answer.get("failed"):
            is_temporary = "failed" in answer
            raise LabUnavailable(
                reason + self.last_words(), answer["remedy"], temporary=is_temporary
            )
        self.pid, self.peer_pid = answer["pid"], answer["peer_pid"]
        self.relay_pid = answer["relay_pid"]
        self.path: str = answer["path"]
        self.congestion: str = answer["congestion"]
        self.offload: bool = answer["offload"]
        self.client: str = answer["client"]
        self.peer: str = answer["peer"]
        self.ipv6: bool = answer["ipv6"]
        self.link = {
            "rtt_s": answer["rtt_us"] / 1e6,
            "rate_bit_per_s": float(answer["rate_bit"]),
            "mtu_bytes": answer["mtu"],
            "queue_bytes": answer["queue_bytes"],
        }
        # Where a probe reaches the second host (rk_location() in csrc/probe/probe.h).
        self.locations = {
            "peer": f"{self.peer}:{PORT}",
            "peer_token": self._token,
            "peer_process": str(self.pid),
        }

    def _answer(self, deadline_s: float) -> dict:
        """The lab's next line of output. Raises LabEnded if none comes in time."""
        end_s = time.monotonic() + deadline_s
        while b"\n" not in self._unread:
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([self._output], [], [], left_s)[0]:
                raise LabEnded(f"The lab host said nothing for {deadline_s:g} s; start it again.")
            output = os.read(self._output.fileno(), 4096)
            if not output:
                raise self._end()
            self._unread += output
        line, _, self._unread = self._unread.partition(b"\n")
        return json.loads(line)

    def _end(self) -> LabEnded:
        last_words = "" if self._errors.closed else self.last_words()
        return LabEnded(f"The lab host has ended{last_words}; start it again.")

    def log(self) -> str:
        """All that the lab and its programs have written to standard error so far."""
        # By pread, because the programs write at the file's own offset.
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode(errors="replace")

    def last_words(self, without: str = "") -> str:
        """The last line of the log that has not these words, in brackets, after a space; empty if
        there is none."""
        written = [line.strip() for line in self.log().split("\n")]
        lines = [line for line in written if line and not (without and without in line)]
        return f" ({lines[-1].rstrip('.')})" if lines else ""

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def counters(self) -> dict[str, dict[str, int]]:
        """Counts of packets by direction ("to_peer", "to_client").

        Packets and bytes (of IP) that went onto the link, those dropped because the queue was full,
        those missed before the relay saw them (none unless the machine is too busy for it), those
        that the peer's device refused, those delivered more than 0.1 ms late, and the most
        bytes that ever waited. Raises LabEnded.
        """
        try:
            self._input.write(b"counters\n")
        except (OSError, ValueError):
            raise self._end() from None
        self._unanswered += 1
        while True:  # one that came too late is of an earlier question
            answer = self._answer(ANSWER_S)
            self._unanswered -= 1
            if not self._unanswered:
                return answer

    def close(self) -> None:
        """Ends the lab; no process, namespace or device of it remains."""
        if self._errors.closed:
            return
        self._input.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
        self._errors.close()

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def facts(self) -> dict[str, tuple]:
        """The fields of the machine description: value in base units, source."""
        devices = {"tun": "TUN devices", "packet": "packet sockets on virtual Ethernet"}
        how = devices[self.path] + (", many segments at a time (GSO)" if self.offload else "")
        settings, program = "LINK_RTT, LINK_RATE", "reckon-lab"
        return {
            "kind": ("built into this machine, in namespaces of its own", program),
            "address": (self.peer, program),
            "link_rtt": (self.link["rtt_s"], settings),
            "link_rate": (self.link["rate_bit_per_s"] / 8, settings),
            "queue": (float(self.link["queue_bytes"]), program),
            "mtu": (float(self.link["mtu_bytes"]), program),
            "path": (how, program),
            "congestion": (self.congestion or None, program),
            "hops": (0.0, program),
        }

    def describe(self) -> str:
        """What the second host is and how its link is set, as part of a sentence."""
        rtt = link.rtt_text(self.link["rtt_s"])
        rate = link.rate_text(self.link["rate_bit_per_s"])
        return f"a second host built into this machine, behind a link set to {rtt} and {rate}"


def identity(rtt_s: float, rate_bit_per_s: float) -> str:
    """What makes it another lab: its link, whether root starts it, and its program's sources.

    The user decides how packets are carried.
    """
    digest = hashlib.sha256()
    for path in sorted((config.ROOT / "csrc/lab").glob("*.[ch]")):
        digest.update(path.read_bytes())
    user = "root" if os.geteuid() == 0 else "user"
    settings = f"{rtt_s * 1e3:.6g} ms {rate_bit_per_s / 1e6:.6g} Mbit/s"
    return f"lab {settings} {user} {digest.hexdigest()[:8]}"


def start() -> Lab:
    """A lab with the link that LINK_RTT and LINK_RATE set. Raises as Lab() does."""
    return Lab(link.rtt_s(), link.rate_bit_per_s())


def run_until_exit(start: Callable[[], Lab]) -> Lab:
    """The lab that `start` starts, ended with this process. Raises what `start` raises.

    A start that fails is repeated once: a program may have been killed.
    """
    try:
        lab = start()
    except (LabUnavailable, LabEnded):
        lab = start()
    atexit.register(lab.close)
    return lab

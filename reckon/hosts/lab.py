"""The lab host: a second host in this machine, behind a link of a set round trip and rate.

csrc/lab/lab.h says how it is made; here it is started, queried and ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence

from reckon import config, units
from reckon.config import ReckonError

START_S = 15  # the longest that starting may take
ANSWER_S = 5
END_S = 10
PORT = 7325  # where reckon-peer listens
MIN_RTT_S, MAX_RTT_S = 0.0, 2.0
MIN_RATE_BIT_PER_S, MAX_RATE_BIT_PER_S = 10e3, 2.5e9


class LabUnavailable(ReckonError):
    """This machine cannot start a lab host: the reason, and what would help."""

    def __init__(self, reason: str, remedy: str):
        super().__init__(f"Cannot start the lab host: {reason}; {remedy[:1].lower()}{remedy[1:]}")
        self.reason, self.remedy = reason, remedy


class LabEnded(ReckonError):
    """The lab host ended or stopped answering by itself."""


def _setting(name: str, text: str, unit: str, example: str) -> float:
    """A setting with its unit, in base units. Raises ReckonError for any other text."""
    found = re.fullmatch(r"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*([^\d\s.].*?)\s*", text)
    try:
        if found and units.dimension(found[2]) == units.dimension(unit):
            return units.to_base(float(found[1]), found[2])
    except ReckonError:
        pass
    raise ReckonError(
        f"{name}={text!r} is not {units.kind(units.dimension(unit))} with its unit; write for "
        f"example {name}='{example}'."
    )


def _within(name: str, value: float, minimum: float, maximum: float, show) -> float:
    if minimum <= value <= maximum:
        return value
    raise ReckonError(
        f"{name} is {show(value)}, which the lab host cannot keep; choose from {show(minimum)} to "
        f"{show(maximum)}."
    )


def _time(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:g} ms"


def _rate(bit_per_s: float) -> str:
    for size, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bit_per_s >= size:
            return f"{bit_per_s / size:g} {unit}"
    return f"{bit_per_s:g} bit/s"


def link_rtt_s() -> float:
    """The round trip that LINK_RTT sets, in seconds."""
    value = _setting("LINK_RTT", config.settings().link_rtt, "s", "0.2 ms")
    return _within("LINK_RTT", value, MIN_RTT_S, MAX_RTT_S, _time)


def link_rate_bit_per_s() -> float:
    """The rate that LINK_RATE sets, in bit/s."""
    value = 8 * _setting("LINK_RATE", config.settings().link_rate, "bit/s", "1 Gbit/s")
    return _within("LINK_RATE", value, MIN_RATE_BIT_PER_S, MAX_RATE_BIT_PER_S, _rate)


class Lab:
    """A lab host that runs until close(), the end of a `with`, or the end of this process.

    The second host runs reckon-peer; `program` replaces it or, with `beside`, runs as well. With
    `wait_port` the lab is ready when that port of the second host accepts connections. `path`
    selects how packets are relayed, "tun" or "packet"; by default the lab does.
    """

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
        _within("The link's round trip", rtt_s, MIN_RTT_S, MAX_RTT_S, _time)
        _within("The link's rate", rate_bit_per_s, MIN_RATE_BIT_PER_S, MAX_RATE_BIT_PER_S, _rate)
        command = [
            str(config.settings().library_dir / "reckon-lab"),
            f"--rtt-us={round(rtt_s * 1e6)}",
            f"--rate-bit={round(rate_bit_per_s)}",
        ]
        command += [f"--path={path}"] if path else []
        command += [f"--wait-port={wait_port}"] if wait_port else []
        command += ["--beside"] if beside else []
        command += ["--", *map(str, program)] if program else []
        token = secrets.token_hex(16)
        self._rest = b""
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=config.child_environment(RECKON_PEER_TOKEN=token),
                start_new_session=True,  # Ctrl-C is this process's, which then ends the lab
            )
        except OSError as error:
            self._errors.close()
            raise ReckonError(
                f"reckon-lab does not start ({error.strerror}); run `make lib`."
            ) from None
        assert self._process.stdin and self._process.stdout  # pipes, see above
        self._input, self._output = self._process.stdin, self._process.stdout
        try:
            answer = self._answer(START_S)
        except BaseException:
            self.close()
            raise
        if "unsupported" in answer:
            words = self.last_words()
            self.close()
            raise LabUnavailable(answer["unsupported"] + words, answer["remedy"])
        self.pid: int = answer["pid"]  # of a process in the client's namespaces
        self.peer_pid: int = answer["peer_pid"]
        self.relay_pid: int = answer["relay_pid"]
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
        # Where a probe reaches the second host (rk_place() in csrc/probe/probe.h).
        self.places = {
            "peer": f"{self.peer}:{PORT}",
            "peer_token": token,
            "peer_process": str(self.pid),
        }

    def _answer(self, deadline_s: float) -> dict:
        """The lab's next line of output. Raises LabEnded if none comes in time."""
        end = time.monotonic() + deadline_s
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._output], [], [], left)[0]:
                raise LabEnded(f"The lab host said nothing for {deadline_s:g} s; start it again.")
            more = os.read(self._output.fileno(), 4096)
            if not more:
                raise LabEnded(f"The lab host has ended{self.last_words()}; start it again.")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def words(self) -> str:
        """All that the lab and its programs have written to standard error so far."""
        # By pread, because the programs write at the file's own offset.
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode(errors="replace")

    def last_words(self) -> str:
        """The last line of that, in brackets."""
        lines = self.words().split("\n")
        last = next((line.strip().rstrip(".") for line in reversed(lines) if line.strip()), "")
        return f" ({last})" if last else ""

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def counters(self) -> dict[str, dict[str, int]]:
        """Counts of packets by direction ("to_peer", "to_client").

        Packets and bytes (of IP) that went onto the link, those dropped because the queue was full,
        those missed before the relay saw them (none unless the machine is too busy for it), those
        that the other host's device refused, those delivered more than 0.1 ms late, and the most
        bytes that ever waited.
        """
        try:
            self._input.write(b"counters\n")
        except (OSError, ValueError):
            raise LabEnded(f"The lab host has ended{self.last_words()}; start it again.") from None
        return self._answer(ANSWER_S)

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

    def _set_to(self) -> str:
        return f"{_time(self.link['rtt_s'])} and {_rate(self.link['rate_bit_per_s'])}"

    @property
    def facts(self) -> dict[str, tuple]:
        """The fields of the machine description: value in base units, source."""
        devices = {"tun": "TUN devices", "packet": "packet sockets on virtual Ethernet"}
        how = devices[self.path] + (", many segments at a time (GSO)" if self.offload else "")
        asked, made = "LINK_RTT, LINK_RATE", "reckon-lab"
        return {
            "kind": ("built into this machine, in namespaces of its own", made),
            "address": (self.peer, made),
            "link_rtt": (self.link["rtt_s"], asked),
            "link_rate": (self.link["rate_bit_per_s"] / 8, asked),
            "queue": (float(self.link["queue_bytes"]), made),
            "mtu": (float(self.link["mtu_bytes"]), made),
            "path": (how, made),
            "congestion": (self.congestion or None, made),
            "hops": (0.0, made),
        }

    def describe(self) -> str:
        return f"a second host built into this machine, behind a link set to {self._set_to()}"


def identity(rtt_s: float, rate_bit_per_s: float) -> str:
    """What makes it another lab: its link, whether root starts it, and its program's sources.

    The user decides how packets are carried.
    """
    digest = hashlib.sha256()
    for path in sorted((config.ROOT / "csrc/lab").glob("*.[ch]")):
        digest.update(path.read_bytes())
    whose = "root" if os.geteuid() == 0 else "user"
    return (
        f"lab {rtt_s * 1e3:.6g} ms {rate_bit_per_s / 1e6:.6g} Mbit/s {whose} "
        + digest.hexdigest()[:8]
    )


def started(start: Callable[[], Lab]) -> Lab:
    """What `start` returns, called once more if it fails: a program may have been killed.

    Raises LabUnavailable, LabEnded."""
    try:
        return start()
    except (LabUnavailable, LabEnded):
        return start()


def start() -> Lab:
    """A lab with the link that LINK_RTT and LINK_RATE set."""
    return Lab(link_rtt_s(), link_rate_bit_per_s())

"""The NFS servers of remote files: a real one, or nfs-ganesha on lab hosts.

A real one (NFS=host:/export) holds a file `reckon-data`, put there by its owner; Reckon writes
nothing on it. Without NFS, nfs-ganesha runs on a lab host and exports the folder of the run's
files, read-only, to the other end of the lab's link alone. There are up to three such servers, by
the delay of their link: "other" (as LINK_RTT says), "near" (no delay: the server's and the client's
own work) and "far".
"""

from __future__ import annotations

import atexit
import functools
import glob
import hashlib
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reckon import config
from reckon.config import ReckonError
from reckon.hosts import lab

SERVERS = ("other", "near", "far")
PORT = 2049
READY_S = 10.0  # the longest that a server may take until it serves
DEADLINE_S = 5.0
ADDRESS, EXPORT, FILE = "10.77.0.2", "/reckon", "reckon-data"
_INSTALL = "run `make nfs` as root, which installs what it needs on Debian and Ubuntu"
_READY = "NFS SERVER INITIALIZED"  # what ganesha logs when it is done
_NEEDED = 1 << 2  # CAP_DAC_READ_SEARCH (capabilities(7)), for open_by_handle_at(2)

# All that ganesha writes (recovery, its pid, its log's folder) goes into a /run of its own, in
# memory, which ends with its mount namespace: nothing is left behind. rpcbind, which clients of
# version 3 ask for the ports, has its socket there too. ganesha keeps the one capability that it
# needs (setpriv(1)); rpcbind drops all of them when it changes to its own user.
_SERVE = """
mount -t tmpfs -o mode=0755,size=16m tmpfs /run && mkdir /run/ganesha && cd / || exit 1
printf '%s' "$1" >/run/ganesha/ganesha.conf
rpcbind=$(command -v rpcbind) && "$rpcbind" -f </dev/null &
for wait in 1 2 3 4 5 6 7 8 9 10; do [ -z "$2" ] || [ -S /run/rpcbind.sock ] || sleep 0.05; done
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+dac_read_search \\
  ganesha.nfsd -F -L STDERR -N NIV_EVENT -f /run/ganesha/ganesha.conf -p /run/ganesha/pid
"""
_CONFIG = """
NFS_CORE_PARAM {{ Bind_addr = {address}; Protocols = {protocols}; mount_path_pseudo = true;
                 Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }}
NFSv4 {{ Graceless = true; RecoveryRoot = /run/ganesha; Minor_Versions = 0, 1, 2; }}
EXPORT {{ Export_Id = 77; Path = "{folder}"; Pseudo = "{export}"; Access_Type = RO; SecType = sys;
         Squash = No_Root_Squash; Protocols = {protocols}; Transports = TCP;
         MaxRead = 1048576; PrefRead = 1048576; FSAL {{ Name = VFS; }} }}
"""


class NfsUnavailable(ReckonError):
    """No NFS server is available; the message is the reason."""


@dataclass(frozen=True)
class Server:
    """A server that this process reads from."""

    kind: str  # "real" or "lab"
    places: dict[str, str]  # how a probe reaches it
    describe: str
    alive: Callable[[], bool] = lambda: True


def far_rtt_s() -> float:
    """The round trip of the longer link: a millisecond, or five times LINK_RTT if that is more."""
    return min(max(1e-3, 5 * lab.link_rtt_s()), lab.MAX_RTT_S)


def link(server: str) -> tuple[float, float]:
    """The round trip in s and the rate in bit/s of the lab's link to that server."""
    rtt = {"other": lab.link_rtt_s, "near": lambda: 0.0, "far": far_rtt_s}[server]()
    return rtt, lab.link_rate_bit_per_s()


def is_real(server: str) -> bool:
    return server == "other" and bool(config.settings().nfs)


def connect(server: str, folder: Path) -> Server:
    """The server, greeted or started once a process; one of the lab exports `folder`.

    Raises NfsUnavailable, the same each time.
    """
    if server not in SERVERS:
        raise ReckonError(f"There is no NFS server {server!r}; choose one of {', '.join(SERVERS)}.")
    found = _connect_once(server, str(folder))
    if isinstance(found, Server) and not found.alive():  # it was ended from outside: a new one
        del _connections[server, str(folder)]
        found = _connect_once(server, str(folder))
    if isinstance(found, NfsUnavailable):
        raise NfsUnavailable(str(found))
    return found


def forget() -> None:
    """Ends the started servers; the next connect() greets or starts one again."""
    while _started:
        _started.pop().close()
    _connections.clear()


_started: list[lab.Lab] = []
_connections: dict[tuple[str, str], Server | NfsUnavailable] = {}


def _connect_once(server: str, folder: str) -> Server | NfsUnavailable:
    if (server, folder) not in _connections:
        _connections[server, folder] = _connect_now(server, folder)
    return _connections[server, folder]


def _connect_now(server: str, folder: str) -> Server | NfsUnavailable:
    try:
        address = config.settings().nfs
        return _real(address) if address and is_real(server) else _lab(server, folder)
    except NfsUnavailable as reason:
        return reason


def _places(server: str, at: str, process: str = "") -> dict[str, str]:
    """Where a probe reaches the server, by the names of rk_place() in csrc/probe/probe.h.

    process: one in the network from which a lab's server is reached."""
    name = "nfs" if server == "other" else f"nfs_{server}"
    return {name: at, f"{name}_process": process}


def identity(server: str) -> str:
    """Which server and link it is, for a record's key. Nothing is started for it."""
    if is_real(server):
        return f"nfs {config.settings().nfs} {' '.join(_libraries())}"
    rtt, rate = link(server)
    made = hashlib.sha256(f"{_SERVE}{_CONFIG}{_version()}{_libraries()}".encode()).hexdigest()[:8]
    return f"nfs {made} {lab.identity(rtt, rate)}"


# --- a real one ------------------------------------------------------------------------------


def _real(where: str) -> Server:
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:/]+):(/\S*)", where)
    if not match:
        raise NfsUnavailable(f"NFS is {where!r}; write HOST:/EXPORT.")
    host = match[1].strip("[]")
    try:
        socket.create_connection((host, PORT), DEADLINE_S).close()
    except TimeoutError:
        raise NfsUnavailable(
            f"The NFS server {host} did not answer within {DEADLINE_S:g} s; is it up, and does a "
            f"firewall let port {PORT} through?"
        ) from None
    except ConnectionRefusedError:
        raise NfsUnavailable(
            f"Nothing listens at {host} port {PORT}; is an NFS server running there?"
        ) from None
    except OSError as error:
        raise NfsUnavailable(
            f"There is no way to the NFS server {host}: {error.strerror}."
        ) from None
    return Server(
        "real",
        _places("other", where),
        f"The NFS server is {host}, and the file {FILE} of its export {match[2]}.",
    )


# --- on a lab host ---------------------------------------------------------------------------


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")


def _libraries() -> list[str]:
    """The versions of libnfs that are installed, by their files' names."""
    found = glob.glob("/usr/lib*/libnfs.so.*") + glob.glob("/usr/lib/*/libnfs.so.*")
    return sorted({os.path.basename(os.path.realpath(one)) for one in found})


@functools.cache
def _version() -> str:
    """The name and version that ganesha reports."""
    program = _program("ganesha.nfsd")
    if not program:
        return "no ganesha"
    try:
        said = subprocess.run([program, "-v"], capture_output=True, text=True, timeout=DEADLINE_S)
    except (OSError, subprocess.TimeoutExpired):
        return "an NFS-Ganesha that does not say its version"
    lines = (said.stdout + said.stderr).strip().splitlines()
    return lines[0].replace(" Release = V", " ") if lines else "NFS-Ganesha"


def _why_not(folder: str) -> str | None:
    """Why nfs-ganesha cannot run here; None if it can."""
    if not _program("ganesha.nfsd"):
        return f"nfs-ganesha is not installed; {_INSTALL}"
    if not glob.glob("/usr/lib*/ganesha/libfsalvfs.so") + glob.glob(
        "/usr/lib/*/ganesha/libfsalvfs.so"
    ):
        return f"nfs-ganesha has no module for files on a disk; {_INSTALL}"
    if not os.path.exists("/etc/mtab"):  # as in a system made by debootstrap and never started
        return (
            "/etc/mtab is missing, where nfs-ganesha looks for file systems; "
            "ln -s ../proc/self/mounts /etc/mtab"
        )
    for program in ("unshare", "setpriv"):
        if not _program(program):
            return f"{program} is not installed; install the package util-linux"
    try:
        privileged = _is_privileged()
    except OSError as error:
        return f"/proc is not there: {error.strerror}"
    if not privileged:
        return (
            "nfs-ganesha needs root outside any user namespace (CAP_DAC_READ_SEARCH); name a real "
            "server with NFS=host:/export"
        )
    if re.match(r"/(var/)?run(/|$)", folder):
        return (
            f"the files lie in {folder}, which the server has one of its own of; choose another "
            "SCRATCH"
        )
    if re.search(r'["\\\n]', folder):
        return (
            f"the folder's name {folder!r} does not go into the server's configuration; choose "
            "another SCRATCH"
        )
    return None


def _is_privileged() -> bool:
    """True with CAP_DAC_READ_SEARCH in the first user namespace."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    effective = re.search(r"CapEff:\s*([0-9a-f]+)", status)
    users = Path("/proc/self/uid_map").read_text(encoding="utf-8").split()
    held = int(effective[1], 16) if effective else 0
    return bool(held & _NEEDED) and users == ["0", "0", "4294967295"]


def _lab(server: str, folder: str) -> Server:
    why = _why_not(folder)
    if why:
        raise NfsUnavailable(f"Cannot start an NFS server: {why}.")
    rtt, rate = link(server)
    with_3 = bool(_program("rpcbind"))
    text = _CONFIG.format(
        address=ADDRESS, folder=folder, export=EXPORT, protocols="3, 4" if with_3 else "4"
    )
    program = [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        f'PATH="$PATH:/usr/sbin:/sbin"\n{_SERVE}',
        "sh",
        text,
        "3" if with_3 else "",
    ]

    def start() -> lab.Lab:
        made = lab.Lab(rtt, rate, program, wait_port=PORT)
        try:
            _await_ready(made)
        except BaseException:
            made.close()
            raise
        return made

    try:
        made = lab.started(start)
    except (lab.LabUnavailable, lab.LabEnded) as trouble:
        raise NfsUnavailable(f"{trouble}") from None
    _started.append(made)
    atexit.register(made.close)
    description = (
        f"{_version()} on {made.describe()}; TCP by "
        f"{made.congestion or 'an unknown congestion control'}; it shares this machine's page cache"
    )
    if not with_3:
        description += "; without rpcbind it has no version 3"
    places = _places(server, f"{ADDRESS}:{EXPORT}", str(made.pid))
    return Server("lab", places, description, lambda: made.running)


def _await_ready(made: lab.Lab) -> None:
    """Waits until ganesha serves: its port is open earlier, its log says when."""
    end = time.monotonic() + READY_S
    while _READY not in made.words():
        if not made.running:
            raise lab.LabEnded(f"nfs-ganesha ended before it was ready{made.last_words()}.")
        if time.monotonic() > end:
            raise NfsUnavailable(
                f"nfs-ganesha was not ready within {READY_S:g} s{made.last_words()}."
            )
        time.sleep(0.005)


def facts() -> dict[str, tuple]:
    """The fields of the machine description: value in base units, source.

    Nothing is started for it. A real server's link is not under Reckon's control.
    """
    (rtt, rate), asked = link("other"), "LINK_RTT, LINK_RATE"
    if is_real("other"):
        return {
            "kind": ("a real host", "NFS"),
            "address": (config.settings().nfs, "NFS"),
            "far_rtt": (far_rtt_s(), asked),
        }
    return {
        "kind": (f"{_version()} on a host built into this machine", "ganesha.nfsd -v"),
        "address": (f"{ADDRESS}:{EXPORT}", "reckon/hosts/nfs.py"),
        "link_rtt": (rtt, asked),
        "far_rtt": (far_rtt_s(), asked),
        "link_rate": (rate / 8, asked),
    }

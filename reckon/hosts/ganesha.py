"""nfs-ganesha: an NFS server of Reckon's own, on a lab host behind a link of its own.

It exports one folder of this machine, read-only, to the client at its link alone.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import re
import shutil
import subprocess
import time

from reckon.computer.privileges import CAP_DAC_READ_SEARCH, is_capable
from reckon.errors import ALLOW_MORE, is_limit
from reckon.hosts import HostUnavailable
from reckon.hosts.lab import Lab, LabEnded

PORT = 2049
ADDRESS, EXPORT = "10.77.0.2", "/reckon"
_READY_S = 10.0  # the longest that a server may take until it serves
_VERSION_S = 5.0  # the longest that `ganesha.nfsd -v` may take
_BACKTRACE = "gsh_backtrace"  # in the lines that it writes of its own stack when it ends
_READY = "NFS SERVER INITIALIZED"  # what ganesha logs when it is done
_INSTALL = "run `make nfs` as root, which installs what it needs on Debian and Ubuntu"

# All that ganesha writes (recovery, its pid, its log's folder) goes into a /run of its own, in
# memory, which ends with its mount namespace: nothing is left behind. rpcbind, which clients of
# version 3 ask for the ports, has its socket there too. ganesha keeps the one capability that it
# needs (setpriv(1)); rpcbind drops all of them when it changes to its own user. Version 6 would end
# where it may not become an I/O flusher, unless that is allowed; version 4 ignores the option.
_MOUNT_RUN = """
mount -t tmpfs -o mode=0755,size=16m tmpfs /run && mkdir /run/ganesha && cd / || exit 1
"""
# ganesha looks for file systems in /etc/mtab, which a system that was never started lacks, such as
# one made by debootstrap. There it gets an /etc of its own: a link to each entry of the real one,
# and the file. The server works alike, so this is not part of its identity.
_MAKE_MTAB = """\
if ! [ -e /etc/mtab ]; then
  mkdir /run/etc /run/own-etc && mount --bind /etc /run/etc && ln -s /run/etc/* /run/own-etc/ &&
    ln -sf /proc/self/mounts /run/own-etc/mtab && mount --bind /run/own-etc /etc || exit 1
fi
"""
_SERVE = """\
printf '%s' "$1" >/run/ganesha/ganesha.conf
rpcbind=$(command -v rpcbind) && "$rpcbind" -f </dev/null &
for wait in 1 2 3 4 5 6 7 8 9 10; do [ -z "$2" ] || [ -S /run/rpcbind.sock ] || sleep 0.05; done
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+dac_read_search \\
  ganesha.nfsd -F -L STDERR -N NIV_EVENT -f /run/ganesha/ganesha.conf -p /run/ganesha/pid
"""
_CONFIG = """
NFS_CORE_PARAM {{ Bind_addr = {address}; Protocols = {protocols}; mount_path_pseudo = true;
                 Allow_Set_IO_Flusher_Fail = true;
                 Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }}
NFSv4 {{ Graceless = true; RecoveryRoot = /run/ganesha; Minor_Versions = 0, 1, 2; }}
EXPORT {{ Export_Id = 77; Path = "{folder}"; Pseudo = "{export}"; Access_Type = RO; SecType = sys;
         Squash = No_Root_Squash; Protocols = {protocols}; Transports = TCP;
         MaxRead = 1048576; PrefRead = 1048576; FSAL {{ Name = VFS; }} }}
"""


def start(rtt_s: float, rate_bit_per_s: float, folder: str) -> Lab:
    """A lab with that link whose second host exports the folder, once it serves.

    Raises HostUnavailable: why_not(folder), or what kept it from starting.
    """
    if reason := why_not(folder):
        raise HostUnavailable(f"Cannot start an NFS server: {reason}.")
    protocols = "3, 4" if serves_version_3() else "4"
    configuration = _CONFIG.format(
        address=ADDRESS, folder=folder, export=EXPORT, protocols=protocols
    )
    script = f'PATH="$PATH:/usr/sbin:/sbin"\n{_MOUNT_RUN}{_MAKE_MTAB}{_SERVE}'
    program = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    program += [
        "sh",
        configuration,
        "3" if serves_version_3() else "",
    ]  # $0, $1 and $2 of the script
    lab = Lab(rtt_s, rate_bit_per_s, program, wait_port=PORT)
    try:
        _wait_until_ready(lab)
    except BaseException:
        lab.close()
        raise
    return lab


def _wait_until_ready(lab: Lab) -> None:
    """Waits until ganesha serves: its port is open earlier, its log says when."""
    end_s = time.monotonic() + _READY_S
    while _READY not in lab.log():
        if not lab.running:
            raise LabEnded(f"nfs-ganesha ended before it was ready{lab.last_words(_BACKTRACE)}.")
        if time.monotonic() > end_s:
            raise HostUnavailable(
                f"nfs-ganesha was not ready within {_READY_S:g} s{lab.last_words(_BACKTRACE)}.",
                temporary=True,
            )
        time.sleep(0.005)


def find_program(name: str) -> str | None:
    """The path of an installed program; None without it."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")


def serves_version_3() -> bool:
    """Whether it serves version 3 too, whose clients ask rpcbind for the ports."""
    return bool(find_program("rpcbind"))


@functools.cache
def version() -> str:
    """The name and version that ganesha reports, as text for records and pages.

    Raises HostUnavailable where a limit keeps it from starting: keys depend on what it reports.
    """
    path = find_program("ganesha.nfsd")
    if not path:
        return "no ganesha"
    try:
        done = subprocess.run([path, "-v"], capture_output=True, text=True, timeout=_VERSION_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        if isinstance(error, OSError) and is_limit(error):
            reason = f"{path} does not start ({error.strerror}); {ALLOW_MORE}"
            raise HostUnavailable(reason, temporary=True) from None
        return "an NFS-Ganesha that does not say its version"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0].replace(" Release = V", " ") if lines else "NFS-Ganesha"


def identity(client_libraries: list[str]) -> str:
    """A hash of the server's version, its configuration and the client's libraries."""
    content = f"{_MOUNT_RUN}{_SERVE}{_CONFIG}{version()}{client_libraries}"
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def why_not(folder: str) -> str | None:
    """Why nfs-ganesha cannot export that folder here, and what would help; None if it can."""
    return _why_not_installed() or _why_not_allowed() or _why_not_folder(folder)


def _why_not_installed() -> str | None:
    module = "ganesha/libfsalvfs.so"
    if not find_program("ganesha.nfsd"):
        return f"nfs-ganesha is not installed; {_INSTALL}"
    if not glob.glob(f"/usr/lib*/{module}") + glob.glob(f"/usr/lib/*/{module}"):
        return f"nfs-ganesha has no module for files on a disk; {_INSTALL}"
    for name in ("unshare", "setpriv"):
        if not find_program(name):
            return f"{name} is not installed; install the package util-linux"
    return None


def _why_not_allowed() -> str | None:
    try:
        if is_capable(CAP_DAC_READ_SEARCH):  # for open_by_handle_at(2)
            return None
    except OSError as error:
        return f"/proc is not there: {error.strerror}"
    return (
        "nfs-ganesha needs root outside any user namespace (CAP_DAC_READ_SEARCH); name a real "
        "server with NFS=host:/export"
    )


def _why_not_folder(folder: str) -> str | None:
    if re.match(r"/(var/)?run(/|$)", folder):
        return (
            f"the files lie in {folder}, and the server has a /run of its own; choose another "
            "SCRATCH"
        )
    if re.search(r'["\\\n]', folder):
        return (
            f"the folder's name {folder!r} does not go into the server's configuration; choose "
            "another SCRATCH"
        )
    return None

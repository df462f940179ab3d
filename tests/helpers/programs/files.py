"""Probes of files, and servers of files, in this process."""

import json
from pathlib import Path

from helpers.probe_script import attempt
from helpers.processes import until
from reckon.computer import scratch
from reckon.hosts import HostUnavailable, nfs
from reckon.measurement import library


def limited_and_left(groups):
    """What the probe of a limit of 8 MiB says, and what the one of the rest finds, with control groups in
    this folder."""
    params = {"groups": groups, "limit_bytes": 8 << 20}
    limited = attempt("files/cache/limited", params, isolated=False)
    left = library.run("files/cache/left", params, samples=2, isolated=False)
    return [limited, left.ops.tolist()]


def why_no_server():
    """Why no NFS server starts here; empty if one does."""
    try:
        nfs.connect("near", Path("/var/tmp"))
    except HostUnavailable as reason:
        return str(reason)
    return ""


def hold_server(ends_itself):
    """Prints the scratch folder and the processes of an NFS server, and ends at once or with its lab."""
    lab = nfs.connect("near", scratch.prepare_files(1, 4096)[0].parent).lab
    pids = {"lab": lab.pid, "relay": lab.relay_pid, "server": lab.peer_pid}
    print(json.dumps([str(scratch.folder_in_use()), pids]), flush=True)
    if not ends_itself:
        until(lambda: not lab.running, 60)

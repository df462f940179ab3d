"""The chapter on remote files: which NFS server it was."""

from helpers import made_up

from reckon.book import contents
from reckon.computer.facts import Machine

REMOTE = contents.findings_of("files/remote")


def test_a_page_says_which_nfs_server_it_was():
    machine = Machine.of({"nfs.link_rtt": (2e-4, ""), "nfs.far_rtt": (1e-3, "")})
    real = Machine.of({"nfs.address": ("host:/export", "")})
    read = made_up.single("files/remote/random", 300, "µs")
    read.measurement.peer = "NFS-Ganesha 4.3 on a second host; it shares this machine's page cache"
    none = made_up.nothing("files/remote/random", "Cannot start an NFS server: it is forbidden")
    assert "NFS-Ganesha 4.3 on a second host" in REMOTE.server(machine, [read]).markdown
    assert "of 1.00 ms" in REMOTE.server(machine, [none, read]).markdown
    assert "The NFS server is host:/export" in REMOTE.server(real, [read]).markdown
    for nfs in (machine, real):
        assert "Cannot start an NFS server: it is forbidden." in REMOTE.server(nfs, [none]).markdown

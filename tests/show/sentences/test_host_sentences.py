"""What pages say of the other host, the NFS server and the disk of the files."""

import pytest
from helpers import made_up, tables

import reckon as rk
from reckon.computer.facts import Machine


def described(**values):
    return Machine.of({f"peer.{key}": (value, "a test") for key, value in values.items()})


BUILT_IN = described(kind="built in", link_rtt=0.01, link_rate=12.5e6, mtu=1500.0)
REAL = described(kind="a real host", address="192.0.2.7:7325", kernel="Linux 6.1", distance=1e6)


def test_a_page_says_who_is_at_the_other_end():
    text = rk.show.host(BUILT_IN).markdown
    assert "built into this machine" in text and "10.0 ms and 100 Mbit/s" in text
    assert rk.show.host(REAL).markdown == "The other host is 192.0.2.7:7325 (Linux 6.1)."
    none = Machine.of({"peer.kind": (None, "It is forbidden; allow it.")})
    assert rk.show.host(none).markdown.startswith(
        "There is no other host here: It is forbidden; allow it. What needs one"
    )
    assert "when the run was recorded" in rk.show.host(Machine({})).markdown


def test_the_set_round_trip_is_compared_with_the_measured_ones():
    seen = made_up.single("network/rtt/tcp", 10.1, "ms")
    text = rk.show.link_check(
        BUILT_IN, {"on the wire": seen, "never": made_up.nothing("network/rtt/x")}
    ).markdown
    assert (
        "The link is set to 10.0 ms and 100 Mbit/s" in text
        and "at least 10.1 ms" in text
        and "never" not in text
    )
    more = float(text.split("on the wire ")[1].split(", ")[1].split()[0])
    assert more == pytest.approx(abs(seen.median - 10.1e-3) * 1e6, abs=0.6)
    assert "the link's delay is not set" in rk.show.link_check(REAL, {"on the wire": seen}).markdown


def test_light_in_a_fibre_is_the_ideal():
    text = rk.show.distance(REAL, made_up.single("network/rtt/tcp", 20, "ms")).markdown
    assert "Over 1,000 km" in text and "takes 10.0 ms" in text
    assert float(text.split("that")[0].split("is ")[-1].split()[0]) == pytest.approx(2, rel=0.05)
    assert rk.show.distance(BUILT_IN, made_up.single("network/rtt/tcp", 20, "ms")).markdown == ""


def test_other_programs_are_compared_with_reckons_probes():
    probe, program = (
        made_up.single("network/rtt/tcp", 10, "µs"),
        made_up.single("network/rtt/sockperf", 20, "µs"),
    )
    missing = made_up.nothing("network/rtt/ping", "ping is not installed")
    rows = tables.rows(
        rk.show.cross_check({"sockperf": (program, probe), "ping": (missing, probe)}, "C", "n")
    )
    assert rows[1][0] == "`sockperf`" and float(rows[1][-1].rstrip("×")) == pytest.approx(
        0.5, rel=0.05
    )
    assert rows[2][2] == "unsupported: ping is not installed" and rows[2][-1] == "–"


def test_what_tcp_did_is_summed_and_unknown_is_not_none():
    result = made_up.single("network/connect/connect", 20, "µs")
    for k, process in enumerate(result.measurement.points[0].processes):
        process.retransmits, process.listen_overflows, process.time_wait = 1, -1 if k else 0, k
    rows = tables.rows(rk.show.tcp([result, made_up.single("cpu/x/y", 1, "µs")], "C", "n"))
    assert len(rows) == 2, "what has nothing to do with TCP has no row"
    assert rows[1] == ["connect", "loopback", "8", "not known", "not known", "7"]


def test_a_page_says_which_nfs_server_it_was():
    machine = Machine.of({"nfs.link_rtt": (2e-4, ""), "nfs.far_rtt": (1e-3, "")})
    real = Machine.of({"nfs.address": ("host:/export", "")})
    read = made_up.single("files/remote/random", 300, "µs")
    read.measurement.peer = "NFS-Ganesha 4.3 on a second host; it shares this machine's page cache"
    none = made_up.nothing("files/remote/random", "Cannot start an NFS server: it is forbidden")
    assert "NFS-Ganesha 4.3 on a second host" in rk.show.server(machine, [read]).markdown
    assert "of 1.00 ms" in rk.show.server(machine, [none, read]).markdown
    assert "The NFS server is host:/export" in rk.show.server(real, [read]).markdown
    for nfs in (machine, real):
        assert (
            "Cannot start an NFS server: it is forbidden." in rk.show.server(nfs, [none]).markdown
        )


def lies_on(kind, where="a file system on /dev/sda", guest=0.0, folder="/var/tmp"):
    values = {
        "scratch.folder": folder,
        "scratch.filesystem": kind,
        "scratch.lies_on": where,
        "system.guest": guest,
        "disk.devices": "vda (virtual)",
    }
    machine = Machine.of({field: (value, "a test") for field, value in values.items()})
    return rk.show.disk(machine).markdown


def test_the_disk_of_the_files_is_named():
    assert (
        "`/var/tmp` (`SCRATCH=` chooses another folder): ext4, a file system on /dev/sda."
        in lies_on("ext4")
    )
    assert "guest" not in lies_on("ext4") and "vda (virtual)" in lies_on("ext4")
    assert "a device as the guest sees it" in lies_on("ext4", guest=1.0)
    assert "**No disk is below it**" in lies_on("tmpfs", guest=1.0)
    assert "**Layers**" in lies_on("overlay") and "does not record" in lies_on("ext4", folder=None)
    assert "does not record on which disk" in rk.show.disk(Machine({})).markdown

"""Remote files where the server is missing, wrong, silent or goes away: one sentence, no sample, nothing left."""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.capabilities import other_users
from helpers.everything import check_outcome
from helpers.labs import gone, living_in, spaces_of
from helpers.peers import FakePeer
from helpers.probe_script import attempt
from helpers.probes import NOBODY_ELSE, in_python
from helpers.processes import until
from helpers.programs import files
from helpers.served import (
    FILE_BYTES,
    KIB,
    MIB,
    SERVED,
    can_serve,
    clean_environment,
    in_client,
    lab_of,
)

from reckon.hosts import HostUnavailable, ganesha, nfs
from reckon.measurement import library

RANDOM, NULL = "files/remote/random", "files/remote/null"


@pytest.fixture(autouse=True)
def no_server_is_set():
    with clean_environment():
        yield


@pytest.fixture
def here(served):
    """The module's server with its environment; each test may end it."""
    os.environ.update(RECKON_SCRATCH=str(served.folder.parent), RECKON_FILES=str(served.folder))
    nfs.forget()
    served.start("near")
    yield served
    nfs.forget()


# --- none available ----------------------------------------------------------------------------


def test_without_a_server_each_probe_says_so():
    for probe in SERVED:
        check_outcome(probe, attempt(probe, {}))


@pytest.mark.parametrize(
    "missing, message",
    [
        (
            "ganesha.nfsd",
            "nfs-ganesha is not installed; run `make nfs` as root, which installs what it needs",
        ),
        ("unshare", "unshare is not installed; install the package util-linux."),
        ("setpriv", "setpriv is not installed; install the package util-linux."),
    ],
)
def test_a_program_that_is_not_installed_is_named(monkeypatch, missing, message):
    can_serve()
    real = ganesha.find_program
    monkeypatch.setattr(
        ganesha, "find_program", lambda name: None if name == missing else real(name)
    )
    nfs.forget()
    for _ in range(2):  # the same each time
        with pytest.raises(HostUnavailable, match=f"Cannot start an NFS server: {message}"):
            nfs.connect("near", Path("/var/tmp"))
    nfs.forget()


def test_for_an_ordinary_user_the_reason_is_that_a_server_needs_root():
    can_serve()
    other_users()
    outcome = in_python(files.why_no_server, before=f"become({NOBODY_ELSE})")
    assert outcome.startswith("Cannot start an NFS server: nfs-ganesha needs root outside any")


def test_root_of_a_user_namespace_is_not_root_enough():
    can_serve()
    outcome = in_python(
        "from reckon.hosts import ganesha; say(ganesha.why_not('/var/tmp'))",
        prefix=["unshare", "--user", "--map-root-user"],
    )
    assert outcome.startswith("nfs-ganesha needs root outside any user namespace")


def test_without_rpcbind_there_is_no_version_3(here, monkeypatch):
    real = ganesha.find_program
    monkeypatch.setattr(
        ganesha, "find_program", lambda name: None if name == "rpcbind" else real(name)
    )
    script = ganesha._SERVE.replace("command -v rpcbind", "false")
    monkeypatch.setattr(ganesha, "_SERVE", script)
    nfs.forget()
    assert "without rpcbind it has no version 3" in here.start("near").description
    here.run("random", samples=2, version=4)
    with pytest.raises(
        library.ProbeFailed, match="port 111; is an NFS server running there, with rpcbind"
    ):
        here.run("random", samples=2, version=3)


# An /etc without mtab, in the server's own mount namespace.
HIDE_MTAB = """
mount -t tmpfs tmpfs /mnt && mkdir /mnt/real /mnt/etc && mount --bind /etc /mnt/real || exit 1
ln -s /mnt/real/* /mnt/etc/ && rm /mnt/etc/mtab && mount --bind /mnt/etc /etc || exit 1
! [ -e /etc/mtab ] || exit 1
"""


def test_a_server_starts_where_the_system_has_no_etc_mtab(here, monkeypatch):
    monkeypatch.setattr(ganesha, "_MOUNT_RUN", HIDE_MTAB + ganesha._MOUNT_RUN)
    nfs.forget()
    here.start("near")
    here.run("random", samples=2, version=4)
    here.run("random", samples=2, version=3)


def test_a_port_that_is_taken_is_reported_with_the_servers_last_words(here, monkeypatch):
    # The shell goes on once its child holds the port.
    listen = (
        'import os, socket, time; s = socket.create_server((\\"10.77.0.2\\", 2049)); '
        "os.fork() or time.sleep(60)"
    )
    script = f'{sys.executable} -c "{listen}"\n{ganesha._SERVE}'
    monkeypatch.setattr(ganesha, "_SERVE", script)
    nfs.forget()
    with pytest.raises(HostUnavailable, match="ended.*(bind|svc|Fatal|socket|exiting)"):
        here.start("near")


def test_a_folder_that_cannot_be_exported_is_reported():
    can_serve()
    assert "choose another SCRATCH" in ganesha.why_not("/run/there")
    assert "choose another SCRATCH" in ganesha.why_not('/var/tmp/a"b')


def test_without_libnfs_the_probe_says_what_to_install(here, monkeypatch):
    monkeypatch.setenv("RECKON_NFS_LIBRARY", "libnothing.so.13")
    with pytest.raises(
        library.ProbeUnsupported, match="libnfs is not installed; run `make nfs` as root"
    ):
        here.run("random", samples=2)
    here.run("null", samples=2)  # which needs none


# --- a wrong one -------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [3, 4])
def test_an_export_that_is_not_there_is_reported(here, version):
    locations = here.start("near").locations | {"nfs_near": "10.77.0.2:/wrong"}
    outcome = attempt(RANDOM, {"server": "near", "version": version}, locations=locations)
    sentence = f"10.77.0.2 does not export /wrong to this host by NFSv{version} ("
    assert outcome.startswith("ProbeFailed") and sentence in outcome


@pytest.mark.parametrize(
    "where, message",
    [
        ("nonsense", 'The NFS server is "nonsense", not HOST:/EXPORT.'),
        (":/x", 'The NFS server is ":/x", not HOST:/EXPORT.'),
        (
            "127.0.0.77:/x",
            "Nothing listens at 127.0.0.77 port 2049; is an NFS server running there?",
        ),
        ("no.such.host.invalid:/x", "The NFS server no.such.host.invalid is not found: "),
    ],
)
def test_a_real_server_that_is_not_there_is_reported(monkeypatch, where, message):
    monkeypatch.setenv("RECKON_NFS_AT", where)
    for probe in (RANDOM, NULL):
        assert message in attempt(probe, {}), probe


def test_an_unknown_server_is_refused():
    for name in ("third", ""):
        assert attempt(RANDOM, {"server": name}).endswith("not other, near or far.")


def test_what_is_read_from_a_real_server_is_the_file_put_there(here):
    """The lab's server as a real one is seen: another host, whose page cache is its own."""
    cases = [
        ("random", {"file_bytes": MIB}),
        ("random", {"file_bytes": MIB, "version": 3}),
        ("random", {"file_bytes": MIB, "cold": 1}),
        ("penalty", {"file_bytes": MIB}),
        ("seek_end", {"file_bytes": MIB}),
        ("t470_random", {"file_bytes": MIB}),
        ("null", {}),
    ]
    script = f"say([attempt('files/remote/' + probe, params) for probe, params in {cases}])"

    def ask():
        nfs.forget()  # a server remembers a file's size for a while
        here.start("near")
        return in_client(
            lab_of("near"), script, RECKON_NFS_AT="10.77.0.2:/reckon", RECKON_NFS_SPACE=""
        )

    *missing, nothing = ask()
    assert nothing == "ran"
    assert {message[:74] for message in missing} == {
        "ProbeFailed: 10.77.0.2:/reckon has no file reckon-data; make one there: he"
    }
    put = here.folder / "reckon-data"
    put.write_bytes(os.urandom(64 * KIB))
    short = ask()[0]
    assert "10.77.0.2:/reckon/reckon-data has 64 KiB and not 1024; make it longer" in short
    put.unlink()
    put.write_bytes(os.urandom(MIB))
    by_4, by_3, cold, pair, end, t470, nothing = ask()
    put.unlink()
    assert [by_4, by_3, end, t470, nothing] == ["ran"] * 5
    far = "the page cache of a server on another machine cannot be dropped from here"
    assert cold == f"ProbeUnsupported: {far}"
    assert pair == "ProbeUnsupported: the server's file is not on this machine"


def test_a_host_that_does_not_answer_is_waited_for_no_longer_than_the_deadline(here):
    outcome = in_client(
        lab_of("near"), f"say(attempt({RANDOM!r}, {{}}))", RECKON_NFS_AT="10.77.0.9:/x"
    )
    assert "The NFS server at 10.77.0.9 did not answer within 5 s; is it up" in outcome, outcome


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4])
def test_another_program_in_the_place_of_a_server_fails_the_probe(monkeypatch, answer):
    """Silent, or with words of its own."""

    def talk(connection):
        while connection.recv(4096):
            connection.sendall(answer)

    monkeypatch.setenv("RECKON_NFS_AT", "127.0.0.77:/x")
    with FakePeer(talk, greets=False, address=("127.0.0.77", 2049)):
        for probe in (NULL, RANDOM):
            outcome = attempt(probe, {})
            assert outcome.startswith("ProbeFailed: ") and "127.0.0.77" in outcome, outcome


def test_the_setting_is_checked_before_anything_is_measured(monkeypatch):
    for where, message in (
        ("host", "write HOST:/EXPORT"),
        ("127.0.0.77:/x", "Nothing listens at 127.0.0.77 port 2049"),
    ):
        monkeypatch.setenv("RECKON_NFS", where)
        nfs.forget()
        with pytest.raises(HostUnavailable, match=message):
            nfs.connect("other", Path("/var/tmp"))
    nfs.forget()


# --- in the middle -----------------------------------------------------------------------------


PACKETS = 500  # more than it takes to mount and to open the file


def outcome_during(served, do, **params):
    """What a long probe says when `do` happens while it reads: its packets are counted."""
    locations = {"files": str(served.folder), **served.start("near").locations}
    params = {"server": "near", "file_bytes": FILE_BYTES, **params}

    def packets():
        return lab_of("near").counters()["to_peer"]["packets"]

    before = packets()
    with ThreadPoolExecutor() as pool:
        outcome = pool.submit(attempt, RANDOM, params, 50_000, locations=locations)
        assert until(lambda: packets() > before + PACKETS)
        do()
        return outcome.result(30)


@pytest.mark.parametrize("version", [3, 4])
def test_a_server_that_is_killed_fails_the_probe(here, version):
    lab = lab_of("near")
    spaces = spaces_of(lab.pid)
    outcome = outcome_during(here, lambda: os.kill(lab.peer_pid, signal.SIGKILL), version=version)
    assert outcome.startswith("ProbeFailed: The NFS server at 10.77.0.2 "), outcome
    # Before a new lab is started: the kernel may give its namespaces the same numbers.
    assert until(lambda: not lab.running) and gone(spaces, set()), living_in(spaces)
    here.run("random", samples=2)  # a new one was started
    assert lab_of("near") is not lab


def test_a_server_that_hangs_is_waited_for_no_longer_than_the_deadline(here):
    lab = lab_of("near")
    outcome = outcome_during(here, lambda: os.kill(lab.peer_pid, signal.SIGSTOP))
    assert (
        outcome == "ProbeFailed: The NFS server at 10.77.0.2 did not answer within 5 s (reading)."
    )


@pytest.mark.parametrize("version", [3, 4])
def test_a_remote_file_that_becomes_shorter_fails_the_probe(here, version):
    outcome = outcome_during(here, lambda: os.truncate(here.file, 4 * KIB), version=version)
    sentence = "The file on the NFS server at 10.77.0.2 became shorter while it was read."
    assert outcome == f"ProbeFailed: {sentence}"
    with open(here.file, "r+b") as file:
        file.write(os.urandom(FILE_BYTES))
        os.fsync(file.fileno())

"""Where a lab host does not start: the step that was refused, and the remedy."""

import subprocess

import pytest
from helpers.capabilities import capable, has_capability, installed, need, own_mounts, x86_only
from helpers.labs import NOBODY, USERS, in_lab, startable
from helpers.probes import control_group
from helpers.programs import lab
from helpers.project import LIBRARY, finished

UNSHARE, SOCKET, MOUNT = 272, 41, 165  # x86-64
NEWUSER, NEWNET, NEWPID = 0x10000000, 0x40000000, 0x20000000
EPERM, ENOSPC = 1, 28
# Of the address families that the lab requests only AF_PACKET (17) is odd.
NO_PACKET_SOCKETS = [(SOCKET, EPERM, 1, 1)]


def with_a_filter(rules, paths=(None,), user="current"):
    """How labs start by these paths after a filter of system calls."""
    x86_only()
    # no_new_privs, which a filter needs, does not keep root from being root.
    return in_lab(lab.starts, paths, user=user, before=f"forbid({rules})")


def apart(change, paths=(None,), user="current", rules=()):
    """The same after a change of a mount namespace of its own."""
    own_mounts()
    if rules:
        x86_only()
    before = [change]
    if user == "nobody":
        before.append(f"become({NOBODY})")
    if rules:
        before.append(f"forbid({rules})")
    # A mount or process namespace goes wrong only for those who are in it.
    prefix = ["unshare", "-m", "-p", "-f", "--mount-proc", "--kill-child"]
    return in_lab(lab.starts, paths, prefix=prefix, before="\n".join(before))


# --- refused steps -----------------------------------------------------------------------------


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    ("flag", "what"),
    [(0, "a user namespace"), (NEWNET, "a network namespace"), (NEWPID, "a process namespace")],
)
def test_the_step_that_is_refused_is_named(flag, what, user):
    """With NEWNET alone refused the user namespace still succeeds, as on Ubuntu 24.04."""
    [(reason, remedy)] = with_a_filter([(UNSHARE, EPERM, flag, 1 if flag else 0)], user=user)
    assert what in reason and "Operation not permitted" in reason
    assert remedy.startswith("Run as root") and "SYS_ADMIN" in remedy and "PEER=" in remedy


def test_root_does_without_a_user_namespace():
    capable("sys_admin", "a lab host without a user namespace")
    assert with_a_filter([(UNSHARE, EPERM, NEWUSER, 1)]) == [["packet", 3]]


def test_a_limit_on_user_namespaces_is_named():
    [(reason, _)] = with_a_filter([(UNSHARE, ENOSPC, NEWUSER, 1)], user="nobody")
    assert reason == ("namespaces are forbidden here (a user namespace: No space left on device)")


def test_user_namespaces_that_are_switched_off_are_named_with_their_setting():
    """In a user namespace of its own, whose root may switch them off and then gives up its rights."""
    installed("setpriv")
    script = (
        "echo 0 > /proc/sys/user/max_user_namespaces && "
        "exec setpriv --bounding-set=-all --inh-caps=-all "
        f"{LIBRARY}/reckon-lab --rtt-us 0 --rate-bit 1000000 -- true"
    )
    switched = finished(
        "unshare", "-U", "-r", "sh", "-c", script, stdin=subprocess.DEVNULL, timeout=30
    )
    need(switched.stdout, f"no user namespace to try in: {switched.stderr}")
    assert switched.stdout.startswith(
        '{"unsupported": "user namespaces are switched off here (user.max_user_namespaces is 0)", '
        '"remedy": "Run as root, or allow them: sysctl user.max_user_namespaces='
    )
    assert switched.returncode == 3


def test_root_takes_packet_sockets_and_others_tun_devices_where_both_are():
    startable("packet")
    startable("tun", "nobody")
    assert in_lab(lab.starts, [None], user="nobody") == [["tun", 3]]
    of_root = "packet" if has_capability("sys_admin") else "tun"
    assert in_lab(lab.starts, [None]) == [[of_root, 3]]


NO_TUN = "mount('tmpfs', '/dev/net')"
CLOSED_TUN = f"{NO_TUN}\nos.mknod('/dev/net/tun', 0o020600, os.makedev(10, 200))"
NO_SOCKETS = "no packet sockets on virtual Ethernet"


@pytest.mark.parametrize(
    ("change", "reason", "remedy"),
    [
        (NO_TUN, "there is no TUN device here (No such file or directory)", "modprobe tun"),
        (CLOSED_TUN, "this user may not open /dev/net/tun (Permission denied)", "chmod 0666 /dev"),
    ],
)
def test_without_a_tun_device_packet_sockets_are_taken(change, reason, remedy):
    startable("packet")
    any_path, tun = apart(change, [None, "tun"], "nobody")
    assert any_path == ["packet", 3]
    assert tun[0] == reason and remedy in tun[1]
    assert ("modprobe" in tun[1]) == ("modprobe" in remedy)


def test_a_tun_device_that_opens_and_does_nothing_is_not_taken():
    """As /dev/null in its place: what some containers do."""
    startable("packet")
    bind = 4096
    change = f"mount('/dev/null', '/dev/net/tun', {bind})"
    assert apart(change, user="nobody") == [["packet", 3]]


def test_without_packet_sockets_tun_devices_are_taken():
    startable("tun")
    any_path, packet = with_a_filter(NO_PACKET_SOCKETS, [None, "packet"])
    assert any_path == ["tun", 3]
    assert packet[0] == f"there are {NO_SOCKETS} here (Operation not permitted)"
    assert packet[1].startswith("Load it: modprobe veth")


@pytest.mark.parametrize(
    ("change", "user", "reason", "remedies"),
    [
        *(
            (
                NO_TUN,
                user,
                "there is no TUN device here (No such file or directory), and there are "
                f"{NO_SOCKETS} (Operation not permitted)",
                ["modprobe tun", "modprobe veth", "PEER="],
            )
            for user in USERS
        ),
        (
            CLOSED_TUN,
            "nobody",
            "this user may not open /dev/net/tun (Permission denied), and there are "
            f"{NO_SOCKETS} (Operation not permitted)",
            ["chmod 0666 /dev/net/tun", "modprobe veth"],
        ),
    ],
)
def test_without_tun_and_packet_sockets_both_reasons_are_given(change, user, reason, remedies):
    [(message, remedy)] = apart(change, user=user, rules=NO_PACKET_SOCKETS)
    assert message == reason
    assert all(part in remedy for part in remedies)


@pytest.mark.parametrize("user", USERS)
def test_where_proc_cannot_be_mounted_the_machine_s_is_used(user, path):
    """A part of it is covered, as in containers, or mount(2) is refused altogether."""
    assert apart("mount('tmpfs', '/proc/sys/fs')", [path], user) == [[path, 3]]
    assert with_a_filter([(MOUNT, EPERM, 0, 0)], [path], user) == [[path, 3]]


def test_without_proc_the_remedy_is_to_mount_it():
    assert apart("mount('tmpfs', '/proc')") == [
        [
            "/proc/self/ns/net does not open: No such file or directory",
            "Mount /proc, or name a real host with PEER=.",
        ]
    ]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_limit_on_processes_ends_the_lab_and_is_no_property_of_the_machine(processes):
    """It allows the lab's first process alone, or its relay as well."""
    startable("packet")
    with control_group("pids") as group:
        reason = in_lab(lab.ended_by_a_limit, str(group), processes, group=group)
    assert "no new process: the limit on processes was reached" in reason


# --- mistakes of the caller --------------------------------------------------------------------


def test_a_missing_program_is_named():
    assert in_lab(lab.starts, [None], ['/nowhere/"program"\\']) == [
        [
            '/nowhere/"program"\\ does not start: No such file or directory',
            "Run `make lib`, or name a program that is there.",
        ]
    ]


def test_a_lab_without_a_first_line_is_given_up(tmp_path):
    silent = tmp_path / "reckon-lab"
    silent.write_text("#!/bin/sh\ncat\n")
    silent.chmod(0o755)
    outcome = in_lab(lab.why_silent, 0.3, RECKON_LIB=tmp_path)
    assert outcome == "The lab host said nothing for 0.3 s; start it again."


# --- under the sanitizers ----------------------------------------------------------------------


@pytest.mark.long_csrc
def test_it_is_clean_under_the_sanitizers(sanitized, leaks_are_errors, path):
    """Bulk both ways through the ring's end, more than the queue holds, and the counters."""
    size, counters, left = in_lab(
        lab.under_load, path, RECKON_LIB=sanitized, UBSAN_OPTIONS="print_stacktrace=1"
    )
    assert size == 20_000_000 and left == ""
    assert counters["to_peer"]["bytes"] > size and counters["to_peer"]["dropped"] > 0

"""Where a lab host does not start: the step that was refused, and the remedy."""

import subprocess

import pytest
from helpers.capabilities import capable, has_capability, installed, need, own_mounts, x86_only
from helpers.labs import NOBODY, USERS, in_lab, startable
from helpers.project import LIBRARY

UNSHARE, SOCKET, MOUNT = 272, 41, 165  # x86-64
NEWUSER, NEWNET, NEWPID = 0x10000000, 0x40000000, 0x20000000
EPERM, ENOSPC = 1, 28
PACKET_BIT = 1  # of the address families that the lab asks for only AF_PACKET (17) is odd

# A mount or process namespace goes wrong only for those who are in it.
APART = ["unshare", "-m", "-p", "-f", "--mount-proc", "--kill-child"]

TRY = """
def attempt(**how):
    try:
        with Lab(0.001, 1e9, SLEEP, **how) as lab:
            return [lab.path, len(round_trips(lab, 3))]
    except LabUnavailable as cannot:
        assert str(cannot).startswith(f"Cannot start the lab host: {cannot.reason}; ")
        return [cannot.reason, cannot.remedy]
"""


def with_a_filter(rules, user="current", then="say(attempt())"):
    x86_only()
    # no_new_privs, which a filter needs, does not keep root from being root.
    return in_lab(TRY + f"forbid({rules})\n{then}", user)


# --- refused steps -----------------------------------------------------------------------------


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    ("flag", "what"),
    [(0, "a user namespace"), (NEWNET, "a network namespace"), (NEWPID, "a process namespace")],
)
def test_the_step_that_is_refused_is_named(flag, what, user):
    """With NEWNET alone refused the user namespace still succeeds, as on Ubuntu 24.04."""
    reason, remedy = with_a_filter([(UNSHARE, EPERM, flag, 1 if flag else 0)], user)
    assert what in reason and "Operation not permitted" in reason
    assert remedy.startswith("Run as root") and "SYS_ADMIN" in remedy and "PEER=" in remedy


def test_root_does_without_a_user_namespace():
    capable("sys_admin", "a lab host without a user namespace")
    assert with_a_filter([(UNSHARE, EPERM, NEWUSER, 1)]) == ["packet", 3]


def test_a_kernel_that_allows_no_more_user_namespaces():
    reason, _ = with_a_filter([(UNSHARE, ENOSPC, NEWUSER, 1)], "nobody")
    assert reason == ("namespaces are forbidden here (a user namespace: No space left on device)")


def test_user_namespaces_that_are_switched_off_are_named_with_their_setting():
    """In a user namespace of its own, whose root may switch them off and then gives up its rights."""
    installed("setpriv")
    switched = subprocess.run(
        [
            "unshare",
            "-U",
            "-r",
            "sh",
            "-c",
            "echo 0 > /proc/sys/user/max_user_namespaces && "
            "exec setpriv --bounding-set=-all --inh-caps=-all "
            f"{LIBRARY}/reckon-lab --rtt-us 0 --rate-bit 1000000 -- true",
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=30,
    )
    need(switched.stdout, f"no user namespace to try in: {switched.stderr}")
    assert switched.stdout.startswith(
        '{"unsupported": "user namespaces are switched off here (user.max_user_namespaces is 0)", '
        '"remedy": "Run as root, or allow them: sysctl user.max_user_namespaces='
    )
    assert switched.returncode == 3


def apart(mounts, script, user="current"):
    """In a mount namespace of its own, over whose paths something else was mounted."""
    own_mounts()
    place = "from pathlib import Path\n" + "".join(
        f"assert libc.mount({kind!r}, {over!r}, {kind!r}, 0, None) == 0\n" for kind, over in mounts
    )
    become = f"become({NOBODY})\n" if user == "nobody" else ""
    return in_lab(TRY + place + become + script, prefix=APART)


def test_root_takes_packet_sockets_and_others_tun_devices_where_both_are():
    startable("packet")
    startable("tun", "nobody")
    assert in_lab(TRY + "say(attempt())", "nobody") == ["tun", 3]
    assert in_lab(TRY + "say(attempt())") == ["packet" if has_capability("sys_admin") else "tun", 3]


def test_without_packet_sockets_tun_devices_are_taken():
    startable("tun")
    assert with_a_filter([(SOCKET, EPERM, PACKET_BIT, 1)]) == ["tun", 3]


def test_without_a_tun_device_packet_sockets_are_taken():
    startable("packet")
    script = "say([attempt(), attempt(path='tun')])"
    any_path, tun = apart([(b"tmpfs", b"/dev/net")], script, "nobody")
    assert any_path == ["packet", 3]
    assert tun[0] == "there is no TUN device here (No such file or directory)"
    assert "modprobe tun" in tun[1]


CLOSED_TUN = """
assert libc.mount(b"tmpfs", b"/dev/net", b"tmpfs", 0, None) == 0
os.mknod("/dev/net/tun", 0o020600, os.makedev(10, 200))
"""


def test_where_the_user_may_not_open_tun_packet_sockets_are_taken():
    startable("packet")
    own_mounts()
    script = f"become({NOBODY})\nsay([attempt(), attempt(path='tun')])"
    any_path, tun = in_lab(TRY + CLOSED_TUN + script, prefix=APART)
    assert any_path == ["packet", 3]
    assert tun[0] == "this user may not open /dev/net/tun (Permission denied)"
    assert "chmod 0666 /dev/net/tun" in tun[1] and "modprobe" not in tun[1]


def test_where_tun_is_closed_and_packet_sockets_are_refused_both_reasons_are_given():
    x86_only()
    own_mounts()
    forbid = f"forbid([({SOCKET}, {EPERM}, {PACKET_BIT}, 1)])\n"
    script = f"become({NOBODY})\n{forbid}say(attempt())"
    reason, remedy = in_lab(TRY + CLOSED_TUN + script, prefix=APART)
    assert reason == (
        "this user may not open /dev/net/tun (Permission denied), and there are no packet "
        "sockets on virtual Ethernet (Operation not permitted)"
    )
    assert "chmod 0666 /dev/net/tun" in remedy and "modprobe veth" in remedy


def test_a_tun_device_that_opens_and_does_nothing_is_not_taken():
    """As /dev/null in its place: what some containers do."""
    startable("packet")
    own_mounts()
    outcome = in_lab(
        TRY + "assert libc.mount(b'/dev/null', b'/dev/net/tun', None, 4096, None) == 0\n"
        f"become({NOBODY})\nsay(attempt())",
        prefix=APART,
    )
    assert outcome == ["packet", 3]


@pytest.mark.parametrize("user", USERS)
def test_without_tun_and_packet_sockets_both_reasons_are_given(user):
    x86_only()
    script = f"forbid([(SOCKET, {EPERM}, {PACKET_BIT}, 1)])\nsay(attempt())"
    reason, remedy = apart([(b"tmpfs", b"/dev/net")], script.replace("SOCKET", str(SOCKET)), user)
    assert reason == (
        "there are no TUN devices here (No such file or directory) and no packet sockets on "
        "virtual Ethernet (Operation not permitted)"
    )
    assert "modprobe tun, or modprobe veth" in remedy and "PEER=" in remedy


def test_refused_packet_sockets_that_were_requested():
    script = "say([attempt(path='packet'), attempt(path='tun')])"
    packet, tun = with_a_filter([(SOCKET, EPERM, PACKET_BIT, 1)], then=script)
    assert (
        packet[0]
        == "there are no packet sockets on virtual Ethernet here (Operation not permitted)"
    )
    assert packet[1].startswith("Load it: modprobe veth") and tun == ["tun", 3]


@pytest.mark.parametrize("user", USERS)
def test_where_proc_cannot_be_mounted_the_machine_s_is_used(user, path):
    """A part of it is covered, as in containers, or mount(2) is refused altogether."""
    script = f"say(attempt(path={path!r}))"
    assert apart([(b"tmpfs", b"/proc/sys/fs")], script, user) == [path, 3]
    assert with_a_filter([(MOUNT, EPERM, 0, 0)], user, script) == [path, 3]


def test_without_proc_the_remedy_is_to_mount_it():
    own_mounts()
    reason, remedy = in_lab(
        TRY + "kept = os.listdir('/proc/self/fd')\n"
        "assert libc.mount(b'tmpfs', b'/proc', b'tmpfs', 0, None) == 0\nsay(attempt())",
        prefix=APART,
    )
    assert reason == "/proc/self/ns/net does not open: No such file or directory"
    assert remedy == "Mount /proc, or name a real host with PEER=."


# --- mistakes of the caller --------------------------------------------------------------------


def test_a_missing_program_is_named():
    outcome = in_lab(TRY + "SLEEP = ['/nowhere/\"program\"\\\\']\nsay(attempt())")
    assert outcome == [
        '/nowhere/"program"\\ does not start: No such file or directory',
        "Run `make lib`, or name a program that is there.",
    ]


def test_a_lab_without_a_first_line_is_given_up(tmp_path):
    silent = tmp_path / "reckon-lab"
    silent.write_text("#!/bin/sh\ncat\n")
    silent.chmod(0o755)
    outcome = in_lab(
        "import reckon.hosts.lab\nreckon.hosts.lab.START_S = 0.3\n"
        "try: Lab(0, 1e9)\nexcept ReckonError as error: say(str(error))",
        RECKON_LIB=str(tmp_path),
    )
    assert outcome == "The lab host said nothing for 0.3 s; start it again."


# --- under the sanitizers ----------------------------------------------------------------------


def test_it_is_clean_under_the_sanitizers(sanitized, path):
    """Bulk both ways through the ring's end, more than the queue holds, and the counters."""
    size, counters, left = in_lab(
        f"with Lab(0.002, 2e8, SLEEP, path={path!r}) as lab:\n"
        "    round_trips(lab, 20)\n"
        "    size = bulk(lab, 20_000_000)[2]\n"
        "    inside(lab.pid, lambda: flood(3000, 1200))\n"
        "    time.sleep(0.3)\n"
        "    say([size, lab.counters(), lab.last_words()])",
        RECKON_LIB=str(sanitized),
        ASAN_OPTIONS="detect_leaks=1",
        UBSAN_OPTIONS="print_stacktrace=1",
    )
    assert size == 20_000_000 and left == ""
    assert counters["to_peer"]["bytes"] > size and counters["to_peer"]["dropped"] > 0

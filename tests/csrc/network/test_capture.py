"""What csrc/network/support/capture.c sees of a connection, for the probes that read packets."""

import pytest
from helpers.capabilities import captures
from helpers.network import own
from helpers.probes import compiled
from helpers.project import LIBRARY, finished

FIN, SYN, PSH, ACK = 1, 2, 8, 16
LOOPBACK = "ip link set lo up"
# An address of this computer's that is not loopback's: packets to it go through lo all the same.
OTHER = (
    "ip link set lo up; ip link add reckon0 type veth peer name reckon1; "
    "ip address add 192.0.2.77/24 dev reckon0; ip link set reckon0 up"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    objects = [
        *(f"runner/{name}.o" for name in ("registry", "in_process", "allowed_cpus", "witness")),
        *(f"probe/{name}.o" for name in ("clock", "cpus", "kernel_files", "processor", "topology")),
        "network/support/capture.o",
        "probe/sockets.o",
    ]
    no_probes = [f"-Wl,--defsym=__{end}_rk_probes=0" for end in ("start", "stop")]
    files = [LIBRARY / name for name in objects]
    return compiled(tmp_path_factory.mktemp("capture"), "capture", *files, *no_probes)


def captured(program, *arguments, setup=LOOPBACK):
    captures()
    done = finished(*own(setup), program, *arguments, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def packets(lines):
    return [(way, *map(int, rest)) for way, *rest in map(str.split, lines)]


@pytest.mark.parametrize(
    ("address", "setup"), [("127.0.0.1", LOOPBACK), ("::1", LOOPBACK), ("192.0.2.77", OTHER)]
)
def test_each_packet_is_seen_once_and_both_ways(program, address, setup):
    seen = packets(captured(program, address, "show", setup=setup))
    assert seen[:3] == [(">", SYN, 0, 0, 0), ("<", SYN | ACK, 0, 1, 0), (">", ACK, 1, 1, 0)]
    for way, sizes in ((">", 64 + 100000), ("<", 10)):
        data = [(seq, size) for to, _, seq, _, size in seen if to == way and size]
        assert sum(size for _, size in data) == sizes
        assert [seq for seq, _ in data] == [
            1 + sum(s for _, s in data[:i]) for i in range(len(data))
        ]
    assert [(way, seq) for way, flags, seq, _, _ in seen if flags & FIN] == [
        (">", 100065),
        ("<", 11),
    ]
    assert seen[-1] == (">", ACK, 100066, 12, 0)
    # What comes in acknowledges what left before it; never more, and in the end all of it.
    left = 0
    for way, _, seq, ack, size in seen[1:]:
        left = max(left, seq + size) if way == ">" else left
        assert way == ">" or ack <= left + 1


def test_packets_of_other_connections_are_left_out_and_on_request_outgoing_ones(program):
    sizes = [
        (way, size) for way, _, _, _, size in packets(captured(program, "127.0.0.1", "strangers"))
    ]
    assert ("<", 11) in sizes
    assert not {size for _, size in sizes} & {7}
    assert {way for way, _ in sizes} == {"<"}


def test_packets_that_the_ring_loses_are_reported_once(program):
    full = "the capture lost packets, its ring was full: No buffer space available"
    assert captured(program, "127.0.0.1", "flood") == [full]
    assert captured(program, "127.0.0.1", "flood", "ask") == ["lost 1"]

"""Runs of machines that do not exist, which differ by chance, and one of which is slowed."""

import hashlib
from datetime import timedelta

import numpy as np

from helpers import made_up
from reckon import records
from reckon.computer.facts import Machine

# Some quantities of the book with what they measure on a machine in the middle.
QUANTITIES = {
    "cpu/syscall/getpid": (90, "ns"),
    "cpu/syscall/getppid": (95, "ns"),
    "cpu/task/fork": (110, "us"),
    "cpu/switch/process_pipe": (2.5, "us"),
    "memory/latency/l1": (1.1, "ns"),
    "memory/latency/memory": (95, "ns"),
    "memory/bandwidth/read": (14, "GB/s"),
    "network/rtt/tcp": (15, "us"),
    "network/rtt/tcp_peer": (10.4, "ms"),
    "files/read/direct_random": (70, "us"),
}
_SPREAD = 0.04  # from machine to machine
_SIZES = np.array([4.0, 16, 64, 256])


def machine(kernel="6.1.0", memory_gib=16, microcode="0x1"):
    """A machine's description."""
    facts = {
        "processor.model": "Example 9000",
        "processor.cores": 8,
        "processor.microcode": microcode,
        "memory.capacity": memory_gib * 2**30,
        "system.kernel": f"{kernel} #1 SMP",
        "system.guest": 0,
    }
    return Machine.of({field: (value, "made up") for field, value in facts.items()})


def add_run(name, seed, times=None, days=0, host=None, **facts):
    """A run whose quantities take `times` as long as their middle: {quantity: factor}."""
    random, times = np.random.default_rng(seed), times or {}
    results = []
    for number, (quantity, (value, unit)) in enumerate(QUANTITIES.items()):
        around = value * float(np.exp(random.normal(0, _SPREAD))) * times.get(quantity, 1)
        results.append(made_up.single(quantity, around, unit, seed=100 * seed + number))
    curve = "memory/latency/random"
    factor = float(np.exp(random.normal(0, _SPREAD))) * times.get(curve, 1)
    results.append(made_up.curve(curve, _SIZES, factor * (1 + _SIZES), seed=seed))
    for result in results:
        result.measurement.started_at += timedelta(days=days)
    made_up.run(
        name,
        results,
        identity=f"{host or name} {facts}",
        machine=machine(**facts),
        host=host or name,
        id=hashlib.sha256(name.encode()).hexdigest()[:32],
    )
    if days:
        run = records.read_run(name)
        records.write_run(
            run.model_copy(update={"opened_at": run.opened_at + timedelta(days=days)})
        )


def add_fleet(count, slowed=None):
    """`count` machines alike, the last of which is slowed."""
    for number in range(1, count + 1):
        last = number == count
        facts = {"memory_gib": 4} if last and slowed else {}
        add_run(f"host-{number}", number, slowed if last else None, **facts)

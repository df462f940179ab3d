"""Probes of other programs, in processes and a network of this program's own."""

import os
from pathlib import Path

from helpers.probe_script import left_behind
from helpers.processes import until
from reckon.measurement import library


def alone():
    """The processes beside process 1 and this one, and the number of ports on which something listens."""

    def others():
        return {name for name in os.listdir("/proc") if name.isdigit()} - {"1", str(os.getpid())}

    until(lambda: not others(), 1)  # process 1 may not have reaped them yet
    tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    return [sorted(others()), sum(line.split()[3] == "0A" for table in tables for line in table)]


def in_turn(probe, path, cases):
    """[[[ns, operations] or the error, left_behind(), alone()]] of runs of the probe. Each of the cases is
    (what its program finds at `path`, how library.run is called)."""
    results = []
    for text, how in cases:
        if path:
            Path(path).write_text(text)
        try:
            run = library.run(probe, **how)
            outcome = [(run.ticks / library.tick_hz() * 1e9).tolist(), run.ops.tolist()]
        except library.ReckonError as error:
            outcome = f"{type(error).__name__}: {error}"
        results.append([outcome, left_behind(), alone()])
    return results

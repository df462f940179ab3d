"""Machines that are made up, so that the truth about them is known, and what the pages conclude of them.

A machine is the recorded run with samples that a small model makes. It lists what a page has to state
of it and what would be false. `make machines` prints what the pages do state.
"""

from machines.machine import machines_in

DECLARED = [each for name in ("cpu", "memory", "network", "files") for each in machines_in(name)]
KEPT = machines_in("kept")  # apart from the work on sentences, and run last

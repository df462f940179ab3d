"""Machines that are made up, so that the truth about them is known, and what the pages conclude of them.

A machine is the recorded run with samples that a small model makes. It lists what a page has to state
of it and what would be false. `make machines` prints what the pages do state.
"""

from machines import cpu, files, kept, memory, network
from machines.machine import machines_of

DECLARED = machines_of(cpu, memory, network, files)
KEPT = machines_of(kept)  # apart from the work on sentences, and run last

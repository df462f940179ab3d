"""Every probe with as little work as shows that it runs."""

import os

from helpers.everything import PROBES, little, why_not
from helpers.probe_script import attempt, known, left_behind


def outcomes(isolated, folder=None):
    """[[probe, outcome, the pattern of what it must say or "", [what it left, the folder's files]]], each
    with every value of `isolated`; files are made in the folder."""
    said = []
    for name, probe in PROBES.items():
        params = little(probe) | known(name, {"dir": folder} if folder else {})
        for value in isolated:
            outcome = attempt(name, params, samples=3, isolated=value)
            left = [left_behind(), os.listdir(folder) if folder else []]
            said.append([name, outcome, why_not(probe), left])
    return said

"""Every probe with as little work as shows that it runs."""

import os

from helpers.everything import PROBES, little, why_not
from helpers.probe_script import known, left_behind
from reckon.measurement import library


def _outcome(name, params, isolated):
    """The word ran if each of three samples has operations; or the error."""
    try:
        ops = library.run(name, params, samples=3, warmup=0, isolated=isolated).ops
    except library.ReckonError as error:
        return f"{type(error).__name__}: {error}"
    return "ran" if len(ops) == 3 and (ops > 0).all() else "a sample has no operation"


def outcomes(isolated, folder=None):
    """[[probe, outcome, the pattern of what it must say or "", [what it left, the folder's files]]], each
    with every value of `isolated`; files are made in the folder."""
    results = []
    for name, probe in PROBES.items():
        params = little(probe) | known(name, {"dir": folder} if folder else {})
        for value in isolated:
            outcome = _outcome(name, params, value)
            left = [left_behind(), os.listdir(folder) if folder else []]
            results.append([name, outcome, why_not(probe), left])
    return results

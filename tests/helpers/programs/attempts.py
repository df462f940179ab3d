"""Probes one after another: what each says, and what it leaves in this process."""

import os
import resource

from helpers.probe_script import attempt, files_before, left_behind


def outcomes(requests, isolated=(True, False), samples=2):
    """[[probe, outcome]] of these [probe, parameters], each with every value of `isolated`."""
    return [
        [probe, attempt(probe, params, samples, isolated=value)]
        for probe, params in requests
        for value in isolated
    ]


def checked(requests, isolated=(True, False), samples=2):
    """The same as [[probe, outcome, left_behind()]]."""
    return [
        [*outcomes([[probe, params]], [value], samples)[0], left_behind()]
        for probe, params in requests
        for value in isolated
    ]


def announced(requests, samples=3):
    """[[probe, outcome]] of each in this process, after a look at /probe/NAME that strace sees."""
    results = []
    for probe, params in requests:
        os.path.exists(f"/probe/{probe}")
        results += outcomes([[probe, params]], [False], samples)
    return results


def with_few_descriptors(requests, more=12):
    """[[probe, outcome, left_behind()]] of each in this process, with from 0 to `more` descriptors, and at
    last with as many as it likes."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    results = []
    for request in requests:
        for limit in [*range(files_before, files_before + more), most]:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
            outcome = attempt(*request, samples=1, isolated=False)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            results.append([request[0], outcome, left_behind()])
    return results

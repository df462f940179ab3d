"""Limits, refused calls and missing rights: each is reported, and nothing is left behind."""

import os
import re

import pytest
from helpers.capabilities import raised_priority, x86_only
from helpers.probe_script import few
from helpers.probes import (
    MIB,
    PROBES,
    ROUND_ROBIN,
    in_python,
    median_ns,
)
from helpers.programs import attempts

# --- memory ------------------------------------------------------------------------------------


@pytest.mark.timed
def test_a_fork_grows_with_what_its_parent_holds_and_a_vfork_does_not():
    def ratio(probe):
        return median_ns(f"cpu/task/{probe}", {"resident_bytes": 64 * MIB}, 3) / median_ns(
            f"cpu/task/{probe}", {}, 3
        )

    assert ratio("vfork") < 2 < ratio("fork")
    assert ratio("posix_spawn") < 2


# --- calls that a filter or a missing right refuses --------------------------------------------------

PIPE, CLONE, VFORK, SETSCHEDULER, PIPE2, EVENTFD2, CLONE3 = 22, 56, 58, 144, 293, 290, 435  # x86-64
EPERM, ENOSYS, CLONE_VM, CLONE_THREAD = 1, 38, 0x100, 0x10000
NO_CLONE3 = (CLONE3, ENOSYS, 0, 0)  # so that the C library uses clone, whose flags can be seen

FILTERS = {
    "pipe": (
        [(PIPE, EPERM, 0, 0), (PIPE2, EPERM, 0, 0)],
        "pipe is refused here",
        "switch/(?!eventfd|futex|i7_10750h_thread|hpe_i7_860_thread)|task/hpe_i7_860_process",
    ),
    "eventfd": ([(EVENTFD2, EPERM, 0, 0)], "eventfd is refused here", "switch/eventfd"),
    "priority": ([(SETSCHEDULER, EPERM, 0, 0)], "SCHED_RR needs", "(task|switch)/hpe_i7_860"),
    "fork": (
        [NO_CLONE3, (CLONE, EPERM, CLONE_VM, 0)],
        "(fork|creating a process) is refused here",
        "switch/(.*process|ring)|task/(fork|(mbp2016|hpe_i7_860)_process|.*_fork)",
    ),
    "vfork": ([(VFORK, EPERM, 0, 0)], "(vfork|creating a process) is refused here", "task/vfork"),
    "thread": (
        [NO_CLONE3, (CLONE, EPERM, CLONE_THREAD, 1)],
        "pthread_create is refused here",
        "(task|switch)/.*thread",
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_refused_call_is_named_and_the_other_probes_run(name):
    x86_only()
    raised_priority()
    rules, sentence, needing = FILTERS[name]
    requests = [[probe, few(probe)] for probe in PROBES if re.match("cpu/(task|switch)", probe)]
    outcomes = in_python(attempts.outcomes, requests, [True], before=f"forbid({rules})")
    for probe, outcome in outcomes:
        if re.match(f"cpu/({needing})", probe):
            assert re.match(f"ProbeUnsupported: {sentence}", outcome), probe
        else:
            assert outcome == "ran", probe


@pytest.mark.parametrize("refused", [[], [(PIPE, EPERM, 0, 0), (PIPE2, EPERM, 0, 0)]])
def test_after_a_probe_under_round_robin_the_caller_is_scheduled_as_before(refused):
    """Also after one that could not go on."""
    raised_priority()
    x86_only()
    outcomes = in_python(
        f"forbid({refused})\nos.nice(3)\n"
        f"os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))\n"
        f"say([[attempt(probe, isolated=False), os.sched_getscheduler(0), os.sched_getparam(0)[0],"
        f" os.nice(0)] for probe in {ROUND_ROBIN}])"
    )
    nice = os.nice(0)
    assert [after for _, *after in outcomes] == 4 * [[os.SCHED_BATCH, 0, nice + 3]]
    assert sum(outcome == "ran" for outcome, *_ in outcomes) == (2 if refused else 4)

"""What the tests of the probes share: programs in a process of their own, compilers, control groups."""

import contextlib
import functools
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from helpers import forked, leaks
from helpers.capabilities import installed, raised_priority, x86_only
from helpers.probe_script import known
from helpers.processes import probes_of, until
from helpers.programs import attempts
from helpers.project import LIBRARY, ROOT, finished, output_of
from reckon.computer import owners
from reckon.measurement import library

PROBES = [name for name in library.probes() if re.match("cpu/(loop|call|task|switch)/", name)]
ROUND_ROBIN = [name for name in PROBES if re.match("cpu/(task|switch)/hpe_i7_860", name)]
MEMORY = [name for name in library.probes() if name.startswith("memory/")]
ACROSS = [name for name in PROBES if name.endswith("_across")]
MIB = 1 << 20
# A user without other processes, because limits on processes count all of a user's.
NOBODY_ELSE = 100_000 + os.getpid()  # its limit on processes counts no other worker's


# Of the package only what measures is imported: all that notebooks need takes a second.
HEAD = """
import sys, types
sys.modules["reckon"] = types.ModuleType("reckon")
sys.modules["reckon"].__path__ = ["reckon"]
from helpers.script import *
"""
PROBE_HEAD = HEAD + "from helpers.probe_script import *\n"
# What a process takes from its environment only when it starts, or imports.
AT_START = ("LD_PRELOAD", "RECKON_LIB")
NOTHING = [0, None, 0]  # what left_behind() gives


def script_environment(more):
    # numpy's threads count as processes of the user, and end at a fork.
    own = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ROOT / "tests", **more}
    return {**os.environ, **{name: str(value) for name, value in own.items()}}


def _command(program, arguments, head, before):
    """Python that runs a script, or calls a function of a helper and says what it returns."""
    if callable(program):
        head += f"from {program.__module__} import {program.__name__}\n"
        program = f"say({program.__name__}(*{arguments!r}))"
    return [sys.executable, "-c", f"{head}{before}\n{program}"]


def run_python(
    program,
    *arguments,
    group=None,
    prefix=(),
    head=PROBE_HEAD,
    before="",
    timeout_s=120,
    **environment,
):
    """The finished process of a program, as `_command` has it: in a control group, under a tool, after
    the lines `before`. Without group, tool, library or head of its own it is the fork of a warm one."""
    command = _command(program, arguments, head, before)
    is_plain = head == PROBE_HEAD and not group and not prefix
    if is_plain and not any(name in environment for name in AT_START):
        program = command[-1].removeprefix(head)
        return forked.finished(head, program, script_environment(environment), timeout_s)

    def enter():
        (group / "cgroup.procs").write_text("0")

    return finished(
        *prefix,
        *command,
        cwd=ROOT,
        timeout=timeout_s,
        preexec_fn=enter if group else None,
        env=script_environment(environment),
    )


def in_python(program, *arguments, **how):
    """What the program says, run in a process of its own that ends well; `how` as for run_python."""
    done = run_python(program, *arguments, **how)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else None


@contextlib.contextmanager
def started(program, *arguments, environment=(), **how):
    """The process of a program beside the test, ended with the block; it says what it has to by stdout."""
    process = subprocess.Popen(
        _command(program, arguments, PROBE_HEAD, ""),
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        env=script_environment(dict(environment)),
        **how,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def cases(name):
    """[(probe, parameters, what follows the arrow)] of tests/csrc/NAME.txt."""
    found = []
    for line in (ROOT / f"tests/csrc/{name}.txt").read_text(encoding="utf-8").splitlines():
        if line[0] != "#":
            what, answer = line.split(" -> ")
            probe, *given = what.split()
            params = dict(word.split("=") for word in given)
            params = {
                key: int(value) if value.isdigit() else value for key, value in params.items()
            }
            folder, _, names = probe.rpartition("/")
            found += [(f"{folder}/{each}", params, answer) for each in names.split("|")]
    return found


def answers(probes, params=None, isolated=(True, False), **how):
    """[[probe, "ran" or its error]] in a process of its own, each probe isolated and not. A probe is
    given those of the parameters that it has."""
    requests = [[name, known(name, params or {})] for name in probes]
    return in_python(attempts.outcomes, requests, isolated, **how)


def assert_unsupported(outcomes, pattern):
    """Each of the answers is that the probe is unsupported here, for a reason of that pattern."""
    assert outcomes
    for probe, answer in outcomes:
        assert re.search(f"^ProbeUnsupported: {pattern}$", answer), (probe, answer)


def preloaded(folder, name):
    """The library of tests/csrc/programs/NAME.c to be put before the C library (LD_PRELOAD)."""
    return compiled(folder, name, "-shared", "-fPIC")


def compiled(folder, name, *options):
    """The program tests/csrc/programs/NAME.c in that folder, built with the headers of csrc."""
    command = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]
    source, out = ROOT / f"tests/csrc/programs/{name}.c", Path(folder) / name
    subprocess.run([*command, *options, "-I", ROOT / "csrc", source, "-o", out], check=True)
    return out


def pinned(*command):
    """What a command prints, on the CPU and with the priority that the probes have."""
    raised_priority()
    prefix = ["nice", "-n", "-20", "taskset", "-c", str(library.default_cpu())]
    return output_of(*prefix, *map(str, command))


def median_ns(name, params=None, processes=7, **how):
    """The median over some processes of each one's median, in ns an operation."""
    medians = []
    for _ in range(processes):
        samples = library.run(name, params, **how)
        medians.append(np.median(samples.ticks / samples.ops))
    return np.median(medians) / library.tick_hz() * 1e9


def quickest_ns(*probes, turns=15, **how):
    """The smallest of `turns` medians of each probe, measured in turn: other load only adds time."""
    return np.min(
        [[median_ns(probe, params, 1, **how) for probe, params in probes] for _ in range(turns)],
        axis=0,
    )


def huge_pages():
    """Given to those who ask (madvise(2))."""
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not setting.exists() or "[never]" in setting.read_text():
        pytest.skip("transparent huge pages are off")


@functools.cache
def disassembled(name):
    """{function: [(address, instruction)]} of an object file of the library, by objdump."""
    x86_only()
    installed("objdump")
    command = ["objdump", "-d", "--no-show-raw-insn", LIBRARY / name]
    text = output_of(*command)
    functions = {}
    for line in text.splitlines():
        if start := re.match(r"[0-9a-f]+ <([\w.]+)>:", line):
            body = functions[start[1].split(".")[0]] = []
        elif instruction := re.match(r" +([0-9a-f]+):\t(.*)", line):
            body.append((int(instruction[1], 16), instruction[2].split("#")[0].strip()))
    return functions


def endless(probe, params, deadline_s, **how):
    """Yields again and again, with the pids of the probe's processes, until the run has ended: at its
    deadline, or because the caller ended it."""

    def run():
        with contextlib.suppress(library.ProbeFailed):
            library.run(probe, params, samples=1, warmup=0, deadline_s=deadline_s, **how)

    runner = threading.Thread(target=run)
    runner.start()
    while runner.is_alive():
        time.sleep(0.03)
        with contextlib.suppress(OSError, TypeError):  # a process has just ended
            yield probes_of(os.getpid())
    runner.join()


VERSION_1 = {"memory.max": "memory.limit_in_bytes"}


@contextlib.contextmanager
def control_group(kind, **settings):
    """A group of this test's own (cgroups(7), version 1 or 2), for in_python(). No package can
    provide control groups, so where there are none, CI skips as well."""
    base = Path("/sys/fs/cgroup") / kind
    if not base.is_dir():
        base = base.parent
    group = base / f"reckon-test-{owners.process_name()}"
    try:
        if base.name != kind:
            leaks.CONTROLLERS.write_text(f"+{kind}")  # conftest.py takes it back
        group.mkdir()
        for name, value in settings.items():
            name = f"{kind}.{name}"
            name = name if (group / name).exists() else VERSION_1.get(name, name)
            (group / name).write_text(str(value))
    except OSError as error:
        remove(group)
        pytest.skip(f"no {kind} control group: {error}")
    try:
        yield group
    finally:
        remove(group)
        assert not group.exists()


def kills_in(group):
    """Times that the kernel ended a process of the group for want of memory."""
    for name in ("memory.events", "memory.oom_control"):
        if (group / name).exists():
            return int(re.search(r"oom_kill (\d+)", (group / name).read_text())[1])
    return None


def remove(group):
    """The last process may still be on its way out."""

    def removed():
        with contextlib.suppress(OSError):
            group.rmdir()
        return not group.exists()

    until(removed, 2)

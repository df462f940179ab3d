"""The C library through ctypes: the contract, isolation, and the known workload."""

import ctypes
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.capabilities import has_capability, installed
from helpers.everything import PROBES
from helpers.probes import NOTHING, in_python
from helpers.processes import running, until
from helpers.project import LIBRARY, PROGRAMS, ROOT, finished, output_of

from reckon.errors import ReckonError
from reckon.measurement import library
from reckon.measurement.probe import Needs

PROBE = "reckon-probe"
NEEDS = {need.name: need.value for need in library.Needs}


def test_a_library_that_may_not_be_executed_is_said_to_be(tmp_path, monkeypatch):
    (tmp_path / "libreckon.so").touch()
    monkeypatch.setenv("RECKON_LIB", str(tmp_path))
    with pytest.raises(ReckonError, match="run `make lib`"):
        library._library.__wrapped__()
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_NOEXEC))
    with pytest.raises(ReckonError, match="is mounted with noexec"):
        library._library.__wrapped__()


def test_structures_mirror_the_header(tmp_path):
    """Sizes and offsets as the compiler sees them are those that ctypes uses."""
    pairs = {
        "rk_sample": library.Sample,
        "rk_witness": library.Witness,
        "rk_param": library.Param,
        "rk_probe": library.ProbeStruct,
        "rk_request": library.Request,
        "rk_outcome": library.Outcome,
    }
    lines = []
    for name, mirror in pairs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        lines += [
            f'printf("{name}.{f} %zu\\n", offsetof(struct {name}, {f}));'
            for f, _ in mirror._fields_
        ]
    lines += [f'printf("RK_NEEDS_{need} %d\\n", RK_NEEDS_{need});' for need in NEEDS]
    source = tmp_path / "offsets.c"
    source.write_text(
        '#include <stdio.h>\n#include "reckon.h"\nint main(void){' + "".join(lines) + "}"
    )
    subprocess.run(["gcc", "-I", ROOT / "csrc", source, "-o", tmp_path / "offsets"], check=True)
    output = dict(line.split() for line in output_of(tmp_path / "offsets").splitlines())
    for name, mirror in pairs.items():
        assert int(output[name]) == ctypes.sizeof(mirror)
        for field, _ in mirror._fields_:
            assert int(output[f"{name}.{field}"]) == getattr(mirror, field).offset, field
    for name, bit in NEEDS.items():
        assert int(output[f"RK_NEEDS_{name}"]) == bit
    header = (ROOT / "csrc/reckon.h").read_text()
    assert set(re.findall(r"RK_NEEDS_(\w+) =", header)) == set(NEEDS)


def test_only_the_contract_is_exported():
    text = output_of("nm", "-D", "--defined-only", LIBRARY / "libreckon.so")
    exported = {line.split()[-1] for line in text.splitlines() if " A " not in line}
    declared = set(re.findall(r"RK_EXPORT[^;]*?(rk_\w+)\(", (ROOT / "csrc/reckon.h").read_text()))
    contract = {"rk_probe_count", "rk_probe_at", "rk_run", "rk_tick_hz"}
    assert exported == declared == contract


def test_every_probe_says_what_it_times_and_bounds_its_parameters():
    for probe in library.probes().values():
        assert probe.op and probe.timed and "/" in probe.name, probe
        assert probe.file.startswith(probe.experiment.split("/")[0]), probe
        for parameter in probe.parameters:
            assert parameter.help
            assert parameter.text or parameter.minimum <= parameter.default <= parameter.maximum


def test_probes_have_the_parameters_that_their_needs_name():
    """As enum rk_needs says, for all probes alike."""
    for probe in PROBES.values():
        assert (Needs.PEER in probe.needs) == ("peer" in probe.defaults), probe.name
        assert (Needs.SERVER in probe.needs) == ("server" in probe.defaults), probe.name
        assert Needs.DISK in probe.needs or "files" not in probe.defaults, probe.name


@pytest.mark.timed
def test_twice_the_work_takes_twice_the_time():
    """The ruler on a known workload: 2 k instructions against k, interleaved; the fastest of each, since
    the load of others only adds. The core's clock differs by a percent from process to process."""
    k, short, long = 20480, [], []
    for _ in range(20):
        short.append(library.run("test/chain", {"instructions": k}).ticks.min())
        long.append(library.run("test/chain", {"instructions": 2 * k}).ticks.min())
    assert min(long) / min(short) == pytest.approx(2.0, abs=0.05)


@pytest.mark.timed
def test_a_chain_of_one_cycle_adds_runs_at_the_calibrated_clock():
    """By the fastest trial of each process, as the calibration is by its fastest. The clock of a shared
    core goes up and down in steps of 100 MHz (3 %) within milliseconds, so it may differ between the two."""
    cycles = []
    for _ in range(21):
        samples = library.run("test/chain", {"instructions": 20480})
        clock = (samples.cycles_per_tick_before + samples.cycles_per_tick_after) / 2
        cycles.append((samples.ticks / samples.ops).min() * clock)
    assert np.median(cycles) == pytest.approx(20480, rel=0.05)


@pytest.mark.timed
def test_a_text_parameter_reaches_the_probe():
    """A chain of multiplies takes three times as long as one of adds."""
    adds, multiplies = [], []
    for _ in range(10):
        for of, times in (("add", adds), ("multiply", multiplies)):
            times.append(library.run("test/chain", {"of": of}).ticks.min())
    assert min(multiplies) / min(adds) == pytest.approx(3, rel=0.05)
    with pytest.raises(library.ProbeUnsupported, match="a chain is of add or of multiply"):
        library.run("test/chain", {"of": "divide"})


@pytest.mark.timed
def test_the_tick_rate_agrees_with_the_monotonic_clock():
    begin, start = (
        time.clock_gettime_ns(time.CLOCK_MONOTONIC),
        library.run("cpu/clock/ticks", {"interval_ns": 50_000_000}, samples=2),
    )
    assert time.clock_gettime_ns(time.CLOCK_MONOTONIC) - begin > 100_000_000
    rate = start.ticks / start.ops * 1e9
    assert rate == pytest.approx(library.tick_hz(), rel=1e-3)


def test_the_isolated_run_says_where_it_ran_and_leaves_the_caller_alone():
    allowed, nice = os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)
    cpu = min(allowed)
    samples = library.run("cpu/syscall/getpid", cpu=cpu)
    assert samples.cpu == cpu and samples.wall_ns > 0 and samples.minor_faults >= 0
    assert samples.migrations in (-1, 0)
    assert os.sched_getaffinity(0) == allowed
    assert os.getpriority(os.PRIO_PROCESS, 0) == nice


def test_priority_is_raised_where_allowed_and_reported():
    if has_capability("sys_nice"):
        assert library.run("cpu/syscall/getpid").nice == -20
        assert library.run("cpu/syscall/getpid", priority="rr").policy == os.SCHED_RR
    assert library.run("cpu/syscall/getpid", priority="none").nice == os.getpriority(
        os.PRIO_PROCESS, 0
    )


@pytest.mark.timed
def test_a_fork_inside_a_probe_does_not_depend_on_the_size_of_python():
    """256 MB touched in a Python of its own: the isolated fork does not notice, the inner one does."""
    program = PROGRAMS / "forks_of_a_large_process.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = finished(sys.executable, program, env=environment)
    isolated, inside = map(float, done.stdout.split())
    assert isolated < 1.5
    assert inside > 2


@pytest.mark.parametrize("child", [0, 1])
def test_a_hang_ends_at_its_deadline_with_everything_it_started(child):
    with pytest.raises(library.ProbeFailed, match="test/hang was still running after 0.3 s"):
        library.run("test/hang", {"child": child}, deadline_s=0.3, warmup=0)
    assert until(lambda: not running(PROBE))


def test_ctrl_c_ends_the_probe_before_its_deadline():
    """The deadline is longer than in_python waits."""
    outcome = in_python(
        "import signal, threading\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    library.run('test/hang', deadline_s=10_000, warmup=0)\n"
        "except KeyboardInterrupt:\n"
        "    say('stopped')\n"
    )
    assert outcome == "stopped"
    assert until(lambda: not running(PROBE))


@pytest.mark.parametrize("warmup", [0, 1, 3])
def test_a_probe_is_opened_once_for_the_warm_up_and_the_samples(warmup):
    samples = library.run("test/phases", samples=4, warmup=warmup)
    assert set(samples.ops // 100) == {1}
    assert samples.ops[0] % 100 == 1 + (warmup > 0)


def witness_ratios(samples):
    return samples.wide_ticks / samples.chain_ticks


def changes_of_witness(samples):
    return np.count_nonzero(np.diff(samples.chain_ticks) + 1j * np.diff(samples.wide_ticks))


@pytest.mark.timed
def test_long_trials_have_witnesses_of_their_own_at_a_cost_below_5_percent():
    """A core adds more than one number a cycle, and fewer than sixteen."""
    samples = library.run("test/chain", {"chains": 200}, samples=20)
    assert (witness_ratios(samples) > 1 / 16).all() and (witness_ratios(samples) < 1).all()
    assert changes_of_witness(samples) >= 2
    trials_ns = samples.ticks.sum() / library.tick_hz() * 1e9
    assert trials_ns < samples.wall_ns < 1.05 * trials_ns


@pytest.mark.timed
def test_short_trials_share_witnesses():
    """A pair of clock reads takes some 30 ns, a witness some 10 us."""
    assert 2 <= changes_of_witness(library.run("cpu/timer/pair", samples=100_000)) < 100


@pytest.mark.timed
def test_the_chain_of_a_witness_runs_at_the_calibrated_clock():
    """The read of the clock adds 2 % at most."""
    runs = [library.run("test/chain") for _ in range(21)]
    cycles = [np.median(run.chain_ticks) * run.cycles_per_tick for run in runs]
    assert np.median(cycles) == pytest.approx(1.01, abs=0.03)


def test_trials_that_belong_together_have_witnesses_around_all_of_them():
    """By a method of a report, whose trials last 0.1 ms and more."""
    samples = library.run("cpu/loop/mbp2016", samples=100)
    assert changes_of_witness(samples) == 0 and samples.wide_ticks[0] > 0


def test_another_programs_trials_have_no_witness():
    samples = library.run("test/phases_of_a_program", samples=4, warmup=0)
    assert samples.ops.tolist() == [101] * 4
    assert not samples.chain_ticks.any() and not samples.wide_ticks.any()
    names = {name for name, probe in PROBES.items() if Needs.PROGRAM in probe.needs}
    assert all(".tools.c" in PROBES[name].file for name in names) and names


@pytest.mark.parametrize("phase", ["open", "trials", "close"])
def test_a_probe_is_closed_after_a_failure_and_the_first_failure_is_reported(phase):
    def closed():
        return int(library.run("test/phases", isolated=False).ticks[0])

    before = closed()
    with pytest.raises(library.ProbeFailed, match=f"^{phase}: Input/output error$"):
        library.run("test/phases", {"fails_in": phase}, isolated=False)
    assert closed() == before + 2


def test_no_file_descriptor_or_process_is_left_behind():
    """In a process of its own: this one may have what other tests have not closed yet."""
    script = (
        "for name in ('cpu/syscall/getpid', 'test/crash', 'test/unsupported'):\n"
        "    outcomes = {attempt(name, {}) for _ in range(20)}\n"
        "    assert len(outcomes) == 1, outcomes\n"
        "say(left_behind())"
    )
    assert in_python(script) == NOTHING


def test_reports_follow_what_happened():
    """A known number of page faults and switches: a fork touches pages, a sleep gives way."""
    assert library.run("test/fork", samples=20).minor_faults >= 20
    slept = library.run("cpu/clock/t470_sleep", {"sleep_ms": 1}, samples=10, warmup=0)
    assert slept.voluntary_switches == 10


def test_the_null_call_enters_the_kernel_and_the_vdso_does_not(tmp_path):
    """Counted, not timed: strace sees `calls` getpid calls, and no clock_gettime."""
    installed("strace")
    script = (
        "from reckon.measurement import library\n"
        "library.run('cpu/syscall/{probe}', {{'calls': 7}}, samples=1, warmup=0, isolated=False)"
    )

    def count(probe, call):
        log = tmp_path / probe
        subprocess.run(
            [
                "strace",
                "-f",
                "--seccomp-bpf",
                "-o",
                log,
                "-e",
                f"trace={call}",
                sys.executable,
                "-c",
                script.format(probe=probe),
            ],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        return log.read_text().count(f"{call}(")

    baseline = count("getuid", "getpid")
    assert count("getpid", "getpid") - baseline == 7
    assert count("mbp2016_getpid", "getpid") - baseline == 21  # n, then 2n
    assert count("t470_getpid", "getpid") - baseline == 7
    # The tick calibration and the wall clock read the vDSO as well: none may show.
    assert count("clock_gettime", "clock_gettime") == 0
    assert count("clock_gettime_syscall", "clock_gettime") == 7

"""rk_run(): what it refuses before a probe runs, and signals that stop it."""

import json
import subprocess

import pytest
from helpers.capabilities import installed, x86_only
from helpers.probes import compiled, in_python, preloaded, run_python
from helpers.project import LIBRARY, ROOT, finished, reckon_process

from reckon.measurement import library


def test_the_users_library_has_no_probes_of_the_tests():
    subprocess.run(["make", "-s", "lib"], cwd=ROOT, check=True)
    done = reckon_process("probes", RECKON_LIB=str(ROOT / "_build/lib"))
    assert "cpu/syscall/getpid" in done.stdout and "test/" not in done.stdout


@pytest.fixture(scope="module")
def emulated(tmp_path_factory):
    """Runs a probe on a made-up processor; its status, reason and median of ticks an operation."""
    x86_only()
    installed("qemu-x86_64")
    driver = compiled(tmp_path_factory.mktemp("driver"), "driver")

    def run(processor, probe, params=""):
        program = [driver, LIBRARY / "libreckon.so", probe, params]
        command = ["qemu-x86_64", "-cpu", processor, *program]
        done = finished(*command, check=True, timeout=60)
        status, reason, median = done.stdout.strip().split("|")
        return int(status), reason, float(median)

    return run


@pytest.mark.parametrize(
    "probe", ["cpu/syscall/getpid", "cpu/timer/rdtscp", "memory/latency/random"]
)
def test_a_processor_without_rdtscp_is_refused_in_a_sentence(emulated, probe):
    status, reason, _ = emulated("qemu64", probe)
    assert status == -95 and "has no RDTSCP instruction" in reason


def test_a_processor_with_rdtscp_is_measured(emulated):
    status, reason, median = emulated("max", "cpu/syscall/getpid")
    assert (status, reason) == (0, "") and median > 0


@pytest.mark.parametrize(
    ("says_so", "clocks", "agree"),
    [
        (1, None, 1),
        (1, "tsc kvm-clock \n", 1),
        (1, "hpet acpi_pm \n", 0),
        (0, None, 0),
        (0, "tsc kvm-clock acpi_pm \n", 1),
        (0, "kvm-clock tsc-early acpi_pm \n", 0),
        (0, "", 0),
    ],
)
def test_counters_agree_if_the_kernel_says_so_or_else_the_processor(
    decided, tmp_path, says_so, clocks, agree
):
    if clocks is not None:
        folder = tmp_path / "devices/system/clocksource/clocksource0"
        folder.mkdir(parents=True)
        (folder / "available_clocksource").write_text(clocks)
    assert decided("agree", says_so, tmp_path) == [agree]


def test_a_caller_without_standard_input_gets_its_samples():
    """What it shares with the probe is descriptor 0 then."""
    done = run_python("import os; os.close(0); say(attempt('cpu/syscall/getpid', {}))")
    assert json.loads(done.stdout) == "ran", done.stderr


# A caller that waits for a deadline that far off is ended by in_python's own time limit.
NEVER_S = 10_000


def test_a_signal_that_comes_before_the_wait_is_noticed_at_once(tmp_path):
    hook = preloaded(tmp_path, "signalled")
    outcome = in_python(
        "try:\n"
        f"    library.run('test/hang', warmup=0, deadline_s={NEVER_S})\n"
        "except KeyboardInterrupt:\n"
        "    say('stopped')\n",
        LD_PRELOAD=hook,
    )
    assert outcome == "stopped"


@pytest.mark.parametrize(("action", "killed"), [("SIG_DFL", ["9"]), ("SIG_IGN", [])])
def test_a_caller_that_ignores_sigchld_notices_the_end_and_kills_no_group(tmp_path, action, killed):
    """Nothing keeps the number of its ended probe, so it may be another process's group by then."""
    kills = tmp_path / "sent"
    kills.touch()
    outcome = in_python(
        "import signal\n"
        f"signal.signal(signal.SIGCHLD, signal.{action})\n"
        f"say(len(library.run('cpu/syscall/getpid', samples=3, deadline_s={NEVER_S}).ticks))\n",
        LD_PRELOAD=preloaded(tmp_path, "kills"),
        KILLS=kills,
    )
    assert outcome == 3
    assert kills.read_text().split() == killed


@pytest.mark.parametrize(
    ("model", "cycles"),
    [
        (("AuthenticAMD", "0x19", "0x61", 0), 3),  # Zen 4
        (("AuthenticAMD", "0x15", "0x02", 0), 0),  # Piledriver: 6
        (("HygonGenuine", "0x18", "0x00", 0), 3),
        (("GenuineIntel", "6", "0x3c", 0), 3),  # Haswell
        (("GenuineIntel", "6", "0x37", 0), 0),  # Silvermont: 5
        (("GenuineIntel", "6", "0x97", "0x40"), 3),  # a performance core of Alder Lake
        (("GenuineIntel", "6", "0x97", "0x20"), 0),  # an efficiency core of the same
        (("GenuineIntel", "15", "0x06", 0), 0),  # Pentium 4
        (("SomeoneElse", "6", "0x3c", 0), 0),
    ],
)
def test_the_cycles_of_a_multiply_are_known_or_0(decided, model, cycles):
    assert decided("multiply", *model) == [cycles]


def test_multiplies_are_no_clock_where_their_cycles_are_not_known(emulated):
    status, reason, _ = emulated("Denverton", "cpu/clock/core_multiply")
    assert status == -95 and "how many cycles a multiply takes" in reason


@pytest.mark.parametrize(
    ("step", "ticks", "is_long_enough"),
    [
        ((1, 41.7), [100, 101, 99], True),  # 24 MHz
        ((1, 41.7), [100, 99, 99], False),
        ((1, 41.7), [0, 0, 0], False),
        ((1, 41.7), [-150, -140, -120], True),  # a method that subtracts
        ((26, 0), [26, 26, 52], True),  # x86: 10 ns, a single event
        ((26, 0), [0, 0, 26], False),
        ((26, 0), [0, 26, 26], True),
    ],
)
def test_a_trial_is_long_against_the_steps_of_the_counter(decided, step, ticks, is_long_enough):
    assert decided("enough", *step, *ticks) == [int(is_long_enough)]


def test_a_median_of_no_tick_is_refused():
    with pytest.raises(library.ProbeUnsupported, match="too short for the steps of this machine's"):
        library.run("test/instant")

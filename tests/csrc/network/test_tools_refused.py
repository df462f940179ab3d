"""The probes of other programs where one is missing, refused, broken or hangs: one sentence, nothing left."""

import os
import re
import shutil
import subprocess
import time

import pytest
from helpers.capabilities import installed
from helpers.probes import NOBODY_ELSE, in_python, started
from helpers.processes import descendants, name_of, pids_gone, until
from helpers.project import ROOT
from helpers.tools import IPERF3, LISTEN, PING, PROGRAM, SOCKPERF, private, said_by, said_in_turn

pytestmark = pytest.mark.usefixtures("programs", "own_space")


def path_of(probe):
    return os.path.realpath(shutil.which(PROGRAM[probe]))


# --- missing or refused: unsupported -------------------------------------------------------------


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("probe", PROGRAM)
def test_a_missing_program_is_named_with_its_package(probe, isolated):
    outcome = said_by(probe, private(f"mount --bind /dev/null {path_of(probe)}"), isolated=isolated)
    package = "iputils-ping" if probe == PING else PROGRAM[probe]
    assert outcome == (
        f"ProbeUnsupported: {PROGRAM[probe]} is not installed (the package {package} of Debian "
        "and Ubuntu has it)"
    )


def test_programs_are_looked_for_on_path_and_a_folder_is_no_program(tmp_path):
    (tmp_path / "ping").mkdir()
    before = f"os.environ['PATH'] = '{tmp_path}'\n"
    assert "ping is not installed" in said_by(PING, private("true"), before, isolated=False)
    shutil.copy2(path_of(PING), tmp_path / "ping" / "ping")
    before = f"os.environ['PATH'] = '{tmp_path}:{tmp_path}/ping'\n"
    assert said_by(PING, private("true"), before, isolated=False) == "ran"
    relative = f"os.chdir('{tmp_path}'); os.environ['PATH'] = 'ping::'\n"
    assert "ping is not installed" in said_by(PING, private("true"), relative, isolated=False)
    (tmp_path / "ping" / "ping").chmod(0o644)
    assert "ping is not installed" in said_by(PING, private("true"), before, isolated=False)


@pytest.mark.parametrize("probe", PROGRAM)
def test_without_a_loopback_no_program_runs(probe):
    assert said_by(probe, private("true", network="true")) == (
        "ProbeUnsupported: needs the loopback address 127.0.0.1, which is not reachable here"
    )


def test_with_one_cpu_iperf3_is_unsupported_and_the_others_run():
    before = f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
    assert said_by(IPERF3, private("true"), before).startswith(
        "ProbeUnsupported: needs a second CPU"
    )
    assert (
        said_by(PING, private("true"), before)
        == said_by(SOCKPERF, private("true"), before)
        == "ran"
    )


def test_a_program_that_may_not_be_executed_is_unsupported(tmp_path):
    """A file with a right that the process may not have cannot be executed (capabilities(7))."""
    installed("setpriv", "setcap")
    ping = tmp_path / "ping"
    shutil.copy2(path_of(PING), ping)
    subprocess.run(["setcap", "cap_net_raw=ep", ping], check=True)
    drop = ["setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw"]
    before = f"os.environ['PATH'] = '{tmp_path}'\n"
    outcome = said_by(PING, [*private("true"), *drop], before, isolated=False)
    assert outcome == f"ProbeUnsupported: {ping} is refused here: Operation not permitted"


def test_a_program_that_reports_a_missing_right_is_unsupported(pretend):
    prefix = pretend("ping", "echo PING; echo ping: socket: Operation not permitted >&2; exit 2")
    assert said_by(PING, prefix) == (
        "ProbeUnsupported: ping is refused here: ping: socket: Operation not permitted"
    )


def test_an_ordinary_user_may_ping_no_oftener_than_ping_allows():
    script = (
        f"become({NOBODY_ELSE})\n"
        "say([attempt('network/rtt/ping', {'interval_ms': n}) for n in (1, 200)])"
    )
    often, seldom = in_python(script)
    if seldom == "ran":  # as where ping has rights of its own
        assert re.match(
            "ProbeUnsupported: ping is refused here: ping: .*minimal interval.* for user", often
        )
    else:
        assert seldom.startswith("ProbeUnsupported: ping is refused here")


# --- broken: a failure, with a sentence ---------------------------------------------------------

BROKEN = [
    ("exit 3", "{} failed with exit status 3: it printed nothing."),
    ("echo; echo first; echo last; exit 1", "{} failed with exit status 1: last"),
    ("echo out; echo one >&2; echo two >&2; exit 1", "{} failed with exit status 1: one"),
    ("printf '\\033[35mcolour\\ttab'; exit 1", "{} failed with exit status 1:  [35mcolour tab"),
    ("kill -SEGV $$", "{} died of signal 11 (Segmentation fault)."),
    ("exec yes", "{} died of signal 25 (File size limit exceeded)."),
    ("exec head -c 3000000 /dev/zero", "{} "),
]


def broken(probe, prefix, script, cases, **how):
    """The probe fails with the sentence of each case when its program is the case's script."""
    writes = [f"open({str(script)!r}, 'w').write({text!r})" for text, _ in cases]
    for outcome, (text, sentence) in zip(
        said_in_turn(probe, prefix, writes, **how), cases, strict=True
    ):
        assert outcome.startswith("ProbeFailed: " + sentence.format(PROGRAM[probe])), text


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("probe", PROGRAM)
def test_a_program_that_fails_fails_the_probe(pretend, tmp_path, probe, isolated):
    """As the client; the server is as it always is."""
    script = tmp_path / "script"
    server = LISTEN if probe == IPERF3 else 'exec "$REAL" "$@"'
    broken(probe, pretend(PROGRAM[probe], f". {script}", server), script, BROKEN, isolated=isolated)


@pytest.mark.parametrize("probe", [SOCKPERF, IPERF3])
def test_a_server_that_fails_fails_the_probe(pretend, tmp_path, probe):
    script = tmp_path / "script"
    cases = [*BROKEN[:-1], ("exit 0", "{} ended before it listened: it printed nothing.")]
    broken(probe, pretend(PROGRAM[probe], server=f". {script}"), script, cases)


def test_a_server_that_is_killed_fails_the_probe(pretend):
    for probe in (SOCKPERF, IPERF3):
        prefix = pretend(PROGRAM[probe], server='exec timeout -s KILL 0.7 "$REAL" "$@"')
        assert said_by(probe, prefix).startswith(f"ProbeFailed: {PROGRAM[probe]} "), probe


def test_iperf3_whose_server_ends_badly_fails_the_probe(pretend):
    prefix = pretend("iperf3", server='"$REAL" "$@"; echo afterwards; exit 5')
    assert said_by(IPERF3, prefix) == "ProbeFailed: iperf3 failed with exit status 5: afterwards"


# --- hanging: ended by the deadline -------------------------------------------------------------

HANG = "trap '' TERM INT HUP; exec sleep 1000"
HANGING = [
    (
        PING,
        {"client": HANG},
        "ping was to take 0.006 s, was still running 5 s later and was ended.",
    ),
    (
        SOCKPERF,
        {"client": HANG},
        "sockperf was to take 1 s, was still running 5 s later and was ended.",
    ),
    (
        IPERF3,
        {"client": HANG},
        "iperf3 was to take 1 s, was still running 5 s later and was ended.",
    ),
    (SOCKPERF, {"server": HANG}, "sockperf did not listen within 5 s."),
    (IPERF3, {"server": HANG}, "iperf3 did not listen within 5 s."),
    (IPERF3, {"server": '"$REAL" "$@"; sleep 1000'}, "iperf3 was to take 6 s, was still running"),
]


@pytest.mark.parametrize(("probe", "scripts", "sentence"), HANGING)
def test_a_program_that_hangs_is_ended(pretend, probe, scripts, sentence):
    begin_s = time.monotonic()
    assert said_by(probe, pretend(PROGRAM[probe], **scripts)).startswith(f"ProbeFailed: {sentence}")
    assert time.monotonic() - begin_s < 25


@pytest.mark.parametrize("probe", PROGRAM)
def test_the_probes_own_deadline_ends_programs_and_what_they_started(pretend, probe):
    hang = "sleep 1000 & sleep 1000; exit"
    outcome = said_by(
        probe, pretend(PROGRAM[probe], hang, 'sleep 1000 & exec "$REAL" "$@"'), deadline_s=1
    )
    assert outcome == f"ProbeFailed: {probe} was still running after 1 s and was ended."


@pytest.mark.parametrize(
    ("probe", "params"),
    [(PING, {"interval_ms": 1000}), (SOCKPERF, {"span_ms": 5000}), (IPERF3, {"span_ms": 30000})],
)
def test_no_program_outlives_a_killed_caller(probe, params):
    script = f"attempt({probe!r}, {params}, samples=50, deadline_s=60)"
    wanted = 1 if probe == PING else 2

    def programs():
        results = descendants(caller.pid)
        return results if [name_of(pid) for pid in results].count(PROGRAM[probe]) == wanted else []

    with started(script) as caller:
        running = until(programs)
        caller.kill()
    assert len(running) == 1 + wanted  # the probe and they
    assert pids_gone(running)


@pytest.mark.skipif(
    str(ROOT).startswith("/tmp/"), reason="what is hidden here is the checkout itself"
)
def test_no_file_is_left(tmp_path):
    prefix = private(f"mount --bind {tmp_path} /tmp && cd /tmp")
    for probe in PROGRAM:
        assert said_by(probe, prefix) == "ran"
        assert os.listdir(tmp_path) == []

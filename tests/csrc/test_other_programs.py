"""The probes of other programs where one is missing, refused, broken or hangs: one sentence, nothing left."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.probe_script import few, known
from helpers.project import ROOT
from helpers.tools import (
    IPERF3,
    LISTEN,
    NETWORK,
    PING,
    PROGRAM,
    READ,
    REAL,
    SOCKPERF,
    outcome_of,
    outcomes_in_turn,
    path_of,
    private,
)

pytestmark = pytest.mark.usefixtures("programs", "fio", "own_space")

# --- missing or refused: unsupported -------------------------------------------------------------


@pytest.mark.parametrize("probe", PROGRAM)
def test_a_missing_program_is_named_with_its_package(probe):
    how = {"params": few(probe), "samples": 2, "warmup": 0}
    cases = [("", how | {"isolated": isolated}) for isolated in (True, False)]
    missing = private(f"mount --bind /dev/null {path_of(probe)}")
    package = "iputils-ping" if probe == PING else PROGRAM[probe]
    assert outcomes_in_turn(probe, missing, None, cases) == 2 * [
        f"ProbeUnsupported: {PROGRAM[probe]} is not installed (the package {package} of Debian "
        "and Ubuntu has it)"
    ]


def test_programs_are_looked_for_on_path_and_a_folder_is_no_program(tmp_path):
    def with_path(path):
        before = f"os.chdir({str(tmp_path)!r}); os.environ['PATH'] = {path!r}"
        return outcome_of(PING, private("true"), before, isolated=False)

    both = f"{tmp_path}:{tmp_path}/ping"
    (tmp_path / "ping").mkdir()
    assert "ping is not installed" in with_path(str(tmp_path))
    shutil.copy2(path_of(PING), tmp_path / "ping" / "ping")
    assert with_path(both) == "ran"
    assert "ping is not installed" in with_path("ping::"), "only absolute folders count"
    (tmp_path / "ping" / "ping").chmod(0o644)
    assert "ping is not installed" in with_path(both)


@pytest.mark.parametrize("probe", NETWORK)
def test_without_a_loopback_no_program_runs(probe):
    assert outcome_of(probe, private("true", network="true")) == (
        "ProbeUnsupported: needs the loopback address 127.0.0.1, which is not reachable here"
    )


@pytest.mark.parametrize("probe", [PING, READ])
def test_a_program_that_reports_a_missing_right_is_unsupported(pretend, probe):
    program = PROGRAM[probe]
    refusal = f"{program}: it: Operation not permitted"
    client = f"echo out; echo {program}: first >&2; echo {refusal} >&2; echo last >&2; exit 2"
    sentence = f"ProbeUnsupported: {program} is refused here: {refusal}"
    assert outcome_of(probe, pretend(program, client)) == sentence


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


def check_broken(probe, prefix, script, cases):
    """In this process, the probe fails with the sentence of each case when its program is the case's script."""
    how = {"samples": 2, "warmup": 0, "isolated": False}
    outcomes = outcomes_in_turn(probe, prefix, script, [(text, how) for text, _ in cases])
    for outcome, (text, sentence) in zip(outcomes, cases, strict=True):
        assert outcome.startswith("ProbeFailed: " + sentence.format(PROGRAM[probe])), text


@pytest.mark.parametrize("probe", PROGRAM)
def test_a_program_that_fails_fails_the_probe(pretend, tmp_path, probe):
    """As the client; the server is as it always is."""
    script = tmp_path / "script"
    server = LISTEN if probe == IPERF3 else REAL
    check_broken(probe, pretend(PROGRAM[probe], f". {script}", server), script, BROKEN)


@pytest.mark.parametrize("probe", [SOCKPERF, IPERF3])
def test_a_server_that_fails_fails_the_probe(pretend, tmp_path, probe):
    script = tmp_path / "script"
    cases = [*BROKEN[:-1], ("exit 0", "{} ended before it listened: it printed nothing.")]
    check_broken(probe, pretend(PROGRAM[probe], server=f". {script}"), script, cases)


def test_iperf3_whose_server_ends_badly_fails_the_probe(pretend):
    prefix = pretend("iperf3", server='"$REAL" "$@"; echo afterwards; exit 5')
    assert outcome_of(IPERF3, prefix) == "ProbeFailed: iperf3 failed with exit status 5: afterwards"


# --- hanging: ended by the deadline -------------------------------------------------------------

HANG = "trap '' TERM INT HUP; exec sleep 1000"
ENDED = "was still running 5 s later and was ended."


HANGING = [
    (PING, {"client": HANG}, f"ping was to take 0.006 s, {ENDED}"),
    (SOCKPERF, {"client": HANG}, f"sockperf was to take 1 s, {ENDED}"),
    (IPERF3, {"client": HANG}, f"iperf3 was to take 1 s, {ENDED}"),
    (SOCKPERF, {"server": HANG}, "sockperf did not listen within 5 s."),
    (IPERF3, {"server": HANG}, "iperf3 did not listen within 5 s."),
    (IPERF3, {"server": '"$REAL" "$@"; sleep 1000'}, "iperf3 was to take 6 s, was still"),
]


def test_programs_that_hang_are_ended(pretend):
    """All at once, because they are waited for."""
    prefixes = [pretend(PROGRAM[probe], **scripts) for probe, scripts, _ in HANGING]
    with ThreadPoolExecutor(len(HANGING)) as pool:
        outcomes = [*pool.map(outcome_of, [probe for probe, *_ in HANGING], prefixes)]
    for outcome, (probe, scripts, sentence) in zip(outcomes, HANGING, strict=True):
        assert outcome.startswith(f"ProbeFailed: {sentence}"), (probe, scripts)


@pytest.mark.parametrize("probe", PROGRAM)
def test_the_probes_own_deadline_ends_programs_and_what_they_started(pretend, probe, tmp_path):
    hang = "sleep 1000 & sleep 1000; exit"
    # A folder that it leaves is removed by the next probe of its PID namespace: here there is none.
    params = few(probe) | known(probe, {"dir": str(tmp_path)})
    prefix = pretend(PROGRAM[probe], hang, 'sleep 1000 & exec "$REAL" "$@"')
    outcome = outcome_of(probe, prefix, params=params, deadline_s=1)
    assert outcome == f"ProbeFailed: {probe} was still running after 1 s and was ended."


def test_no_file_is_left(tmp_path):
    """In /tmp, where the checkout stays visible if it is there."""
    prefix = private(
        f"mount --bind {ROOT} /mnt && mount --bind {tmp_path} /tmp"
        f" && mkdir -p {ROOT} && mount --bind /mnt {ROOT} && cd /tmp"
    )
    for probe in PROGRAM:
        assert outcome_of(probe, prefix) == "ran"
        assert not [path for path in tmp_path.rglob("*") if not path.is_dir()]

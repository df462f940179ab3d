"""The command line as its user meets it: one sentence and status 2, never a traceback."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import types

import pytest
from helpers.project import RECORDED, ROOT, output_of, reckon, reckon_process

from reckon import cli, units
from reckon.cli import main
from reckon.cli import probes as probe_commands
from reckon.measurement import library
from reckon.records.session import requested_run


def printed(capsys, *arguments):
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_every_command_has_help_with_examples_json_and_the_version(capsys):
    whole = printed(capsys, "--help")
    assert whole == printed(capsys, "help") == printed(capsys, "-h")
    version = printed(capsys, "--version")
    assert version.startswith("reckon 0.") and version == printed(capsys, "version")
    commands = re.findall(r"^  (\w+) +[A-Z]", whole, re.MULTILINE)
    assert {"build", "results", "fleet"} < {*commands}  # its own, and those of an entry point
    for command in {*commands} - {"help", "version"}:
        text = printed(capsys, command, "--help")
        assert f"Examples:\n    reckon {command}" in text and "--json" in text
        assert max(map(len, text.splitlines())) <= 100
        assert printed(capsys, command, "-v") == version
        assert printed(capsys, "help", command) == text


def test_probes_are_listed_with_parameters_and_what_is_timed():
    text = reckon("probes").stdout
    assert "cpu/syscall/getpid" in text and "calls=1000" in text and "times calls x syscall" in text
    probes = {probe["name"]: probe for probe in json.loads(reckon("probes", "--json").stdout)}
    assert probes["cpu/timer/paoloni"]["reports"] == ["x510uq", "i7_10750h", "hpe_i7_860"]
    of_one = json.loads(reckon("probes", "cpu/syscall", "--json").stdout)
    assert of_one == [
        probe for probe in probes.values() if probe["name"].startswith("cpu/syscall/")
    ]
    of_part = json.loads(reckon("probes", "memory", "--json").stdout)
    assert of_part == [probe for probe in probes.values() if probe["name"].startswith("memory/")]
    assert probes["cpu/syscall/getpid"]["parameters"][0] == {
        "name": "calls",
        "default": 1000,
        "help": "calls a trial",
        "minimum": 1,
        "maximum": 10**9,
    }


def test_probe_prints_samples_median_interval_and_conditions():
    done = reckon("probe", "cpu/syscall/getpid", "calls=200", "--samples", "4", "--processes", "6")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("process ") == 6 and "ns/call" in done.stdout
    assert "95 % interval" in done.stdout and "during the measurement: cpu" in done.stdout


def test_options_stand_anywhere_and_amounts_are_written_as_people_do(capsys):
    once = ["--samples", "2", "--processes", "1"]
    arguments = ["cpu/syscall/getpid", *once, "calls=1e2", "--json"]
    assert main(["probe", *arguments]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["params"] == {"calls": 100} and output["n"] == 2
    for text in ("size=64KiB", "size_bytes=65536", "size_bytes=0.0625 MiB"):
        assert main(["probe", "--json", "memory/bandwidth/read", text, *once]) == 0
        params = json.loads(capsys.readouterr().out)["params"]
        assert {name: int(value) for name, value in params.items()} == {"size_bytes": 65536}


def test_probe_as_json():
    done = reckon("probe", "cpu/clock/core", "--samples", "5", "--processes", "2", "--json")
    output = json.loads(done.stdout)
    assert output["unit"] == "ns/cycle" and output["n"] == 10 and len(output["samples"]) == 2
    assert output["low"] is None  # not known from two processes, and not 0
    assert 0.1 < output["median"] < 2


@pytest.mark.parametrize(("options", "span_s"), [([], 1.0), (["--span", "0.4"], 0.4)])
def test_the_processes_of_a_probe_are_spread_over_a_second(monkeypatch, capsys, options, span_s):
    """On a made-up clock, on which a process takes no time."""
    now, begun = [100.0], []
    real = library.run

    def sleep(seconds):
        now[0] += seconds

    def run(*arguments, **options):
        begun.append(now[0] - 100)
        return real(*arguments, **options)

    clock = types.SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    monkeypatch.setattr(probe_commands, "time", clock)
    monkeypatch.setattr(library, "run", run)
    assert main(["probe", "cpu/timer/rdtsc", "--processes", "4", "--samples", "2", *options]) == 0
    assert begun == pytest.approx([0, span_s / 4, span_s / 2, 3 * span_s / 4])
    assert "median" in capsys.readouterr().out


def test_doctor_lists_every_check_with_what_to_do():
    checks = json.loads(reckon("doctor", "--json").stdout)
    names = {check["name"] for check in checks}
    assert names >= {
        "tick counter",
        "frequency governor",
        "turbo",
        "hardware threads",
        "load",
        "virtualisation",
        "steal time",
        "priority",
        "free disk",
        "free memory",
        "performance counters",
    }
    for check in checks:
        assert check["state"] in ("pass", "warn", "unknown") and check["found"]
        assert check["advice"] or check["state"] != "warn"
    warns = any(check["state"] == "warn" for check in checks)
    assert ("WARNING" in reckon("doctor").stdout) == warns


def test_results_name_the_values_of_one_quantity_that_do_not_agree(recorded):
    lines = reckon("results", "--run", "recorded").stdout.splitlines()
    heading = lines.index("Values of one quantity that do not agree, and it is not known why:")
    fault = next(line for line in lines[heading:] if line.startswith("  memory/fault/minor "))
    assert re.fullmatch(
        r"  memory/fault/minor 1\.24 µs \(.*\), methods/memory/fault/minor 1\.02 µs \(.*\)", fault
    )
    assert not any("anonymous_each" in line for line in lines[heading:])  # of which it is known


def test_results_of_the_recorded_run(recorded):
    done = reckon("results", "--run", "recorded", "--json")
    results = json.loads(done.stdout)
    keys = {
        "quantity",
        "unit",
        "axis",
        "axis_unit",
        "hardware",
        "software",
        "predicted",
        "revised",
        "median",
        "low",
        "high",
        "groups",
        "mean",
        "sd",
        "n",
        "state",
        "reason",
    }
    assert results and all(set(result) == keys for result in results)
    by_name = {result["quantity"]: result for result in results}
    result = by_name["cpu/syscall/getpid"]
    assert result["low"] <= result["median"] <= result["high"] and result["state"] == "measured"
    assert result["predicted"] == pytest.approx(result["hardware"] + result["software"])
    assert len(by_name["cpu/timer/around"]["median"]) == 11  # a curve
    assert reckon("results", "--run", f"{recorded}/", "--json").stdout == done.stdout
    text = reckon("results", "cpu/timer", "--run", "recorded").stdout
    assert "cpu/timer/pair" in text and "cpu/syscall" not in text
    of_part = json.loads(reckon("results", "--run", "recorded", "cpu", "--json").stdout)
    assert of_part == [result for result in results if result["quantity"].startswith("cpu/")]
    assert json.loads(reckon("results", "cpu/syscall/getpid", "--json").stdout) == [result]
    heads, line = reckon("results", "cpu/syscall/getpid").stdout.splitlines()
    assert heads.split() == ["quantity", "predicted", "ratio", "measured"]
    ratio = result["median"] / result["predicted"]
    assert line.startswith("cpu/syscall/getpid  ") and f"  {units.number(ratio)}×  " in line
    assert f"({units.number(result['low'])} to {units.number(result['high'])})" in line


def test_checks_as_json(recorded, capsys):
    assert main(["verify", "--run", "recorded", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["faults"] == []
    assert main(["reports", "t470"]) == 0
    text = capsys.readouterr().out
    assert main(["reports", "t470", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["faults"] == [] and report["numbers"]
    for place, count in report["numbers"].items():
        assert f"{place}: {count} numbers\n" in text


# Of each command; what click refuses by itself, once each.
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["html", "PROFIL=quick"], "There is no option PROFIL=; did you mean PROFILE=?"),
        (["bok"], "There is no target bok; did you mean make book?"),
        (["frobnicate"], "There is no target frobnicate; \\`make help\\` lists them."),
        (["html", "COURSE=CSE PROFIL=1", "CC=clang"], "-m reckon build --html"),
    ],
)
def test_a_misspelt_option_or_target_of_make_is_named(arguments, message):
    old = [f"--old-file={target}" for target in ("setup", "lib", "nfs")]
    done = subprocess.run(
        ["make", "-n", *old, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert message in done.stdout + done.stderr


def test_the_library_missing(folders):
    done = reckon_process("probes", RECKON_LIB=str(folders))
    assert done.returncode == 2 and "run `make lib`" in done.stderr


def imported(slow, code):
    """Which of these packages the code imports in a new process."""
    code = f"import sys; {code}; print(*sorted({slow} & {{*sys.modules}}), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr.split()


def test_a_command_imports_neither_what_draws_nor_what_executes():
    """They take longer to import than most commands to answer."""
    slow = {"matplotlib", "fontTools", "IPython", "nbformat", "pandas"}
    every_command = "from reckon.cli import _reckon as r; [r.get_command(None, c) for c in r.list_commands(None)]"
    assert imported(slow | {"click"}, every_command) == ["click"]


def test_results_are_printed_a_second_time_without_scipy(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    code = "from reckon.cli import main; main(['results', '--run', 'example', 'cpu/syscall'])"
    assert [imported({"scipy.special"}, code) for _ in range(2)] == [["scipy.special"], []]


def test_the_list_of_commands_has_the_first_sentence_of_each_without_importing_one():
    assert imported({"numpy", "pint"}, "from reckon.cli import main; main(['--help'])") == []
    listed = " ".join(reckon("--help").stdout.split())
    for name in cli._reckon.list_commands(None):
        sentence, *_ = cli._reckon.get_command(None, name).help.split("\n\n")
        assert f" {name} {' '.join(sentence.split())}" in listed


def test_a_build_does_not_import_dask():
    """pint would, where it is installed."""
    code = "import sys, reckon.book.execution.execute; print('dask' in sys.modules)"
    assert output_of(sys.executable, "-c", code) == "False\n"


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m reckon probes | head -1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""


def test_ctrl_c_while_it_is_imported_prints_nothing(tmp_path):
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = reckon_process("--version", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("command", ["summary", "results", "verify", "pack", "export"])
def test_without_a_run_of_this_machine_the_last_built_or_the_only_one_is_used(
    command, tmp_path, monkeypatch
):
    """And standard error says which; with several runs none is guessed."""
    runs, build = tmp_path / "runs", tmp_path / "build"
    a_part = shutil.ignore_patterns("memory", "network", "files")
    shutil.copytree(RECORDED / "recorded", runs / "before", ignore=a_part)
    monkeypatch.chdir(tmp_path)
    for name, folder in (("RUNS", runs), ("BUILD", build)):
        monkeypatch.setenv(f"RECKON_{name}", str(folder))
    assert reckon(command).stderr.startswith(
        "This machine has no run; this is before, the only one."
    )
    (runs / "after").symlink_to("before")
    done = reckon(command)
    assert done.returncode == 2 and done.stderr == (
        "reckon: This machine has no run yet; `make book` measures one, or name one with --run: "
        "after and before.\n"
    )
    build.mkdir(exist_ok=True)
    (build / "last.json").write_text('{"run": "after", "states": {}}')
    built_last = "This machine has no run; this is after, built last."
    assert reckon(command).stderr.startswith(built_last)
    (runs / requested_run()).mkdir()  # begun, and nothing was measured
    shutil.copy(runs / "before/run.json", runs / requested_run())
    assert reckon(command).stderr.startswith(built_last)


def test_a_run_is_packed_into_a_folder(recorded, tmp_path):
    assert reckon("pack", "--run", "recorded", "--out", f"{tmp_path}/").returncode == 0
    assert [path.name for path in tmp_path.glob("*.gz")] == ["recorded.reckon.tar.gz"]


def test_a_folder_of_probes_is_listed():
    assert reckon("probe", "cpu/syscall").stdout == reckon("probes", "cpu/syscall").stdout


def test_what_commands_write_by_default_is_not_in_git():
    written = ["export/results.csv", "collected/index.html", "class.html", "a.reckon.tar.gz"]
    ignored = subprocess.run(
        ["git", "check-ignore", *written], cwd=ROOT, capture_output=True, text=True
    )
    assert ignored.stdout.split() == written


@pytest.mark.parametrize(
    ("number", "file", "sentence"),
    [
        (
            errno.ENOENT,
            "/proc/stat",
            "/proc/stat: No such file or directory; Reckon needs /proc mounted.",
        ),
        (
            errno.EIO,
            "/disk/run.json",
            "/disk/run.json: Input/output error; complete records are kept",
        ),
    ],
)
def test_a_fault_of_the_system_says_what_to_do(monkeypatch, capsys, number, file, sentence):
    def fail():
        raise OSError(number, os.strerror(number), file)

    monkeypatch.setattr(cli, "_prepare_process", fail)
    assert main(["version"]) == 2
    assert capsys.readouterr().err.startswith(f"reckon: {sentence}")


def test_a_working_folder_that_was_removed_is_named(recorded, tmp_path):
    removed = tmp_path / "removed"
    removed.mkdir()
    command = f"rmdir ../removed; exec {sys.executable} -m reckon export --run recorded"
    done = subprocess.run(command, shell=True, cwd=removed, capture_output=True, text=True)
    assert done.stderr == "reckon: The working folder was removed; change to another one.\n"


def test_a_terminal_without_a_character_shows_a_question_mark(recorded):
    done = reckon_process(
        "predict", "cpu/syscall/getpid", "--run", "recorded", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0 and "?, " in done.stdout and not done.stderr

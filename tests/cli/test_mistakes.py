"""A mistake of a reader's at the command line: one sentence, and status 2."""

import shlex
from pathlib import Path

import pytest
from helpers import made_up
from helpers.lines import check_all
from helpers.made_up import results
from helpers.project import reckon

COMMANDS, FILES = (
    [line.split("-> ", 1) for line in part.splitlines() if "-> " in line]
    for part in Path(__file__).with_name("mistakes.txt").read_text("utf-8").split("[files]")
)
DEEP = f"predict cpu/syscall/getpid 'formula={' + '.join(700 * ['kernel_path / clock'])}'"
COMMANDS.append((DEEP, "more than 150 operations within each other"))


def assert_one_sentence(done, says):
    assert done.returncode == 2, done
    assert says in done.stderr
    assert done.stderr.startswith("reckon: ") and done.stderr.count("\n") == 1


def check_command(command, says):
    done = reckon(*shlex.split(command))
    assert_one_sentence(done, says)
    if not command.startswith("build --pages"):  # which first says whose run it is
        assert done.stdout == ""


def check_file(file, says, folder):
    name, content = file.split(" ", 1)
    path = folder / name
    path.write_text(content.strip().replace(" ⏎ ", "\n"), "utf-8")
    done = reckon(
        *(("build", "--html") if name == "machine.toml" else ("predict", "--file", str(path)))
    )
    path.unlink()
    assert_one_sentence(done, says)
    assert done.stdout == ""


@pytest.mark.parametrize("name", sorted({command.split(" ")[0] for command, _ in COMMANDS}))
def test_a_users_mistake_is_one_sentence_and_status_2(recorded, name):
    if name == "compare":
        for seed, run in enumerate("ab", 1):
            made_up.run(run, results(seed)[:2])
        made_up.run("empty", [])
    cases = [(command, says) for command, says in COMMANDS if command.split(" ")[0] == name]
    check_all(cases, check_command)


def test_a_file_with_a_fault_is_one_sentence(recorded):
    check_all([(*case, recorded.parents[1]) for case in FILES], check_file)


def test_a_file_that_is_not_there_is_one_sentence(recorded):
    assert_one_sentence(reckon("predict", "--file", "a.toml"), "cannot be read: No such file")

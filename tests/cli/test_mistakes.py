"""A mistake of a reader's at the command line: one sentence, and status 2."""

import shlex
from pathlib import Path

import pytest
from helpers import made_up
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


@pytest.mark.parametrize(("command", "says"), COMMANDS)
def test_a_users_mistake_is_one_sentence_and_status_2(recorded, command, says):
    if command.startswith("compare"):
        for seed, name in enumerate("ab", 1):
            made_up.run(name, results(seed)[:2])
        made_up.run("empty", [])
    done = reckon(*shlex.split(command))
    assert_one_sentence(done, says)
    if not command.startswith("build --pages"):  # which first says whose run it is
        assert done.stdout == ""


@pytest.mark.parametrize(("file", "says"), FILES)
def test_a_file_with_a_fault_is_one_sentence(recorded, file, says):
    name, content = file.split(" ", 1)
    path = recorded.parents[1] / name
    path.write_text(content.strip().replace(" ⏎ ", "\n"), "utf-8")
    done = reckon(
        *(("build", "--html") if name == "machine.toml" else ("predict", "--file", str(path)))
    )
    assert_one_sentence(done, says)
    assert done.stdout == ""


def test_a_file_that_is_not_there_is_one_sentence(recorded):
    assert_one_sentence(reckon("predict", "--file", "a.toml"), "cannot be read: No such file")

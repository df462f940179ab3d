"""`reckon build` and `reckon measure`: what ends them before anything is executed."""

import pytest
from helpers.project import reckon

from reckon.book import sphinx
from reckon.book.staging.stage import Stage
from reckon.cli.book import Outputs


def test_a_folder_of_runs_that_cannot_be_written_is_one_sentence(folders):
    (folders / "file").write_text("")
    done = reckon("build", "--html", RECKON_RUNS=str(folders / "file"))
    assert (
        done.returncode == 2
        and "cannot be" in done.stderr
        and done.stderr.count("\n") == 1
        and not done.stdout
    )


def test_a_fault_of_a_page_is_one_of_every_output(tmp_path):
    outputs, staged = Outputs(), Stage(tmp_path, "", "", ("A fault.",))
    for name in ("site", "PDF"):
        assert outputs._make(name, lambda _: True, staged)
        assert isinstance(outputs.faults[name], sphinx.PagesWarn)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("build", "A run's name; default: this machine's."),
        ("results", "folder with a / in it; default: this machine's, else the one built last"),
    ],
)
def test_the_help_says_which_runs_a_command_takes(command, says):
    assert says in " ".join(reckon(command, "--help").stdout.split())

"""`reckon build` and `reckon measure`: what ends them before anything is executed."""

import pytest
from helpers.project import reckon


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[processor]\nbase_clok = "2 GHz"\n',
            "no field processor.base_clok; did you mean processor.base_clock?",
        ),
        ('[processor]\nbase_clock = "fast"\n', "needs a number and a unit"),
        ('[processor]\nbase_clock = "3 KiB"\n', "KiB is an amount of data"),
        ("[processor\n", "machine.toml: Expected"),
        ('colour = "red"\n', "no field colour"),
    ],
)
def test_a_mistake_in_machine_toml_is_one_sentence(folders, text, says):
    (folders / "machine.toml").write_text(text)
    done = reckon("build", "--html")
    assert (
        done.returncode == 2
        and says in done.stderr
        and done.stderr.count("\n") == 1
        and not done.stdout
    )


def test_a_folder_of_runs_that_cannot_be_written_is_one_sentence(folders):
    (folders / "file").write_text("")
    done = reckon("build", "--html", RECKON_RUNS=str(folders / "file"))
    assert (
        done.returncode == 2
        and "cannot be" in done.stderr
        and done.stderr.count("\n") == 1
        and not done.stdout
    )


def test_an_unknown_profile_in_the_environment_is_refused(folders):
    done = reckon("build", RECKON_PROFILE="fast")
    assert done.returncode == 2 and "There is no profile 'fast'" in done.stderr

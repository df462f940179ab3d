"""The key of a record covers every source that can change a sample, and no other."""

import shutil

import pytest
from helpers.probes import in_python
from helpers.project import LIBRARY, ROOT, finished, make_library, output_of

from reckon.measurement import library

# A fifth part with two experiments, of which one uses support code that itself uses other code.
FIFTH = ROOT / "tests/csrc/programs/fifth"


def make(folder):
    return make_library(folder / "lib", sources=folder / "csrc")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the C library with a fifth part, built; only what is new is compiled."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "csrc", folder / "csrc")
    shutil.copytree(LIBRARY, folder / "lib")
    shutil.copytree(FIFTH, folder / "csrc/fifth")
    done = make(folder)
    assert done.returncode == 0, done.stderr
    return folder


def keys(folder):
    return in_python(
        "from pathlib import Path\nfrom reckon.measurement import compilation\n"
        f"compilation.ROOT = Path({str(folder)!r})\n"
        "say({name: compilation.source_key(name) for name in library.probes()})",
        RECKON_LIB=str(folder / "lib"),
    )


@pytest.fixture(scope="module")
def files(copy):
    """The file of each probe of the copy, by the probe's name."""
    return in_python(
        "say({name: probe.file for name, probe in library.probes().items()})",
        RECKON_LIB=str(copy / "lib"),
    )


@pytest.fixture(scope="module")
def changed_by_an_edit(copy):
    """The probes whose keys an edit of that source file changes."""
    before = keys(copy)

    def edit(file):
        source = copy / "csrc" / file
        text = source.read_text()
        source.write_text(text + "/* edited */\n")
        after = keys(copy)
        source.write_text(text)
        return {name for name in before if before[name] != after[name]}

    return edit


@pytest.mark.parametrize(
    "file",
    ["runner/registry.c", "runner/in_process.c", "runner/run.c", "runner/main.c", "reckon.h"],
)
def test_an_edit_of_the_runner_changes_the_key_of_every_probe(changed_by_an_edit, files, file):
    assert changed_by_an_edit(file) == set(files)


@pytest.mark.parametrize("file", sorted(path.name for path in FIFTH.glob("support/*")))
def test_an_edit_of_support_code_changes_the_keys_of_the_probes_that_link_it(
    changed_by_an_edit, file
):
    """Also where other support code calls it, and the probe does not."""
    assert changed_by_an_edit(f"fifth/support/{file}") == {"fifth/uses/it"}


def calls(file, symbol):
    """Whether the object of that file calls the function of another one."""
    command = ["nm", "-u", (LIBRARY / file).with_suffix(".o")]
    return symbol in output_of(*command)


def test_an_edit_of_shared_code_changes_the_keys_of_the_objects_that_call_it(changed_by_an_edit):
    changed = changed_by_an_edit("probe/available.c")
    probes = library.probes().values()
    calling = {
        file for file in {probe.file for probe in probes} if calls(file, "rk_available_bytes")
    }
    expected = {probe.name for probe in probes if probe.file in calling}
    assert expected <= changed
    assert "memory/latency/random" in changed and "cpu/task/fork" in changed
    assert not {"cpu/syscall/getpid", "cpu/clock/core", "fifth/uses/it"} & changed


@pytest.mark.parametrize("file", ["cpu/syscall.c", "fifth/plain.c"])
def test_an_edit_of_an_experiment_changes_the_keys_of_its_own_probes_alone(
    changed_by_an_edit, files, file
):
    assert changed_by_an_edit(file) == {name for name in files if files[name] == file}


@pytest.mark.parametrize("file", ["peer/stream.c", "peer/peer.h"])
def test_an_edit_of_the_peer_changes_the_keys_of_the_probes_that_need_one(changed_by_an_edit, file):
    needing = {name for name, probe in library.probes().items() if probe.needs & library.Needs.PEER}
    assert needing and changed_by_an_edit(file) == needing


def test_both_programs_that_do_nothing_follow_their_source(copy):
    source, programs = copy / "csrc/runner/blank.c", ("reckon-blank", "reckon-blank-static")
    text = source.read_text()
    source.write_text(text.replace("return 0", "return 3"))
    paths = [copy / "lib" / program for program in programs]
    done = make_library(copy / "lib", *map(str, paths), sources=copy / "csrc")
    source.write_text(text)
    assert done.returncode == 0, done.stderr
    assert [finished(path).returncode for path in paths] == [3, 3]


def test_a_probe_that_uses_the_code_of_another_experiment_does_not_build(copy):
    """Its key would not cover that code."""
    source = copy / "csrc/fifth/plain.c"
    text = source.read_text()
    (copy / "csrc/fifth/other.c").write_text(  # an experiment has a probe, or it does not link
        text.replace("plain", "other") + "int in_other(void);\nint in_other(void) { return 1; }\n"
    )
    source.write_text("int in_other(void);\n" + text.replace("(void)0", "in_other()"))
    done = make(copy)
    source.write_text(text)
    (copy / "csrc/fifth/other.c").unlink()
    assert done.returncode and "in_other" in done.stderr
    assert make(copy).returncode == 0

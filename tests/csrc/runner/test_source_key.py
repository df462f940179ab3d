"""The key of a record covers every source that can change a sample, and no other."""

import shutil

import pytest
from helpers.probes import in_python
from helpers.project import LIBRARY, ROOT, finished, make_library, output_of

from reckon import config
from reckon.errors import ReckonError
from reckon.measurement import compilation, library

# A fifth part with two experiments, of which one uses support code that itself uses other code.
FIFTH = ROOT / "tests/csrc/programs/fifth"


def make(folder):
    """The library and the lists of sources of the fifth part; the other lists are there."""
    names = [
        "libreckon.so",
        "reckon-probe",
        *(f"fifth/{path.stem}.sources" for path in FIFTH.glob("*.c")),
    ]
    return make_library(folder / "lib", sources=folder / "csrc", names=names)


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


@pytest.fixture(scope="module")
def files(copy):
    """The file of each probe of the copy, by the probe's name."""
    return in_python(
        "say({name: probe.file for name, probe in library.probes().items()})",
        RECKON_LIB=str(copy / "lib"),
    )


OF_THE_RUNNER = [f"runner/{name}.c" for name in ("registry", "in_process", "run", "main")]
OF_THE_RUNNER.append("reckon.h")
SUPPORT = sorted(f"fifth/support/{path.name}" for path in FIFTH.glob("support/*"))
SHARED = "probe/available.c"
OF_EXPERIMENTS = ["cpu/syscall.c", "fifth/plain.c"]
OF_THE_PEER = ["peer/stream.c", "peer/peer.h"]
EDITS = """import os
from pathlib import Path
from reckon.measurement import compilation
compilation.ROOT = Path({folder!r})
def keys():
    compilation.source_key.cache_clear()
    return {{name: compilation.source_key(name) for name in library.probes()}}
before, changed = keys(), {{}}
for file in {files}:
    source = compilation.ROOT / "csrc" / file
    text, status = source.read_text(), source.stat()
    source.write_text(text + "/* edited */")
    after = keys()
    source.write_text(text)
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))  # nothing is compiled again
    changed[file] = [name for name in before if before[name] != after[name]]
say(changed)"""


@pytest.fixture(scope="module")
def changed_by_an_edit(copy):
    """The probes whose keys an edit of a source file changes, by that file."""
    files = [*OF_THE_RUNNER, *SUPPORT, SHARED, *OF_EXPERIMENTS, *OF_THE_PEER]
    program = EDITS.format(folder=str(copy), files=files)
    changed = in_python(program, RECKON_LIB=str(copy / "lib"))
    return {file: {*probes} for file, probes in changed.items()}


@pytest.mark.parametrize("file", OF_THE_RUNNER)
def test_an_edit_of_the_runner_changes_the_key_of_every_probe(changed_by_an_edit, files, file):
    assert changed_by_an_edit[file] == set(files)


@pytest.mark.parametrize("file", SUPPORT)
def test_an_edit_of_support_code_changes_the_keys_of_the_probes_that_link_it(
    changed_by_an_edit, file
):
    """Also where other support code calls it, and the probe does not."""
    assert changed_by_an_edit[file] == {"fifth/uses/it"}


def calls(file, symbol):
    """Whether the object of that file calls the function of another one."""
    command = ["nm", "-u", (LIBRARY / file).with_suffix(".o")]
    return symbol in output_of(*command)


def test_an_edit_of_shared_code_changes_the_keys_of_the_objects_that_call_it(changed_by_an_edit):
    changed = changed_by_an_edit[SHARED]
    probes = library.probes().values()
    calling = {
        file for file in {probe.file for probe in probes} if calls(file, "rk_available_bytes")
    }
    expected = {probe.name for probe in probes if probe.file in calling}
    assert expected <= changed
    assert "memory/latency/random" in changed and "cpu/task/fork" in changed
    assert not {"cpu/syscall/getpid", "cpu/clock/core", "fifth/uses/it"} & changed


@pytest.mark.parametrize("file", OF_EXPERIMENTS)
def test_an_edit_of_an_experiment_changes_the_keys_of_its_own_probes_alone(
    changed_by_an_edit, files, file
):
    assert changed_by_an_edit[file] == {name for name in files if files[name] == file}


@pytest.mark.parametrize("file", OF_THE_PEER)
def test_an_edit_of_the_peer_changes_the_keys_of_the_probes_that_need_one(changed_by_an_edit, file):
    needing = {name for name, probe in library.probes().items() if probe.needs & library.Needs.PEER}
    assert needing and changed_by_an_edit[file] == needing


def test_both_programs_that_do_nothing_follow_their_source(copy, tmp_path):
    """Made elsewhere: all objects would be compiled again, as their flags are with that source's sum."""
    source, programs = copy / "csrc/runner/blank.c", ("reckon-blank", "reckon-blank-static")
    text = source.read_text()
    source.write_text(text.replace("return 0", "return 3"))
    done = make_library(tmp_path, sources=copy / "csrc", names=programs)
    source.write_text(text)
    assert done.returncode == 0, done.stderr
    assert [finished(tmp_path / program).returncode for program in programs] == [3, 3]


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


def test_a_missing_list_of_sources_is_named(tmp_path, monkeypatch):
    name = min(library.probes())
    without = config.settings().model_copy(update={"library_dir": tmp_path})
    monkeypatch.setattr(config, "_in_use", without)
    compilation.source_key.cache_clear()
    with pytest.raises(ReckonError, match="is missing; run `make lib`"):
        compilation.source_key(name)

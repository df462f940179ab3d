"""The machine's description, of programs that do not start and files that say what cannot be."""

import errno
import os
import platform
import subprocess

import pytest

from reckon.computer import description, fields, system_files
from reckon.errors import ReckonError


def fails(error):
    def run(*_, **__):
        raise OSError(error, os.strerror(error))

    return run


def test_what_a_limit_keeps_from_starting_is_not_taken_for_missing(monkeypatch):
    """The run's identity and predictions depend on what it reports."""
    monkeypatch.setattr(subprocess, "run", fails(errno.EAGAIN))
    with pytest.raises(ReckonError, match="sh does not start .Resource temporarily unavailable"):
        system_files.run_command("sh", "-c", "echo")
    monkeypatch.setattr(subprocess, "run", fails(errno.EACCES))
    assert system_files.run_command("sh", "-c", "echo") is None


def test_the_version_of_the_firmware_is_a_fact_of_the_system(monkeypatch):
    files = {"/sys/class/dmi/id/bios_version": "F.12"}
    monkeypatch.setattr(description, "read_text", files.get)
    version, _ = description._system()["system.firmware"]
    assert version == "F.12" and "system.firmware" in fields.FIELDS


@pytest.mark.parametrize("value", ["2", "2.0", '"2"'])
def test_a_count_may_be_a_plain_number(tmp_path, value):
    path = tmp_path / "machine.toml"
    path.write_text(f"[memory]\nchannels = {value}\n")
    if value == '"2"':
        with pytest.raises(ReckonError, match="channels needs a number, such as 3, not '2'"):
            fields.from_toml(path)
    else:
        assert fields.from_toml(path) == {"memory.channels": (2.0, "machine.toml")}


def test_facts_of_a_hybrid_machine_are_those_of_the_cpu_that_is_measured(tmp_path, monkeypatch):
    cpuinfo = "processor\t: 0\nmodel\t\t: 10\n\nprocessor\t: 4\nmodel\t\t: 20\n"
    monkeypatch.setattr(system_files, "read_text", lambda path: cpuinfo)
    monkeypatch.setattr(description, "_CPUS", str(tmp_path))
    monkeypatch.setattr(description, "lscpu", dict)
    for cpu, size, khz in ((0, "32K", 2_000_000), (4, "48K", 5_000_000)):
        index = tmp_path / f"cpu{cpu}/cache/index0"
        index.mkdir(parents=True)
        for name, text in (("level", 1), ("type", "Data"), ("size", size)):
            (index / name).write_text(f"{text}\n")
        (tmp_path / f"cpu{cpu}/cpufreq").mkdir()
        (tmp_path / f"cpu{cpu}/cpufreq/cpuinfo_max_freq").write_text(f"{khz}\n")
    processor, caches = description._processor(4), description._caches(4)
    assert processor["processor.model_number"][0] == 20
    assert processor["processor.turbo_clock"][0] == 5e9
    assert caches["processor.l1d"] == (48 * 1024, f"{tmp_path}/cpu4/cache/index0/size")


def test_a_size_or_clock_of_0_is_not_reported(tmp_path, monkeypatch):
    """Hypervisors and virtual processors have such files."""
    monkeypatch.setattr(description, "_CPUS", str(tmp_path))
    index, clocks = tmp_path / "cpu0/cache/index3", tmp_path / "cpu0/cpufreq"
    index.mkdir(parents=True), clocks.mkdir()
    for name, text in (("level", "3"), ("type", "Unified"), ("coherency_line_size", "0")):
        (index / name).write_text(text)
    (clocks / "base_frequency").write_text("0")
    monkeypatch.setattr(description, "cpuinfo", lambda *_: {"model name": "Virtual @ 0.00GHz"})
    for size in ("0K", "0", "none", "-1K"):
        (index / "size").write_text(size)
        assert description._caches(0) == {}
        assert description._processor(0)["processor.base_clock"] == (None, "")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"PRETTY_NAME='Ad\xc3\xa9lie \"1\"'", 'Adélie "1"'),
        (b'PRETTY_NAME="A \\"1\\" & <b>"', 'A "1" & <b>'),
        (b"PRETTY_NAME=Plain", "Plain"),
        (b"ID=none", "Linux"),
        (b"PRETTY_NAME=Ad\xe9lie", "Linux"),
    ],
)
def test_the_name_of_the_system_is_read_as_its_format_says(tmp_path, monkeypatch, line, name):
    path = tmp_path / "os-release"
    path.write_bytes(line + b"\n")
    monkeypatch.setattr(platform, "_os_release_candidates", (str(path),))
    monkeypatch.setattr(platform, "_os_release_cache", None)
    assert description._os_name() == name

"""Constants of processors: which core a machine has, and what a prediction takes from it."""

import itertools
from types import SimpleNamespace

import pytest

import reckon as rk
from reckon.computer import description, processors, system_files
from reckon.computer.facts import Machine

SKYLAKE = ("GenuineIntel", 6, 0x55)
ZEN_4 = ("AuthenticAMD", 25, 0x11)
UNLISTED = ("AuthenticAMD", 23, 0x31)
UNREPORTED = (None, None, None)


def machine(vendor, family, number):
    facts = {"vendor": vendor, "family": family, "model_number": number}
    return Machine.of({f"processor.{key}": (value, "made up") for key, value in facts.items()})


def core_name(*facts):
    core = processors.core_of(machine(*facts))
    return core and core.name


def test_a_core_is_found_by_vendor_family_and_model_number():
    assert core_name(*SKYLAKE) == "Intel Skylake"
    assert core_name(*ZEN_4) == "AMD Zen 4"
    assert core_name("AuthenticAMD", 25, 0x01) == "AMD Zen 3"
    assert core_name("AuthenticAMD", 26, 0x02) == "AMD Zen 5"
    assert core_name("0x41", 8, 0xD0C) == "Arm Neoverse N1"
    assert core_name("AuthenticAMD", 6, 0x55) is None
    assert core_name(*UNLISTED) is None and core_name(*UNREPORTED) is None


def test_no_processor_has_two_cores():
    for core, other in itertools.combinations(processors.cores(), 2):
        if (core.vendor, core.family) == (other.vendor, other.family):
            for (first, last), (begin, end) in itertools.product(core.models, other.models):
                assert last < begin or end < first, (core.name, other.name)


def test_a_constant_has_a_source_or_is_a_guess():
    stated = {"value": 5, "low": 4, "high": 6, "source": "a manual"}
    assert processors.Constant(**stated, cite="manual").value == 5
    assert processors.Constant(**stated, guess=True).cite is None
    for more in ({}, {"cite": "manual", "guess": True}, {"cite": "manual", "low": 5.5}):
        with pytest.raises(ValueError, match=r"guess = true|low <= value"):
            processors.Constant(**{**stated, **more})


def test_a_fault_in_the_file_is_named_with_its_place(tmp_path, monkeypatch):
    """A constant above [core.constants] is a mistake that is made easily."""
    file = tmp_path / "processors.toml"
    file.write_text('[[core]]\nname = "A"\nload = 4\n', encoding="utf-8")
    monkeypatch.setattr(processors, "FILE", file)
    with pytest.raises(rk.ReckonError, match=r"processors\.toml: core\.0\."):
        processors.cores()


@pytest.fixture
def looked_up(monkeypatch):
    """The input that a machine with these facts gives for a constant."""

    def look_up(name, *facts):
        session = SimpleNamespace(run=SimpleNamespace(machine=machine(*facts)))
        monkeypatch.setattr("reckon.records.run_inputs.current_session", lambda: session)
        otherwise = rk.given(25, "cycle", "another core's", low=18, high=45, cite="fog-tables")
        return rk.processor(name, otherwise=otherwise)

    return look_up


def test_a_stated_constant_is_given_and_a_guessed_one_is_a_guess(looked_up):
    load = looked_up("load", *ZEN_4)
    assert (load.origin, load.value, load.low, load.high) == ("given", 4, 4, 5)
    assert load.source == "load latency of LLVM's model, AMD Zen 4"
    assert load.cite == "llvm-models" and load.instead_of is None
    assert looked_up("load", *SKYLAKE).value == 5
    counter = looked_up("rdtsc", *ZEN_4)
    assert counter.origin == "guess" and counter.low < counter.value < counter.high


@pytest.mark.parametrize(
    ("name", "facts", "why"),
    [
        ("cpuid", ZEN_4, "this book has no source for AMD Zen 4"),
        ("load", UNLISTED, "this book has no source for AuthenticAMD 23/49"),
        ("load", UNREPORTED, "the processor's family is not reported"),
    ],
)
def test_another_value_stands_in_for_an_unknown_one_and_says_so(looked_up, name, facts, why):
    value = looked_up(name, *facts)
    assert (value.value, value.source) == (25, "another core's")
    assert value.instead_of == why


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n", ZEN_4),
        (
            "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n",
            ("0x41", 8, 0xD0C),
        ),
        ("CPU architecture: AArch64\n", UNREPORTED),
    ],
)
def test_vendor_family_and_model_number_are_read(monkeypatch, text, facts):
    read = system_files.read_text
    monkeypatch.setattr(
        system_files, "read_text", lambda path: text if path == "/proc/cpuinfo" else read(path)
    )
    monkeypatch.setattr(description, "lscpu", dict)
    fields = description._processor(0)
    keys = ("vendor", "family", "model_number")
    assert tuple(fields[f"processor.{key}"][0] for key in keys) == facts

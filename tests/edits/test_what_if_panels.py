"""The data of the what-if panels."""

import json

import pytest

from reckon import records
from reckon.edits import what_if_panels
from reckon.show.block import plain_markdown, what_if_anchor


@pytest.fixture
def syscalls(recorded):
    data = what_if_panels.panel_data("recorded", "cpu/syscall")
    return data, {formula["quantity"]: formula for formula in data["formulas"]}


def test_a_formula_has_what_was_sealed_and_measured(syscalls):
    data, formulas = syscalls
    formula = formulas["cpu/syscall/getpid"]
    record = records.read_record("recorded", "cpu/syscall").quantities[formula["quantity"]]
    assert formula["sealed"]["value"] == [record.seal.predicted]
    assert formula["predicted"] == record.seal.predicted_tree and not formula["revised"]
    assert formula["measured"]["indices"] == [0]
    assert (
        formula["measured"]["low"][0]
        <= formula["measured"]["value"][0]
        <= formula["measured"]["high"][0]
    )
    assert [step["spoken"] for step in formula["steps"]] == ["ns", "µs", "ms", "s"]
    kernel_path = data["inputs"][formula["inputs"]["kernel_path"]]
    assert kernel_path["slider"] == (50, 1200) and kernel_path["logarithmic"]
    assert kernel_path["source"] == "guess: stack, registers, table, mitigations; no source"
    assert formula["python"] == {
        "hardware": "mode_switch / clock",
        "software": "kernel_path / clock",
    }


def test_a_curve_has_its_axis_and_the_measured_points(syscalls):
    data, formulas = syscalls
    curve = formulas["cpu/syscall/amortised"]
    axis = data["inputs"][curve["inputs"][curve["axis"]]]
    assert "slider" not in axis and len(axis["value"]) == len(curve["sealed"]["value"])
    assert curve["measured"]["indices"] == list(range(len(axis["value"])))


def test_predictions_share_what_was_read_from_one_place_and_nothing_else(syscalls):
    data, formulas = syscalls

    def shared(quantity, name):
        return data["inputs"][formulas[f"cpu/syscall/{quantity}"]["inputs"][name]]["shared"]

    assert shared("getpid", "clock") == shared("getppid", "clock")
    assert shared("getppid", "work") == shared("getuid", "work")
    assert shared("getppid", "work") != shared("times", "work")
    # One measurement under two names.
    assert shared("getppid", "null") == shared("getpid_int80", "null")


def test_a_text_that_ends_a_script_does_not(recorded):
    path = recorded / "cpu" / "syscall.json"
    text = path.read_text(encoding="utf-8")
    ends = "</script><b>"
    path.write_text(text.replace("SYSCALL and SYSRET", ends), encoding="utf-8")
    (element,) = what_if_panels.script("recorded", "cpu/syscall").split("\n")[1:-1]
    assert element.count("</script>") == 1 and element.endswith("</script>")
    content = element.partition(">")[2].removesuffix("</script>")
    assert ends in json.dumps(json.loads(content))


def test_a_panel_has_no_place_in_the_lab():
    text = f"Before.\n\n{what_if_anchor(['a/b/c'], 'x > y')}\n\nAfter."
    assert 'data-what="x &gt; y"' in text
    assert plain_markdown(text).split() == ["Before.", "After."]

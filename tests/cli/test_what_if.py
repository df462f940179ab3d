"""`reckon predict`: a recorded prediction with other inputs."""

import json
import os
import re

import pytest
from helpers import made_up
from helpers.project import reckon

import reckon as rk
from reckon import records, units
from reckon.errors import ReckonError
from reckon.prediction.inputs import FAR_OUTSIDE, INTERVAL_FAULTS
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.result import Result

NULL_CALL = "cpu/syscall/getpid"


def null_call():
    results = {result.quantity: result for result in all_results("recorded", "cpu/syscall")}
    return results[NULL_CALL]


def test_it_prints_value_ratio_and_what_would_meet_the_measurement(recorded):
    result = null_call()
    done = reckon("predict", NULL_CALL, "kernel_path=550 cycle")
    assert done.returncode == 0, done.stderr
    assert reckon("predict", NULL_CALL, "kernel_path = 550 cycle").stdout == done.stdout
    inputs = {given.name: given.value for given in result.seal.inputs}
    predicted_s = (inputs["mode_switch"] + 550) / inputs["clock"]
    assert "550 cycles  instead of 150 cycles; guess: " in done.stdout
    assert f"Predicted  {1e9 * predicted_s:.3g} ns (" in done.stdout
    assert f"{units.number(result.median / predicted_s)}×, " in done.stdout
    assert (
        f"Sealed     {1e9 * result.seal.predicted:.1f} ns: {units.number(result.ratio)}×"
        in done.stdout
    )
    assert "Uncertain  mostly kernel_path: over 50 to 1200 cycles it gives" in done.stdout
    (needed,) = re.findall(r'To match   kernel_path="([\d.]+) cycles", all else equal', done.stdout)
    met = reckon("predict", NULL_CALL, f"kernel_path={needed}")
    assert "as predicted" in met.stdout


def test_json_has_the_value_the_ratio_and_the_inputs(recorded):
    done = reckon("predict", NULL_CALL, "clock=2 Gcycle/s", "--json")
    printed = json.loads(done.stdout)
    assert printed["predicted"] == pytest.approx((90 + 150) / 2)
    assert printed["ratio"] == pytest.approx(printed["measured"] / printed["predicted"])
    assert printed["sealed_ratio"] == pytest.approx(null_call().ratio)
    assert printed["low"] < printed["predicted"] < printed["high"]
    assert printed["inputs"]["clock"] == {
        "value": 2.0,
        "unit": "GHz",
        "origin": "measured",
        "changed": True,
    }
    needed = printed["needed"]["kernel_path"]
    assert (90 + needed) / 2 == pytest.approx(printed["measured"])
    assert list(printed["sensitivity"])[0] == "kernel_path"


def test_a_curve_is_printed_by_its_ends_and_its_median_ratio(recorded):
    done = reckon("predict", "cpu/syscall/amortised", "pair=1 µs")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^  calls +1 to 1024  ", done.stdout, re.MULTILINE)
    assert "× in the median" in done.stdout
    printed = json.loads(reckon("predict", "cpu/syscall/amortised", "--json").stdout)
    assert len(printed["predicted"]) == len(printed["measured"]) == 11


def test_of_a_rate_the_hardware_alone_is_printed_as_on_the_site(recorded):
    printed = reckon("predict", "memory/bandwidth/read").stdout
    assert re.search(r"Predicted  [\d.]+ GB/s \(.*\): hardware alone [\d.]+ GB/s", printed)


def test_a_file_of_predictions_from_the_site_is_evaluated(recorded, tmp_path):
    path = tmp_path / "predictions.toml"
    path.write_text(
        f'["{NULL_CALL}"]\nkernel_path = "620 cycle"  # instead of 150 cycle\n'
        '["cpu/syscall/getppid"]\nwork = "20 cycle"\n'
    )
    done = reckon("predict", "--file", str(path))
    assert done.returncode == 0, done.stderr
    assert f"{NULL_CALL}\n" in done.stdout and "cpu/syscall/getppid\n" in done.stdout
    printed = json.loads(reckon("predict", "--file", str(path), "--json").stdout)
    assert [prediction["quantity"] for prediction in printed] == [NULL_CALL, "cpu/syscall/getppid"]
    near, sealed = (
        sum(1 / 1.25 < prediction[ratio] < 1.25 for prediction in printed)
        for ratio in ("ratio", "sealed_ratio")
    )
    assert f"Within 1.25 times of the measurement: {near} of 2 (sealed {sealed})" in done.stdout


def test_a_notebook_says_what_the_command_line_says_of_a_wrong_unit(recorded, monkeypatch):
    monkeypatch.setenv("RECKON_RUN", "recorded")
    call = rk.predict(NULL_CALL, unit="ns")(lambda kernel_path, clock: (0, kernel_path / clock))
    given = to_prediction(NULL_CALL, null_call().current).inputs
    with pytest.raises(ReckonError) as refused:
        call(kernel_path=rk.guess(150, "ns", "a reader", low=50, high=1200), clock=given["clock"])
    done = reckon("predict", NULL_CALL, "kernel_path=150 ns")
    assert done.stderr == f"reckon: {refused.value}\n"
    assert done.stderr.endswith("but 150 ns is a time; write for example 150 cycles.\n")


def test_one_part_of_a_sum_may_be_changed_by_its_name(recorded):
    printed = json.loads(
        reckon(
            "predict", NULL_CALL, "software=2 * kernel_path / clock", "clock=2 GHz", "--json"
        ).stdout
    )
    assert printed["formula"] == "mode_switch / clock, 2 * kernel_path / clock"
    assert printed["predicted"] == pytest.approx((90 + 2 * 150) / 2)


def test_a_changed_setting_of_the_measurement_is_said_not_to_measure_again(recorded):
    said = "The measurement stays at size = 1048576 KiB."
    memory = "memory/latency/memory"
    assert said in reckon("predict", memory, "size=123 KiB").stdout
    assert "stays at" not in reckon("predict", memory, "entries=1024").stdout


def test_an_interval_that_reaches_below_0_is_said_to(recorded):
    hump = "mode_switch / clock * (kernel_path/mode_switch) * (2 - kernel_path/mode_switch), 0"
    sentence = "Within the intervals of its inputs it falls below 0, and no amount is negative."
    assert f"Impossible {sentence}" in reckon("predict", NULL_CALL, f"formula={hump}").stdout
    assert sentence not in reckon("predict", NULL_CALL).stdout


def test_a_file_may_begin_with_a_byte_order_mark_and_is_utf_8(recorded, tmp_path):
    path = tmp_path / "predictions.toml"
    text = f'[reader]\nname = "José"\n["{NULL_CALL}"]\nkernel_path = "550 cycles"\n'
    path.write_text(text, encoding="utf-8-sig")
    assert "instead of 150 cycles" in reckon("predict", "--file", str(path)).stdout
    for encoding in ("utf-16", "latin-1"):
        path.write_text(text, encoding=encoding)
        done = reckon("predict", "--file", str(path))
        assert done.returncode == 2
        assert done.stderr == f"reckon: {path}: it is not UTF-8 text; save it as UTF-8.\n"


def test_a_very_large_number_is_not_printed_in_full(recorded):
    printed = reckon("predict", NULL_CALL, "kernel_path=1e30 cycles").stdout
    assert "  1e+30 cycles  instead of 150 cycles" in printed and not re.search(r"\d{22}", printed)


def test_a_pipe_in_the_place_of_a_file_is_named_and_not_waited_for(recorded, tmp_path):
    path = tmp_path / "predictions.toml"
    os.mkfifo(path)
    done = reckon("predict", "--file", str(path))
    assert done.stderr == f"reckon: {path} is a pipe; write its content into a file.\n"


def test_a_value_that_a_reader_stated_is_compared_too(recorded, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(f'["{NULL_CALL}"]\npredicted = "150 ns"\nlow = "149 ns"\nhigh = "151 ns"\n')
    done = reckon("predict", "--file", str(file))
    ratio = null_call().median / 150e-9
    assert f"Stated     150 ns: {units.number(ratio)}×, outside its interval" in done.stdout, (
        done.stderr
    )
    (printed,) = json.loads(reckon("predict", "--file", str(file), "--json").stdout)
    assert printed["stated"] == pytest.approx(150)
    assert printed["ratio"] == pytest.approx(ratio)
    near = null_call().median * 1e9
    file.write_text(
        f'["{NULL_CALL}"]\npredicted = "{near} ns"\n["cpu/syscall/getppid"]\npredicted = "1 s"\n'
    )
    assert ": 1 of 2 (sealed " in reckon("predict", "--file", str(file)).stdout


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (("5000 ns", "50 ns", "500 ns"), INTERVAL_FAULTS["outside"]),
        (("100 ns", "500 ns", "50 ns"), INTERVAL_FAULTS["swapped"]),
        (("100 ns", "-5 ns", "500 ns"), INTERVAL_FAULTS["negative"]),
        (("100 ns", "50 ns"), INTERVAL_FAULTS["half"]),
    ],
)
def test_an_interval_that_no_value_has_is_refused_in_the_words_of_a_notebook(
    recorded, tmp_path, stated, sentence
):
    file = tmp_path / "mine.toml"
    named = dict(zip(("predicted", "low", "high"), stated, strict=False))
    rows = [f'{name} = "{amount}"\n' for name, amount in named.items()]
    file.write_text(f'["{NULL_CALL}"]\n{"".join(rows)}')
    said = sentence.format(value=stated[0], low=stated[1], high=stated[-1])
    done = reckon("predict", "--file", str(file))
    assert (done.stderr, done.returncode) == (f"reckon: {file}: {NULL_CALL}: {said}\n", 2)
    with pytest.raises(ReckonError) as refused:
        value, low, *high = (float(amount.removesuffix(" ns")) for amount in stated)
        rk.guess(value, "ns", "a reader", low=low, high=high[0] if high else None)
    assert sentence.partition("{")[0] in str(refused.value) or "lacks high" in str(refused.value)


def test_a_value_far_outside_its_interval_is_said_to_be(recorded):
    said = FAR_OUTSIDE.format(interval="50 to 1200 cycles")
    for value, is_far in ((1300, False), (5505, True), (24, True)):
        assert (said in reckon("predict", NULL_CALL, f"kernel_path={value}").stdout) == is_far


def test_of_two_groups_it_prints_both_and_no_ratio(recorded, tmp_path):
    record = records.read_record("recorded", "cpu/syscall")
    made_up.in_two_groups(Result(NULL_CALL, record.quantities[NULL_CALL], "measured"))
    records.write_record("recorded", record)
    both = f"{null_call():interval}"
    assert both.count("of processes") == 2
    done = reckon("predict", NULL_CALL, "kernel_path=550 cycle")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert f"Measured {both}, so there is no ratio" in said
    assert "×" not in said and "To match" not in said
    printed = json.loads(reckon("predict", NULL_CALL, "clock=2 Gcycle/s", "--json").stdout)
    assert printed["measured"] is printed["ratio"] is printed["sealed_ratio"] is None
    low, high = printed["groups"]
    assert high["median"] > 1.9 * low["median"] and low["share"] > high["share"]
    file = tmp_path / "predictions.toml"
    file.write_text(
        f'["{NULL_CALL}"]\npredicted = "150 ns"\n["cpu/syscall/getppid"]\npredicted = "150 ns"\n'
    )
    done = reckon("predict", "--file", str(file))
    assert "Stated     150 ns, of which there is no ratio" in done.stdout, done.stderr
    assert re.search("of 1 [(]sealed", done.stdout)

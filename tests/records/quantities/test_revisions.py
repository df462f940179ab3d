"""predictions.toml of a What if? panel becomes revisions that are laid over a run, never written."""

import pytest
from helpers.project import reckon
from helpers.syscall_cells import FORMULA, INPUTS, MEASURE, cells

import reckon as rk
from reckon import toml_files, units
from reckon.book import contents
from reckon.records.quantities.lookup import all_results


@pytest.fixture
def laid_over(recorded, folders, monkeypatch):
    """Write the file that is in use; what the recorded run's files hold."""

    def write(text):
        path = folders / "mine.toml"
        path.write_text(text)
        monkeypatch.setenv("RECKON_PREDICTIONS", str(path))
        return {file: file.read_bytes() for file in recorded.rglob("*") if file.is_file()}

    return write


def getpid():
    return result_of("cpu/syscall/getpid")


def result_of(quantity):
    results = all_results("recorded", quantity.rpartition("/")[0])
    return {result.quantity: result for result in results}[quantity]


@pytest.mark.parametrize(
    ("quantity", "change"),
    [
        ("cpu/syscall/getpid", 'kernel_path = "0.15 kcycle"'),
        ("memory/latency/l1", 'dram = "123 ns"'),
    ],
)
def test_a_prediction_that_no_changed_input_moves_is_not_called_revised(
    laid_over, quantity, change
):
    laid_over(f'["{quantity}"]\n{change}\n')
    result = result_of(quantity)
    assert result.revisions == []
    assert "; revised" not in rk.show.table([result], "C", "n").markdown
    assert (
        contents.findings_of("summary")
        .revisions([result])
        .markdown.startswith("No prediction was revised")
    )


def test_the_changed_inputs_are_a_revision_named_after_the_file(laid_over, recorded):
    sealed = getpid()
    before = laid_over('["cpu/syscall/getpid"]\nkernel_path = "170 cycle"\nclock = "3.2 GHz"\n')
    revised = getpid()
    assert revised.seal == sealed.seal and revised.current.reason == "mine.toml"
    assert revised.revisions == ["inputs revised: kernel_path, clock"]
    assert revised.current.predicted == pytest.approx((90 + 170) / 3.2e9)
    assert revised.current_ratio == pytest.approx(revised.median / revised.current.predicted)
    history = contents.findings_of("summary").revisions([revised]).markdown
    assert ": 58.7 ns (1.25×), then 81.2 ns (0.902×)" in history
    assert "Nearer to the measurement: 1 of 1. By the geometric mean they were off by" in history
    assert " by a factor of 1.25 as sealed, of " in history
    now = max(revised.current_ratio, 1 / revised.current_ratio)
    assert history.endswith(f" of {units.number(now)} as revised.")
    variables, source = {"__name__": "__main__", "rk": rk}, cells()
    for cell in (FORMULA, INPUTS, MEASURE):  # as the page does
        exec(source[cell], variables)
    text = rk.show.verdict(variables["null"], "the null call").markdown
    assert "Revised after measuring by mine.toml (inputs revised: kernel path, clock)" in text
    assert {file: file.read_bytes() for file in before} == before


def test_the_file_is_parsed_once_for_all_quantities_of_a_run(laid_over, monkeypatch):
    laid_over('["cpu/syscall/getpid"]\nclock = "3.2 GHz"\n')
    parsed, read = [], toml_files.read
    monkeypatch.setattr(
        toml_files, "read", lambda path, model, hint: parsed.append(path) or read(path, model)
    )
    assert len(all_results("recorded")) > 100 and len(parsed) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('["cpu/syscall/getpit"]\nclock = "3 GHz"', "did you mean cpu/syscall/getpid?"),
        (
            '["cpu/syscall/getpid"]\nclock = "3 ns"',
            "mine.toml: cpu/syscall/getpid: clock: This is a clock rate, but 3 ns is a time",
        ),
        ('["cpu/syscall/getpid"]\nclock = 3', 'getpid.clock: 3 is no text; write "3"'),
        ("[", "mine.toml: "),
    ],
)
def test_a_mistake_in_it_is_one_sentence_before_anything_is_executed(text, says, laid_over):
    laid_over(text)
    done = reckon("build", "--html")
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1

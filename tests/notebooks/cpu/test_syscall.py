"""What the chapter cpu/syscall says of an edited prediction."""

from helpers.panels import NULL_CALL, results_of

import reckon as rk
from reckon.book import contents
from reckon.prediction.variations import changed
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.result import Result
from reckon.records.quantities.revisions import Variants
from reckon.records.seal import as_tried


def test_what_was_guessed_is_what_the_sealed_prediction_had(recorded):
    """After an edit too, as the ratio in the same sentence is that of the sealed one."""
    sealed = to_prediction(NULL_CALL, results_of("cpu/syscall")[NULL_CALL].seal)
    edited = changed(sealed, ["kernel_path=552 cycle"])
    (quantity,) = as_tried([edited], "recorded", Variants())
    result = Result(NULL_CALL, quantity, "measured")
    assert result.revisions == ["inputs revised: kernel_path"]
    switch, path = edited.inputs["mode_switch"], edited.inputs["kernel_path"]
    answer = contents.findings_of("cpu/syscall").answer(result, switch, path)
    assert "the guess for the path was 150 cycles" in answer
    box = rk.show.answer("How long?", result, "the null system call", answer).markdown
    assert box.index("the guess for the path was 150 cycles") < box.index("Tried here")

"""The summary's sentences on how good the predictions were."""

from dataclasses import replace

from helpers import made_up

from reckon.presentation import machine_page, summary_page


def predicted(factor, **interval):
    """A quantity measured at 10 ns whose prediction was `factor` times that."""
    result = made_up.single(f"cpu/made/{factor}", 10, "ns")
    seal = result.seal.model_copy(update={"predicted": factor * result.median, **interval})
    return replace(result, record=result.record.model_copy(update={"predictions": [seal]}))


def test_the_score_counts_predictions_and_intervals_that_held():
    results = [predicted(1.0, low=0.0, high=1.0), predicted(4.0, low=0.0, high=1e-9)]
    assert summary_page.score(results).markdown == (
        "Of 2 sealed predictions, 50 % within 1.25 times, 50 % within 2 times, 100 % within 10 "
        "times. Typically a prediction was off by a factor of 2.00. Of 2 with an interval, 50 % "
        "held the measured value."
    )
    assert "interval" not in summary_page.score([predicted(2.0)]).markdown
    assert summary_page.score([]).markdown == "Nothing has been measured yet."


def test_the_best_and_the_worst_predictions_are_named():
    results = [predicted(factor) for factor in (0.25, 1.0, 20.0, 3.0, 1.1)]
    text = summary_page.best_and_worst(results).markdown
    assert text.startswith("Best: `cpu/made/1.0` (1.00 times the prediction), `cpu/made/1.1`")
    assert "Worst: `cpu/made/20.0` (0.0500 times the prediction), `cpu/made/0.25`" in text
    assert summary_page.best_and_worst([]).markdown == ""


def test_checks_that_warn_and_that_could_not_be_made_are_named():
    checks = [
        {"name": name, "state": state}
        for name, state in (("governor", "warn"), ("turbo", "unknown"), ("load", "pass"))
    ]
    assert machine_page.fitness_counted(checks).markdown == (
        "Of 3 checks, 1 warn (governor), and 1 could not be made here (turbo)."
    )
    assert machine_page.fitness_counted(checks[2:]).markdown == (
        "Of 1 checks, 0 warn, and 0 could not be made here."
    )

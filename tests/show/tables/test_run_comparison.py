"""What is printed of two runs compared: directions, machines, the clock."""

import pytest
from helpers import made_up
from helpers.made_up import NAMES, compared, results

from reckon.book import contents
from reckon.cli.compare import text, to_dict
from reckon.comparison.two_runs import compare
from reckon.show.tables import run_comparison

MACHINES = contents.findings_of("machines")


def test_only_changed_quantities_have_a_direction(folders):
    negative, *others = results(1)
    made_up.negate(negative)
    comparison = compared([negative, *others], results(2, {NAMES[3]: 2}))
    rows = to_dict(comparison)["quantities"]
    directions = {row["state"]: row["direction"] for row in rows}
    assert directions == {"changed": "slower", "same": None, "not judged": None}
    lines = text(comparison, every=True).splitlines()
    assert [line.split()[0] for line in lines if "slower" in line or "faster" in line] == [NAMES[3]]


@pytest.mark.parametrize(
    ("processes", "sentence"),
    [
        (5, "Nothing could be judged."),
        (8, "Nothing changed between a and b beyond the spread by 5 % or more."),
    ],
)
def test_nothing_judged_is_not_reported_as_unchanged(folders, processes, sentence):
    comparison = compared(results(1, processes=processes)[:2], results(2)[:2])
    table = MACHINES._changes(comparison, "What", "what").markdown
    assert sentence in text(comparison) and table == sentence


def test_the_differences_between_the_machines(folders):
    def machine(kernel, cores):
        return {
            "system": {"kernel": {"value": kernel, "source": ""}},
            "processor": {"cores": {"value": cores, "source": ""}},
        }

    def checks(load, turbo):
        values = {"load": load, "turbo": turbo}
        return [
            {"name": name, "state": "pass", "found": value, "advice": ""}
            for name, value in values.items()
        ]

    made_up.run("a", results(1), "x", machine("6.1", 2), checks("0.1", "on"))
    made_up.run("b", results(2), "y", machine("6.2", 2), checks("0.9", "off"))
    comparison = compare("a", "b")
    assert run_comparison.machine_differences(*comparison.machines) == [
        ("Operating system: Kernel", "6.1", "6.2"),
        ("Fitness: turbo", "on", "off"),
    ]
    table = MACHINES._machine_differences(comparison, "How", "how").markdown
    assert "| Operating system: Kernel | 6.1 | 6.2 |" in table


def test_a_changed_core_clock_is_reported(folders):
    b = results(2, dict.fromkeys(NAMES, 1.25))
    for result in b:
        for process in result.measurement.points[0].processes:
            process.cycles_per_tick_before = process.cycles_per_tick_after = 3.0 / 1.25
    comparison = compared(results(1), b)
    assert len(comparison.changed) == 20
    largest = comparison.changed[0].largest
    assert largest.cycles_ratio == pytest.approx(largest.ratio / 1.25)
    sentence = "3.00 GHz in a and 2.40 GHz in b: a time that depends on it alone changes to 1.25×"
    assert sentence in run_comparison.clock_sentence(comparison)
    assert "In core cycles" in MACHINES._changes(comparison, "What", "what").markdown

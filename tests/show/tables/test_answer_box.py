"""The answer box and the front page's headlines, on the recorded run."""

import re

import pytest
from helpers import made_up

from reckon import records
from reckon.book import contents
from reckon.computer.facts import Machine
from reckon.records.quantities.lookup import all_results
from reckon.records.run_files.models import Visit
from reckon.show.tables.answer_box import answer, answer_values
from reckon.show.tables.headlines import (
    Headline,
    below,
    full_name,
    main_results,
    not_its_own,
)

FRONT = contents.findings_of("summary_front")


@pytest.fixture
def results(recorded):
    return {result.quantity: result for result in all_results("recorded")}


def test_an_answer_without_samples_says_why(results):
    missing = next(r for r in results.values() if not r.has_samples)
    text = answer("?", missing, "it").markdown
    assert "Not measured here: " in text and "data-shows" not in text


def test_two_groups_of_which_0_was_predicted_have_a_track():
    result = made_up.single("cpu/made/groups", 40, "ns")
    made_up.in_two_groups(result)
    result.seal.predicted = 0.0
    assert "--predicted: 0.0%" in answer("?", result, "it").markdown


def test_headlines_link_to_chapters_and_name_what_is_not_measured(results):
    missing = next(r.quantity for r in results.values() if r.reason == "not measured yet")
    named = [
        ("cpu/syscall/getpid", "System call", "a note"),
        (missing, "Some other thing", ""),
        ("cpu/none/none", "Nothing", ""),
        ("cpu/none/more", "Nothing else", ""),
    ]
    chosen = [Headline(quantity=each, name=name, note=note) for each, name, note in named]
    text = FRONT.headlines(list(results.values()), chosen, Machine({})).markdown
    assert "[System call](/notebooks/cpu/syscall.ipynb)" in text and "a note" in text
    unmeasured = text.split("Not measured here: ")[1]
    assert unmeasured == "Some other thing, Nothing and Nothing else (not measured yet)."


def test_every_main_value_is_a_quantity_of_the_book(results):
    values = main_results()
    assert [each.quantity for each in values if each.quantity not in results] == []
    assert len({each.quantity for each in values}) == len(values)


def test_the_ruler_has_times_from_the_shortest_on_one_axis_and_on_a_persons_scale(results, folders):
    made_up.run("here", [], machine={"processor": {"model": {"value": "A chip", "source": ""}}})
    run = records.read_run("here")
    named, *lines = FRONT.ruler(run, [*results.values()]).markdown.splitlines()
    assert "A chip; no guest; measured " in named
    head, _, *rows = [line for line in lines if line.startswith("|")]
    cells = [row.strip("| ").split(" | ") for row in rows]
    times = FRONT.main_times([*results.values()], run.machine)
    assert [re.match(r"\[([^]]*)", name)[1] for name, *_ in cells] == [*times]
    medians = [result.summary.median for result in times.values()]
    assert medians == sorted(medians) and "TCP throughput" not in times
    places = [float(re.search(r"--measured: ([\d.]+)%", track)[1]) for _, track, *_ in cells]
    assert places == sorted(places) and places[0] > 0 and places[-1] < 100
    assert re.findall(r'left: [\d.]+%" data-tick="[^"]*"', head) == re.findall(
        r'left: [\d.]+%" data-tick="[^"]*"', cells[0][1]
    )
    assert cells[0][-1] == "1 s" and head.endswith(f"{next(iter(times))} as 1\u00a0s |")
    day_s = medians[0] * 86400
    for (*_, text), median in zip(cells, medians, strict=True):
        assert text.endswith("days") == (median >= 2 * day_s)
        count, unit = text.split()
        in_s = {"s": 1, "min": 60, "h": 3600, "days": 86400}[unit]
        assert float(count) * in_s == pytest.approx(median / medians[0], rel=0.06)


@pytest.mark.parametrize(
    ("value", "predicted"), [(3.69, 3.3), (44, 31), (1, 1), (40, 60), (60, 30)]
)
def test_the_picture_has_at_least_two_ticks_none_of_which_reaches_beyond_it(value, predicted):
    result = made_up.single("cpu/a", value, "s")
    result.seal.predicted = predicted
    track = answer("?", result, "it").markdown
    ticks = [float(left) for left in re.findall(r'left: ([\d.]+)%" data-tick', track)]
    assert 2 <= len(ticks) <= 4 and 4 <= min(ticks) <= max(ticks) <= 96


def visits_of(*medians_ns):
    """A result whose visits, of two processes each, have these medians."""
    result = made_up.single("files/a/b", 100, "ns", 2 * len(medians_ns))
    made_up.in_visits(result, [[median, median] for median in medians_ns])
    result.measurement.visits = [
        Visit(
            number=n,
            started_at=f"2026-01-01T00:0{n}:00Z",
            seconds=1,
            profile="standard",
            tick_hz=1e9,
            digest="",
        )
        for n, _ in enumerate(medians_ns)
    ]
    return result


def test_a_value_whose_visits_lie_apart_has_the_least_and_the_most_beside_it():
    *_, near, _ = answer_values(visits_of(100, 101, 119), None).cells()
    *_, apart, _ = answer_values(visits_of(100, 101, 130), None).cells()
    assert "by visit" not in near and apart.endswith("100 ns to 130 ns by visit</small>")


def test_a_value_whose_trials_have_two_modes_says_so_in_its_cell():
    result = made_up.single("files/a/b", 100, "us", 20)
    for process in result.points[0].processes:
        process.ticks = [round(t * (1 + 0.15 * (i % 2))) for i, t in enumerate(process.ticks)]
    *_, measured, _ = answer_values(result, None).cells()
    assert measured.endswith(" <small>{term}`two modes`</small>")


def test_what_intervals_mean_stands_below_their_table():
    several, one = visits_of(100, 101, 99), made_up.single("files/a/c", 1, "us")
    assert "nine times in ten" in below({"A": several}) and "visit" not in below({"A": several})
    assert below({"A": several, "B": one}).endswith("which describes only its own seconds: “B”.")
    of_one = "The intervals are from a single visit and describe only its seconds."
    assert (below({"B": one}), below({})) == (of_one, "")


DISK = Headline(quantity="files/a/b", name="4 KiB from disk, random", note="", drawn_in="disk")
FAULT = Headline(quantity="files/a/b", name="Major fault", note="", drawn_in="disk")
VIRTUAL = "vda (virtual, 256 GiB)"
LINK = Headline(quantity="files/a/b", name="4 KiB over NFS", note="", drawn_in="remote")


@pytest.mark.parametrize(
    ("headline", "reported", "peer", "note", "name"),
    [
        (
            DISK,
            (VIRTUAL, "on /dev/vda1", None),
            "",
            "virtual disk",
            "4 KiB from virtual disk, random",
        ),
        (
            DISK,
            ("vda (virtual, 1 GiB), sda (rotating, 1 GiB)", "on /dev/sda1", None),
            "",
            "",
            DISK.name,
        ),
        (DISK, (None, None, None), "", "", DISK.name),
        (FAULT, (VIRTUAL, "on /dev/vda1", None), "", "virtual disk", "Major fault, virtual disk"),
        (
            LINK,
            (None, None, 2e-4),
            "host",
            "link set to 200 µs",
            f"{LINK.name}, link set to 200 µs",
        ),
        (LINK, (None, None, 2e-4), "", "", LINK.name),
        (LINK, (None, None, None), "a real host", "", LINK.name),
    ],
)
def test_a_disk_or_link_that_is_not_the_machines_own_is_named(headline, reported, peer, note, name):
    fields = zip(
        (("disk", "devices"), ("scratch", "lies_on"), ("nfs", "link_rtt")), reported, strict=True
    )
    sections = {part: {key: {"value": value, "source": ""}} for (part, key), value in fields}
    result = made_up.single("files/a/b", 100, "us")
    result.measurement.peer = peer
    machine = Machine(sections)
    assert not_its_own(headline, result, machine) == note
    assert full_name(headline, result, machine) == name

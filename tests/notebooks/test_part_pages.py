"""The opening of each part: what its chapters build on, and what they cost."""

import re

import reckon as rk
from reckon.book import contents
from reckon.records.quantities.recorded_predictions import chapter_sources
from reckon.show.block import PART_MARK


def test_a_chapter_builds_on_those_whose_measured_values_its_predictions_have(recorded):
    order = rk.all_notebooks()
    sources = chapter_sources("recorded", order, order)
    assert sources["cpu/clock"] == []
    assert "cpu/clock" in sources["cpu/syscall"] and "cpu/syscall" in sources["memory/fault"]
    assert all(page not in found for page, found in sources.items())


def test_each_part_opens_with_its_chapters_and_its_main_results(recorded):
    rk.begin(run="recorded")
    text = (
        contents.findings_of("summary_parts")
        .openings("recorded", rk.results(), rk.all_notebooks())
        .markdown
    )
    _, *pieces = re.split(rf"^{PART_MARK}(\w+)$", text, flags=re.MULTILINE)
    parts = dict(zip(pieces[::2], pieces[1::2], strict=True))
    assert [*parts] == ["cpu", "memory", "network", "files"]
    assert ":name: part-memory" in parts["memory"]
    assert re.search(r":alt: .*Page faults builds on .*The system call", parts["memory"])
    assert "[Main memory]" in parts["memory"] and "[System call]" not in parts["memory"]
    assert parts["memory"].index("[Main memory]") < parts["memory"].index("[Memory read, one CPU]")


def test_in_print_the_picture_has_the_costs_too(recorded):
    rk.begin(run="recorded")
    parts = contents.findings_of("summary_parts")
    text = parts.openings("recorded", rk.results(), rk.all_notebooks()).markdown
    printed = re.search(
        r"\{only\} latex\n```\{image\} /figures/part-memory-costs.*?````", text, re.S
    )[0]
    assert ":class: in-print" in printed
    [in_picture] = re.findall(r"Measured: .*?Main memory (\d+ ns)", printed)
    [in_table] = re.findall(r"\[Main memory\].*?\*\*(.*?)\*\*", text)
    assert in_picture == in_table

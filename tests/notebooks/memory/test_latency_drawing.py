"""Who answers a load, and the page walk before it."""

import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

from reckon.book import contents

DRAWING = contents.findings_of("memory/latency_drawing")
TIMES_NS = {"L1": 1.5, "L2": 4, "L3": 40, "memory": 110, "small": 200}
SMALL = "Small pages: mostly a walk, then memory"


def levels(**times_ns):
    times_ns = TIMES_NS | times_ns
    made = {name: made_up.single(f"memory/made/{name}", t, "ns") for name, t in times_ns.items()}
    return [made.pop("memory"), made.pop("small")], made


@pytest.mark.parametrize("narrow", [False, True])
def test_a_load_waits_as_measured_for_each_level_and_last_in_small_pages(data, narrow):
    answers, caches = levels()
    answers[1].seal.predicted = 130e-9
    block = DRAWING.load(answers, caches, "latency-made", "Caption")
    rows = {words: [float(x or "nan") for x in rest] for words, *rest in data("latency-made")[1:]}
    assert [*rows] == [
        "L1 answers",
        "L1 misses, L2 answers",
        "L2 misses, L3 answers",
        "L3 misses, memory answers",
        SMALL,
    ]
    assert rows[SMALL][0] == pytest.approx(200, rel=0.05) and rows[SMALL][3] == pytest.approx(130)
    assert "(predicted 130 ns)" in block.markdown
    assert block.measured == ("memory/made/memory", "memory/made/small")
    assert_texts_touch_nothing(drawing("latency-made", narrow))


@pytest.mark.parametrize("narrow", [False, True])
def test_an_address_is_translated_by_the_tlb_or_by_a_walk(folders, narrow):
    answers, _ = levels()
    block = DRAWING.translation(answers, "walk-made", "Caption")
    huge, small = (f"{each.median * 1e9:.3g} ns" for each in answers)
    assert f"{huge} measured in pages of 2 MiB, {small} in pages of 4 KiB" in block.markdown
    assert_texts_touch_nothing(drawing("walk-made", narrow))
    gone = made_up.unmeasured("memory/made/memory", answers[0])
    assert "needs huge pages" in DRAWING.translation([gone, answers[1]], "m", "C").markdown


def test_a_cache_that_was_not_measured_is_left_out(data):
    answers, caches = levels()
    caches["L3"] = made_up.unmeasured("memory/made/L3", caches["L3"])
    DRAWING.load(answers, caches, "latency-made", "Caption")
    words = [row[0] for row in data("latency-made")[1:]]
    assert words[2:] == ["L2 misses, memory answers", SMALL]


def test_nothing_is_drawn_without_huge_pages():
    (memory, small), caches = levels()
    gone = made_up.unmeasured("memory/made/memory", memory)
    assert "needs huge pages" in DRAWING.load([gone, small], caches, "m", "C").markdown

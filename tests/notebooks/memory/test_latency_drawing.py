"""Who answers a load, and the page walk before it."""

import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

from reckon.book import contents

DRAWING = contents.findings_of("memory/latency_drawing")
TIMES_NS = {"L1": 1.5, "L2": 4, "L3": 40, "memory": 110, "small": 200}


def levels(**times_ns):
    times_ns = TIMES_NS | times_ns
    made = {name: made_up.single(f"memory/made/{name}", t, "ns") for name, t in times_ns.items()}
    return [made.pop("memory"), made.pop("small")], made


@pytest.mark.parametrize("narrow", [False, True])
def test_the_walk_is_what_memory_takes_longer_in_small_pages(data, narrow):
    answers, caches = levels()
    answers[1].seal.predicted = 130e-9
    block = DRAWING.load(answers, caches, "latency-made", "Caption")
    rows = {words: [float(x or "nan") for x in rest] for words, *rest in data("latency-made")[1:]}
    assert [*rows] == [
        "L1 answers",
        "L1 misses, L2 answers",
        "L2 misses, L3 answers",
        "L3 misses, memory answers",
        "TLB misses: a walk first",
        "The walk, and memory",
    ]
    walk, rest = rows["TLB misses: a walk first"], rows["The walk, and memory"]
    assert walk[0] == pytest.approx(90, rel=0.1) and walk[3] == pytest.approx(20)
    assert walk[0] + rest[0] == pytest.approx(200, rel=0.05) and rest[3] == pytest.approx(130)
    assert "(predicted 20.0 ns)" in block.markdown
    assert block.measured == ("memory/made/memory", "memory/made/small")
    assert_texts_touch_nothing(drawing("latency-made", narrow))


def test_a_cache_that_was_not_measured_is_left_out_and_no_walk_is_drawn_of_no_time(data):
    answers, caches = levels(small=100)
    caches["L3"] = made_up.unmeasured("memory/made/L3", caches["L3"])
    DRAWING.load(answers, caches, "latency-made", "Caption")
    words = [row[0] for row in data("latency-made")[1:]]
    assert words[2:] == ["L2 misses, memory answers", "The walk, and memory"]


def test_nothing_is_drawn_without_huge_pages():
    (memory, small), caches = levels()
    gone = made_up.unmeasured("memory/made/memory", memory)
    assert "needs huge pages" in DRAWING.load([gone, small], caches, "m", "C").markdown

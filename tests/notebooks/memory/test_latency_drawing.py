"""Who answers a load, and the page walk before it."""

import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

from reckon.book import contents

DRAWING = contents.findings_of("memory/latency_drawing")


@pytest.mark.parametrize("narrow", [False, True])
def test_an_address_is_translated_by_the_tlb_or_by_a_walk(folders, narrow):
    answers = [
        made_up.single(f"memory/made/{name}", t, "ns")
        for name, t in (("memory", 110), ("small", 200))
    ]
    block = DRAWING.translation(answers, "walk-made", "Caption")
    huge, small = (f"{each.median * 1e9:.3g} ns" for each in answers)
    assert f"{huge} measured in pages of 2 MiB, {small} in pages of 4 KiB" in block.markdown
    assert_texts_touch_nothing(drawing("walk-made", narrow))
    gone = made_up.unmeasured("memory/made/memory", answers[0])
    assert "needs huge pages" in DRAWING.translation([gone, answers[1]], "m", "C").markdown

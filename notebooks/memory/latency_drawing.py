"""The drawing of the chapter on latency: what translates the address of a load."""

from __future__ import annotations

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import style, swimlanes


@style.of_results
def translation(answers: list[Result], name: str, caption: str) -> Block:
    """What a load needs before memory can answer: the TLB, or a walk of four tables.

    answers: of main memory in huge pages, and in small ones, where most loads need a walk."""
    missing = [result for result in answers if not result.has_samples]
    if missing:
        return style.nothing_to_draw(missing)
    huge, small = (units.amount(each.median, each.unit) for each in answers)
    steps = [
        "program: loads from a virtual address",
        "TLB: may know this page: a hit",
        "page tables: the first, by 9 bits of the address, says where the second is",
        "page tables: the second, by 9 bits more",
        "page tables: the third; of a page of 2 MiB it is the last",
        "page tables: the fourth has the page of 4 KiB",
        "TLB: keeps the translation for the next load",
        f"memory: answers at the physical address; {huge} measured in pages of 2 MiB, {small} in pages of 4 KiB",
    ]
    return swimlanes.lanes(answers[1], dict.fromkeys(steps, ""), name, caption, hit="TLB")

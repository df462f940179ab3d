"""What a page was made from: predictions that another page changed meanwhile."""

import os
import time

import pytest

from reckon.book.execution.dependencies import Sources
from reckon.book.execution.tasks import PageExecution
from reckon.records.quantities import revisions


@pytest.mark.parametrize(
    ("written_by", "seconds_after_the_start", "is_overtaken"),
    [
        ("cpu/syscall", 1, True),
        ("cpu/syscall", -1, False),
        ("cpu/switch", 1, False),
        ("methods/cpu/switch", 1, False),
    ],
)
def test_a_page_may_have_read_what_another_page_then_replaced(
    folders, written_by, seconds_after_the_start, is_overtaken
):
    page = PageExecution("cpu/switch", Sources("recorded"))
    page._began_ns = time.time_ns()
    path = revisions.overlay_path("recorded", written_by)
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    at_ns = page._began_ns + seconds_after_the_start * 10**9
    os.utime(path, ns=(at_ns, at_ns))
    assert page._overtaken({str(path)}) == ({str(path)} if is_overtaken else set())

"""When a kernel counts as ready: a client that waits for its two channels."""

import asyncio
import queue
from concurrent.futures import ThreadPoolExecutor

import pytest

from reckon.book.execution.warm_kernels import _Client


class Kernel(_Client):
    """A client of a kernel that gives these answers, each once: to a question, then its status.

    None: nothing comes. After the last it answers no more, and has ended if it `ends`."""

    def __init__(self, *answers, ends=False):
        super().__init__()
        self.answers, self.ends, self.asked = [*answers], ends, []

    async def is_alive(self):
        return bool(self.answers) or not self.ends

    def _next(self, channel):
        self.asked.append(channel)
        answer = self.answers.pop(0) if self.answers else None
        if answer is None:
            raise TimeoutError if channel == "shell" else queue.Empty
        return answer

    async def kernel_info(self, **_):
        return self._next("shell")

    async def get_iopub_msg(self, **_):
        return self._next("iopub")


def ready(kernel, timeout=60):
    # In a thread of its own: where another test drives a browser, this one has a running loop.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, kernel.wait_for_ready(timeout)).result()
    return kernel.asked


def test_a_kernel_is_ready_when_both_channels_have_brought_an_answer():
    assert ready(Kernel("reply", "idle", "more")) == ["shell", "iopub"]
    assert ready(Kernel("reply", "idle"), timeout=None) == ["shell", "iopub"]


def test_a_kernel_that_does_not_answer_yet_is_asked_again():
    assert ready(Kernel(None, "reply", "idle")) == ["shell", "shell", "iopub"]


def test_a_status_that_was_sent_before_its_channel_was_connected_is_asked_for_again():
    assert ready(Kernel("reply", None, "reply", "idle")) == ["shell", "iopub"] * 2


@pytest.mark.parametrize(("kernel", "timeout"), [(Kernel(None, ends=True), 60), (Kernel(), 0.05)])
def test_a_kernel_that_has_ended_or_is_silent_for_too_long_is_an_error(kernel, timeout):
    with pytest.raises(RuntimeError, match="does not answer"):
        ready(kernel, timeout)
    assert set(kernel.asked) <= {"shell"}

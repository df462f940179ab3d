"""What a worker starts ends with the worker, and by nothing that is meant for the worker."""

import signal
import subprocess
import sys

import pytest
from helpers.processes import alive, children_of, until

from reckon.fleet import on_host


@pytest.fixture
def supervised():
    """A supervisor with a program that exits on SIGTERM, and the process of that program."""
    program = "import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(7))\nprint('up', flush=True)\ntime.sleep(60)"
    command = [sys.executable, on_host._SUPERVISED, sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"up\n"
        (child,) = children_of(process.pid)
        yield process, child


def test_it_ends_when_standard_input_ends(supervised):
    process, child = supervised
    process.stdin.close()
    assert process.wait(20) == 128 + signal.SIGTERM
    assert until(lambda: not alive(child))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_the_signals_of_the_workers_terminal_are_not_its(supervised, number):
    process, child = supervised
    process.send_signal(number)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    assert alive(child)
    process.stdin.close()
    process.wait(20)


@pytest.mark.parametrize(
    ("code", "status"), [("3", 3), ("__import__('os').kill(__import__('os').getpid(), 9)", 128 + 9)]
)
def test_the_status_is_that_of_the_program(code, status):
    command = [
        sys.executable,
        on_host._SUPERVISED,
        sys.executable,
        "-c",
        f"raise SystemExit({code})",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.wait(20) == status

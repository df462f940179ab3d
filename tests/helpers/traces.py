"""System calls of a process and its children, as strace sees them."""

import re

from helpers.capabilities import installed


def strace(log, calls, *options):
    """A prefix that runs a program whose system calls of these names are written to the file `log`."""
    installed("strace")
    return ["strace", "-f", "-qq", *options, "-o", log, "-e", f"trace={calls}"]


def calls_of(log):
    """[(process, "name(arguments) = result")] of such a file, a call that was interrupted in one piece."""
    calls, begun = [], {}
    for line in log.read_text().splitlines():
        process, text = line.split(None, 1)
        if text.endswith("<unfinished ...>"):
            begun[process] = text.removesuffix("<unfinished ...>")
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>", text):
            text = begun.pop(process, "") + text[resumed.end() :]
        calls.append((int(process), text))
    return calls

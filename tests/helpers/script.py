"""What every program has at hand that a test runs in a process of its own (helpers.probes.in_python)."""

import ctypes
import json
import os
import resource
import struct
import time

from helpers.processes import until

__all__ = ["become", "forbid", "json", "mount", "os", "resource", "say", "time", "until"]


def say(result):
    """Hand a result to the test."""
    print(json.dumps(result))


def become(user):
    """Go on as that user, without any right."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def mount(source, target, flags=0):
    """Mount a tmpfs, or with flags another place, over that path."""
    kind = None if flags else source.encode()
    libc = ctypes.CDLL(None, use_errno=True)
    status = libc.mount(source.encode(), target.encode(), kind, flags, None)
    assert status == 0, os.strerror(ctypes.get_errno())


def forbid(rules):
    """Filter system calls from now on (seccomp(2)), on x86-64. Each rule is (system call, error, flag of
    the first argument or 0, whether the flag must be set)."""
    code = [(0x20, 0, 0, 4), (0x15, 1, 0, 0xC000003E), (0x06, 0, 0, 0x7FFF0000)]
    for call, error, flag, is_set in rules:
        body = [(0x20, 0, 0, 16), (0x45, 1 - is_set, is_set, flag)] if flag else []
        body.append((0x06, 0, 0, 0x50000 | error))
        code += [(0x20, 0, 0, 0), (0x15, 0, len(body), call), *body]
    code.append((0x06, 0, 0, 0x7FFF0000))  # allow all else
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(text))
    head = ctypes.create_string_buffer(program)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int] + 4 * [ctypes.c_void_p]
    assert prctl(38, 1, None, None, None) == 0  # PR_SET_NO_NEW_PRIVS
    assert prctl(22, 2, ctypes.addressof(head), None, None) == 0  # PR_SET_SECCOMP, a filter

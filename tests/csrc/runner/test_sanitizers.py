"""The C library under AddressSanitizer and UndefinedBehaviorSanitizer."""

import json

import pytest
from helpers.capabilities import need
from helpers.everything import check_outcome
from helpers.probes import run_python
from helpers.programs import sanitized as programs
from helpers.project import finished

pytestmark = pytest.mark.long_csrc

# Python itself leaks at its end, so leak checking begins with the programs that it starts.
CHECK_LEAKS = "os.environ['ASAN_OPTIONS'] = 'detect_leaks=1'"


def run(out, program, before=""):
    # libstdc++ beside it: extensions in C++ throw before the sanitizer would find it.
    preload = " ".join(
        finished("gcc", f"-print-file-name={name}").stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    )
    return run_python(
        program,
        before=before,
        timeout_s=600,
        RECKON_LIB=out,
        LD_PRELOAD=preload,
        ASAN_OPTIONS="detect_leaks=0",
        UBSAN_OPTIONS="print_stacktrace=1",
    )


def clean_output(done):
    messages = done.stderr[-3000:]
    assert done.returncode == 0, messages
    assert "runtime error" not in done.stderr and "Sanitizer" not in done.stderr, messages
    return json.loads(done.stdout.splitlines()[-1])


def test_every_probe_is_clean_under_the_sanitizers(sanitized):
    done = run(sanitized, programs.all_probes, before=CHECK_LEAKS)
    for name, outcome in clean_output(done):
        check_outcome(name, outcome)


def test_probes_that_read_over_nfs_are_clean_under_the_sanitizers(sanitized):
    """Without leak checking: libnfs leaks a few bytes and is unloaded before the check could name it, so
    that no suppression matches."""
    ran = clean_output(run(sanitized, programs.probes_over_nfs))
    need(isinstance(ran, int), ran)
    assert ran >= 20


def test_the_sanitizer_would_have_noticed(sanitized):
    done = run(sanitized, programs.write_past_the_samples)
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr

"""The C library through ctypes: its probes, and a run of one. No other module uses ctypes.

The structures are those of csrc/reckon.h.
"""

from __future__ import annotations

import ctypes as C
import errno
import functools
import itertools
import os
import random
from collections.abc import Mapping
from typing import Annotated, Literal, get_args

import numpy as np
import pydantic
from pydantic import ConfigDict, Field

from reckon.computer.locations import named_locations
from reckon.computer.measured_cpu import default_cpu
from reckon.config import settings
from reckon.errors import ReckonError
from reckon.measurement.probe import Needs, Parameter, Probe
from reckon.messages import did_you_mean, first_fault
from reckon.records.run_files.models import Conditions, Relation

PRIORITIES = {"none": 0, "nice": 1, "rr": 2}
_TEXT = 2  # RK_KIND_TEXT of enum rk_kind
_RELATIONS = get_args(Relation)  # in the order of enum rk_relation


class Sample(C.Structure):
    _fields_ = [("ticks", C.c_int64), ("ops", C.c_uint64)]


class Witness(C.Structure):
    _fields_ = [("chain", C.c_float), ("wide", C.c_float)]


class Param(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("kind", C.c_int32),
        ("reserved", C.c_int32),
        ("default_integer", C.c_int64),
        ("minimum", C.c_int64),
        ("maximum", C.c_int64),
        ("default_text", C.c_char_p),
        ("help", C.c_char_p),
    ]


class ProbeStruct(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("op", C.c_char_p),
        ("timed", C.c_char_p),
        ("reports", C.c_char_p),
        ("version", C.c_uint32),
        ("needs", C.c_uint32),
        ("params", C.POINTER(Param)),
        ("variant", C.c_void_p),
        ("state_bytes", C.c_uint64),
        ("open", C.c_void_p),
        ("trials", C.c_void_p),
        ("close", C.c_void_p),
        ("file", C.c_char_p),
    ]


class Request(C.Structure):
    _fields_ = [
        ("probe", C.c_char_p),
        ("params", C.c_char_p),
        ("locations", C.c_char_p),
        ("samples", C.c_uint64),
        ("warmup", C.c_uint64),
        ("deadline_ms", C.c_uint64),
        ("cpu", C.c_int32),
        ("priority", C.c_int32),
        ("isolated", C.c_int32),
        ("seed", C.c_uint32),
    ]


class Outcome(C.Structure):
    _fields_ = [
        ("status", C.c_int32),
        ("signal", C.c_int32),
        ("cpu", C.c_int32),
        ("nice", C.c_int32),
        ("policy", C.c_int32),
        ("partner_cpu", C.c_int32),
        ("partner_relation", C.c_int32),
        ("reserved", C.c_int32),
        ("wall_ns", C.c_int64),
        ("minor_faults", C.c_int64),
        ("major_faults", C.c_int64),
        ("voluntary_switches", C.c_int64),
        ("involuntary_switches", C.c_int64),
        ("migrations", C.c_int64),
        ("steal_ms", C.c_int64),
        ("retransmits", C.c_int64),
        ("listen_overflows", C.c_int64),
        ("listen_drops", C.c_int64),
        ("time_wait", C.c_int64),
        ("cycles_per_tick_before", C.c_double),
        ("cycles_per_tick_after", C.c_double),
        ("reason", C.c_char * 256),
    ]


class ProbeFailed(ReckonError):
    """The probe failed, crashed or hung; it gave no sample."""


class ProbeUnsupported(ReckonError):
    """The probe is unsupported on this machine; the message is the reason."""


class ProcessSamples(Conditions):
    """The samples of one process, and the conditions under which it took them."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    ticks: np.ndarray  # int64, shape (samples,)
    ops: np.ndarray  # uint64, shape (samples,)
    # float32, shape (samples,): struct rk_witness; 0 where another program measured
    chain_ticks: np.ndarray
    wide_ticks: np.ndarray


_MOST_SAMPLES = 10**9  # what a sample takes is 24 bytes


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True)
class RunOptions:
    samples: Annotated[int, Field(ge=1, le=_MOST_SAMPLES)] = 20
    # Samples before them, which are not kept.
    warmup: Annotated[int, Field(ge=0, le=_MOST_SAMPLES)] = 1
    cpu: Annotated[int, Field(ge=0, lt=2**31)] | None = None  # None: default_cpu()
    priority: Literal["none", "nice", "rr"] = "nice"  # of PRIORITIES: the highest to try
    deadline_s: Annotated[float, Field(gt=0, le=1e9)] = 30.0
    isolated: bool = True  # in a fresh lean process, not inside this one
    seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None  # None: a random one

    @classmethod
    def checked(cls, **options) -> RunOptions:
        """The options. Raises ReckonError for a value that none of them can have."""
        try:
            return cls(**options)
        except pydantic.ValidationError as error:
            raise ReckonError(f"{first_fault(error)}.") from None


@functools.cache
def _library() -> C.CDLL:
    path = settings().library_dir / "libreckon.so"
    try:
        library = C.CDLL(str(path))
    except OSError as error:
        if path.exists() and os.statvfs(path).f_flag & os.ST_NOEXEC:
            raise ReckonError(
                f"{path} is on a file system that is mounted with noexec; "
                "choose another with RECKON_BUILD."
            ) from None
        raise ReckonError(f"The C library cannot be loaded ({error}); run `make lib`.") from None
    library.rk_probe_at.argtypes, library.rk_probe_at.restype = [C.c_int], C.POINTER(ProbeStruct)
    library.rk_probe_count.argtypes, library.rk_probe_count.restype = [], C.c_int
    library.rk_run.argtypes = [
        C.POINTER(Request),
        C.POINTER(Sample),
        C.POINTER(Witness),
        C.POINTER(Outcome),
    ]
    library.rk_run.restype = C.c_int
    library.rk_tick_hz.argtypes, library.rk_tick_hz.restype = [C.c_uint64], C.c_double
    return library


def _parameters(struct: ProbeStruct) -> tuple[Parameter, ...]:
    if not struct.params:
        return ()
    params = itertools.takewhile(
        lambda param: param.kind, (struct.params[k] for k in itertools.count())
    )
    return tuple(_parameter(param) for param in params)


def _parameter(param: Param) -> Parameter:
    text = param.kind == _TEXT
    return Parameter(
        name=param.name.decode(),
        text=text,
        default=(param.default_text or b"").decode() if text else param.default_integer,
        minimum=param.minimum,
        maximum=param.maximum,
        help=(param.help or b"").decode(),
    )


@functools.cache
def probes() -> dict[str, Probe]:
    """Every probe of the library by name, in alphabetical order."""
    library = _library()
    structs = [library.rk_probe_at(i).contents for i in range(library.rk_probe_count())]
    entries = [
        Probe(
            name=struct.name.decode(),
            op=struct.op.decode(),
            timed=struct.timed.decode(),
            reports=tuple((struct.reports or b"").decode().split()),
            version=struct.version or 1,
            needs=Needs(struct.needs),
            parameters=_parameters(struct),
            file=struct.file.decode(),
        )
        for struct in structs
    ]
    by_name = {probe.name: probe for probe in sorted(entries, key=lambda probe: probe.name)}
    if len(by_name) < len(entries):
        twice = next(probe for probe in entries if by_name[probe.name] is not probe)
        raise ReckonError(f"Two probes of the C library share the name {twice.name}.")
    return by_name


def probe(name: str) -> Probe:
    """The probe of that name. Raises ReckonError, naming the nearest, if there is none."""
    if name not in probes():
        hint = did_you_mean(name, probes(), "`reckon probes` lists them.")
        raise ReckonError(f"There is no probe named {name}; {hint}")
    return probes()[name]


@functools.cache
def tick_hz() -> float:
    """Ticks per second of the library's counter, calibrated once per process over 50 ms."""
    return _library().rk_tick_hz(50_000_000)


def _lines(values: Mapping[str, int | str]) -> bytes:
    """A line for each value. Raises ReckonError for what would be more than one."""
    for key, value in values.items():
        if "\n" in f"{key}{value}":
            raise ReckonError(f"The parameter {f'{key}={value}'!r} has a line break; leave it out.")
    return "\n".join(f"{key}={value}" for key, value in values.items()).encode()


def check(name: str, params: Mapping[str, int | str]) -> None:
    """Raises ReckonError for a probe, parameter or value that the library would refuse."""
    request = Request(probe=name.encode(), params=_lines(params), samples=0)
    outcome = Outcome()
    _check(_library().rk_run(C.byref(request), None, None, C.byref(outcome)), outcome)


def run(
    name: str,
    params: Mapping[str, int | str] | None = None,
    locations: Mapping[str, str] | None = None,
    **options,
) -> ProcessSamples:
    """The samples of one run of a probe, by default in a fresh lean process pinned to one CPU.

    locations: where the hosts and files are, by the names of rk_location() in csrc/probe/probe.h,
    before what the environment says. options: fields of RunOptions.

    Raises ProbeUnsupported (on this machine), ProbeFailed (crash, deadline, failure inside),
    ReckonError (no such probe, parameter or value) and KeyboardInterrupt.
    """
    probe(name)
    how = RunOptions.checked(**options)
    seed = random.getrandbits(32) if how.seed is None else how.seed
    samples, witnesses = (Sample * how.samples)(), (Witness * how.samples)()
    request = Request(
        probe=name.encode(),
        params=_lines(params or {}),
        locations=_lines(named_locations() | dict(locations or {})),
        samples=how.samples,
        warmup=how.warmup,
        deadline_ms=int(how.deadline_s * 1000),
        cpu=default_cpu() if how.cpu is None else how.cpu,
        priority=PRIORITIES[how.priority],
        isolated=how.isolated,
        seed=seed,
    )
    outcome = Outcome()
    _check(_library().rk_run(C.byref(request), samples, witnesses, C.byref(outcome)), outcome)
    table = np.frombuffer(bytes(samples), dtype=[("ticks", np.int64), ("ops", np.uint64)])
    witness = np.frombuffer(bytes(witnesses), dtype=[("chain", np.float32), ("wide", np.float32)])
    conditions = {
        name: getattr(outcome, name) for name in Conditions.model_fields if name != "seed"
    }
    conditions["partner_relation"] = _RELATIONS[outcome.partner_relation]
    return ProcessSamples(
        ticks=table["ticks"].copy(),
        ops=table["ops"].copy(),
        chain_ticks=witness["chain"].copy(),
        wide_ticks=witness["wide"].copy(),
        seed=seed,
        **conditions,
    )


def _check(status: int, outcome: Outcome) -> None:
    reason = outcome.reason.decode(errors="replace")
    if status == -errno.EINTR:
        raise KeyboardInterrupt
    if status == -errno.EOPNOTSUPP:
        raise ProbeUnsupported(reason)
    if status in (-errno.EINVAL, -errno.E2BIG, -errno.ENOENT):
        raise ReckonError(reason)
    if status:
        raise ProbeFailed(reason)

/* reckon.h: the whole contract between the C library and Python.
 *
 * A *probe* is one entry of the registry. It fills n samples and returns 0 or -errno.
 * It never prints, averages, drops a sample or exits; statistics belong to Python.
 * Mirrored, field by field, in reckon/measurement/library.py; tests/measurement/test_library.py
 * compares the two. */
#ifndef RECKON_H
#define RECKON_H

#include <stddef.h>
#include <stdint.h>

#define RK_EXPORT __attribute__((visibility("default")))

/* One timed trial. `ticks` is signed because some methods subtract: a negative result is
 * reported as what it is. `ops` counts what the probe's `.op` names. */
struct rk_sample {
    int64_t ticks;
    uint64_t ops;
};

/* What the runner saw of the core just before and just after a trial: the ticks that an add takes,
 * in a chain where each waits for the last, and in eight chains at once. The chain shows the core's
 * clock; the eight take longer when another hardware thread of the core computes. Of the two
 * moments the one at which they took longer against the chain; 0: not taken. */
struct rk_witness {
    float chain, wide;
};

enum rk_kind { RK_KIND_END = 0, RK_KIND_INTEGER, RK_KIND_TEXT };

/* A named parameter. The unit is the suffix of the name: size_bytes, interval_ns, calls. */
struct rk_param {
    const char *name;
    int32_t kind; /* enum rk_kind */
    int32_t reserved;
    int64_t default_integer;  /* of an RK_KIND_INTEGER */
    int64_t minimum, maximum; /* its bounds, both inclusive */
    const char *default_text; /* of an RK_KIND_TEXT */
    const char *help;
};

struct rk_context; /* parameters, state and the reason buffer of one run; see probe/probe.h */

/* What a probe needs besides a CPU and memory. The runner refuses a probe whose ROOT,
 * STAMPS or COMMON_COUNTER is missing; the others are checked by Python, or by the probe itself. */
enum rk_needs {
    /* Reads or writes files on the disk that is measured: `files` of them, or one. Those that it
     * reads are written before, if it has the parameter file_bytes, of that size each. */
    RK_NEEDS_DISK = 1 << 0,
    /* reckon-peer: its sources are part of the key for reuse. The parameter `peer` says which:
     * loopback, or other. */
    RK_NEEDS_PEER = 1 << 1,
    RK_NEEDS_SERVER = 1 << 2,         /* an NFS server, which the parameter `server` names */
    RK_NEEDS_ROOT = 1 << 3,           /* user 0, in whichever user namespace */
    RK_NEEDS_STAMPS = 1 << 4,         /* RDTSC, RDTSCP and CPUID of x86, as the reports use them */
    RK_NEEDS_COMMON_COUNTER = 1 << 5, /* subtracts a counter that one CPU read from another's */
    RK_NEEDS_PROGRAM = 1 << 6,        /* another program that measures, by a clock of its own */
};

/* The runner calls open once, trials for the warm-up and then for the samples, and close once, also
 * after a failure. Where nothing has to be prepared, trials is the whole probe. It is called for
 * some samples at a time, so that the runner can look at the core between them; for all of them at
 * once where the probe has a RK_NEEDS_DISK, _PEER, _SERVER or _PROGRAM, or `reports`. */
struct rk_probe {
    const char *name;    /* "cpu/syscall/getpid" */
    const char *op;      /* what `ops` counts: "call", "byte", "page", "cycle", "ns" */
    const char *timed;   /* exactly what lies between the two clock reads */
    const char *reports; /* short names of the reports whose method this is; NULL: Reckon's own */
    uint32_t version; /* raised when what is timed changes its meaning, not for a better wording of
                         `timed`; 0 counts as 1 */
    uint32_t needs;   /* enum rk_needs */
    const struct rk_param *params; /* ends with an RK_KIND_END entry; may be NULL */
    const void *variant; /* what rk_variant() returns: how this probe differs from others that share
                            its functions; may be NULL */
    uint64_t state_bytes;             /* of what rk_state() returns: zeroed before open */
    int (*open)(struct rk_context *); /* may be NULL */
    int (*trials)(struct rk_context *, struct rk_sample *out, size_t n);
    /* May be NULL. Frees what open prepared, as far as it came; may report that a proof failed
     * ("the walk ends elsewhere"). An earlier failure is the one that is reported. */
    int (*close)(struct rk_context *);
    const char *file; /* the probe's source file, filled in by RK_PROBE */
};

enum rk_priority { RK_PRIORITY_NONE = 0, RK_PRIORITY_NICE, RK_PRIORITY_RR };

struct rk_request {
    const char *probe;
    const char *params; /* "calls=1000\nsize_bytes=4096"; what is not named takes its default */
    /* Where the other hosts and the files are, as "peer=10.0.0.2:7325\nfiles=/var/tmp/x"; may be
     * NULL. Not parameters, and in no record; rk_location() in probe/probe.h lists the names. */
    const char *locations;
    uint64_t samples;
    uint64_t warmup;      /* trials run first, in the same process, and not reported */
    uint64_t deadline_ms; /* isolated runs only */
    int32_t cpu;          /* -1: wherever the caller may run */
    int32_t priority;     /* enum rk_priority: the most that is tried */
    int32_t isolated; /* 1: a fresh process of reckon-probe (normal); 0: in the caller, unpinned */
    uint32_t seed;    /* moves the stack and sizes the environment (Mytkowicz et al. 2009) */
};

/* What happened during the samples' trials. -1 means "not known here", never "none". */
struct rk_outcome {
    int32_t status; /* 0 or -errno */
    int32_t signal; /* the signal that ended the probe, 0 if none */
    int32_t cpu;    /* where it ran at the end */
    int32_t nice;   /* priority in force */
    int32_t policy; /* SCHED_* in force */
    int32_t
        partner_cpu; /* where the other end runs, if the probe chose another CPU for it; or -1 */
    int32_t partner_relation; /* of that CPU to the probe's: enum rk_relation in probe/topology.h */
    int32_t reserved;
    int64_t wall_ns; /* open and the samples' trials, without the warm-up */
    int64_t minor_faults, major_faults;
    int64_t voluntary_switches, involuntary_switches;
    int64_t migrations; /* of the first thread */
    int64_t steal_ms;   /* of the request's CPU alone, also where a probe uses others */
    /* Of the network namespace that the probe is in; set by probes that use the network. */
    int64_t retransmits;                    /* segments that TCP sent again */
    int64_t listen_overflows, listen_drops; /* connections that a full accept queue turned away */
    int64_t time_wait;                      /* connections in that state at the end */
    double cycles_per_tick_before; /* core clock over tick clock, calibrated in the same process */
    double cycles_per_tick_after;
    char reason[256]; /* why it failed or is unsupported; one sentence */
};

RK_EXPORT int rk_probe_count(void);
RK_EXPORT const struct rk_probe *rk_probe_at(int index);

/* Runs one probe; fills samples[request->samples], as many witnesses and *outcome. With 0 samples
 * it only checks that there is such a probe and that it takes the parameters. Returns
 * outcome->status: 0, -EOPNOTSUPP (unsupported on this machine; the reason says why), -ETIMEDOUT,
 * -EINTR (a signal asked the caller to stop), -ECHILD (the probe died of outcome->signal), or
 * another -errno. */
RK_EXPORT int rk_run(const struct rk_request *, struct rk_sample *samples,
                     struct rk_witness *witnesses, struct rk_outcome *);

/* Ticks per second of the counter in clock.h against CLOCK_MONOTONIC over interval_ns. */
RK_EXPORT double rk_tick_hz(uint64_t interval_ns);

#endif

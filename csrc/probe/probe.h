/* probe.h: what every probe uses. */
#ifndef RK_PROBE_H
#define RK_PROBE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/clock.h"
#include "reckon.h"

/* The parameters of this call, by name. One that the probe does not declare aborts: a mistake in
 * the probe, not of the user. */
int64_t rk_integer(const struct rk_context *, const char *name);
const char *rk_text(const struct rk_context *, const char *name);

/* How many trials this run makes, the warm-up included: for what open prepares for each. */
size_t rk_trials(const struct rk_context *);

/* One of the request's locations, "" if it is not given:
 *   peer, peer_token   reckon-peer's ADDRESS:PORT and its secret
 *   nfs                the NFS server's HOST:/EXPORT; nfs_near and nfs_far: those of the lab
 *   peer_process, nfs_process, nfs_near_process, nfs_far_process
 *                      a process in the network of the lab from which that host is reached
 *   nfs_library        libnfs, where it is not the system's
 *   scratch, files     a folder on the disk that is measured; the run's files in it */
const char *rk_location(const struct rk_context *, const char *name);

/* The state_bytes that open, trials and close share: zeroed before open, and at a cache line. */
void *rk_state(const struct rk_context *);
/* The probe's `variant`, for functions that several probes share. */
const void *rk_variant(const struct rk_context *);

/* return rk_error(c, ETIMEDOUT, "no answer from %s", host): the whole probe fails, for the reason
 * in the sentence; it can never look fast. */
__attribute__((format(printf, 3, 4))) int rk_error(struct rk_context *, int error,
                                                   const char *format, ...);
/* return rk_unsupported(c, "needs root to drop the page cache"): a result, not a failure. */
#define rk_unsupported(c, ...) rk_error(c, EOPNOTSUPP, __VA_ARGS__)
/* return rk_failed(c, "getcwd", errno): a failed call; the reason is its name and the error. */
int rk_failed(struct rk_context *, const char *what, int error);
/* A call that a right, a filter or a lack refuses (EPERM, ENOSYS, ENOMEM ...) is unsupported here;
 * the limit on processes (EAGAIN) and any other error is a failure. */
int rk_refused(struct rk_context *, const char *what, int error);

/* What TCP did while the probe ran, for the record; -1 is "not known here". */
void rk_note_tcp(struct rk_context *, int64_t retransmits, int64_t listen_overflows,
                 int64_t listen_drops, int64_t time_wait);

/* The partner of the CPU that this process runs on, of those that it might use when it was started,
 * as the parameter RK_PARTNER requests; a status where there is none. The outcome shows it. */
int rk_other_cpu(struct rk_context *);
#define RK_CPUS_MAX 8192 /* as many as a kernel can have */
/* The CPUs that this process might use when it was started, the one it runs on first; how many of
 * them were written. */
int rk_cpus(int *cpus, int maximum);
/* The path of a program that is built beside the library. 0 or -errno. */
int rk_beside(const char *name, char path[4096]);
/* Memory that can be touched without swapping or an OOM kill: what the system has available, or
 * what the control group leaves, whichever is less. -1 if not known. */
int64_t rk_available_bytes(void);

/* Whether the median of the samples is long against a step of the counter. */
int rk_long_enough(const struct rk_sample *, size_t n, const struct rk_resolution *step);

/* Converts samples in ns into ticks, by rk_ticks_per_ns(). */
void rk_ns_to_ticks(struct rk_sample *, size_t n, const struct rk_stamp *since);

#define RK_INTEGER(name_, default_, minimum_, maximum_, help_)                                     \
    {.name = name_,                                                                                \
     .kind = RK_KIND_INTEGER,                                                                      \
     .default_integer = default_,                                                                  \
     .minimum = minimum_,                                                                          \
     .maximum = maximum_,                                                                          \
     .help = help_}
#define RK_TEXT(name_, default_, help_)                                                            \
    {.name = name_, .kind = RK_KIND_TEXT, .default_text = default_, .help = help_}
#define RK_PARTNER                                                                                 \
    RK_TEXT("partner", "",                                                                         \
            "the other CPU is its sibling, or a core of the same_cache, same_socket or "           \
            "other_socket; empty: the fastest other core, the nearest of several")
#define RK_PARAMS(...) ((const struct rk_param[]){__VA_ARGS__, {.kind = RK_KIND_END}})

/* The fields of the functions that make up a probe, and of the state that they share. */
#define RK_STAGES(state_, open_, trials_, close_)                                                  \
    .state_bytes = sizeof(state_), .open = open_, .trials = trials_, .close = close_
/* The field of what distinguishes a probe from others with the same functions. */
#define RK_VARIANT(type_, ...) .variant = (&(const type_){__VA_ARGS__})

/* Defines a probe by its fields (struct rk_probe) and puts it into the registry (a linker section:
 * no list is kept by hand). The name and `.timed` are written in full, so that a search finds them:
 * what several probes share is a macro of fields, never one that defines a probe. */
#define RK_PROBE(name_, ...) RK_ENTRY(__COUNTER__, .name = name_, __VA_ARGS__)
#define RK_ENTRY(number, ...) RK_ENTRY_NUMBERED(number, __VA_ARGS__)
#define RK_ENTRY_NUMBERED(number, ...)                                                             \
    static const struct rk_probe probe_##number = {__VA_ARGS__, .file = __FILE__};                 \
    static const struct rk_probe *const entry_##number                                             \
        __attribute__((used, section("rk_probes"))) = &probe_##number

/* n trials of `reps` times `body`, one pair of clock reads around each trial. */
#define RK_TIME_TRIALS(out, n, reps, body)                                                         \
    for (size_t trial_ = 0; trial_ < (n); trial_++) {                                              \
        const int64_t reps_ = (reps);                                                              \
        const uint64_t begin_ = rk_begin();                                                        \
        for (int64_t rep_ = 0; rep_ < reps_; rep_++) {                                             \
            body;                                                                                  \
        }                                                                                          \
        const uint64_t end_ = rk_end();                                                            \
        (out)[trial_] = (struct rk_sample){(int64_t)(end_ - begin_), (uint64_t)reps_};             \
    }

/* Keeps a value alive without storing it, and stops the compiler from moving memory accesses. */
#define RK_KEEP(value) __asm__ volatile("" ::"r"(value) : "memory")

#endif

/* context.h: one run's parameters, state and reason, and what rk_run shares with reckon-probe. */
#ifndef RK_CONTEXT_H
#define RK_CONTEXT_H

#include "probe/probe.h"

#define RK_PARAMS_MAX 16
#define RK_TEXT_MAX 256
#define RK_REASON_BYTES sizeof(((struct rk_outcome *)0)->reason)
#define RK_LOCATIONS_MAX 16384 /* two paths, and some names of hosts */
/* What EAGAIN of fork(2) and pthread_create(3) means, and which call or program it was. */
#define RK_NO_PROCESS                                                                              \
    "no new process: the limit on processes was reached; end some, or raise it with ulimit -u or " \
    "in pids.max of the control group (%s)"

struct rk_context {
    const struct rk_probe *probe;
    char *reason;               /* RK_REASON_BYTES, in the outcome */
    struct rk_outcome *outcome; /* NULL while a request is only checked */
    const char *locations;      /* "name=value" strings, one after the other; the last is empty */
    void *state;                /* probe->state_bytes, zeroed before open */
    size_t trials;              /* of the warm-up and of the samples */
    int64_t integers[RK_PARAMS_MAX];
    char texts[RK_PARAMS_MAX][RK_TEXT_MAX];
};

/* Writes the sentence into `reason`, which has RK_REASON_BYTES. Returns `status`. */
__attribute__((format(printf, 3, 4))) int rk_reason(char *reason, int status, const char *format,
                                                    ...);

/* Finds the probe and reads "name=value" lines into the context. 0 or -errno with a reason. */
int rk_context_open(struct rk_context *, const char *probe, const char *params, char *reason);

/* Runs the probe in this process: pin, raise priority, calibrate, warm up, measure. */
void rk_run_in_process(const struct rk_request *, struct rk_sample *, struct rk_witness *,
                       struct rk_outcome *);

/* Notes which CPUs this process may use, before it is pinned. */
void rk_note_allowed_cpus(void);

/* What rk_run shares with reckon-probe: one anonymous file, mapped by both. */
struct rk_shared {
    struct rk_request request; /* its strings are in the arrays below */
    char probe[256];
    char params[4096];
    char locations[RK_LOCATIONS_MAX];
    struct rk_outcome outcome;
    struct rk_sample samples[]; /* then as many witnesses */
};

/* The witnesses, which lie behind the samples. */
static inline struct rk_witness *rk_shared_witnesses(struct rk_shared *shared)
{
    return (struct rk_witness *)(void *)&shared->samples[shared->request.samples];
}

#define RK_SAMPLE_BYTES (sizeof(struct rk_sample) + sizeof(struct rk_witness))
#define RK_SHARED_FD 3

/* The seed modulo this sets the gap in the stack (in_process.c); the rest of the seed, the size of
 * the environment (run.c). */
#define RK_STACK_GAPS 256

#endif

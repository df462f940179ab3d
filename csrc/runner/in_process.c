/* in_process.c: runs one probe in this process and reports what happened during its trials. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probe/cpus.h"
#include "probe/kernel_files.h"
#include "probe/processor.h"
#include "probe/topology.h"
#include "runner/context.h"
#include "runner/witness.h"

#define LINE_BYTES 64 /* a cache line, or a part of one */

static int pin(int cpu, char *reason)
{
    const int error = rk_pin_process(0, cpu);
    return error ? rk_reason(reason, -error, "CPU %d cannot be used by this process (%s).", cpu,
                             strerror(error))
                 : 0;
}

/* As high a priority as the request and the limits allow; the outcome has what is in force. */
static void raise_priority(int wanted)
{
    if (wanted == RK_PRIORITY_RR) {
        const struct sched_param param = {.sched_priority = 99};
        if (sched_setscheduler(0, SCHED_RR, &param) == 0)
            return;
    }
    if (wanted != RK_PRIORITY_NONE)
        for (int nice_value = -20; nice_value < 0; nice_value++)
            if (setpriority(PRIO_PROCESS, 0, nice_value) == 0)
                return;
}

/* As the scheduler counts them. Not by a perf event: one that is open makes each switch of this
 * process, and an inherited one each fork and thread as well, 4 to 18 % slower. */
static int64_t migrations(void)
{
    return rk_field_in("/proc/thread-self/sched", "se.nr_migrations : %lld", -1);
}

/* Time the hypervisor gave to others: field 8 of the CPU's line in /proc/stat (proc(5)). */
static int64_t steal_ms(int cpu)
{
    FILE *stat = fopen("/proc/stat", "re");
    if (!stat)
        return -1;
    char line[512], label[16];
    snprintf(label, sizeof label, cpu < 0 ? "cpu " : "cpu%d ", cpu);
    long long steal = -1;
    while (fgets(line, sizeof line, stat))
        if (strncmp(line, label, strlen(label)) == 0)
            if (sscanf(line, "%*s %*d %*d %*d %*d %*d %*d %*d %lld", &steal) == 1)
                break;
    fclose(stat);
    return steal < 0 ? -1 : steal * 1000 / sysconf(_SC_CLK_TCK);
}

/* Ticks of a chain of one-cycle adds: the fastest of nine trials, since whatever interferes only
 * lengthens one. */
static uint64_t chain_ticks(uint64_t rounds)
{
    uint64_t minimum = UINT64_MAX;
    for (int trial = 0; trial < 9; trial++) {
        const uint64_t begin = rk_begin();
        RK_KEEP(rk_add_chain(rounds, begin, 1));
        const uint64_t ticks = rk_end() - begin;
        if (ticks < minimum)
            minimum = ticks;
    }
    return minimum;
}

void rk_note_tcp(struct rk_context *c, int64_t retransmits, int64_t listen_overflows,
                 int64_t listen_drops, int64_t time_wait)
{
    c->outcome->retransmits = retransmits;
    c->outcome->listen_overflows = listen_overflows;
    c->outcome->listen_drops = listen_drops;
    c->outcome->time_wait = time_wait;
}

#define CALIBRATION_ROUNDS 100  /* 51,200 cycles: some 17 microseconds */
#define CALIBRATION_STEPS 1000  /* of the counter, for 0.1 % */
#define CALIBRATION_DOUBLINGS 8 /* of the rounds, to 4 ms */

/* Core cycles per tick. By difference, so that the pair of reads (0.1 % of the chain) cancels;
 * on a coarse counter (24 MHz on some of Arm's) by longer chains. */
static double cycles_per_tick(void)
{
    const int64_t minimum = CALIBRATION_STEPS * rk_counter_resolution().ticks;
    uint64_t rounds = CALIBRATION_ROUNDS;
    int64_t ticks = (int64_t)(chain_ticks(2 * rounds) - chain_ticks(rounds));
    for (int i = 0; ticks < minimum && i < CALIBRATION_DOUBLINGS; i++) {
        rounds *= 2;
        ticks = (int64_t)(chain_ticks(2 * rounds) - chain_ticks(rounds));
    }
    return (double)(rounds * RK_CHAIN_STEP) / (double)(ticks > 0 ? ticks : 1);
}

/* Trials that are not reported, so that caches, pages and predictors are as in the samples. */
static int warm_up(struct rk_context *c, uint64_t trials)
{
    struct rk_sample *unused = trials ? calloc(trials, sizeof *unused) : NULL;
    if (trials && !unused)
        return rk_failed(c, "calloc", ENOMEM);
    const int status = trials ? c->probe->trials(c, unused, trials) : 0;
    free(unused);
    return status;
}

/* Whether the trials of one call belong together: by another end, or an order of blocks, that is
 * the call's. The methods of the reports stay as they are. */
static int is_indivisible(const struct rk_probe *probe)
{
    const uint32_t whole = RK_NEEDS_DISK | RK_NEEDS_PEER | RK_NEEDS_SERVER | RK_NEEDS_PROGRAM;
    return probe->needs & whole || probe->reports;
}

/* A block of trials takes at least this many times as long as a witness: 5 % of it at most. */
#define WITNESSES_A_BLOCK 20

/* All samples, block by block, and the witnesses before and after each. Another program's trials
 * have none: where they run is not known. */
static int run_trials(struct rk_context *c, size_t n, struct rk_sample *samples,
                      struct rk_witness *witnesses)
{
    if (c->probe->needs & RK_NEEDS_PROGRAM)
        return c->probe->trials(c, samples, n);
    struct rk_witness before = rk_take_witness();
    size_t block = is_indivisible(c->probe) ? n : 1;
    for (size_t done = 0; done < n;) {
        const size_t count = block < n - done ? block : n - done;
        const uint64_t begin = rk_begin();
        const int status = c->probe->trials(c, samples + done, count);
        if (status)
            return status;
        const uint64_t middle = rk_begin();
        const struct rk_witness after = rk_take_witness();
        const uint64_t witness_ticks = rk_end() - middle;
        const uint64_t ticks = middle > begin ? middle - begin : 1; /* less than a coarse tick */
        const struct rk_witness busier = rk_busier_witness(before, after);
        for (size_t i = 0; i < count; i++)
            witnesses[done + i] = busier;
        done += count;
        block = 1 + WITNESSES_A_BLOCK * witness_ticks * count / ticks;
        before = after;
    }
    return 0;
}

static int measure(struct rk_context *c, const struct rk_request *request,
                   struct rk_sample *samples, struct rk_witness *witnesses,
                   struct rk_outcome *outcome)
{
    struct rusage before, after;
    const int64_t migrated = migrations();
    const int64_t steal = steal_ms(request->cpu);
    outcome->cycles_per_tick_before = cycles_per_tick();
    getrusage(RUSAGE_SELF, &before);
    const uint64_t begin_ns = rk_monotonic_ns();
    const int status = run_trials(c, request->samples, samples, witnesses);
    outcome->wall_ns += (int64_t)(rk_monotonic_ns() - begin_ns);
    getrusage(RUSAGE_SELF, &after);
    outcome->cycles_per_tick_after = cycles_per_tick();
    const int64_t stolen = steal_ms(request->cpu);
    outcome->steal_ms = steal < 0 || stolen < 0 ? -1 : stolen - steal;
    const int64_t moved = migrations();
    outcome->migrations = migrated < 0 || moved < 0 ? -1 : moved - migrated;
    outcome->minor_faults = after.ru_minflt - before.ru_minflt;
    outcome->major_faults = after.ru_majflt - before.ru_majflt;
    outcome->voluntary_switches = after.ru_nvcsw - before.ru_nvcsw;
    outcome->involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
    return status;
}

/* A median of zero ticks would have no spread and look exact. */
static int refuse_coarse(struct rk_context *c, const struct rk_sample *samples, size_t n)
{
    const struct rk_resolution step = rk_counter_resolution();
    if (rk_long_enough(samples, n, &step))
        return 0;
    return rk_unsupported(c, "a trial is too short for the steps of this machine's counter; more "
                             "work in a trial (parameters) may help");
}

static int open_probe(struct rk_context *c, struct rk_outcome *outcome)
{
    const uint64_t begin_ns = rk_monotonic_ns();
    const int status = c->probe->open ? c->probe->open(c) : 0;
    outcome->wall_ns = (int64_t)(rk_monotonic_ns() - begin_ns);
    return status;
}

/* The first failure is the one that is reported. */
static int close_probe(struct rk_context *c, int status)
{
    char reason[RK_REASON_BYTES];
    if (!c->probe->close)
        return status;
    memcpy(reason, c->reason, sizeof reason);
    const int closed = c->probe->close(c);
    if (!status)
        return closed;
    memcpy(c->reason, reason, sizeof reason);
    return status;
}

/* Below a stack gap that differs from process to process (Mytkowicz 2009). */
static int run_probe(struct rk_context *c, const struct rk_request *request,
                     struct rk_sample *samples, struct rk_witness *witnesses,
                     struct rk_outcome *outcome)
{
    char *gap = __builtin_alloca(16 + (request->seed % RK_STACK_GAPS) * 16);
    RK_KEEP(gap);
    /* Touched before, not while measuring. */
    memset(samples, 0, request->samples * sizeof *samples);
    memset(witnesses, 0, request->samples * sizeof *witnesses);
    int status = open_probe(c, outcome);
    if (!status)
        status = warm_up(c, request->warmup);
    if (!status)
        status = measure(c, request, samples, witnesses, outcome);
    if (!status && !c->probe->reports) /* the methods of the reports stay as they are */
        status = refuse_coarse(c, samples, request->samples);
    return close_probe(c, status);
}

/* What the runner itself can see to be missing. */
static int refuse_needs(struct rk_context *c)
{
    const char *const missing = rk_counter_missing();
    if (missing)
        return rk_unsupported(c, "%s", missing);
    if (c->probe->needs & RK_NEEDS_COMMON_COUNTER &&
        !rk_counters_agree(rk_counter_is_invariant(), "/sys"))
        return rk_unsupported(c, "the counters of this machine's CPUs cannot be compared (the TSC "
                                 "is not invariant)");
#if !defined(__x86_64__)
    if (c->probe->needs & RK_NEEDS_STAMPS)
        return rk_unsupported(c, "RDTSC and CPUID are x86 instructions");
#endif
    if (c->probe->needs & RK_NEEDS_ROOT && geteuid() != 0)
        return rk_unsupported(c, "needs root");
    return 0;
}

/* The request's locations, each a string of its own, then an empty one; NULL without memory. */
static char *split_locations(const char *lines)
{
    const size_t length = lines ? strlen(lines) : 0;
    char *const locations = calloc(1, length + 2);
    for (size_t i = 0; locations && i < length; i++)
        locations[i] = (char)(lines[i] == '\n' ? 0 : lines[i]);
    return locations;
}

static int run_with_state(struct rk_context *c, const struct rk_request *request,
                          struct rk_sample *samples, struct rk_witness *witnesses,
                          struct rk_outcome *outcome)
{
    const int missing = refuse_needs(c);
    if (missing)
        return missing;
    c->trials = request->warmup + request->samples;
    const size_t size = (c->probe->state_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    char *const locations = split_locations(request->locations);
    c->locations = locations;
    c->state = size ? aligned_alloc(LINE_BYTES, size) : NULL;
    int status;
    if (!locations || (size && !c->state)) {
        status = rk_failed(c, "aligned_alloc", ENOMEM);
    } else {
        if (size)
            memset(c->state, 0, size);
        status = run_probe(c, request, samples, witnesses, outcome);
    }
    free(c->state);
    free(locations);
    return status;
}

void rk_run_in_process(const struct rk_request *request, struct rk_sample *samples,
                       struct rk_witness *witnesses, struct rk_outcome *outcome)
{
    struct rk_context context;
    outcome->status = rk_context_open(&context, request->probe, request->params, outcome->reason);
    context.outcome = outcome;
    outcome->partner_cpu = -1;
    outcome->partner_relation = RK_UNKNOWN_RELATION;
    rk_note_tcp(&context, -1, -1, -1, -1);
    rk_note_allowed_cpus();
    /* In the caller's process nothing is pinned or raised: it would outlast the call. */
    if (outcome->status == 0 && request->isolated && request->cpu >= 0)
        outcome->status = pin(request->cpu, outcome->reason);
    if (outcome->status)
        return;
    if (request->isolated)
        raise_priority(request->priority);
    outcome->status = run_with_state(&context, request, samples, witnesses, outcome);
    /* To the caller these mean a wrong request, or that a signal asked it to stop. */
    if (outcome->status == -EINVAL || outcome->status == -ENOENT || outcome->status == -E2BIG ||
        outcome->status == -EINTR)
        outcome->status = -EPROTO;
    if (outcome->status && !outcome->reason[0])
        snprintf(outcome->reason, sizeof outcome->reason, "%s: %s", request->probe,
                 strerror(-outcome->status));
    outcome->cpu = sched_getcpu();
    outcome->nice = getpriority(PRIO_PROCESS, 0);
    outcome->policy = sched_getscheduler(0);
}

/* Probes for the tests alone: a known workload, a crash, a hang, a fork, the order of the calls. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe.h"

static int run_chain(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const uint64_t rounds = (uint64_t)rk_integer(c, "instructions") / RK_CHAIN_STEP;
    const int64_t chains = rk_integer(c, "chains");
    if (strcmp(rk_text(c, "of"), "add") == 0) {
        RK_TIME_TRIALS(out, n, chains, RK_KEEP(rk_add_chain(rounds, begin_, 1)));
    } else if (strcmp(rk_text(c, "of"), "multiply") == 0) {
        RK_TIME_TRIALS(out, n, chains, RK_KEEP(rk_multiply_chain(rounds, begin_, 3)));
    } else {
        return rk_unsupported(c, "a chain is of add or of multiply");
    }
    return 0;
}

static int run_crash(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c, (void)out, (void)n;
    return raise(SIGSEGV);
}

static int run_hang(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c, (void)out, (void)n;
    if (rk_integer(c, "child") && fork() < 0)
        return rk_failed(c, "fork", errno);
    for (;;)
        pause();
}

static int run_refuse(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)out, (void)n;
    return rk_unsupported(c, "this probe is unsupported everywhere");
}

static int run_fork(struct rk_context *c, struct rk_sample *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = rk_begin();
        const pid_t child = fork();
        if (child < 0)
            return rk_failed(c, "fork", errno);
        if (child == 0)
            _exit(0);
        int status;
        if (waitpid(child, &status, 0) != child || status)
            return rk_failed(c, "waitpid", errno);
        out[i] = (struct rk_sample){(int64_t)(rk_end() - begin), 1};
    }
    return 0;
}

static int run_instant(struct rk_context *c, struct rk_sample *out, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct rk_sample){0, 1};
    return 0;
}

/* What the runner called so far: ticks are the runs that this process began, ops how often
 * this run's probe was opened, 100 times that, and its trials called. */
struct phases {
    uint64_t opened, called;
};

static int64_t closed;

static int fails_in(const struct rk_context *c, const char *phase)
{
    return strcmp(rk_text(c, "fails_in"), phase) == 0;
}

static int open_phases(struct rk_context *c)
{
    struct phases *state = rk_state(c);
    state->opened++;
    return fails_in(c, "open") ? rk_failed(c, "open", EIO) : 0;
}

static int run_phases(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct phases *state = rk_state(c);
    state->called++;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct rk_sample){closed + 1, 100 * state->opened + state->called};
    return fails_in(c, "trials") ? rk_failed(c, "trials", EIO) : 0;
}

static int close_phases(struct rk_context *c)
{
    closed++;
    return fails_in(c, "none") ? 0 : rk_failed(c, "close", EIO);
}

RK_PROBE("test/chain", .op = "chain",
         .timed = "chains x a chain of `instructions` dependent instructions",
         .params = RK_PARAMS(RK_INTEGER("instructions", 10240, 512, 1000000000,
                                        "length of the chain, a multiple of 512"),
                             RK_TEXT("of", "add", "add or multiply"),
                             RK_INTEGER("chains", 20, 1, 1000000, "chains a trial")),
         .trials = run_chain);
RK_PROBE("test/crash", .op = "crash", .timed = "a segmentation fault", .trials = run_crash);
RK_PROBE("test/hang", .op = "hang", .timed = "nothing, for ever",
         .params = RK_PARAMS(RK_INTEGER("child", 0, 0, 1, "1: leaves a child behind as well")),
         .trials = run_hang);
RK_PROBE("test/unsupported", .op = "call", .timed = "nothing", .trials = run_refuse);
RK_PROBE("test/fork", .op = "fork", .timed = "fork(), _exit(0) and waitpid()", .trials = run_fork);
RK_PROBE("test/instant", .op = "call", .timed = "nothing: no tick passes", .trials = run_instant);
RK_PROBE("test/phases", .op = "call", .timed = "nothing: it counts calls",
         .params = RK_PARAMS(RK_TEXT("fails_in", "none", "none, open, trials or close")),
         RK_STAGES(struct phases, open_phases, run_phases, close_phases));
RK_PROBE("test/phases_of_a_program", .op = "call", .timed = "nothing: it counts calls",
         .needs = RK_NEEDS_PROGRAM, .params = RK_PARAMS(RK_TEXT("fails_in", "none", "none")),
         RK_STAGES(struct phases, open_phases, run_phases, close_phases));

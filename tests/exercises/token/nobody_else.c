/* exercises/token: what a hand-over between two processes on one CPU costs.
 *
 * A child is on the other side of two pipes and sends back each byte; it runs on the CPU of this
 * process. Time `rounds` rounds in a trial: write a byte to `there`, read it from `back`. A round
 * has two switches, and `ops` counts switches. `make exercise NAME=token` compares them with how
 * often the kernel saw this process go to sleep. */
#include <stdlib.h>
#include <unistd.h>

#include "probe/children.h"

struct token {
    int there[2], back[2]; /* pipes: [0] is read, [1] written */
    pid_t child;
};

static int open_token(struct rk_context *c)
{
    struct token *const state = rk_state(c);
    const pid_t parent = getpid();
    if (pipe(state->there) || pipe(state->back))
        return rk_failed(c, "pipe", errno);
    state->child = fork();
    if (state->child < 0)
        return rk_failed(c, "fork", errno);
    if (state->child == 0) {
        char byte;
        rk_die_with_parent(parent);
        close(state->there[1]);
        while (read(state->there[0], &byte, 1) == 1 && write(state->back[1], &byte, 1) == 1)
            ;
        _exit(0);
    }
    return 0;
}

static int time_token(struct rk_context *c, struct rk_sample *out, size_t n)
{
    int own[2]; /* nobody else reads it */
    if (pipe(own))
        return rk_failed(c, "pipe", errno);
    char byte = 0;
    int bad = 0;
    RK_TIME_TRIALS(out, n, rk_integer(c, "rounds"), {
        bad |= write(own[1], &byte, 1) != 1;
        bad |= read(own[0], &byte, 1) != 1;
    });
    for (size_t i = 0; i < n; i++)
        out[i].ops *= 2; /* there and back */
    return bad ? rk_error(c, EIO, "the token was lost") : 0;
}

static int close_token(struct rk_context *c)
{
    const struct token *const state = rk_state(c);
    close(state->there[1]);
    return state->child > 0 ? rk_wait_child(c, state->child, "the other process") : 0;
}

RK_PROBE("exercises/token", .op = "switch", .timed = "rounds x (write a byte, read it back)",
         .params = RK_PARAMS(RK_INTEGER("rounds", 100, 1, 100000, "rounds a trial")),
         RK_STAGES(struct token, open_token, time_token, close_token));

#include "cpu/support/round_robin.h"

int open_round_robin(struct rk_context *c)
{
    const struct sched_param priority = {.sched_priority = 99};
    struct scheduling *const before = rk_state(c);
    before->policy = sched_getscheduler(0);
    sched_getparam(0, &before->param);
    if (sched_setscheduler(0, SCHED_RR, &priority) < 0)
        return rk_unsupported(c, "SCHED_RR needs root, CAP_SYS_NICE or a limit that allows it "
                                 "(ulimit -r)");
    before->raised = 1;
    return 0;
}

int close_round_robin(struct rk_context *c)
{
    const struct scheduling *const before = rk_state(c);
    if (before->raised)
        sched_setscheduler(0, before->policy, &before->param);
    return 0;
}

#include "probe/children.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

int rk_wait_child(struct rk_context *c, pid_t child, const char *who)
{
    int how;
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return rk_failed(c, "waitpid", errno);
    if (how == 0)
        return 0;
    char what[128];
    snprintf(what, sizeof what, "%s did not end as it should", who);
    return rk_failed(c, what, ECHILD);
}

void rk_die_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

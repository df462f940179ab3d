#include "probe/children.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

int rk_wait_status(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

int rk_wait_child(struct rk_context *c, pid_t child, const char *name)
{
    const int ended = rk_wait_status(child);
    if (ended == 0)
        return 0;
    if (ended < 0)
        return rk_failed(c, "waitpid", errno);
    char what[128];
    snprintf(what, sizeof what, "%s did not end as it should", name);
    return rk_failed(c, what, ECHILD);
}

void rk_die_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

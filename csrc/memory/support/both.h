/* both.h: two processes that begin each trial at the same time. */
#ifndef RK_BOTH_H
#define RK_BOTH_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "probe/probe.h"

/* What they share. */
struct both {
    atomic_ulong come; /* to all meetings, by either */
    atomic_int over;   /* one of them comes to no more */
    int status;        /* the child's */
    struct rk_sample theirs[];
};

/* Waits until the other process has come to that meeting too. 0, or 1 if it does not come; `child`
 * is the other one, where that can end without a word. */
static inline int meet(struct both *both, uint64_t meeting, pid_t child)
{
    siginfo_t ended = {0};
    atomic_fetch_add(&both->come, 1);
    while (atomic_load(&both->come) < 2 * meeting) {
        if (child)
            waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid || atomic_load(&both->over))
            return 1;
        rk_pause();
    }
    return 0;
}

#endif

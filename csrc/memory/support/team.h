/* team.h: the same work on several CPUs at once, each with memory of its own. */
#ifndef RK_TEAM_H
#define RK_TEAM_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "probe/region.h"

struct rk_member {
    struct rk_team *team;
    struct rk_region from, to;
    pthread_t thread;
    int cpu, error;
    uint64_t result; /* what the work returned last */
};

/* The caller is member 0. */
struct rk_team {
    uint64_t (*work)(struct rk_member *, uint64_t trial);
    struct rk_member *members;
    int count, started;
    atomic_int ready, done, over;
    atomic_ulong trial; /* the current one, from 1 on; 0: none yet */
};

/* Starts `count` members, each on a CPU of its own, with touched memory. 0 or a status; rk_team_end
 * is due in either case. */
int rk_team_begin(struct rk_context *, struct rk_team *, int count, size_t from_bytes,
                  size_t to_bytes, int huge);

/* Ends the threads and unmaps the memory, also after a failed start. */
void rk_team_end(struct rk_team *);

/* All do their work once; returns when the last is done. */
static inline void rk_team_work(struct rk_team *team)
{
    const uint64_t trial = atomic_load(&team->trial) + 1;
    atomic_store(&team->done, 0);
    atomic_store(&team->trial, trial);
    team->members[0].result = team->work(&team->members[0], trial);
    while (atomic_load(&team->done) < team->count - 1)
        rk_pause();
}

#endif

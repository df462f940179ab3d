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
    atomic_ulong trial; /* the one to do; 0: none yet */
};

/* By the thread that uses it, so that it lies near its CPU. */
static inline int rk_member_touch(const struct rk_member *me)
{
    const int error = me->from.start ? rk_touch(&me->from) : 0;
    return error || !me->to.start ? error : rk_touch(&me->to);
}

static void *rk_member_main(void *argument)
{
    struct rk_member *const me = argument;
    struct rk_team *const team = me->team;
    me->error = rk_member_touch(me);
    atomic_fetch_add(&team->ready, 1);
    for (uint64_t seen = 0; !atomic_load(&team->over);) {
        const uint64_t trial = atomic_load(&team->trial);
        if (trial == seen) { /* spinning, on a CPU of its own: a sleeper would have to be woken */
            rk_pause();
            continue;
        }
        me->result = team->work(me, seen = trial);
        atomic_fetch_add(&team->done, 1);
    }
    return NULL;
}

/* Ends the threads and gives the memory back; `status` if that is one. */
static inline int rk_team_end(struct rk_team *team, int status)
{
    atomic_store(&team->over, 1);
    for (int i = 0; i < team->count; i++) {
        if (i && i <= team->started)
            pthread_join(team->members[i].thread, NULL);
        rk_unmap(&team->members[i].from);
        rk_unmap(&team->members[i].to);
    }
    return status;
}

/* 0 or an errno. */
static inline int rk_member_start(struct rk_member *me)
{
    cpu_set_t set;
    pthread_attr_t attr;
    CPU_ZERO(&set);
    CPU_SET(me->cpu, &set);
    int error = pthread_attr_init(&attr);
    if (error)
        return error;
    error = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
    if (!error)
        error = pthread_create(&me->thread, &attr, rk_member_main, me);
    pthread_attr_destroy(&attr);
    return error;
}

/* Starts `count` members, each on a CPU of its own, with touched memory. Where it fails, nothing is
 * left. */
static inline int rk_team_begin(struct rk_context *c, struct rk_team *team, int count,
                                size_t from_bytes, size_t to_bytes, int huge)
{
    static struct rk_member members[RK_CPUS_MOST];
    int cpus[RK_CPUS_MOST];
    char why[96];
    const int have = rk_cpus(cpus, RK_CPUS_MOST);
    memset(members, 0, sizeof members);
    team->members = members, team->count = count, team->started = 0;
    atomic_store(&team->over, 0), atomic_store(&team->ready, 0);
    atomic_store(&team->done, 0), atomic_store(&team->trial, 0);
    if (count > have) {
        snprintf(why, sizeof why, "%d CPUs are asked for, and this process may use %d", count,
                 have);
        team->count = 0;
        return rk_cannot(c, why);
    }
    int status = rk_fits(c, (size_t)count * (from_bytes + to_bytes));
    for (int i = 0; i < count && !status; i++) {
        members[i] = (struct rk_member){.team = team, .cpu = cpus[i]};
        status = rk_reserve(c, &members[i].from, from_bytes, huge);
        if (!status)
            status = rk_reserve(c, &members[i].to, to_bytes, huge);
    }
    for (int i = 1; i < count && !status; i++) {
        const int error = rk_member_start(&members[i]);
        status = error ? rk_refused(c, "pthread_create", error) : 0;
        team->started += !error;
    }
    if (!status)
        members[0].error = rk_member_touch(&members[0]);
    while (!status && atomic_load(&team->ready) < team->started)
        rk_pause();
    for (int i = 0; i < count && !status; i++)
        if (members[i].error)
            status = rk_refused(c, "touching the memory", members[i].error);
    for (int i = 0; i < count && !status && huge; i++) {
        status = rk_got_huge(c, &members[i].from);
        if (!status)
            status = rk_got_huge(c, &members[i].to);
    }
    return status ? rk_team_end(team, status) : 0;
}

/* All do their work once; back when the last is done. */
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

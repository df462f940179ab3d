#include <stdlib.h>

#include "memory/support/team.h"
#include "probe/cpus.h"

/* By the thread that uses it, so that it lies near its CPU. */
static int rk_member_touch(const struct rk_member *self)
{
    const int error = self->from.start ? rk_touch(&self->from) : 0;
    return error || !self->to.start ? error : rk_touch(&self->to);
}

static void *rk_member_main(void *argument)
{
    struct rk_member *const self = argument;
    struct rk_team *const team = self->team;
    self->error = rk_member_touch(self);
    atomic_fetch_add(&team->ready, 1);
    for (uint64_t last_trial = 0; !atomic_load(&team->over);) {
        const uint64_t trial = atomic_load(&team->trial);
        if (trial == last_trial) { /* spins, because waking a thread takes time */
            rk_pause();
            continue;
        }
        self->result = team->work(self, last_trial = trial);
        atomic_fetch_add(&team->done, 1);
    }
    return NULL;
}

void rk_team_end(struct rk_team *team)
{
    atomic_store(&team->over, 1);
    for (int i = 0; i < team->count; i++) {
        if (i && i <= team->started)
            pthread_join(team->members[i].thread, NULL);
        rk_unmap(&team->members[i].from);
        rk_unmap(&team->members[i].to);
    }
    free(team->members);
    team->members = NULL;
    team->count = team->started = 0;
}

/* Reserves each member's memory; nothing is touched yet. */
static int reserve(struct rk_context *c, struct rk_team *team, size_t from_bytes, size_t to_bytes,
                   int huge)
{
    const size_t each = rk_whole_pages(from_bytes, huge) + rk_whole_pages(to_bytes, huge);
    int status = rk_require_room(c, (size_t)team->count * each);
    for (int i = 0; i < team->count && !status; i++) {
        status = rk_reserve(c, &team->members[i].from, from_bytes, huge);
        if (!status)
            status = rk_reserve(c, &team->members[i].to, to_bytes, huge);
    }
    return status;
}

/* Starts the threads, which touch their memory, and waits until all have. */
static int start(struct rk_context *c, struct rk_team *team)
{
    int status = 0;
    for (int i = 1; i < team->count && !status; i++) {
        struct rk_member *const member = &team->members[i];
        const int error =
            rk_start_thread(&member->thread, rk_one_cpu(member->cpu), rk_member_main, member);
        if (error)
            status = rk_refused(c, "pthread_create", error);
        else
            team->started++;
    }
    if (!status)
        team->members[0].error = rk_member_touch(&team->members[0]);
    while (!status && atomic_load(&team->ready) < team->started)
        rk_pause();
    for (int i = 0; i < team->count && !status; i++)
        if (team->members[i].error)
            status = rk_refused(c, "touching the memory", team->members[i].error);
    return status;
}

int rk_team_begin(struct rk_context *c, struct rk_team *team, int count, size_t from_bytes,
                  size_t to_bytes, int huge)
{
    int cpus[RK_CPUS_MAX];
    const int usable = rk_cpus(cpus, RK_CPUS_MAX);
    if (count > usable)
        return rk_unsupported(c, "%d CPUs are requested, and this process may use %d", count,
                              usable);
    team->members = calloc((size_t)count, sizeof *team->members);
    if (!team->members)
        return rk_failed(c, "calloc", ENOMEM);
    team->count = count;
    for (int i = 0; i < count; i++) {
        team->members[i].team = team;
        team->members[i].cpu = cpus[i];
    }
    int status = reserve(c, team, from_bytes, to_bytes, huge);
    if (!status)
        status = start(c, team);
    for (int i = 0; i < count && !status && huge; i++) {
        status = rk_require_huge(c, &team->members[i].from);
        if (!status)
            status = rk_require_huge(c, &team->members[i].to);
    }
    return status;
}

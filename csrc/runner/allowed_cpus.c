/* allowed_cpus.c: the CPUs that the probe's process might use before it was pinned. */
#include <sched.h>
#include <string.h>

#include "probe/cpus.h"
#include "probe/topology.h"
#include "runner/context.h"

static struct rk_cpu_mask allowed;

void rk_note_allowed_cpus(void)
{
    allowed = rk_usable_cpus();
}

int rk_cpus(int *cpus, int maximum)
{
    int count = 0;
    if (maximum > 0)
        cpus[count++] = sched_getcpu();
    for (int cpu = 0; cpu < RK_CPUS_MAX && count < maximum; cpu++)
        if (cpu != cpus[0] && rk_has_cpu(&allowed, cpu))
            cpus[count++] = cpu;
    return count;
}

struct rk_cpu_mask rk_cpu_set(void)
{
    struct rk_cpu_mask mask = allowed;
    rk_add_cpu(&mask, sched_getcpu());
    return mask;
}

/* The relation that the parameter `partner` requests; RK_UNKNOWN_RELATION for another word. */
static enum rk_relation requested_relation(const char *partner)
{
    static const char *const words[] = {"sibling", "same_cache", "same_socket", "other_socket"};
    if (!partner[0])
        return RK_ANY_RELATION;
    for (int i = 0; i < 4; i++)
        if (strcmp(partner, words[i]) == 0)
            return (enum rk_relation)(RK_SIBLING + i);
    return RK_UNKNOWN_RELATION;
}

int rk_other_cpu(struct rk_context *c)
{
    const char *const partner = rk_text(c, "partner");
    const enum rk_relation requested = requested_relation(partner);
    const int own = sched_getcpu();
    if (requested == RK_UNKNOWN_RELATION)
        return rk_error(c, EDOM,
                        "partner is sibling, same_cache, same_socket or other_socket, not "
                        "\"%.60s\".",
                        partner);
    const int cpu = rk_partner_cpu("/sys", &allowed, own, requested);
    if (cpu < 0 && requested != RK_ANY_RELATION)
        return rk_unsupported(c,
                              "CPU %d has no such partner (%s) among the CPUs that this process "
                              "may use",
                              own, partner);
    if (cpu < 0)
        return rk_unsupported(c, "needs a second CPU, and this process may use only one");
    c->outcome->partner_cpu = cpu;
    c->outcome->partner_relation = rk_relation_of("/sys", own, cpu);
    return cpu;
}

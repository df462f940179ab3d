/* allowed_cpus.c: the CPUs that the probe's process might use before it was pinned. */
#include <sched.h>
#include <string.h>

#include "probe/cpus.h"
#include "probe/topology.h"
#include "runner/context.h"

static cpu_set_t allowed;

int rk_note_allowed_cpus(void)
{
    CPU_ZERO(&allowed);
    return sched_getaffinity(0, sizeof allowed, &allowed) < 0 ? errno : 0;
}

int rk_cpus(int *cpus, int maximum)
{
    int count = 0;
    if (maximum > 0)
        cpus[count++] = sched_getcpu();
    for (int cpu = 0; cpu < CPU_SETSIZE && count < maximum; cpu++)
        if (cpu != cpus[0] && CPU_ISSET(cpu, &allowed))
            cpus[count++] = cpu;
    return count;
}

cpu_set_t rk_cpu_set(void)
{
    const cpu_set_t current = rk_one_cpu(sched_getcpu());
    cpu_set_t set;
    CPU_OR(&set, &allowed, &current);
    return set;
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

/* topology.h: which CPU is the partner of the one that measures, by the topology that the kernel
 * reports. reckon/computer/measured_cpu.py chooses the one that measures.
 *
 * The choice does not depend on the load of the moment: all processes of a run, minutes apart, have
 * to run on the same CPU. `sys` is where /sys is mounted. */
#ifndef RK_TOPOLOGY_H
#define RK_TOPOLOGY_H

#include "probe/cpus.h"

/* Where a CPU is, as seen from another: the nearest first. A core of RK_SAME_CACHE is below the
 * same last cache, one of RK_SAME_SOCKET is not. */
enum rk_relation {
    RK_ANY_RELATION = -1, /* in a request */
    RK_SIBLING = 0,       /* another thread of the same core */
    RK_SAME_CACHE,
    RK_SAME_SOCKET,
    RK_OTHER_SOCKET,
    RK_UNKNOWN_RELATION,
};

enum rk_relation rk_relation_of(const char *sys, int cpu, int other);

/* Of these CPUs, how many share a last cache where the fewest do; all where it is not reported. */
int rk_fewest_below_a_cache(const char *sys, const int *cpus, int count);

/* Another of the allowed CPUs for the partner of `cpu`, in the requested relation to it: preferably
 * no sibling thread, then the fastest, then the nearest; of several the first. -1: none. */
int rk_partner_cpu(const char *sys, const struct rk_cpu_mask *allowed, int cpu,
                   enum rk_relation requested);

#endif

/* topology.h: which CPU measures, and which is its partner, by the topology that the kernel
 * reports.
 *
 * The choice does not depend on the load of the moment: all processes of a run, minutes apart, have
 * to run on the same CPU. `sys` is where /sys is mounted. */
#ifndef RK_TOPOLOGY_H
#define RK_TOPOLOGY_H

#include <sched.h>

/* The fastest of the allowed CPUs, so no efficiency core of a hybrid processor; of several the
 * last, because interrupts tend to go to the first. -1 if none is allowed. */
int rk_fastest_cpu(const char *sys, const cpu_set_t *allowed);

/* Another of the allowed CPUs for the partner of `cpu`: preferably no sibling thread of its
 * core, then the fastest, then one below the same last cache; of several the first. -1 if there
 * is none. */
int rk_partner_cpu(const char *sys, const cpu_set_t *allowed, int cpu);

#endif

/* cpus.h: where processes and threads of a probe run. probe.h has rk_cpus() and rk_other_cpu(). */
#ifndef RK_CPUS_H
#define RK_CPUS_H

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include "probe/probe.h"

/* A set of any CPUs. A cpu_set_t has 1,024, and where a kernel has more it refuses that. */
struct rk_cpu_mask {
    cpu_set_t part[RK_CPUS_MAX / CPU_SETSIZE];
};
int rk_has_cpu(const struct rk_cpu_mask *, int cpu);
void rk_add_cpu(struct rk_cpu_mask *, int cpu); /* none if no such CPU can exist */

/* The CPUs that the calling thread may use; none if that is not known. */
struct rk_cpu_mask rk_usable_cpus(void);
/* That CPU alone. */
struct rk_cpu_mask rk_one_cpu(int cpu);

/* The CPUs that rk_cpus() gives, as a set (runner/allowed_cpus.c). */
struct rk_cpu_mask rk_cpu_set(void);

/* Moves the calling thread to those CPUs. 0 or an error number. */
int rk_allow_cpus(struct rk_cpu_mask);
/* Each allows one CPU alone. 0 or an error number. */
int rk_pin_process(pid_t process, int cpu); /* 0: the calling thread */
int rk_pin_thread(pthread_t, int cpu);

/* Starts a thread that may run on those CPUs only. 0 or an error number. */
int rk_start_thread(pthread_t *, struct rk_cpu_mask cpus, void *(*function)(void *),
                    void *argument);

#endif

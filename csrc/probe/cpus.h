/* cpus.h: where processes and threads of a probe run. probe.h has rk_cpus() and rk_other_cpu(). */
#ifndef RK_CPUS_H
#define RK_CPUS_H

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

/* The set of that CPU alone; empty if no such CPU can exist. */
cpu_set_t rk_one_cpu(int cpu);

/* The CPUs that rk_cpus() gives, as a set (runner/allowed_cpus.c). */
cpu_set_t rk_cpu_set(void);

/* Each allows one CPU alone. 0 or an error number. */
int rk_pin_process(pid_t process, int cpu); /* 0: the calling thread */
int rk_pin_thread(pthread_t, int cpu);

/* Starts a thread that may run on those CPUs only. 0 or an error number. */
int rk_start_thread(pthread_t *, cpu_set_t cpus, void *(*function)(void *), void *argument);

#endif

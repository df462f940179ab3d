/* cpus.h: where a probe's processes and threads run. rk_cpus() and rk_other_cpu() are in probe.h.
 */
#ifndef RK_CPUS_H
#define RK_CPUS_H

#include <pthread.h>
#include <sys/types.h>

/* Each allows one CPU alone. 0 or an error number. */
int rk_pin_process(pid_t process, int cpu); /* 0: the calling thread */
int rk_pin_thread(pthread_t, int cpu);

#endif

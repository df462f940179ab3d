#include "probe/cpus.h"

#include <errno.h>

cpu_set_t rk_one_cpu(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu >= 0 && cpu < CPU_SETSIZE) /* a number past the set must not write past it */
        CPU_SET(cpu, &set);
    return set;
}

int rk_pin_process(pid_t process, int cpu)
{
    const cpu_set_t set = rk_one_cpu(cpu);
    return sched_setaffinity(process, sizeof set, &set) < 0 ? errno : 0;
}

int rk_pin_thread(pthread_t thread, int cpu)
{
    const cpu_set_t set = rk_one_cpu(cpu);
    return pthread_setaffinity_np(thread, sizeof set, &set);
}

int rk_start_thread(pthread_t *thread, cpu_set_t cpus, void *(*function)(void *), void *argument)
{
    pthread_attr_t attr;
    int error = pthread_attr_init(&attr);
    if (error)
        return error;
    error = pthread_attr_setaffinity_np(&attr, sizeof cpus, &cpus);
    if (!error)
        error = pthread_create(thread, &attr, function, argument);
    pthread_attr_destroy(&attr);
    return error;
}

#include "probe/cpus.h"

#include <errno.h>

int rk_has_cpu(const struct rk_cpu_mask *mask, int cpu)
{
    return CPU_ISSET_S((size_t)cpu, sizeof *mask, mask->part) != 0;
}

void rk_add_cpu(struct rk_cpu_mask *mask, int cpu)
{
    CPU_SET_S((size_t)cpu, sizeof *mask, mask->part); /* a number past the set is not written */
}

struct rk_cpu_mask rk_usable_cpus(void)
{
    struct rk_cpu_mask mask = {0};
    if (sched_getaffinity(0, sizeof mask, mask.part) < 0)
        mask = (struct rk_cpu_mask){0};
    return mask;
}

struct rk_cpu_mask rk_one_cpu(int cpu)
{
    struct rk_cpu_mask mask = {0};
    rk_add_cpu(&mask, cpu);
    return mask;
}

int rk_allow_cpus(struct rk_cpu_mask mask)
{
    return sched_setaffinity(0, sizeof mask, mask.part) < 0 ? errno : 0;
}

int rk_pin_process(pid_t process, int cpu)
{
    const struct rk_cpu_mask mask = rk_one_cpu(cpu);
    return sched_setaffinity(process, sizeof mask, mask.part) < 0 ? errno : 0;
}

int rk_pin_thread(pthread_t thread, int cpu)
{
    const struct rk_cpu_mask mask = rk_one_cpu(cpu);
    return pthread_setaffinity_np(thread, sizeof mask, mask.part);
}

int rk_start_thread(pthread_t *thread, struct rk_cpu_mask cpus, void *(*function)(void *),
                    void *argument)
{
    pthread_attr_t attr;
    int error = pthread_attr_init(&attr);
    if (error)
        return error;
    error = pthread_attr_setaffinity_np(&attr, sizeof cpus, cpus.part);
    if (!error)
        error = pthread_create(thread, &attr, function, argument);
    pthread_attr_destroy(&attr);
    return error;
}

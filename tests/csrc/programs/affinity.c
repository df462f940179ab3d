/* affinity.c: put before the C library (LD_PRELOAD) by tests/csrc/memory/test_refused.py. No
 * process may choose its CPUs, and with MANY_CPUS set the kernel has more than a cpu_set_t. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    (void)pid, (void)size, (void)set;
    errno = EPERM;
    return -1;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    if (!getenv("MANY_CPUS") || size > sizeof *set)
        return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
    errno = EINVAL;
    return -1;
}

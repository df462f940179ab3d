#include "probe/owner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/kernel_files.h"

/* When a living process started, in ticks since boot (proc_pid_stat(5), field 22). 0, or -1 where
 * there is none, or one that has ended and was not waited for. */
static int started_at(int pid, unsigned long long *started)
{
    char path[64], stat[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const char *const name_end = rk_read_text(path, stat, sizeof stat) > 0 ? strrchr(stat, ')') : 0;
    const char *before = name_end; /* the space before a field; the name is field 2 */
    for (int field = 3; before && field <= 22; field++)
        before = strchr(before + 1, ' ');
    if (!before || sscanf(before, "%llu", started) != 1)
        return -1;
    const char state = name_end[2];
    return state == 'Z' || state == 'X' ? -1 : 0;
}

/* The beginning of this boot's identifier, and the number of the PID namespace. 0 or -1. */
static int own_space(char space[48])
{
    char link[64] = "", boot[9];
    const ssize_t known = rk_read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    snprintf(space, 48, "%s", boot);
    if (known != 8 || readlink("/proc/self/ns/pid", link, sizeof link - 1) <= 0)
        return -1;
    return sscanf(link, "pid:[%31[0-9]", space + 8) == 1 ? 0 : -1;
}

int rk_owner_name(char name[RK_OWNER_MAX])
{
    char space[48];
    unsigned long long started;
    if (own_space(space) || started_at((int)getpid(), &started))
        return -1;
    snprintf(name, RK_OWNER_MAX, "%s-%d-%llu", space, (int)getpid(), started);
    return 0;
}

int rk_owner_has_ended(const char *name)
{
    char own[48], space[48];
    int pid;
    unsigned long long then, now;
    if (own_space(own) || sscanf(name, "%47[0-9a-f]-%d-%llu", space, &pid, &then) != 3 ||
        strcmp(own, space) != 0)
        return 0;
    return started_at(pid, &now) != 0 || now != then;
}

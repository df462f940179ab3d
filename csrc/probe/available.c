/* available.c: how much memory can be touched here. */
#include <stdio.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/control_groups.h"
#include "probe/kernel_files.h"

#define GROUPS_MOUNTED_AT "/sys/fs/cgroup"

/* Limit minus use of one control group; the page cache can be given back, so it counts as free. */
static int64_t left_in(const char *folder, const char *limit, const char *use, const char *cached)
{
    char path[2 * PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    const int64_t limit_bytes = rk_number_in(path);
    if (limit_bytes == INT64_MAX)
        return INT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, use);
    const int64_t used = rk_number_in(path);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    return used == INT64_MAX ? limit_bytes : limit_bytes - used + rk_field_in(path, cached, 0);
}

/* The least that any group of one version leaves, from this process's own up to what is mounted:
 * in a container that may be the own group, whose name is the one that it has outside. */
static int64_t left_by_version(int version, const char *mount)
{
    char group[PATH_MAX], folder[2 * PATH_MAX];
    int64_t minimum = INT64_MAX;
    rk_own_group(version, group);
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", mount, group);
        const int64_t left =
            version == 2 ? left_in(folder, "memory.max", "memory.current", "inactive_file %lld")
                         : left_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_inactive_file %lld");
        minimum = left < minimum ? left : minimum;
        if (!group[0])
            return minimum;
        *strrchr(group, '/') = 0;
    }
}

static int64_t left_by_groups(void)
{
    char mount[PATH_MAX];
    const int64_t second = left_by_version(2, GROUPS_MOUNTED_AT);
    const int64_t first =
        rk_memory_controller(GROUPS_MOUNTED_AT, mount) == 0 ? left_by_version(1, mount) : INT64_MAX;
    return first < second ? first : second;
}

int64_t rk_available_bytes(void)
{
    const int64_t system = rk_field_in("/proc/meminfo", "MemAvailable: %lld", 0) * 1024;
    if (system <= 0)
        return -1;
    const int64_t groups = left_by_groups(), left = groups < system ? groups : system;
    return left > 0 ? left : 0;
}

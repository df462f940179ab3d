/* available.c: how much memory can be touched here. */
#include <stdio.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/control_groups.h"
#include "probe/kernel_files.h"

#define GROUPS_MOUNTED_AT "/sys/fs/cgroup"

/* Page cache that can be given back, as MemAvailable counts it: active or not; what is dirty is
 * written first. Locked pages and tmpfs are on neither list. */
static int64_t reclaimable_in(const char *folder, const char *whole)
{
    static const char *const lists[] = {"inactive_file", "active_file"};
    char path[2 * PATH_MAX + 64], format[64];
    int64_t bytes = 0;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    for (int i = 0; i < 2; i++) {
        snprintf(format, sizeof format, "%s%s %%lld", whole, lists[i]);
        bytes += rk_field_in(path, format, 0);
    }
    return bytes;
}

/* What the limit of one control group leaves. */
static int64_t left_in(const char *folder, const struct rk_memory_files *files)
{
    const int64_t limit_bytes = rk_group_number(folder, files->limit);
    if (limit_bytes == INT64_MAX)
        return INT64_MAX;
    const int64_t used = rk_group_number(folder, files->use);
    return used == INT64_MAX ? limit_bytes
                             : limit_bytes - used + reclaimable_in(folder, files->whole);
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
        const int64_t left = left_in(folder, &rk_memory_files[version]);
        minimum = left < minimum ? left : minimum;
        if (!group[0])
            return minimum;
        *strrchr(group, '/') = 0;
    }
}

static int64_t left_by_groups(void)
{
    char mount[PATH_MAX];
    const int64_t by_second = left_by_version(2, GROUPS_MOUNTED_AT);
    const int64_t by_first =
        rk_memory_controller(GROUPS_MOUNTED_AT, mount) == 0 ? left_by_version(1, mount) : INT64_MAX;
    return by_first < by_second ? by_first : by_second;
}

int64_t rk_available_bytes(void)
{
    const int64_t system = rk_field_in("/proc/meminfo", "MemAvailable: %lld", 0) * 1024;
    if (system <= 0)
        return -1;
    const int64_t groups = left_by_groups(), left = groups < system ? groups : system;
    return left > 0 ? left : 0;
}

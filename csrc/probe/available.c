/* available.c: how much memory can be touched here. */
#include <stdio.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/control_groups.h"
#include "probe/kernel_files.h"

#define GROUPS_MOUNTED_AT "/sys/fs/cgroup"

/* The files of one version, and the prefix of fields that count a group's children too. */
struct version {
    int number;
    const char *limit, *use, *whole;
};

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
static int64_t left_in(const char *folder, const struct version *version)
{
    char path[2 * PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, version->limit);
    const int64_t limit_bytes = rk_number_in(path);
    if (limit_bytes == INT64_MAX)
        return INT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, version->use);
    const int64_t used = rk_number_in(path);
    return used == INT64_MAX ? limit_bytes
                             : limit_bytes - used + reclaimable_in(folder, version->whole);
}

/* The least that any group of one version leaves, from this process's own up to what is mounted:
 * in a container that may be the own group, whose name is the one that it has outside. */
static int64_t left_by_version(const struct version *version, const char *mount)
{
    char group[PATH_MAX], folder[2 * PATH_MAX];
    int64_t minimum = INT64_MAX;
    rk_own_group(version->number, group);
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", mount, group);
        const int64_t left = left_in(folder, version);
        minimum = left < minimum ? left : minimum;
        if (!group[0])
            return minimum;
        *strrchr(group, '/') = 0;
    }
}

static int64_t left_by_groups(void)
{
    static const struct version first = {1, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                         "total_"};
    static const struct version second = {2, "memory.max", "memory.current", ""};
    char mount[PATH_MAX];
    const int64_t by_second = left_by_version(&second, GROUPS_MOUNTED_AT);
    const int64_t by_first = rk_memory_controller(GROUPS_MOUNTED_AT, mount) == 0
                                 ? left_by_version(&first, mount)
                                 : INT64_MAX;
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

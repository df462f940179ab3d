/* available.c: how much memory can be touched here. */
#include <stdio.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/kernel_files.h"

/* Limit minus use of one control group; the page cache can be given back, so it counts as free. */
static int64_t left_in(const char *folder, const char *limit, const char *use, const char *cached)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    const int64_t most = rk_number_in(path);
    if (most == INT64_MAX)
        return INT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, use);
    const int64_t used = rk_number_in(path);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    return used == INT64_MAX ? most : most - used + rk_field_in(path, cached);
}

/* The least that any group from this process's own up to the root leaves. Version 2 has one
 * hierarchy ("0::/path"), version 1 one for memory ("4:memory:/path"): cgroups(7). */
static int64_t left_by_groups(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[4096];
    int64_t least = INT64_MAX;
    while (file && fgets(line, sizeof line, file)) {
        const int second = strncmp(line, "0::", 3) == 0;
        char *group = second ? line + 3 : strstr(line, ":memory:");
        if (!group)
            continue;
        group += second ? 0 : strlen(":memory:");
        group[strcspn(group, "\n")] = 0;
        for (;;) {
            char folder[4300];
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", second ? "" : "/memory", group);
            const int64_t left =
                second ? left_in(folder, "memory.max", "memory.current", "inactive_file ")
                       : left_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                 "total_inactive_file ");
            least = left < least ? left : least;
            char *slash = strrchr(group, '/');
            if (!slash || !group[0])
                break;
            *slash = 0;
        }
    }
    if (file)
        fclose(file);
    return least;
}

int64_t rk_available_bytes(void)
{
    const int64_t system = rk_field_in("/proc/meminfo", "MemAvailable:") * 1024;
    if (system <= 0)
        return -1;
    const int64_t groups = left_by_groups();
    return groups < system ? (groups > 0 ? groups : 0) : system;
}
